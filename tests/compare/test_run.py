from __future__ import annotations

import dataclasses
import math
from itertools import count
from pathlib import Path

import msgspec
import numpy as np
import pytest

from app import protocol
from app.client.interface import EventSink, ignore_progress
from app.compare.engines import EnginePool
from app.compare.machine import MachineFacts, describe_machine
from app.compare.plan import Plan, Prompt, StoppingRule
from app.compare.result import Result, summarise
from app.compare.run import Comparison, Progress, need_blocks
from app.compare.side import ModelSetup, Side, sides_of_methods
from app.compare.trial import TrialFile, file_facts
from app.errors import Code, SlipstreamError
from app.records import Candidate, LoadSettings, Message, Sampling, TokenScore
from tests.fakes import GREEDY, FakeEngine, Speed

MACHINE = MachineFacts(processor="p", physical_cores=1, logical_cores=2, usable_cores=2, memory_bytes=2**34, system="s",
                       python="3", program="0", engine="fake")


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine that runs the tests has other things to do; that is not what is tested here."""
    monkeypatch.setattr("app.compare.run.LoadMeter.stop", lambda self: 0.0)


@pytest.fixture
def setup(tmp_path: Path) -> ModelSetup:
    path = tmp_path / "t.gguf"
    path.write_bytes(b"model")
    return ModelSetup(target=str(path))


def make_plan(setup: ModelSetup, prompts: int = 2, rounds: int = 2, sampling: Sampling = GREEDY,
              methods: tuple[str, ...] = ("off", "draft"), rule: StoppingRule | None = None) -> Plan:
    texts = [Prompt(id=f"p{i}", kind="code", messages=[Message(role="user", content=f"{i}")]) for i in range(prompts)]
    return Plan(texts, sides_of_methods(setup, methods, sampling, 8), rule or StoppingRule.fixed(rounds))


class Bench:
    """A comparison with fake engines and what it reported."""

    def __init__(self, engine: FakeEngine, plan: Plan, path: Path | None = None, in_blocks: bool = False,
                 limit_s: float | None = None) -> None:
        self.progress: list[Progress] = []
        self.plan = plan
        self.requests = engine.requests
        self.pool = EnginePool(lambda: engine, side_by_side=False)
        self.comparison = Comparison(
            self.pool, plan, MACHINE, TrialFile(path), self.progress.append, in_blocks, limit_s=limit_s
        )
        self.comparison.run()

    @property
    def result(self) -> Result:
        names = [side.name for side in self.plan.sides]
        return summarise(self.comparison.trials, names, self.comparison.first_rounds)


def engine(**kwargs: dict[str, int]) -> FakeEngine:
    return FakeEngine({"off": 10.0, "draft": 25.0}, **kwargs)


def test_runs_are_warmed_up_cold_and_in_order(setup: ModelSetup) -> None:
    fake = engine()
    Bench(fake, make_plan(setup, prompts=1))
    measured = [request for request in fake.requests if request.sampling.seed != 0]
    assert [request.method for request in measured] == ["off", "draft", "draft", "off"]
    assert [request.sampling.seed for request in measured] == [1, 1, 2, 2]
    assert all(request.cold for request in fake.requests)
    assert sorted(request.method for request in fake.requests if request.sampling.seed == 0) == ["draft", "off"]


def test_runs_with_kept_prompts_are_not_taken_for_cold_ones(setup: ModelSetup, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    cold = Bench(engine(), make_plan(setup), path)
    assert not any(request.keep_prompt for request in cold.requests)
    kept = Bench(engine(), dataclasses.replace(make_plan(setup), keeps_prompts=True), path)
    measured = [request for request in kept.requests if request.sampling.seed != 0]
    assert len(measured) == 8
    assert all(request.cold and request.keep_prompt for request in measured)


def test_the_speedup_is_found(setup: ModelSetup) -> None:
    speedup = Bench(engine(), make_plan(setup)).result.overall.sides[1].speedup
    assert speedup is not None
    assert speedup.factor == pytest.approx(2.5)


def test_finished_runs_are_not_done_again(setup: ModelSetup, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first = Bench(engine(), make_plan(setup), path)
    again = engine()
    second = Bench(again, make_plan(setup), path)
    assert again.requests == []
    assert second.comparison.trials == first.comparison.trials
    assert all(progress.from_before for progress in second.progress)


def test_more_runs_add_to_those_that_are_there(setup: ModelSetup, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Bench(engine(), make_plan(setup, rounds=1), path)
    again = engine()
    bench = Bench(again, make_plan(setup, rounds=2), path)
    assert len(bench.comparison.trials) == 8
    assert len(again.requests) == 2 + 4


def change(plan: Plan, what: str) -> Plan:
    sides, prompts = plan.sides, plan.prompts
    replace = msgspec.structs.replace
    if what == "load":
        sides = [replace(s, setup=replace(s.setup, load=LoadSettings(threads=1))) for s in sides]
    elif what == "draft":
        sides = [replace(s, setup=replace(s.setup, draft=s.setup.target)) for s in sides]
    elif what in ("temperature", "seed"):
        values = {"temperature": 0.5} if what == "temperature" else {"seed": 99}
        sides = [replace(s, sampling=replace(s.sampling, **values)) for s in sides]
    elif what == "length":
        sides = [replace(s, max_tokens=9) for s in sides]
    elif what == "prompt":
        prompts = [replace(p, messages=[Message(role="user", content="?")]) for p in prompts]
    elif what == "file":
        Path(sides[0].setup.target).write_bytes(b"another model")
    return Plan(prompts, sides, plan.rule)


@pytest.mark.parametrize("what", ["load", "draft", "temperature", "seed", "length", "prompt", "file"])
def test_everything_that_matters_makes_it_another_run(setup: ModelSetup, tmp_path: Path, what: str) -> None:
    path = tmp_path / "runs.jsonl"
    Bench(engine(), make_plan(setup), path)
    again = engine()
    Bench(again, change(make_plan(setup), what), path)
    assert len(again.requests) == 2 + 8


def test_a_name_does_not_matter(setup: ModelSetup, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Bench(engine(), make_plan(setup), path)
    plan = make_plan(setup)
    renamed = Plan(plan.prompts, [msgspec.structs.replace(s, name=s.name.upper()) for s in plan.sides], plan.rule)
    again = engine()
    bench = Bench(again, renamed, path)
    assert again.requests == []
    assert {trial.side for trial in bench.comparison.trials} == {"OFF", "DRAFT"}


def test_a_half_written_last_line_is_passed_over(setup: ModelSetup, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Bench(engine(), make_plan(setup), path)
    path.write_bytes(path.read_bytes()[:-20])
    again = engine()
    Bench(again, make_plan(setup), path)
    assert len(again.requests) == 1 + 1
    third = engine()
    Bench(third, make_plan(setup), path)
    assert third.requests == []


def test_a_folder_that_cannot_be_written_is_said(setup: ModelSetup, tmp_path: Path) -> None:
    with pytest.raises(SlipstreamError) as caught:
        Bench(engine(), make_plan(setup), tmp_path / "no" / "runs.jsonl")
    assert caught.value.code == Code.FILE


def test_a_failed_run_is_listed_and_the_rest_goes_on(setup: ModelSetup, tmp_path: Path) -> None:
    fake = engine()
    fake.failures = [None, None, None, SlipstreamError(Code.PROMPT_TOO_LONG, "Too long.")]
    path = tmp_path / "runs.jsonl"
    bench = Bench(fake, make_plan(setup), path)
    assert [(f.code, f.side) for f in bench.comparison.failures] == [("prompt_too_long", "draft")]
    assert len(bench.comparison.trials) == 7
    assert len(fake.loads) == 1
    assert len(Bench(engine(), make_plan(setup), path).comparison.trials) == 8


def test_a_lost_engine_is_loaded_and_warmed_again(setup: ModelSetup) -> None:
    fake = engine()
    fake.failures = [None, SlipstreamError(Code.WORKER_DIED, "It died.")]
    bench = Bench(fake, make_plan(setup))
    assert len(fake.loads) == 2
    assert len(bench.comparison.trials) == 7
    assert sum(request.sampling.seed == 0 for request in fake.requests) == 3


def test_models_that_cannot_be_loaded_end_it(setup: ModelSetup) -> None:
    fake = engine()
    fake.failures = [SlipstreamError(Code.OUT_OF_MEMORY, "Too large.")]
    with pytest.raises(SlipstreamError, match="Too large"):
        Bench(fake, make_plan(setup))


def test_a_stop_keeps_what_is_finished(setup: ModelSetup) -> None:
    fake = engine()
    fake.failures = [None, None, None, None, SlipstreamError(Code.ABORTED, "Stopped.")]
    bench = Bench(fake, make_plan(setup))
    assert len(bench.comparison.trials) == 2
    assert bench.comparison.failures == []


def test_a_stopped_pool_begins_nothing(setup: ModelSetup) -> None:
    fake = engine()
    pool = EnginePool(lambda: fake, side_by_side=False)
    pool.stop()
    comparison = Comparison(pool, make_plan(setup), MACHINE, TrialFile(None), lambda progress: None)
    comparison.run()
    assert fake.requests == []


def test_progress_counts_and_guesses_the_time_left(setup: ModelSetup) -> None:
    bench = Bench(engine(), make_plan(setup))
    finished = [progress for progress in bench.progress if progress.trial is not None]
    assert [progress.done for progress in finished] == list(range(1, 9))
    assert finished[-1].left_s == 0
    assert all(progress.total == 8 for progress in bench.progress)


def noisy(speed: float, sd: float, seed: int) -> Speed:
    rng = np.random.default_rng(seed)
    return lambda request: speed * math.exp(rng.normal(0, sd))


def test_noise_asks_for_more_rounds_and_calm_does_not(setup: ModelSetup) -> None:
    rule = StoppingRule.until_sure(prompts=1)
    calm = Bench(FakeEngine({"off": noisy(10, 0.001, 1), "draft": noisy(12, 0.001, 2)}),
                 make_plan(setup, prompts=1, rule=rule))
    assert len(calm.comparison.trials) == 2 * 6
    loud = Bench(FakeEngine({"off": noisy(10, 0.05, 1), "draft": noisy(12, 0.05, 2)}),
                 make_plan(setup, prompts=1, rule=rule))
    assert 2 * 6 < len(loud.comparison.trials) <= 2 * 60
    totals = [progress.total for progress in loud.progress]
    assert set(totals[:20]) == {12}
    assert set(totals[25:]) == {len(loud.comparison.trials)}
    speedup = loud.result.overall.sides[1].speedup
    assert speedup is not None
    assert speedup.half_width < 0.05
    assert speedup.low is not None
    assert speedup.low < 1.2 < (speedup.high or 0)


def test_behind_the_first_rounds_none_begins_for_which_there_is_no_time(
    setup: ModelSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = count()
    monkeypatch.setattr("app.compare.run.time.monotonic", lambda: float(next(clock)))
    plan = make_plan(setup, prompts=1, rule=StoppingRule.until_sure(prompts=1))
    loud = {"off": noisy(10, 0.2, 1), "draft": noisy(12, 0.2, 2)}
    unlimited = Bench(FakeEngine(dict(loud)), plan).comparison
    assert not unlimited.is_cut
    short = Bench(FakeEngine(dict(loud)), plan, limit_s=1.0).comparison
    assert (short.is_cut, len(short.trials)) == (True, 2 * 6), "the first rounds are always made"
    longer = Bench(FakeEngine(dict(loud)), plan, limit_s=100.0).comparison
    assert longer.is_cut
    assert 2 * 6 < len(longer.trials) < len(unlimited.trials)
    assert len(longer.trials) % 2 == 0, "whole rounds"


def test_a_slow_outlier_is_repeated_and_does_not_flip_the_verdict(setup: ModelSetup) -> None:
    calls = {"n": 0}

    def stumbling(request: protocol.Generate) -> float:
        calls["n"] += 1
        return 12.0 / (20 if calls["n"] == 4 else 1)

    bench = Bench(FakeEngine({"off": 10.0, "draft": stumbling}),
                  make_plan(setup, prompts=1, rule=StoppingRule.until_sure(prompts=1)))
    repeated = [trial for trial in bench.comparison.trials if trial.attempt > 1]
    assert len(repeated) == 1
    speedup = bench.result.overall.sides[1].speedup
    assert speedup is not None
    assert speedup.factor == pytest.approx(1.2)


def test_an_answer_amid_other_load_is_repeated_at_once(setup: ModelSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = iter([0.5, 0.02])
    monkeypatch.setattr("app.compare.run.LoadMeter.stop", lambda self: next(loads, 0.0))
    fake = engine()
    bench = Bench(fake, make_plan(setup, prompts=1, rounds=1))
    assert [(trial.attempt, trial.other_load) for trial in bench.comparison.trials] == [(2, 0.02), (1, 0.0)]
    assert len(fake.requests) == 2 + 3


def test_a_machine_that_stays_busy_does_not_double_the_waiting(
    setup: ModelSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.compare.run.LoadMeter.stop", lambda self: 0.5)
    bench = Bench(engine(), make_plan(setup, prompts=4, rounds=1))
    assert [trial.other_load for trial in bench.comparison.trials] == [0.5] * 8
    measured = [request for request in bench.requests if request.sampling.seed != 0]
    assert len(measured) == 8 + 3


def test_partings_are_scored_for_both_candidates(setup: ModelSetup) -> None:
    fake = engine(partings={"draft": 3})
    bench = Bench(fake, make_plan(setup, prompts=1))
    partings = bench.comparison.compare_texts()
    assert len(partings) == 1
    assert [(p.done, p.total, p.side) for p in bench.progress if p.stage == "texts"] == [(0, 1, "draft")]
    assert [score.token_ids for score in fake.scored] == [[0, 1, 2, 3], [0, 1, 2, 503]]
    assert all(score.positions == [3] for score in fake.scored)
    assert partings[0].gap == pytest.approx(0.125)
    assert partings[0].draw is None


def test_a_place_where_several_part_is_looked_at_once(setup: ModelSetup) -> None:
    fake = FakeEngine({"off": 10.0, "draft": 25.0, "auto": 25.0}, partings={"draft": 3, "auto": 3})
    partings = Bench(fake, make_plan(setup, prompts=1, methods=("off", "draft", "auto"))).comparison.compare_texts()
    assert [(parting.side, parting.gap) for parting in partings] == [("draft", 0.125), ("auto", 0.125)]
    assert len(fake.scored) == 2


def test_a_candidate_among_the_best_needs_no_look_of_its_own(setup: ModelSetup) -> None:
    fake = BestEngine({"off": 10.0, "draft": 25.0}, partings={"draft": 3})
    parting = Bench(fake, make_plan(setup, prompts=1)).comparison.compare_texts()[0]
    assert len(fake.scored) == 1
    assert parting.candidate == Candidate(token_id=503, text="?", logit=8.0)
    assert (parting.gap, parting.best_logit) == (1.0, 9.0)


class BestEngine(FakeEngine):
    """Names the best tokens with every score, as the real one does."""

    def score(self, request: protocol.Score, on_progress: EventSink = ignore_progress) -> protocol.Scores:
        self.scored.append(request)
        best = [Candidate(token_id=3, text="!", logit=9.0), Candidate(token_id=503, text="?", logit=8.0)]
        return protocol.Scores(
            request_id=0, scores=[TokenScore(position=3, token_id=request.token_ids[3], logit=9.0, gap=0.0, best=best)]
        )


def test_the_draw_is_reported_where_there_was_one(setup: ModelSetup) -> None:
    plan = make_plan(setup, prompts=1, rounds=1, sampling=Sampling(temperature=0.8, seed=1))
    assert Bench(engine(partings={"draft": 3}), plan).comparison.compare_texts()[0].draw == 0.25


def test_measuring_a_method_against_itself_runs_it_twice(setup: ModelSetup) -> None:
    bench = Bench(engine(), make_plan(setup, prompts=1, rounds=1, methods=("off", "off")))
    assert [trial.side for trial in bench.comparison.trials] == ["off", "off (2)"]
    assert len({trial.key for trial in bench.comparison.trials}) == 2


def two_models(tmp_path: Path, drafts: bool = False) -> list[Side]:
    sides = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.gguf"
        path.write_bytes(name.encode())
        setup = ModelSetup(target=str(path), draft=str(path) if drafts else None)
        sides.append(Side(name=name, setup=setup, method="off", sampling=GREEDY, max_tokens=4))
    return sides


def test_different_models_run_in_blocks_with_few_reloads(tmp_path: Path) -> None:
    fake = engine()
    plan = Plan(make_plan(ModelSetup(target="x"), prompts=3).prompts, two_models(tmp_path), StoppingRule.fixed(2))
    Bench(fake, plan, in_blocks=True)
    assert [Path(path).stem for path in fake.loads] == ["a", "b", "a"]


def test_or_side_by_side_in_workers_of_their_own(tmp_path: Path) -> None:
    made: list[FakeEngine] = []

    def make() -> FakeEngine:
        made.append(engine())
        return made[-1]

    plan = Plan(make_plan(ModelSetup(target="x"), prompts=2).prompts, two_models(tmp_path, drafts=True),
                StoppingRule.fixed(2))
    pool = EnginePool(make, side_by_side=True)
    comparison = Comparison(pool, plan, MACHINE, TrialFile(None), lambda progress: None)
    comparison.run()
    assert [len(fake.loads) for fake in made] == [2, 2]
    assert len(comparison.trials) == 8
    # Other models may say what they like: nothing is scored.
    assert comparison.compare_texts() == []
    pool.close()
    assert all(fake.closed for fake in made)


def test_blocks_are_needed_where_memory_is_short() -> None:
    a, b = ModelSetup(target="a"), ModelSetup(target="b")
    assert need_blocks([a, b], [600, 600], 1000)
    assert need_blocks([a, b], [500, 450], 1000)
    assert not need_blocks([a, b], [300, 300], 1000)
    assert not need_blocks([a, a], [600, 600], 1000)


def test_files_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"123")
    facts = file_facts(str(path))
    assert (facts.name, facts.size_bytes) == ("m.gguf", 3)
    with pytest.raises(SlipstreamError) as caught:
        file_facts(str(tmp_path / "none"))
    assert caught.value.code == Code.MODEL_NOT_FOUND


def test_the_machine_is_described() -> None:
    machine = describe_machine("fake")
    assert machine.processor
    assert machine.memory_bytes > 0
    assert 1 <= machine.usable_cores <= machine.logical_cores
