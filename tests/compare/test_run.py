from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.compare.machine import MachineFacts, describe_machine
from app.compare.plan import Plan, Prompt
from app.compare.report import as_json, as_markdown, as_table, make_report
from app.compare.result import summarise
from app.compare.run import Comparison, Progress, Setting
from app.compare.trial import FileFacts, TrialFile, file_facts
from app.errors import Code, SlipstreamError
from app.terms import LoadSettings, Message, Sampling
from tests.fakes import GREEDY, FakeEngine

SETTING = Setting(target=FileFacts(name="t.gguf", size_bytes=10, modified_ns=1), load=LoadSettings())
MACHINE = MachineFacts(processor="p", physical_cores=1, logical_cores=2, usable_cores=2, memory_bytes=2**34, system="s",
                       python="3", program="0", engine="fake")


def make_plan(prompts: int = 2, runs: int = 2, sampling: Sampling = GREEDY, methods: tuple[str, ...] = ("off", "draft"),
              ) -> Plan:
    texts = [Prompt(id=f"p{i}", kind="code", messages=[Message(role="user", content=f"{i}")]) for i in range(prompts)]
    return Plan(texts, list(methods), runs, 8, sampling)


class Bench:
    """A comparison with a fake engine and what it reported."""

    def __init__(self, engine: FakeEngine, plan: Plan, path: Path | None = None, setting: Setting = SETTING) -> None:
        self.progress: list[Progress] = []
        self.reloads = 0
        self.stop_after: int | None = None
        self.comparison = Comparison(
            engine, plan, setting, MACHINE, TrialFile(path), self.reload, self.progress.append, self.should_stop
        )
        self.comparison.run()

    def reload(self) -> None:
        self.reloads += 1

    def should_stop(self) -> bool:
        return False


def engine(**kwargs: dict[str, int]) -> FakeEngine:
    return FakeEngine({"off": 10.0, "draft": 25.0}, **kwargs)


def test_runs_are_warmed_up_cold_and_in_order() -> None:
    fake = engine()
    Bench(fake, make_plan(prompts=1))
    methods = [request.method for request in fake.requests]
    assert methods == ["off", "draft", "off", "draft", "draft", "off"]
    assert all(request.cold for request in fake.requests)
    assert [request.sampling.seed for request in fake.requests[2:]] == [1, 1, 2, 2]


def test_the_speedup_is_found() -> None:
    bench = Bench(engine(), make_plan())
    speedup = summarise(bench.comparison.trials, ["off", "draft"]).overall.methods[1].speedup
    assert speedup is not None
    assert speedup.factor == pytest.approx(2.5)


def test_finished_runs_are_not_done_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first = Bench(engine(), make_plan(), path)
    again = engine()
    second = Bench(again, make_plan(), path)
    assert again.requests == []
    assert second.comparison.trials == first.comparison.trials
    assert all(progress.from_before for progress in second.progress)


def test_more_runs_add_to_those_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Bench(engine(), make_plan(runs=1), path)
    again = engine()
    bench = Bench(again, make_plan(runs=2), path)
    assert len(bench.comparison.trials) == 8
    assert len(again.requests) == 2 + 4


def other_settings() -> list[tuple[Plan, Setting]]:
    plan = make_plan()
    changed = FileFacts(name="t.gguf", size_bytes=10, modified_ns=2)
    return [
        (plan, msgspec.structs.replace(SETTING, target=changed)),
        (plan, msgspec.structs.replace(SETTING, draft=changed)),
        (plan, msgspec.structs.replace(SETTING, load=LoadSettings(threads=1))),
        (make_plan(sampling=msgspec.structs.replace(GREEDY, temperature=0.5)), SETTING),
        (make_plan(sampling=msgspec.structs.replace(GREEDY, seed=99)), SETTING),
        (Plan(plan.prompts, plan.methods, 2, 9, GREEDY), SETTING),
        (Plan([msgspec.structs.replace(p, messages=[Message(role="user", content="?")]) for p in plan.prompts],
              plan.methods, 2, 8, GREEDY), SETTING),
    ]


