"""What a comparison found, in a sentence. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from app.compare.interval import Estimate
from app.compare.result import GroupResult, Parting, Result, SideResult
from app.terms import Record

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
    headline: str
    sentence: str


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


def find_winner(result: Result) -> str:
    """The name of the side to use: the fastest of those that are faster for sure, else the baseline."""
    sides = result.overall.sides
    faster = [side for side in sides if judge(side.speedup) == "faster"]
    return max(faster, key=_factor).side if faster else sides[0].side


def give_verdicts(result: Result) -> list[Verdict]:
    """One for every side but the baseline."""
    return [_give_verdict(result.overall, side, result.partings) for side in result.overall.sides[1:]]


def _give_verdict(group: GroupResult, side: SideResult, partings: Sequence[Parting]) -> Verdict:
    kind = judge(side.speedup)
    headline = _headline(kind, side.speedup)
    parts = [f"{side.tokens_per_second:.1f} against {group.sides[0].tokens_per_second:.1f} tokens/s"]
    if kind in ("slower", "same") and side.num_draft_tokens:
        parts[0] += "; the draft costs more than it saves" if kind == "slower" else ""
    if side.draft_acceptance_rate is not None:
        parts.append(f"{side.draft_acceptance_rate:.0%} of drafted tokens accepted")
    parts.append(_texts(side, [parting for parting in partings if parting.side == side.side]))
    alternative = _alternative(group, side) if kind in ("slower", "same") else ""
    sentence = f"{headline}, {'; '.join(filter(None, [*parts, alternative]))}."
    return Verdict(side=side.side, kind=kind, headline=headline, sentence=sentence)


def _headline(kind: Kind, estimate: Estimate | None) -> str:
    if estimate is None:
        return "Nothing to compare"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.factor:.2f} times as fast in the only pair"
    interval = f"({format_factor(estimate.low)} to {format_factor(estimate.high)})"
    if kind == "undecided":
        return f"Not sure: {estimate.factor:.2f} times as fast {interval}"
    if kind == "same":
        return f"No faster: {estimate.factor:.2f} times as fast {interval}"
    if kind == "slower":
        return f"Slower: {estimate.factor:.2f} times as fast {interval}"
    return f"{estimate.factor:.2f} times as fast {interval}"


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


def _texts(side: SideResult, partings: Sequence[Parting]) -> str:
    if side.same_texts is None:
        return ""
    if side.same_texts == 1:
        return "same text"
    words = f"same text in {side.same_texts:.0%} of answers" if side.same_texts else "other texts"
    gaps = [abs(parting.gap) for parting in partings if parting.gap is not None]
    return f"{words}, parting where two candidates' logits are at most {max(gaps):.2f} apart" if gaps else words


def _alternative(group: GroupResult, side: SideResult) -> str:
    others = [other for other in group.sides[1:] if other.side != side.side and judge(other.speedup) == "faster"]
    if not others:
        return ""
    best = max(others, key=_factor)
    return f"“{best.side}” gains about {_factor(best) - 1:.0%}"


def _factor(side: SideResult) -> float:
    return side.speedup.factor if side.speedup else 1.0
