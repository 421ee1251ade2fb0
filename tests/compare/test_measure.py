"""The whole way from a plan to a report, with an engine of known speeds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from app.compare.engines import EnginePool
from app.compare.measure import measure, measure_sweep
from app.compare.plan import Plan, Prompt, StoppingRule
from app.compare.report import Report
from app.compare.run import Progress
from app.compare.side import ModelSetup, sides_of_methods
from app.compare.sweep import find_leaders, sweep_sides
from app.compare.trial import TrialFile
from app.errors import SlipstreamError
from app.records import Message
from tests.fakes import GREEDY, FakeEngine, Speed


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.compare.run.LoadMeter.stop", lambda self: 0.0)


def make_plan(tmp_path: Path, *methods: str, prompts: int = 2, rounds: int = 3, draft: bool = True) -> Plan:
    path = tmp_path / "t.gguf"
    path.write_bytes(b"model")
    setup = ModelSetup(target=str(path), draft=str(path) if draft else None)
    texts = [Prompt(id=f"p{i}", kind="code", messages=[Message(role="user", content=f"{i}")]) for i in range(prompts)]
    sides = sides_of_methods(setup, methods, GREEDY, 8) if methods else sweep_sides(setup, GREEDY, 8)
    return Plan(texts, sides, StoppingRule.fixed(rounds))


class Bench:
    def __init__(self, speeds: Mapping[str, float | Speed]) -> None:
        self.engine = FakeEngine(dict(speeds))
        self.pool = EnginePool(lambda: self.engine, side_by_side=False)
        self.progress: list[Progress] = []

    def measure(self, plan: Plan) -> Report:
        return measure(self.pool, plan, TrialFile(None), self.progress.append)

    def sweep(self, plan: Plan, budget_s: float | None = None) -> Report:
        return measure_sweep(self.pool, plan, TrialFile(None), self.progress.append, budget_s)


LOSING = {"off": 20.0, "draft:max=6": 15.0, "ngram-simple": 22.4}


def test_where_a_draft_loses_the_lookup_is_tried_and_hinted_at(tmp_path: Path) -> None:
    bench = Bench(LOSING)
    report = bench.measure(make_plan(tmp_path, "off", "draft:max=6"))
    assert report.hint is not None
    assert report.hint.gain.factor == pytest.approx(1.12)
    assert "N-gram lookup would gain about 12%" in report.verdicts[0].sentence
    assert {trial.side for trial in report.trials} == {"off", "draft:max=6"}
    assert [p.turn.prompt.id for p in bench.progress if p.stage == "probe"] == ["p0", "p1"]


@pytest.mark.parametrize(
    ("speeds", "methods"),
    [
        ({"off": 20.0, "draft:max=6": 30.0}, ("off", "draft:max=6")),
        (LOSING, ("off", "draft:max=6", "ngram-simple")),
        (LOSING, ("draft:max=6", "off")),
        (LOSING, ("off", "off")),
    ],
)
def test_nothing_is_tried_where_it_would_say_nothing(
    tmp_path: Path, speeds: dict[str, float], methods: tuple[str, ...]
) -> None:
    bench = Bench(speeds)
    assert bench.measure(make_plan(tmp_path, *methods)).hint is None
    assert not any(progress.stage == "probe" for progress in bench.progress)


def test_a_hint_that_fails_is_no_failure_of_the_comparison(tmp_path: Path) -> None:
    def refuse(request: object) -> float:
        raise SlipstreamError("x", "No.")  # type: ignore[arg-type]

    report = Bench({**LOSING, "ngram-simple": refuse}).measure(make_plan(tmp_path, "off", "draft:max=6"))
    assert report.hint is None
    assert report.failures == []


def sweep_speeds(plan: Plan) -> dict[str, float]:
    """Best at four draft tokens."""
    speeds = dict.fromkeys((side.method for side in plan.sides), 11.0)
    return {**speeds, "off": 10.0, **{f"draft:max={n}": 20.0 - abs(n - 4) for n in range(1, 17)}}


def test_a_sweep_measures_all_and_the_leaders_again(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, rounds=1)
    bench = Bench(sweep_speeds(plan))
    report = bench.sweep(plan)
    assert report.sweep is not None
    assert report.sweep.best == "draft:max=4"
    assert [point.draft_length for point in report.sweep.points][:17] == list(range(17))
    rounds = {side: {t.run for t in report.trials if t.side == side} for side in report.methods}
    leaders = {side for side, runs in rounds.items() if runs == {0, 1, 2}}
    assert leaders == {"off", "draft:max=3", "draft:max=4", "draft:max=5"} | (leaders & {"draft:max=2", "draft:max=6"})
    assert len(leaders) == 5
    assert all(runs == {0} for side, runs in rounds.items() if side not in leaders)
    assert find_leaders(report.result)[0] == "off"


def test_a_sweep_out_of_time_has_fewer_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100_000))
    monkeypatch.setattr("app.compare.run.time.monotonic", lambda: float(next(clock)))
    plan = make_plan(tmp_path, prompts=6, rounds=1)
    report = Bench(sweep_speeds(plan)).sweep(plan, budget_s=200.0)
    answered = {trial.prompt_id for trial in report.trials}
    assert answered
    assert len(answered) < 6
    # Every prompt that was begun was finished with every side.
    for prompt_id in answered:
        assert {t.side for t in report.trials if t.prompt_id == prompt_id} == set(report.methods)


def test_stopped_before_anything_was_loaded(tmp_path: Path) -> None:
    bench = Bench(LOSING)
    bench.pool.stop()
    with pytest.raises(SlipstreamError, match="Stopped before"):
        bench.measure(make_plan(tmp_path, "off", "draft:max=6"))
