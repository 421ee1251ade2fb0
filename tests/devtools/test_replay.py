"""Replaying recorded answers: exact against a machine without noise, and kind to what a draft would gain."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from app.engine.controller import FixedController, OffController
from devtools.replay.replaying import Costs, Guess, Machine, Record, RecordedDraft, controllers, read_records, replay

COSTS = Costs(verify_ms={1: 100.0, 4: 130.0, 16: 300.0}, draft_ms=10.0)


class StillMachine(Machine):
    def _jitter(self) -> float:
        return 1.0


def record(right: bool, length: int = 40) -> Record:
    tokens = [100 + n * 7 % 61 for n in range(length)]
    guesses = [
        Guess(tokens[at : at + 16] if right else [-1] * 16, [0.95 if right else 0.4] * 16) for at in range(length)
    ]
    return Record("one", "code", list(range(1, 20)), tokens, [0.98 if right else 0.6] * length, guesses)


def still() -> StillMachine:
    return StillMachine(COSTS, random.Random(0))


def test_costs_between_measured_lengths_are_interpolated() -> None:
    assert COSTS.verify_s(1) == pytest.approx(0.1)
    assert COSTS.verify_s(3) == pytest.approx(0.12)
    assert COSTS.verify_s(32) == pytest.approx(0.6)


def test_plain_decoding_pays_one_pass_a_token() -> None:
    answer = record(right=True)
    assert replay(answer, OffController(), RecordedDraft(answer), still()) == pytest.approx(40 * 0.1)


def test_a_draft_that_is_right_saves_what_its_passes_do_not_cost() -> None:
    answer = record(right=True)
    drafter = RecordedDraft(answer)
    # ten steps of three right guesses and one more token, each three draft passes and a verify pass over four
    assert replay(answer, FixedController(drafter, 3), drafter, still()) == pytest.approx(10 * 0.16, rel=0.05)


def test_auto_gains_where_the_draft_is_right_and_loses_little_where_it_is_wrong() -> None:
    for right, bar in ((True, 1.8), (False, 0.93)):
        answers = [record(right)]
        plain = sum(seconds for _, seconds in controllers("off", answers, COSTS, seed=1))
        auto = sum(seconds for _, seconds in controllers("auto", answers, COSTS, seed=1))
        assert plain / auto >= bar


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    answers = [record(right=True), record(right=False)]
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, answers)))
    assert read_records(path) == answers
