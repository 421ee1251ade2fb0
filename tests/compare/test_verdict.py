from __future__ import annotations

import pytest

from app.compare.interval import Estimate
from app.compare.result import Divergence, summarise
from app.compare.verdict import Hint, find_winner, give_verdicts, judge
from tests.compare.test_result import trial


def estimate(low: float, high: float) -> Estimate:
    return Estimate(factor=(low * high) ** 0.5, low=low, high=high, pairs=6)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (estimate(1.35, 1.50), "faster"), (estimate(0.7, 0.8), "slower"), (estimate(0.98, 1.02), "same"),
        (estimate(0.9, 1.2), "undecided"), (estimate(0.97, 1.07), "same"),
        (estimate(1.005, 1.03), "same"), (estimate(1.005, 1.2), "undecided"),
        (Estimate(factor=2.0), "undecided"), (None, "undecided"),
    ],
)
def test_an_interval_decides(given: Estimate | None, kind: str) -> None:
    assert judge(given) == kind


def sentence(
    speeds: dict[str, float], side: str = "draft", drafted: int = 100, accepted: int = 68,
    tokens: list[int] | None = None, partings: tuple[Divergence, ...] = (),
) -> str:
    trials = [
        trial("p", name, speed * (1 + 0.01 * (run % 2)), run, tokens if name == side else None,
              drafted if name != "off" else 0, accepted if name != "off" else 0)
        for run in range(6) for name, speed in speeds.items()
    ]
    result = summarise(trials, list(speeds), 6, partings)
    return next(verdict.sentence for verdict in give_verdicts(result) if verdict.side == side)


def test_faster() -> None:
    assert sentence({"off": 21.8, "draft": 31.0}) == (
        "1.42 times as fast (1.42 to 1.42), 31.2 against 21.9 tokens/s; 68% of drafted tokens accepted; same text."
    )


def test_slower_says_why_and_what_would_help() -> None:
    text = sentence({"off": 20.0, "draft": 15.0, "ngram-simple": 22.4})
    assert text.startswith("Slower: 0.75 times as fast (0.75 to 0.75), 15.1 against 20.1 tokens/s; "
                           "the draft costs more than it saves")
    assert "“ngram-simple” gains about 12%" in text


@pytest.mark.parametrize(("factor", "words"), [(1.12, "N-gram lookup would gain about 12%"), (1.02, "")])
def test_what_was_not_compared_is_hinted_at_where_it_helps(factor: float, words: str) -> None:
    trials = [trial("p", name, speed, run, None, 100, 40) for run in range(6)
              for name, speed in (("off", 20.0), ("draft", 15.0))]
    hint = Hint(method="ngram-simple", title="N-gram lookup", gain=Estimate(factor=factor))
    text = give_verdicts(summarise(trials, ["off", "draft"], 6), hint)[0].sentence
    assert words in text
    assert ("would gain" in text) == bool(words)
    faster = [trial("p", name, speed, run) for run in range(6) for name, speed in (("off", 20.0), ("draft", 25.0))]
    assert "would gain" not in give_verdicts(summarise(faster, ["off", "draft"], 6), hint)[0].sentence


def test_no_faster() -> None:
    text = sentence({"off": 20.0, "auto": 20.1}, side="auto", drafted=0, accepted=0)
    assert text.startswith("No faster: 1.0")
    assert "accepted" not in text


def test_other_texts_come_with_the_gap() -> None:
    parting = Divergence(prompt_id="p", side="draft", run=0, position=2, baseline_token_id=2, token_id=9, gap=-0.05)
    text = sentence({"off": 20.0, "draft": 30.0}, tokens=[0, 1, 9], partings=(parting,))
    assert "other texts, parting where two candidates' logits are at most 0.05 apart" in text


def test_one_pair_is_not_a_verdict() -> None:
    result = summarise([trial("p", "off", 10), trial("p", "draft", 20)], ["off", "draft"], 6)
    verdict = give_verdicts(result)[0]
    assert verdict.kind == "undecided"
    assert "only pair" in verdict.sentence


def test_the_winner_is_the_fastest_that_is_faster_for_sure() -> None:
    speeds = {"off": 20.0, "a": 25.0, "b": 30.0, "c": 10.0}
    trials = [trial("p", name, speed, run) for run in range(6) for name, speed in speeds.items()]
    assert find_winner(summarise(trials, list(speeds), 6)) == "b"
    slow = [t for t in trials if t.side in ("off", "c")]
    assert find_winner(summarise(slow, ["off", "c"], 6)) == "off"
