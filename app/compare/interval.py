"""Confidence intervals for means of log-ratios. Pure; no random numbers.

Speed-ups are compared as logarithms of paired ratios: twice as fast and half as fast are then equally far from 1, the
mean of logs is the geometric mean of the ratios, and what slows both runs of a pair cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean

from app.records import Record

CONFIDENCE = 0.95


class Estimate(Record, frozen=True, kw_only=True):
    """A factor with its 95% interval; ``low`` and ``high`` are None where one measurement says nothing of its spread.

    ``pairs`` is the number of paired runs behind it, ``df`` the degrees of freedom of the noise (None: not known).
    """

    factor: float
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    df: int | None = None

    @property
    def half_width(self) -> float:
        """How far the interval reaches from the factor, as a share of it; infinite where there is none."""
        if self.low is None or self.high is None or self.low <= 0:
            return math.inf
        return math.sqrt(self.high / self.low) - 1


def t_cdf(t: float, df: int) -> float:
    """Student's t distribution for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    if df < 1:
        raise ValueError("degrees of freedom start at 1")
    theta = math.atan2(t, math.sqrt(df))
    cos2 = math.cos(theta) ** 2
    # Both cases are a finite sum of powers of cos θ, each term made from the one before.
    odd = df % 2
    term = math.cos(theta) if odd else 1.0
    total = 0.0
    for k in range(1 + odd, df, 2):
        total += term
        term *= cos2 * k / (k + 1)
    within = math.sin(theta) * total
    if odd:
        within = 2 / math.pi * (theta + within)
    return 0.5 + within / 2


@lru_cache(maxsize=256)
def t_quantile(confidence: float, df: int) -> float:
    """The t with ``confidence`` of the distribution between −t and t."""
    goal = 0.5 + confidence / 2
    low, high = 0.0, 1.0
    while t_cdf(high, df) < goal:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if t_cdf(middle, df) < goal:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def variance(values: Sequence[float]) -> float:
    """Of a sample of at least two. (``statistics.variance`` is exact in fractions, and a hundred times slower.)"""
    centre = fmean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)


def mean_interval(logs: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The t-interval of the mean of ``logs``, as factors."""
    centre = fmean(logs)
    if len(logs) < 2:
        return Estimate(factor=math.exp(centre), pairs=len(logs))
    reach = t_quantile(confidence, len(logs) - 1) * math.sqrt(variance(logs) / len(logs))
    return _estimate(centre, reach, len(logs), len(logs) - 1)


Noise = tuple[float, int]
"""Standard deviation of a log-ratio within its group (prompt), and its degrees of freedom."""


def first_stage_noise(groups: Sequence[Sequence[float]], first: int) -> Noise | None:
    """Pooled over groups, taken to be the same in all, from the ``first`` of each group alone."""
    return pooled_noise([group[:first] for group in groups])


def pooled_noise(groups: Sequence[Sequence[float]]) -> Noise | None:
    """Pooled over groups, taken to be the same in all. None where no group has two."""
    stages = [group for group in groups if len(group) > 1]
    df = sum(len(stage) - 1 for stage in stages)
    if df == 0:
        return None
    return math.sqrt(sum((len(stage) - 1) * variance(stage) for stage in stages) / df), df


def pooled_interval(groups: Sequence[Sequence[float]], first: int, confidence: float = CONFIDENCE) -> Estimate:
    """The mean over these very groups (prompts), each counting once: how sure the measurement of *them* is.

    Stein's interval: the mean is that of all values, the noise that of the ``first`` of each group, by which the number
    of the others was decided. The spread between groups does not enter.
    """
    return interval_with_noise(groups, first_stage_noise(groups, first), confidence)


def interval_with_noise(
    groups: Sequence[Sequence[float]], noise: Noise | None, confidence: float = CONFIDENCE
) -> Estimate:
    """The mean over these very groups, each counting once, where the noise is known from elsewhere as well."""
    centre = fmean(fmean(group) for group in groups)
    pairs = sum(map(len, groups))
    if noise is None:
        return Estimate(factor=math.exp(centre), pairs=pairs)
    sd, df = noise
    error = sd * math.sqrt(sum(1 / len(group) for group in groups)) / len(groups)
    return _estimate(centre, t_quantile(confidence, df) * error, pairs, df)


def population_interval(groups: Sequence[Sequence[float]], confidence: float = CONFIDENCE) -> Estimate:
    """The mean over groups (prompts) taken as a sample: what to expect of *other* prompts of these kinds.

    A t-interval over the groups' means. In a two-stage sample it holds both spreads, between groups and within, however
    many runs each group has. One group says nothing about others: no interval.
    """
    pairs = sum(map(len, groups))
    estimate = mean_interval([fmean(group) for group in groups], confidence)
    return Estimate(factor=estimate.factor, low=estimate.low, high=estimate.high, pairs=pairs, df=estimate.df)


def hold_together(estimate: Estimate, comparisons: int) -> Estimate:
    """The interval so much wider that ``comparisons`` such intervals hold together with 95% (Bonferroni)."""
    if comparisons < 2 or estimate.df is None or estimate.low is None or estimate.high is None or estimate.low <= 0:
        return estimate
    wider = t_quantile(1 - (1 - CONFIDENCE) / comparisons, estimate.df) / t_quantile(CONFIDENCE, estimate.df)
    reach = math.log(estimate.high / estimate.low) / 2 * wider
    return _estimate(math.log(estimate.factor), reach, estimate.pairs, estimate.df)


def _estimate(centre: float, reach: float, pairs: int, df: int) -> Estimate:
    return Estimate(
        factor=math.exp(centre), low=math.exp(centre - reach), high=math.exp(centre + reach), pairs=pairs, df=df
    )
