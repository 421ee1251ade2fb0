"""The whole procedure by simulation: first rounds, more where the noise asks for them, interval, verdict."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.compare.interval import Estimate, hold_together, pooled_interval
from app.compare.plan import StoppingRule
from app.compare.verdict import judge

SIMULATIONS = 2000


def compare(rng: np.random.Generator, truths: list[float], sd: float, rule: StoppingRule) -> tuple[Estimate, int]:
    """Log-ratios of prompts with ``truths`` as means, made as ``Comparison.run`` makes them."""
    groups = [list(rng.normal(truth, sd, rule.first_rounds)) for truth in truths]
    rounds = rule.rounds(groups)
    for group, truth in zip(groups, truths, strict=True):
        group += list(rng.normal(truth, sd, rounds - rule.first_rounds))
    # What came later does not change the decision.
    assert rule.rounds(groups) == rounds
    return pooled_interval(groups, rule.first_rounds), rounds


def covers(estimate: Estimate, truth: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


@pytest.mark.parametrize("sd", [0.005, 0.03, 0.05, 0.07, 0.1, 0.15, 0.3])
def test_95_percent_means_95_with_the_stopping_rule(sd: float) -> None:
    rng = np.random.default_rng(round(sd * 1000))
    rule = StoppingRule.until_sure(prompts=1)
    hits = [covers(compare(rng, [0.35], sd, rule)[0], math.exp(0.35)) for _ in range(SIMULATIONS)]
    assert 0.93 <= np.mean(hits) <= 0.97


@pytest.mark.parametrize("sd", [0.02, 0.1, 0.25])
@pytest.mark.parametrize("truths", [[0.1, 0.9], [-0.2, 0.1, 0.9, 0.4, 0.0], [0.3 * i for i in range(8)]])
def test_and_for_sets_of_prompts(sd: float, truths: list[float]) -> None:
    rng = np.random.default_rng(len(truths))
    rule = StoppingRule.until_sure(len(truths))
    truth = math.exp(sum(truths) / len(truths))
    hits = [covers(compare(rng, truths, sd, rule)[0], truth) for _ in range(SIMULATIONS)]
    assert 0.93 <= np.mean(hits) <= 0.97


@pytest.mark.parametrize("sd", [0.005, 0.03, 0.07, 0.1, 0.3])
@pytest.mark.parametrize("prompts", [1, 5])
def test_a_against_a_has_a_winner_in_at_most_one_of_twenty(sd: float, prompts: int) -> None:
    rng = np.random.default_rng(round(sd * 1000) + prompts)
    rule = StoppingRule.until_sure(prompts)
    claims = [judge(compare(rng, [0.0] * prompts, sd, rule)[0]) in ("faster", "slower") for _ in range(SIMULATIONS)]
    assert np.mean(claims) <= 0.05


@pytest.mark.parametrize("sd", [0.005, 0.03, 0.1])
def test_so_have_four_sides_that_are_all_the_same(sd: float) -> None:
    """Three comparisons with one baseline: their intervals hold together."""
    rng = np.random.default_rng(round(sd * 1000))
    rule = StoppingRule.until_sure(prompts=1)
    wrong = 0
    for _ in range(SIMULATIONS):
        first = rng.normal(0.0, sd, (4, rule.first_rounds))
        rounds = max(rule.rounds([list(side - first[0])]) for side in first[1:])
        speeds = np.concatenate([first, rng.normal(0.0, sd, (4, rounds - rule.first_rounds))], axis=1)
        estimates = [pooled_interval([list(side - speeds[0])], rule.first_rounds) for side in speeds[1:]]
        wrong += any(judge(hold_together(estimate, 3)) in ("faster", "slower") for estimate in estimates)
    assert wrong / SIMULATIONS <= 0.05


@pytest.mark.parametrize(("speedup", "kind"), [(1.4, "faster"), (1.1, "faster"), (0.8, "slower"), (1.0, "same")])
def test_known_speeds_give_the_known_verdict(speedup: float, kind: str) -> None:
    rng = np.random.default_rng(7)
    rule = StoppingRule.until_sure(prompts=1)
    verdicts = [judge(compare(rng, [math.log(speedup)], 0.03, rule)[0]) for _ in range(300)]
    assert verdicts.count(kind) >= 0.95 * len(verdicts)
    wrong = {"faster": "slower", "slower": "faster"}.get(kind)
    assert wrong not in verdicts


def test_the_interval_becomes_as_narrow_as_asked_for_or_the_limit_is_reached() -> None:
    rng = np.random.default_rng(5)
    rule = StoppingRule.until_sure(prompts=1)
    for sd in (0.02, 0.06, 0.1, 0.5):
        for _ in range(100):
            estimate, rounds = compare(rng, [0.2], sd, rule)
            assert 6 <= rounds <= 60
            assert estimate.half_width < 0.0501 or rounds == rule.most_rounds


@pytest.mark.parametrize(("prompts", "first"), [(1, 6), (2, 4), (5, 2), (8, 2), (100, 2)])
def test_at_least_six_pairs_and_five_degrees_of_freedom(prompts: int, first: int) -> None:
    rule = StoppingRule.until_sure(prompts)
    assert rule.first_rounds == first
    assert rule.first_rounds * prompts >= 6
    assert (rule.first_rounds - 1) * prompts >= 5
    assert rule.most_rounds >= rule.first_rounds


def test_a_fixed_number_of_rounds_is_fixed() -> None:
    assert StoppingRule.fixed(3).rounds([[5.0, -5.0, 2.0]]) == 3


@pytest.mark.parametrize("limit_pairs", [6, 9, 15, 30])
@pytest.mark.parametrize("sd", [0.03, 0.1, 0.3])
def test_a_time_limit_takes_nothing_from_the_intervals_coverage(limit_pairs: int, sd: float) -> None:
    """Slow answers use up more of the time, so how many pairs there are hangs a little on what they show."""
    rng = np.random.default_rng(limit_pairs)
    rule = StoppingRule.until_sure(prompts=1)
    hits = []
    for _ in range(SIMULATIONS):
        logs: list[float] = []
        spent = 0.0
        while len(logs) < rule.first_rounds or (
            len(logs) < rule.rounds([logs]) and spent + spent / len(logs) <= limit_pairs
        ):
            plain, drafted = rng.normal(0.0, sd / math.sqrt(2), 2)
            logs.append(0.35 + drafted - plain)
            spent += (math.exp(-plain) + math.exp(-0.35 - drafted)) / (1 + math.exp(-0.35))
        hits.append(covers(pooled_interval([logs], rule.first_rounds), math.exp(0.35)))
    assert 0.93 <= np.mean(hits) <= 0.97
