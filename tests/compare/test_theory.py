"""The theory against worked figures of the paper's formula, and against a simulated decoder."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from app.compare.result import summarise
from app.compare.side import ModelSetup
from app.compare.sweep import fixed_length, read_sweep, sweep_sides
from app.compare.theory import expected_speedup, expected_tokens, measure_costs, plain_step_s
from app.compare.trial import Trial
from app.methods import FREE_METHODS
from app.records import SpeculationFigures
from tests.compare.test_result import trial
from tests.fakes import GREEDY


def test_tokens_of_a_step() -> None:
    assert expected_tokens(0.8, 3) == pytest.approx(1 + 0.8 + 0.64 + 0.512)
    assert expected_tokens(0.0, 5) == 1
    assert expected_tokens(1.0, 5) == 6
    assert expected_tokens(0.7, 0) == pytest.approx(1)


def test_the_formula_of_the_paper_with_a_verify_pass_of_one_step() -> None:
    # Leviathan et al., section 3: α 0.8, γ 5, c 0 gives 3.69 times.
    assert expected_speedup(0.8, 5, 0.0, 1.0) == pytest.approx(3.69, abs=0.005)
    assert expected_speedup(0.8, 5, 0.1, 1.0) == pytest.approx(3.689 / 1.5, abs=0.005)
    assert expected_speedup(0.5, 0, 0.1, 1.0) == pytest.approx(1.0)


STEP_S, DRAFT_S = 0.1, 0.012


def verify_s(length: int) -> float:
    return STEP_S * (1 + 0.1 * length)


def simulate(length: int, alpha: float, tokens: int = 20_000) -> Trial:
    """An answer of a decoder whose drafted tokens are accepted with chance ``alpha`` independently."""
    rng = np.random.default_rng(length)
    histogram = [0] * (length + 1)
    emitted = 0
    while emitted < tokens:
        rejected = np.flatnonzero(rng.random(length) >= alpha)
        accepted = int(rejected[0]) if len(rejected) else length
        histogram[accepted] += 1
        emitted += accepted + 1
    steps = sum(histogram)
    accepted_tokens = sum(n * count for n, count in enumerate(histogram))
    decode_s = steps * (verify_s(length) + DRAFT_S * length)
    base = trial("p", f"draft:max={length}" if length else "off", emitted / decode_s)
    figures = SpeculationFigures(
        steps=steps, num_draft_tokens=steps * length, num_accepted_draft_tokens=accepted_tokens,
        acceptance_histogram=histogram if length else [],
    )
    timings = msgspec.structs.replace(
        base.timings, decode_s=decode_s, draft_s=steps * DRAFT_S * length, verify_s=steps * verify_s(length),
        tokens_per_second=emitted / decode_s,
    )
    return msgspec.structs.replace(base, timings=timings, speculation=figures, token_ids=[0] * emitted)


def test_costs_and_acceptance_are_found_again() -> None:
    step_s = plain_step_s([simulate(0, 0.7)])
    assert step_s == pytest.approx(STEP_S)
    costs = measure_costs([simulate(4, 0.7)], 4, STEP_S)
    assert costs is not None
    assert costs.acceptance == pytest.approx(0.7, abs=0.01)
    assert costs.draft_cost == pytest.approx(0.12)
    assert costs.verify_cost == pytest.approx(1.4)


def test_a_sweep_meets_its_theory_and_marks_the_best() -> None:
    lengths = (0, 1, 2, 3, 4, 6, 8, 12)
    one_round = [simulate(length, 0.75) for length in lengths]
    trials = [msgspec.structs.replace(t, run=run, key=f"{t.key}{run}") for run in range(2) for t in one_round]
    result = summarise(trials, [t.side for t in one_round], 2)
    sweep = read_sweep(result, trials)
    assert sweep.acceptance == pytest.approx(0.75, abs=0.01)
    assert [point.draft_length for point in sweep.points] == [0, 1, 2, 3, 4, 6, 8, 12]
    for point in sweep.points:
        assert point.measured is not None
        assert point.expected == pytest.approx(point.measured.factor, rel=0.03)
    best = max(sweep.points, key=lambda point: point.measured.factor if point.measured else 0)
    assert sweep.best == best.side
    assert 2 <= (best.draft_length or 0) <= 6


def test_nothing_drafted_has_no_costs() -> None:
    assert measure_costs([trial("p", "off", 10)], 4, STEP_S) is None
    assert plain_step_s([]) is None


def test_fixed_lengths_are_told_from_others() -> None:
    methods = ["off", "draft", "draft:max=8", "draft:max=8,p_min=0.6", "draft:max=8,min=2", "ngram-simple", "auto"]
    assert [fixed_length(method) for method in methods] == [0, 3, 8, None, None, None, None]


def test_a_sweep_has_every_length_and_method() -> None:
    methods = [side.method for side in sweep_sides(ModelSetup(target="t", draft="d"), GREEDY, 8)]
    assert methods[0] == "off"
    assert {method for method in methods if method.startswith("draft")} == {f"draft:max={n}" for n in range(1, 17)}
    assert set(FREE_METHODS) | {"auto"} <= set(methods)
    assert len(methods) == len(set(methods))
    # One that is stopped early has seen short and long drafts, and every other method.
    assert set(methods[:14]) >= {"draft:max=1", "draft:max=8", "auto", *FREE_METHODS}
    without = [side.method for side in sweep_sides(ModelSetup(target="t"), GREEDY, 8)]
    assert not [method for method in without if method.startswith("draft")]
    assert "ngram-simple" in without
