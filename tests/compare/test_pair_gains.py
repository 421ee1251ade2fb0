"""What drafts gained, learned from answers and from comparisons."""

from __future__ import annotations

import msgspec
import pytest

from app.compare.pair_gains import gains_of, with_answer
from app.settings.settings import MeasuredGain
from devtools.window import compare_script


def test_answers_are_averaged_and_the_old_fade() -> None:
    gain = with_answer(None, 2.0)
    assert gain == MeasuredGain(factor=2.0, answers=1)
    gain = with_answer(gain, 1.0)
    assert gain == MeasuredGain(factor=1.5, answers=2)
    for _ in range(200):
        gain = with_answer(gain, 3.0)
    assert gain.factor == pytest.approx(3.0, abs=0.02)
    assert gain.answers == 202


def test_a_comparison_tells_what_its_draft_gained() -> None:
    plan = compare_script.make_plan("/m/target.gguf", "/m/draft.gguf", {"/m/target.gguf": "T", "/m/draft.gguf": "D"})
    report, _ = compare_script.script_report(plan)
    found = gains_of(report)
    speedup = report.result.overall.sides[1].speedup
    assert speedup is not None
    assert found["/m/target.gguf"]["/m/draft.gguf"].factor == pytest.approx(speedup.factor, abs=0.001)


def test_without_a_plain_side_nothing_is_learned() -> None:
    plan = compare_script.make_plan("/m/target.gguf", "/m/draft.gguf", {"/m/target.gguf": "T", "/m/draft.gguf": "D"})
    report, _ = compare_script.script_report(plan)
    first = msgspec.structs.replace(report.sides[0], method="auto")
    assert gains_of(msgspec.structs.replace(report, sides=[first, *report.sides[1:]])) == {}
