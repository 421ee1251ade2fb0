"""Figures of an answer: only verified guesses count (C09), and none behind the end of the answer (C02)."""

from __future__ import annotations

import pytest

from app.engine.drafters.interface import Draft
from app.engine.stats import RunStats
from app.engine.verify import Acceptance
from app.records import DrafterFigures


def step(stats: RunStats, drafted: int, accepted: int, *, drafter: str = "draft", ended: bool = False) -> None:
    """A step whose draft of ``drafted`` tokens had ``accepted`` right."""
    emitted = accepted if ended else accepted + 1
    judged = accepted if ended else min(drafted, accepted + 1)
    stats.add_step(Draft(drafter, [1] * drafted),
                   Acceptance(tokens=[1] * emitted, accepted=accepted, judged=judged, ended=ended))


def test_nothing_done_nothing_said() -> None:
    figures = RunStats().speculation("off", "")
    assert (figures.steps, figures.draft_acceptance_rate, figures.mean_acceptance_length) == (0, 0.0, 1.0)
    assert figures.acceptance_histogram == figures.per_position_acceptance == []
    timings = RunStats().timings(1.5)
    assert (timings.load_s, timings.tokens_per_second, timings.prefill_tokens_per_second) == (1.5, 0.0, 0.0)


def test_counts() -> None:
    stats = RunStats()
    step(stats, 3, 3)
    step(stats, 3, 1)
    step(stats, 2, 0)
    step(stats, 0, 0, drafter="")
    step(stats, 4, 2, drafter="lookup")
    figures = stats.speculation("draft:max=3", "Said.")
    assert (figures.method, figures.sentence, figures.steps) == ("draft:max=3", "Said.", 5)
    assert stats.emitted_tokens == 4 + 2 + 1 + 1 + 3
    assert (figures.num_draft_tokens, figures.num_accepted_draft_tokens) == (12, 6)
    assert figures.draft_acceptance_rate == pytest.approx(0.5)
    assert figures.mean_acceptance_length == pytest.approx(1 + 6 / 5)
    assert figures.acceptance_histogram == [1, 1, 1, 1]  # the step without a draft is not in it
    assert figures.per_position_acceptance == pytest.approx([3 / 4, 2 / 4, 1 / 3, 0])
    assert figures.by_drafter == {
        "draft": DrafterFigures(steps=3, num_draft_tokens=8, num_accepted_draft_tokens=4),
        "lookup": DrafterFigures(steps=1, num_draft_tokens=4, num_accepted_draft_tokens=2),
    }


def test_guesses_behind_the_end_count_nowhere() -> None:
    stats = RunStats()
    step(stats, 8, 2, ended=True)
    figures = stats.speculation("draft", "")
    assert stats.emitted_tokens == 2
    assert (figures.num_draft_tokens, figures.num_accepted_draft_tokens) == (2, 2)
    assert figures.per_position_acceptance == [1.0, 1.0]
    assert figures.acceptance_histogram == [0, 0, 1]


def test_figures_given_out_do_not_change_later() -> None:
    stats = RunStats()
    step(stats, 2, 1)
    before = stats.speculation("draft", "")
    step(stats, 5, 5)
    assert before.acceptance_histogram == [0, 1]
    assert before.by_drafter["draft"].num_draft_tokens == 2


def test_time_is_parted_without_rest() -> None:
    stats = RunStats(prompt_tokens=30, cached_tokens=10, prefill_s=2.0, decode_s=10.0, draft_s=3.0, verify_s=5.0,
                     sample_s=0.5, emitted_tokens=40)
    timings = stats.timings(0.0)
    assert timings.other_s == pytest.approx(1.5)
    assert timings.draft_s + timings.verify_s + timings.sample_s + timings.other_s == pytest.approx(timings.decode_s)
    assert timings.tokens_per_second == 4.0
    assert timings.prefill_tokens_per_second == 10.0
    assert RunStats(decode_s=1.0, verify_s=1.1).timings(0.0).other_s == 0.0
