"""Intervals against known truths: tables of Student's t, and coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.compare.interval import (
    Estimate,
    first_stage_noise,
    hold_together,
    mean_interval,
    pooled_interval,
    population_interval,
    t_cdf,
    t_quantile,
)


@pytest.mark.parametrize(
    ("df", "t"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (9, 2.2622), (29, 2.0452), (120, 1.9799)],
)
def test_quantiles_are_those_of_the_tables(df: int, t: float) -> None:
    assert t_quantile(0.95, df) == pytest.approx(t, abs=1e-4)


def test_other_confidences_too() -> None:
    assert t_quantile(0.99, 5) == pytest.approx(4.0321, abs=1e-4)
    assert t_quantile(0.90, 8) == pytest.approx(1.8595, abs=1e-4)


def test_the_distribution_is_symmetric() -> None:
    for df in (1, 2, 7, 8):
        assert t_cdf(0, df) == pytest.approx(0.5)
        assert t_cdf(1.3, df) + t_cdf(-1.3, df) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="degrees"):
        t_cdf(0, 0)


def test_one_measurement_has_no_interval() -> None:
    assert mean_interval([math.log(2)]) == Estimate(factor=pytest.approx(2.0), low=None, high=None, pairs=1)
    assert mean_interval([math.log(2)]).df is None
    assert mean_interval([0.1]).half_width == math.inf
    assert pooled_interval([[0.1], [0.3]], 2).low is None


def test_equal_measurements_have_an_interval_of_no_width() -> None:
    estimate = mean_interval([math.log(1.5)] * 4)
    assert estimate.low == pytest.approx(1.5)
    assert estimate.high == pytest.approx(1.5)
    assert estimate.half_width == pytest.approx(0.0)


def test_a_worked_example() -> None:
    estimate = mean_interval([0.1, 0.2, 0.3])
    reach = 4.30265 * 0.1 / math.sqrt(3)
    assert estimate.low == pytest.approx(math.exp(0.2 - reach), rel=1e-5)
    assert estimate.high == pytest.approx(math.exp(0.2 + reach), rel=1e-5)


def test_prompts_count_equally_however_many_runs_they_have() -> None:
    groups = [[0.0] * 9, [1.0]]
    assert pooled_interval(groups, 2).factor == pytest.approx(math.exp(0.5))
    assert population_interval(groups).factor == pytest.approx(math.exp(0.5))
    assert population_interval(groups).pairs == 10


def test_these_prompts_are_known_better_than_their_kind() -> None:
    groups = [[0.1, 0.12], [0.8, 0.82], [0.4, 0.38]]
    assert pooled_interval(groups, 2).half_width < 0.1
    assert population_interval(groups).half_width > 0.5


def test_the_noise_is_that_of_the_first_rounds() -> None:
    groups = [[0.1, 0.2, 9.0, -9.0], [0.5]]
    assert first_stage_noise(groups, 2) == (pytest.approx(0.1 / math.sqrt(2)), 1)
    assert first_stage_noise([[0.1], [0.2]], 2) is None


def test_one_prompt_says_nothing_about_others() -> None:
    assert population_interval([[0.1, 0.2, 0.3]]).low is None


def covers(estimate: Estimate, truth: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


SIMULATIONS = 4000


def test_the_interval_of_a_mean_covers_95_percent() -> None:
    rng = np.random.default_rng(1)
    hits = [covers(mean_interval(list(rng.normal(0.3, 0.1, 6))), math.exp(0.3)) for _ in range(SIMULATIONS)]
    assert 0.94 <= np.mean(hits) <= 0.96


def test_the_pooled_interval_covers_the_mean_of_these_prompts() -> None:
    rng = np.random.default_rng(2)
    runs = {-0.2: 2, 0.1: 2, 0.9: 3, 0.4: 4}
    truth = math.exp(sum(runs) / len(runs))
    hits = [
        covers(pooled_interval([list(rng.normal(mean, 0.08, count)) for mean, count in runs.items()], 2), truth)
        for _ in range(SIMULATIONS)
    ]
    assert 0.94 <= np.mean(hits) <= 0.96


def test_the_population_interval_covers_the_mean_of_all_prompts_of_the_kind() -> None:
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(SIMULATIONS):
        prompts = rng.normal(0.4, 0.3, 8)
        hits.append(covers(population_interval([list(rng.normal(p, 0.1, 2)) for p in prompts]), math.exp(0.4)))
    assert 0.94 <= np.mean(hits) <= 0.96


def test_intervals_that_hold_together_are_wider() -> None:
    estimate = mean_interval([0.1, 0.2, 0.3])
    assert hold_together(estimate, 1) == estimate
    three = hold_together(estimate, 3)
    assert three.factor == pytest.approx(estimate.factor)
    reach = t_quantile(1 - 0.05 / 3, 2) * 0.1 / math.sqrt(3)
    assert three.high == pytest.approx(math.exp(0.2 + reach))
    assert hold_together(mean_interval([0.1]), 3).low is None