@pytest.mark.parametrize(("plan", "setting"), other_settings())
def test_everything_that_matters_makes_it_another_run(tmp_path: Path, plan: Plan, setting: Setting) -> None:
    path = tmp_path / "runs.jsonl"
    Bench(engine(), make_plan(), path)
    again = engine()
    Bench(again, plan, path, setting)
    assert len(again.requests) == 2 + 8


def test_a_half_written_last_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Bench(engine(), make_plan(), path)
    path.write_bytes(path.read_bytes()[:-20])
    again = engine()
    Bench(again, make_plan(), path)
    assert len(again.requests) == 2 + 1
    third = engine()
    Bench(third, make_plan(), path)
    assert third.requests == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(SlipstreamError) as caught:
        Bench(engine(), make_plan(), tmp_path / "no" / "runs.jsonl")
    assert caught.value.code == Code.FILE


def test_a_failed_run_is_listed_and_the_rest_goes_on(tmp_path: Path) -> None:
    fake = engine()
    fake.failures = [None, None, None, SlipstreamError(Code.PROMPT_TOO_LONG, "Too long.")]
    path = tmp_path / "runs.jsonl"
    bench = Bench(fake, make_plan(), path)
    assert [(f.code, f.method) for f in bench.comparison.failures] == [("prompt_too_long", "draft")]
    assert len(bench.comparison.trials) == 7
    assert bench.reloads == 0
    again = engine()
    assert len(Bench(again, make_plan(), path).comparison.trials) == 8


def test_a_lost_engine_is_loaded_again() -> None:
    fake = engine()
    fake.failures = [None, None, SlipstreamError(Code.WORKER_DIED, "It died.")]
    bench = Bench(fake, make_plan())
    assert bench.reloads == 1
    assert len(bench.comparison.trials) == 7


def test_a_stop_keeps_what_is_finished() -> None:
    fake = engine()
    fake.failures = [None, None, None, None, SlipstreamError(Code.ABORTED, "Stopped.")]
    bench = Bench(fake, make_plan())
    assert len(bench.comparison.trials) == 2
    assert bench.comparison.failures == []


def test_progress_counts_and_guesses_the_time_left() -> None:
    bench = Bench(engine(), make_plan())
    finished = [progress for progress in bench.progress if progress.trial is not None]
    assert [progress.done for progress in finished] == list(range(1, 9))
    assert finished[-1].left_s == 0
    assert all(progress.total == 8 for progress in bench.progress)


def test_partings_are_scored_for_both_candidates() -> None:
    fake = engine(partings={"draft": 3})
    bench = Bench(fake, make_plan(prompts=1))
    partings = bench.comparison.compare_texts()
    assert len(partings) == 1
    assert [score.token_ids for score in fake.scored] == [[0, 1, 2, 3], [0, 1, 2, 503]]
    assert all(score.positions == [3] for score in fake.scored)
    assert partings[0].gap == pytest.approx(0.125)
    assert partings[0].draw is None


def test_the_draw_is_reported_where_there_was_one() -> None:
    plan = make_plan(prompts=1, runs=1, sampling=Sampling(temperature=0.8, seed=1))
    bench = Bench(engine(partings={"draft": 3}), plan)
    assert bench.comparison.compare_texts()[0].draw == 0.25


def test_measuring_a_method_against_itself_runs_it_twice() -> None:
    fake = engine()
    bench = Bench(fake, make_plan(prompts=1, runs=1, methods=("off", "off")))
    assert [trial.method for trial in bench.comparison.trials] == ["off", "off (2)"]
    assert len(fake.requests) == 1 + 2


def test_reports_say_what_was_found() -> None:
    plan = make_plan()
    bench = Bench(engine(partings={"draft": 3}), plan)
    result = summarise(bench.comparison.trials, plan.labels, bench.comparison.compare_texts())
    report = make_report(plan, SETTING, MACHINE, result, bench.comparison.trials, [])
    table = as_table(report)
    assert "2.50× (2.50–2.50)" in table
    assert "token 3, 't3' 10.000 against 't503' 9.875, gap 0.125" in table
    assert "| all | draft | 25.0 | 2.50× (2.50–2.50) |" in as_markdown(report)
    assert msgspec.json.decode(as_json(report))["result"]["overall"]["methods"][1]["same_texts"] == 0.0


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
