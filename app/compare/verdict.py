"""What a comparison found, in a sentence. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from app.compare.interval import Estimate, hold_together
from app.compare.result import Divergence, Result, SideResult
from app.records import Record
from app.sentences import Sentence, Text, joined, say

Kind = Literal["faster", "slower", "same", "undecided"]

UNFELT = 0.01
"""Nobody feels a hundredth: an interval must lie beyond that to make a winner."""

CLOSE = 0.10
"""An interval within this of 1 that makes no winner says that two sides are as fast as each other: a difference too
small for an interval of ±5% looks like that."""


class Verdict(Record, frozen=True, kw_only=True):
    """``kind`` is about ``side`` against the baseline. ``sentence`` is whole; ``headline`` its first part."""

    side: str
    kind: Kind
    headline: Text
    sentence: Text

    @property
    def rest(self) -> str:
        """The sentence without what the headline says already."""
        if isinstance(self.sentence, Sentence) and "rest" in self.sentence.values:
            return Sentence("{rest}.", self.sentence.values)
        return self.sentence.removeprefix(self.headline).lstrip(", ")


class Hint(Record, frozen=True, kw_only=True):
    """A method that was not compared, tried once on each prompt against the baseline, since no side was faster."""

    method: str
    title: str
    gain: Estimate


LEAST_HINT = 1.03
"""A gain below this is not worth a word."""


def judge(estimate: Estimate | None) -> Kind:
    """The verdict that an interval alone allows."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return "undecided"
    if estimate.low > 1 + UNFELT:
        return "faster"
    if estimate.high < 1 - UNFELT:
        return "slower"
    if estimate.low > 1 - CLOSE and estimate.high < 1 + CLOSE:
        return "same"
    return "undecided"


def estimates_of(result: Result) -> dict[str, Estimate]:
    """The speed-up of every side over the baseline; with several sides the intervals hold together with 95%."""
    others = result.overall.sides[1:]
    return {side.side: hold_together(side.speedup, len(others)) for side in others if side.speedup is not None}


def find_winner(result: Result) -> str:
    """The name of the side to use: the fastest of those that are faster for sure, else the baseline."""
    faster = {name: each.factor for name, each in estimates_of(result).items() if judge(each) == "faster"}
    return max(faster, key=faster.__getitem__) if faster else result.overall.sides[0].side


def give_verdicts(result: Result, hint: Hint | None = None) -> list[Verdict]:
    """One for every side but the baseline."""
    estimates = estimates_of(result)
    return [_give_verdict(result, side, estimates, hint) for side in result.overall.sides[1:]]


def _give_verdict(result: Result, side: SideResult, estimates: dict[str, Estimate], hint: Hint | None) -> Verdict:
    estimate = estimates.get(side.side)
    kind = judge(estimate)
    headline = _headline(kind, estimate)
    speeds = [f"{each.tokens_per_second:.1f}" for each in (result.overall.sides[0], side)]
    parts = [say("{b} against {a} tokens/s", b=speeds[1], a=speeds[0])]
    if kind in ("slower", "same") and side.num_draft_tokens:
        parts.append(say("the draft costs more than it saves") if kind == "slower"
                     else say("the draft saves no more than it costs"))
    if side.draft_acceptance_rate is not None:
        parts.append(say("{share} of drafted tokens accepted", share=f"{side.draft_acceptance_rate:.0%}"))
    parts.append(_texts(side, [parting for parting in result.partings if parting.side == side.side]))
    alternative = _alternative(side, estimates, hint) if kind in ("slower", "same") else ""
    sentence = Sentence("{headline}, {rest}.", {"headline": headline, "rest": joined([*parts, alternative], "; ")})
    return Verdict(side=side.side, kind=kind, headline=headline, sentence=sentence)


def _headline(kind: Kind, estimate: Estimate | None) -> str:
    if estimate is None:
        return say("Nothing to compare")
    if estimate.low is None or estimate.high is None:
        return say("{factor} times as fast in the only pair", factor=f"{estimate.factor:.2f}")
    factor, low, high = f"{estimate.factor:.2f}", format_factor(estimate.low), format_factor(estimate.high)
    if kind == "undecided":
        return say("Not sure: {factor} times as fast ({low} to {high})", factor=factor, low=low, high=high)
    if kind == "same":
        return say("No faster: {factor} times as fast ({low} to {high})", factor=factor, low=low, high=high)
    if kind == "slower":
        return say("Slower: {factor} times as fast ({low} to {high})", factor=factor, low=low, high=high)
    return say("{factor} times as fast ({low} to {high})", factor=factor, low=low, high=high)


def format_factor(factor: float) -> str:
    """“1.42”; numbers that no one can mean stay short."""
    if factor > 99:
        return "over 99"
    return f"{factor:.2f}" if factor >= 0.01 else "under 0.01"


def format_estimate(estimate: Estimate | None) -> str:
    """“1.42× (1.35–1.50)”."""
    if estimate is None:
        return "–"
    interval = format_range(estimate)
    return f"{estimate.factor:.2f}×" + (f" ({interval})" if interval != "–" else "")


def format_range(estimate: Estimate | None) -> str:
    """“1.35–1.50”."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return "–"
    return f"{format_factor(estimate.low)}–{format_factor(estimate.high)}"


def _texts(side: SideResult, partings: Sequence[Divergence]) -> str:
    if side.same_texts is None:
        return ""
    if side.same_texts == 1:
        return say("same text")
    gaps = [abs(parting.gap) for parting in partings if parting.gap is not None]
    share, gap = f"{side.same_texts:.0%}", f"{max(gaps, default=0.0):.2f}"
    if side.same_texts and gaps:
        return say("same text in {share} of answers, parting where two candidates' logits are at most {gap} apart",
                   share=share, gap=gap)
    if side.same_texts:
        return say("same text in {share} of answers", share=share)
    if gaps:
        return say("other texts, parting where two candidates' logits are at most {gap} apart", gap=gap)
    return say("other texts")


def _alternative(side: SideResult, estimates: dict[str, Estimate], hint: Hint | None) -> str:
    others = {n: each.factor for n, each in estimates.items() if n != side.side and judge(each) == "faster"}
    if others:
        best = max(others, key=others.__getitem__)
        return say("“{name}” gains about {share}", name=best, share=f"{others[best] - 1:.0%}")
    if hint is not None and hint.gain.factor >= LEAST_HINT:
        return say("{name} would gain about {share}", name=hint.title, share=f"{hint.gain.factor - 1:.0%}")
    return ""
