"""Costs on a machine whose speed wanders."""

from __future__ import annotations

import pytest

from app.engine.auto.cost import CostModel, CostSnapshot

CURVE = {1: 0.10, 2: 0.11, 4: 0.13, 8: 0.17, 16: 0.25}


def known() -> CostModel:
    return CostModel(CostSnapshot(verify_s=dict(CURVE), draft_s=0.01))


def test_what_was_measured_is_given_back() -> None:
    costs = known()
    assert {n: costs.verify_s(n) for n in CURVE} == pytest.approx(CURVE)
    assert costs.draft_s() == pytest.approx(0.01)
    assert costs.draft_s(5) == pytest.approx(0.05)
    assert (costs.knows_verify, costs.knows_draft) == (True, True)
    again = CostModel(costs.snapshot())
    assert again.verify_s(8) == pytest.approx(costs.verify_s(8))


def test_nothing_known_is_said() -> None:
    costs = CostModel(CostSnapshot())
    assert (costs.knows_verify, costs.knows_draft) == (False, False)
    assert costs.verify_s(4) > 0
    costs.observe_verify(1, 0.05)
    assert costs.knows_verify
    assert costs.verify_s(1) == pytest.approx(0.05, rel=0.7)
    for _ in range(20):
        costs.observe_verify(1, 0.05)
    assert costs.verify_s(1) == pytest.approx(0.05, rel=0.01)


def test_between_and_behind_measured_lengths() -> None:
    costs = known()
    assert costs.verify_s(3) == pytest.approx(0.12)
    assert costs.verify_s(6) == pytest.approx(0.15)
    assert costs.verify_s(32) == pytest.approx(0.25 + 16 * 0.01)
    assert all(costs.verify_s(n) <= costs.verify_s(n + 1) + 1e-12 for n in range(1, 40))
    falling = CostModel(CostSnapshot(verify_s={1: 0.1, 4: 0.09}))
    assert falling.verify_s(10) >= 0.09


@pytest.mark.parametrize("length", [1, 3, 4, 16, 20])
@pytest.mark.parametrize("before", [0, 1, 7, 40])
def test_a_stray_slow_pass_moves_nothing(length: int, before: int) -> None:
    costs = known()
    for _ in range(before):
        costs.observe_verify(1, 0.10)
    expected = {n: costs.verify_s(n) for n in range(1, 33)}
    costs.observe_verify(length, 10 * costs.verify_s(length))
    assert {n: costs.verify_s(n) for n in expected} == pytest.approx(expected, rel=0.02)


def test_a_stray_slow_draft_moves_nothing() -> None:
    costs = known()
    costs.observe_draft(4, 1, 1.0)
    assert costs.draft_s() == pytest.approx(0.01)


@pytest.mark.parametrize("slower", [2.0, 0.5])
def test_a_change_of_speed_is_followed_at_once_for_all_lengths(slower: float) -> None:
    costs = known()
    for step in range(30):
        for n in (1, 4, 8):
            costs.observe_verify(n, CURVE[n])
        costs.observe_draft(3, 1, 0.03)
        assert costs.verify_s(16) == pytest.approx(0.25, rel=0.01), step
    for _ in range(6):
        costs.observe_verify(1, CURVE[1] * slower)
    assert costs.verify_s(1) == pytest.approx(CURVE[1] * slower, rel=0.1)
    for _ in range(30):
        costs.observe_verify(1, CURVE[1] * slower)
    assert costs.verify_s(1) == pytest.approx(CURVE[1] * slower, rel=0.02)
    assert costs.verify_s(8) == pytest.approx(CURVE[8] * slower, rel=0.1)
    assert costs.draft_s() == pytest.approx(0.01 * slower, rel=0.1)


def test_a_wrong_calibration_is_corrected() -> None:
    costs = CostModel(CostSnapshot(verify_s={1: 0.10, 4: 0.40}, draft_s=0.01))
    for _ in range(20):
        costs.observe_verify(1, 0.10)
        costs.observe_verify(4, 0.13)
    assert costs.verify_s(1) == pytest.approx(0.10, rel=0.02)
    assert costs.verify_s(4) == pytest.approx(0.13, rel=0.02)


def test_catching_up_costs_more_and_is_learned() -> None:
    costs = known()
    assert costs.draft_s(1, 1) == pytest.approx(0.01)
    assert 0.01 < costs.draft_s(1, 2) < costs.draft_s(1, 100)
    for _ in range(10):
        costs.observe_draft(2, 102, 0.02 + 0.2)
    assert costs.draft_s(1, 52) == pytest.approx(0.01 + 50 * 0.002, rel=0.05)
    assert costs.draft_s() == pytest.approx(0.01)


def test_a_second_token_of_a_draft_pass_is_learned_apart() -> None:
    """After a draft that stood whole, the next one's first pass decodes two tokens."""
    costs = known()
    for _ in range(20):
        costs.observe_draft(3, 2, 0.03 + 0.007)
        costs.observe_draft(3, 1, 0.03)
    assert costs.draft_s() == pytest.approx(0.01)
    assert costs.full_accept_extra_s() == pytest.approx(0.007)
    assert costs.draft_s(3, 2) == pytest.approx(0.037)
    again = CostModel(costs.snapshot())
    assert again.full_accept_extra_s() == pytest.approx(0.007)


def test_no_pass_no_news() -> None:
    costs = known()
    costs.observe_draft(0, 0, 5.0)
    assert costs.draft_s() == pytest.approx(0.01)


def test_under_load_only_the_speed_is_followed() -> None:
    costs = known()
    for _ in range(40):
        costs.observe_verify(1, 1.0, calm=False)
        costs.observe_verify(8, 3.4, calm=False)
        costs.observe_draft(3, 1, 3.0, calm=False)
    assert costs.verify_s(1) > 0.5, "this answer's decisions go by what it costs now"
    assert costs.verify_s(8) / costs.verify_s(1) == pytest.approx(1.7)
    assert costs.verify_s(3) / costs.verify_s(1) == pytest.approx(1.2)
    assert costs.draft_s() / costs.verify_s(1) == pytest.approx(0.1)
