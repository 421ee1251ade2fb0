from __future__ import annotations

import msgspec
import pytest

from app.compare.report import Report
from app.compare.report_diff import set_beside
from tests.compare.test_report import make


def slower(report: Report, factor: float) -> Report:
    """The same, with every answer ``factor`` times as fast."""
    trials = [
        msgspec.structs.replace(t, timings=msgspec.structs.replace(
            t.timings, tokens_per_second=t.timings.tokens_per_second * factor))
        for t in report.trials
    ]
    return msgspec.structs.replace(report, trials=trials)


def test_the_same_sides_go_together_wherever_their_files_lie() -> None:
    now = make()
    moved = [msgspec.structs.replace(s, setup=msgspec.structs.replace(s.setup, target="/else/" + s.setup.target))
             for s in now.sides]
    beside = set_beside(now, msgspec.structs.replace(slower(now, 0.5), sides=moved))
    assert [row.name for row in beside.rows] == now.methods
    assert all(row.change == pytest.approx(2.0) for row in beside.rows)
    assert beside.prompts == 4
    assert beside.differences == []


def test_sides_of_one_alone_have_a_row_of_their_own() -> None:
    now = make()
    then = msgspec.structs.replace(
        now, sides=[*now.sides[:2], msgspec.structs.replace(now.sides[2], method="draft:max=9"), *now.sides[3:]])
    beside = set_beside(now, then)
    auto = next(row for row in beside.rows if row.name == "auto" and row.now)
    assert (auto.then, auto.change) == (0.0, None)
    assert len(beside.rows) == len(now.sides) + 1
    assert beside.rows[-1].then > 0
    assert beside.rows[-1].now == 0.0


def test_what_else_has_changed_is_said() -> None:
    now = make()
    machine = msgspec.structs.replace(now.machine, program="9.9", processor="Other")
    prompts = [*now.prompts[:1], *(msgspec.structs.replace(p, sha256="0") for p in now.prompts[1:])]
    words = " ".join(set_beside(now, msgspec.structs.replace(now, machine=machine, prompts=prompts)).differences)
    assert "1 of 4 prompts in common" in words
    assert "Program: 0.1, then 9.9." in words
    assert "Processor" in words
    assert "Engine" not in words


def test_without_a_prompt_in_common_no_speeds_are_compared() -> None:
    now = make()
    then = msgspec.structs.replace(now, prompts=[msgspec.structs.replace(p, sha256="0") for p in now.prompts])
    beside = set_beside(now, then)
    assert all(row.change is None for row in beside.rows)
    assert "no prompt in common" in beside.differences[0]
