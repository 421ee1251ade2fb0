"""The target's sureness, and what is foreseen from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.auto.acceptance import Counts
from app.engine.auto.target_confidence import LEAST_TOKENS, TargetConfidence, sureness

FINITE = st.floats(-40, 40, allow_nan=False, width=32)


@given(st.lists(FINITE, min_size=2, max_size=30))
def test_sureness_is_the_best_against_the_second(values: list[float]) -> None:
    logits = np.array(values, dtype=np.float32)
    second, best = sorted(float(value) for value in logits)[-2:]
    assert sureness(logits) == pytest.approx(1.0 / (1.0 + np.exp(second - best)))


def test_one_token_alone_is_sure_and_nothing_overflows() -> None:
    assert sureness(np.array([3.0], dtype=np.float32)) == pytest.approx(1.0)
    assert sureness(np.array([1e30, -1e30], dtype=np.float32)) == pytest.approx(1.0)
    assert sureness(np.array([1.0, 1.0, 0.0], dtype=np.float32)) == pytest.approx(0.5)


def rows(*gaps: float) -> np.ndarray:
    return np.array([[0.0, gap, -5.0] for gap in gaps], dtype=np.float32)


def test_only_rows_that_were_emitted_from_count() -> None:
    seen, alone = TargetConfidence([]), TargetConfidence([])
    for _ in range(LEAST_TOKENS):
        seen.see_rows(rows(4.0, 0.1, 0.1))
        seen.emit(1)
        alone.see_rows(rows(4.0))
        alone.emit(1)
    assert seen.is_known
    assert seen.acceptance() == alone.acceptance() > 0.9


def test_an_unsure_target_foresees_a_bad_draft_and_a_turn_is_followed() -> None:
    foresight = TargetConfidence([])
    for _ in range(40):
        foresight.see_rows(rows(0.2))
        foresight.emit(1)
    assert foresight.acceptance() < 0.65
    for _ in range(20):
        foresight.see_rows(rows(5.0))
        foresight.emit(1)
    assert foresight.acceptance() > 0.85


def test_what_drafts_did_corrects_what_was_foreseen_and_is_kept() -> None:
    long_run: list[Counts] = []
    foresight = TargetConfidence(long_run)
    foresight.learn([0.9] * LEAST_TOKENS)
    before = foresight.acceptance()
    for _ in range(40):
        foresight.judge(stood=False)
    assert foresight.acceptance() < 0.2 < before
    later = TargetConfidence(long_run)
    later.learn([0.9] * LEAST_TOKENS)
    assert later.acceptance() < 0.35


def test_nothing_is_judged_before_the_sureness_is_known() -> None:
    long_run: list[Counts] = []
    foresight = TargetConfidence(long_run)
    foresight.learn([0.9])
    foresight.judge(stood=True)
    assert not foresight.is_known
    assert sum(counts.judged for counts in long_run) == 0
