"""A sweep over draft lengths and methods, and the curve that theory expects. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.compare.interval import Estimate
from app.compare.result import Result
from app.compare.side import ModelSetup, Side, sides_of_methods
from app.compare.theory import DraftCosts, expected_speedup, measure_costs, plain_step_s
from app.compare.trial import Trial
from app.compare.verdict import find_winner
from app.methods import METHODS, parse_method
from app.records import Record, Sampling

MOST_DRAFT_TOKENS = 16
BASELINE = "off"
LENGTHS = (4, 2, 8, 6, 1, 3, 12, 16, 5, 10, 7, 14, 9, 11, 13, 15)
"""In this order, so that a sweep that is stopped early has seen the whole range."""

LEADING = 0.10
"""What is at most so much slower than the fastest of the first stage is measured again."""
MOST_LEADERS = 4
FINAL_ROUNDS = 2
FINAL_SHARE = 0.35
"""Of the time."""


class SweepPoint(Record, frozen=True, kw_only=True):
    """``expected`` is the theory's speed-up; None for methods without a fixed draft length."""

    side: str
    method: str = ""
    draft_length: int | None
    measured: Estimate | None
    expected: float | None
    costs: DraftCosts | None


class Sweep(Record, frozen=True, kw_only=True):
    """``acceptance`` and ``draft_cost`` are those of all fixed draft lengths together; ``best`` is the side to use."""

    points: list[SweepPoint]
    best: str
    acceptance: float | None
    draft_cost: float | None


def sweep_sides(
    setup: ModelSetup, sampling: Sampling, max_tokens: int, lengths: Sequence[int] = LENGTHS
) -> list[Side]:
    """Off, Auto, draft lengths of the whole range, every method without a draft model, the other draft lengths."""
    drafted = [f"draft:max={length}" for length in lengths] if setup.draft is not None else []
    free = [name for name, kind in METHODS.items() if name not in (BASELINE, "auto", "draft") and not kind.needs_draft]
    return sides_of_methods(setup, [BASELINE, "auto", *drafted[:5], *free, *drafted[5:]], sampling, max_tokens)


def find_leaders(result: Result) -> list[str]:
    """The baseline and the fastest sides, those that may be the best."""
    factors = {side.side: side.speedup.factor for side in result.overall.sides[1:] if side.speedup is not None}
    best = sorted(factors, key=lambda name: -factors[name])[:MOST_LEADERS]
    least = (1 - LEADING) * max(factors.values(), default=0.0)
    return [result.overall.sides[0].side, *(name for name in best if factors[name] >= least)]


def fixed_length(method: str) -> int | None:
    """The draft length of a method that always drafts that many; 0 for ``off``; None for the others."""
    parsed = parse_method(method)
    if parsed.name == BASELINE:
        return 0
    if parsed.name != "draft" or parsed.number("p_min") > 0 or parsed.integer("min") > 0:
        return None
    return parsed.integer("max")


def read_sweep(result: Result, trials: Sequence[Trial]) -> Sweep:
    """Costs are measured for each length, but α is one for all: it belongs to the models and the text, and one estimate
    from all drafts is steadier than one from each length."""
    sides = result.overall.sides
    step_s = plain_step_s([trial for trial in trials if trial.side == sides[0].side])
    costs: dict[str, DraftCosts] = {}
    weights: dict[str, int] = {}
    for side in sides:
        length = fixed_length(side.method) if side.method else None
        if length and step_s:
            measured = measure_costs([trial for trial in trials if trial.side == side.side], length, step_s)
            if measured is not None:
                costs[side.side] = measured
                weights[side.side] = side.num_draft_tokens
    acceptance = _weighted({name: cost.acceptance for name, cost in costs.items()}, weights)
    draft_cost = _weighted({name: cost.draft_cost for name, cost in costs.items()}, weights)
    points = [
        _point(side.side, side.method, side.speedup, costs.get(side.side), acceptance, draft_cost) for side in sides
    ]
    points.sort(key=lambda point: math.inf if point.draft_length is None else point.draft_length)
    return Sweep(points=points, best=find_winner(result), acceptance=acceptance, draft_cost=draft_cost)


def _point(
    name: str, method: str, measured: Estimate | None, costs: DraftCosts | None, acceptance: float | None,
    draft_cost: float | None,
) -> SweepPoint:
    length = fixed_length(method) if method else None
    expected = 1.0 if length == 0 else None
    if costs is not None and acceptance is not None and draft_cost is not None:
        expected = expected_speedup(acceptance, costs.draft_length, draft_cost, costs.verify_cost)
    if length == 0:
        measured = Estimate(factor=1.0, low=1.0, high=1.0)
    return SweepPoint(side=name, method=method, draft_length=length, measured=measured, expected=expected, costs=costs)


def _weighted(values: dict[str, float], weights: dict[str, int]) -> float | None:
    total = sum(weights.values())
    return sum(values[name] * weights[name] for name in values) / total if total else None
