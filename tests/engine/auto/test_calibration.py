"""The measurement before the first draft, on scripted clocks."""

from __future__ import annotations

import pytest

from app.engine.auto.calibration import calibrate
from app.engine.auto.cost import CALIBRATED_LENGTHS, CostModel
from app.engine.backend import AbortFlag, DecodeAbortedError
from tests.engine.fakes import COMPUTE_BOUND, DRAFT_S, Language, ScriptedModel, curve, per_token


def models(**more: object) -> tuple[ScriptedModel, ScriptedModel]:
    target = ScriptedModel(cost=curve(COMPUTE_BOUND), **more)  # type: ignore[arg-type]
    return target, ScriptedModel(Language(seed=2), cost=per_token(DRAFT_S, 0.001), max_rows=1)


def test_measures_both_curves_and_leaves_both_caches() -> None:
    target, draft = models()
    target.decode([1, 2, 3, 4], 1)
    draft.decode([1, 2], 1)
    found = calibrate(target, draft)
    assert found.verify_s == pytest.approx({n: curve(COMPUTE_BOUND)(n) for n in CALIBRATED_LENGTHS})
    assert found.draft_s == pytest.approx(DRAFT_S)
    assert found.draft_second_s == pytest.approx(0.001)
    assert (target.tokens, draft.tokens) == ([1, 2, 3, 4], [1, 2])
    costs = CostModel(found)
    assert costs.knows_verify
    assert costs.knows_draft


def test_without_a_draft() -> None:
    target, _ = models()
    found = calibrate(target, None)
    assert (found.draft_s, set(found.verify_s)) == (0.0, set(CALIBRATED_LENGTHS))
    assert target.tokens == []


def test_a_stray_slow_pass_does_not_count() -> None:
    target, _ = models()
    usual = target.cost
    target.cost = lambda n: usual(n) * (20 if target.passes % 10 == 7 else 1)
    found = calibrate(target, None)
    wrong = {n for n, seconds in found.verify_s.items() if seconds != pytest.approx(usual(n))}
    assert len(wrong) <= 1


def test_no_room_no_measurement() -> None:
    target, draft = models(ctx_tokens=20)
    target.decode([1] * 10, 1)
    assert calibrate(target, draft).verify_s == {}
    assert target.passes == 1


def test_never_more_rows_than_a_pass_may_have() -> None:
    target, draft = models(max_rows=5)
    assert max(calibrate(target, draft).verify_s) == 5


@pytest.mark.parametrize("abort_at", [2, 5, 20])
@pytest.mark.parametrize("which", [0, 1])
def test_a_stop_leaves_both_caches(abort_at: int, which: int) -> None:
    pair = models()
    for model in pair:
        model.decode([1, 2, 3], 1)
    pair[which].abort_at = abort_at
    if which == 1 and abort_at == 20:
        pair[which].abort_at = 19
    with pytest.raises(DecodeAbortedError):
        calibrate(*pair)
    assert [list(model.tokens) for model in pair] == [[1, 2, 3], [1, 2, 3]]


def test_skipped_it_ends_with_the_few_passes_without_which_nothing_is_known() -> None:
    skip = AbortFlag()
    skip.set()
    target, draft = models()
    found = calibrate(target, draft, skip)
    assert (target.decoded, draft.decoded) == ([1, 1, 2], [1, 1, 2])
    assert set(found.verify_s) == {1, 2}
    assert found.draft_s > 0
    assert CostModel(found).knows_verify
    assert list(target.tokens) == list(draft.tokens) == []
