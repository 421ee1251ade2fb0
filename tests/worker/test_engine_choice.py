"""Which engine runs a model: measured in children, kept, said; and what happens where one of them fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from app.engine.backend import AbortFlag, Logits
from app.errors import Code, SlipstreamError
from app.machine.load import Use
from app.records import LoadSettings
from app.worker import engine_choice, engines
from app.worker.engine_choice import EngineChooser, LoadFeedback, LoadRequest, weigh
from app.worker.engine_trial import LENGTHS, Job, Round, Trial, measure_round, watched_round
from app.worker.engines import Engines
from tests.engine.fakes import Language, ScriptedModel
from tests.machine.neighbours import Neighbours
from tests.models.gguf_writer import write_model

AUTO = LoadSettings(engine="auto")
BOTH = {"llama": "llama-cpp-python 1", "ik": "ik-llama-cpp-python 2"}
CHILD = """
import json, os, sys
job = json.loads(sys.stdin.readline())
open(os.path.join({folder!r}, "started"), "a").write(job["engine"] + "\\n")
plan = {plan!r}[job["engine"]]
if plan == "crash":
    os.abort()
if plan == "garbage":
    print("what?", flush=True)
    sys.exit(3)
if isinstance(plan, str):
    print(json.dumps({{"trouble": plan}}), flush=True)
    sys.exit(0)
others = os.path.join({folder!r}, "others")
def answer():
    busy = float(open(others).read()) if os.path.exists(others) else 0.0
    found = {{"on_gpu": True}} if plan is None else {{"passes_s": plan, "wall_s": 1.0, "others_s": busy}}
    print(json.dumps(found), flush=True)
answer()
for line in sys.stdin:
    answer()
"""


def passes(plain_ms: float, each_ms: float) -> dict[int, float]:
    return {length: (plain_ms + (length - 1) * each_ms) / 1000 for length in LENGTHS}


FAST, SLOW = passes(30, 10), passes(32, 25)


class Bench:
    """A chooser whose children do as ``plan`` says: figures, "crash", "garbage", a trouble, or None for a GPU."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "tuning"
        self.tmp_path = tmp_path
        self.model = write_model(tmp_path / "model.gguf")
        self.said: list[str] = []
        self.progress: list[float] = []
        self.over: list[str] = []
        """What had been said each time measuring was said to be over."""
        self.skip = AbortFlag()
        self.signs = LoadFeedback(self.said.append, self.progress.append, self.say_measuring, self.skip)
        self.abort = AbortFlag()
        self.neighbours = Neighbours()

    def say_measuring(self, message: str) -> None:
        if message:
            self.said.append(message)
        else:
            self.over.append(self.said[-1])

    def chooser(self, llama: object, ik: object, versions: dict[str, str] = BOTH) -> EngineChooser:
        script = self.tmp_path / "child.py"
        script.write_text(CHILD.format(folder=str(self.tmp_path), plan={"llama": llama, "ik": ik}), encoding="utf-8")
        return EngineChooser(self.folder, [sys.executable, str(script)], versions, self.neighbours.rest)

    def disturb(self, cores: float) -> None:
        """From now on others use so many of two cores: the children meet them, and this process sees them."""
        (self.tmp_path / "others").write_text(str(cores), encoding="utf-8")
        self.neighbours.work(cores)

    def decide(self, chooser: EngineChooser, settings: LoadSettings = AUTO, **wish: bool):  # type: ignore[no-untyped-def]
        return chooser.decide(LoadRequest(str(self.model), settings, **wish), self.abort, self.signs)

    @property
    def started(self) -> list[str]:
        path = self.tmp_path / "started"
        return path.read_text(encoding="utf-8").split() if path.exists() else []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_faster_one_is_chosen_said_and_not_measured_again(bench: Bench) -> None:
    chooser = bench.chooser(SLOW, FAST)
    decision = bench.decide(chooser)
    assert decision.engine == "ik"
    assert "33 tokens/s plain where llama.cpp has 31" in decision.sentence
    assert "60 ms" in decision.sentence
    assert len(bench.said) == 1
    assert bench.progress, "signs of life, or the worker is thought to hang"
    assert sorted(bench.started) == ["ik", "llama"]
    assert bench.decide(chooser) == decision
    assert len(bench.started) == 2
    assert bench.decide(chooser, msgspec.structs.replace(AUTO, ctx_tokens=999)) == decision
    assert len(bench.started) == 2, "a longer context changes nothing in who is faster"
    bench.decide(chooser, msgspec.structs.replace(AUTO, threads=1))
    assert len(bench.started) == 4, "other threads may"
    assert bench.decide(chooser, again=True) == decision
    assert len(bench.started) == 6


def test_another_version_of_an_engine_is_measured_again(bench: Bench) -> None:
    bench.decide(bench.chooser(SLOW, FAST))
    newer = {**BOTH, "llama": "llama-cpp-python 2"}
    assert bench.decide(bench.chooser(FAST, SLOW, newer)).engine == "llama"


def test_what_was_measured_in_another_way_is_measured_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.decide(bench.chooser(SLOW, FAST))
    monkeypatch.setattr(engine_choice, "MEASUREMENT", engine_choice.MEASUREMENT + 1)
    assert bench.decide(bench.chooser(FAST, SLOW)).engine == "llama"


@pytest.mark.parametrize(("llama", "ik", "engine"), [
    (FAST, SLOW, "llama"), (SLOW, FAST, "ik"), (FAST, passes(29.5, 9.9), "llama"),
    (FAST, passes(28.2, 9.4), "llama"), (FAST, passes(26, 8.6), "ik"),
    (passes(30, 20), passes(33, 5), "ik"), (passes(20, 2), passes(33, 2), "llama"),
])
def test_the_second_engine_must_be_better_plain_and_with_guesses_together(
    llama: dict[int, float], ik: dict[int, float], engine: str
) -> None:
    rounds = {"llama": [Round(passes_s=llama)] * 3, "ik": [Round(passes_s=ik)] * 3}
    assert weigh(rounds).engine == engine


@pytest.mark.parametrize(("trouble", "words"), [
    ("crash", "ended while it tried the model"), ("garbage", "ended while it tried the model (status 3)"),
    ("It has no kernels for this.", "It has no kernels for this."),
])
def test_where_one_cannot_the_other_runs_and_the_reason_is_said(bench: Bench, trouble: str, words: str) -> None:
    decision = bench.decide(bench.chooser(SLOW, trouble))
    assert decision.engine == "llama"
    assert "ik_llama.cpp does not run this model" in decision.sentence
    assert words in decision.sentence
    other = bench.decide(bench.chooser(trouble, FAST), again=True)
    assert other.engine == "ik"
    assert "llama.cpp does not run this model" in other.sentence


def test_neither_can_leaves_the_first_to_say_why(bench: Bench) -> None:
    assert bench.decide(bench.chooser("crash", "crash")).engine == "llama"


def test_on_a_graphics_card_nothing_is_weighed(bench: Bench) -> None:
    decision = bench.decide(bench.chooser(None, FAST))
    assert (decision.engine, decision.sentence) == ("llama", "llama.cpp, since it computes on the graphics card.")


def test_what_other_programs_disturbed_is_measured_again_and_added_up() -> None:
    calm, late = [Round(passes_s=SLOW)] * 3, Round(passes_s=passes(90, 30))
    first = weigh({"llama": calm, "ik": [late, late, Round(passes_s=FAST)]})
    assert not first.is_firm
    second = weigh({"llama": calm, "ik": [late] * 3}, first)
    assert second.is_firm
    assert second.tries == 2
    assert second.figures["ik"] == FAST, "the shortest passes count, whenever they were"
    assert second.engine == "ik"


def test_close_engines_are_measured_longer(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_choice, "BUDGET_S", 0.0)
    monkeypatch.setattr(engine_choice, "CLOSE_BUDGET_S", 1000.0)
    bench.decide(bench.chooser(SLOW, FAST))
    assert len(bench.progress) == 2 * engine_choice.LEAST_ROUNDS
    bench.progress.clear()
    bench.decide(bench.chooser(SLOW, passes(31, 25)), again=True)
    assert len(bench.progress) == 2 * engine_choice.MOST_ROUNDS


def test_a_choice_made_under_load_is_provisional_and_made_again_at_rest(bench: Bench) -> None:
    bench.disturb(1.0)
    loaded = bench.decide(bench.chooser(FAST, SLOW))
    assert (loaded.engine, loaded.is_settled, loaded.tries) == ("llama", False, 0)
    words = "It was measured while other programs were busy, and is measured again when they rest."
    assert loaded.sentence.endswith(words)
    chooser = bench.chooser(SLOW, FAST)
    for _ in range(5):
        assert bench.decide(chooser) == loaded, "under load a new measurement would be no better"
    assert len(bench.started) == 2
    bench.disturb(0.0)
    calm = bench.decide(chooser)
    assert (calm.engine, calm.is_firm, calm.tries) == ("ik", True, 1)
    assert calm.figures == {"llama": SLOW, "ik": FAST}, "the shortest of both would have been those under load"
    assert "busy" not in calm.sentence
    bench.disturb(1.0)
    assert bench.decide(chooser) == calm


@pytest.mark.parametrize("busy", ["llama", "ik"])
def test_one_engine_that_met_the_load_makes_it_provisional(busy: str) -> None:
    rounds = {name: [Round(passes_s=FAST, wall_s=1.0)] * 2 for name in ("llama", "ik")}
    rounds[busy] = [Round(passes_s=SLOW, wall_s=1.0, others_s=others) for others in (0.5, -0.05)]
    assert weigh(rounds, cores=2).under_load
    assert not weigh(rounds, cores=8).under_load, "a tenth of eight cores is more"
    assert weigh({name: [Round(passes_s=FAST)] * 2 for name in rounds}, cores=2, calm=False).under_load
    steady = [Round(passes_s=SLOW, wall_s=0.05, others_s=others) for others in (0.02, -0.02, 0.01, -0.01)]
    assert not weigh({"llama": steady, "ik": steady}, cores=2).under_load, "the clocks tick in hundredths of a second"


def test_calm_figures_are_not_mixed_with_loaded_ones() -> None:
    late = Round(passes_s=passes(90, 30), wall_s=1.0)
    calm = weigh({"llama": [Round(passes_s=SLOW)] * 3, "ik": [late, late, Round(passes_s=FAST)]}, cores=2)
    assert (calm.is_firm, calm.tries) == (False, 1)
    loaded = [Round(passes_s=passes(1, 1), wall_s=1.0, others_s=1.0)]
    assert weigh({"llama": loaded, "ik": loaded}, calm, 2) == calm, "what was measured at rest stands"
    alone = weigh({"llama": loaded, "ik": loaded}, None, 2)
    assert weigh({"llama": [Round(passes_s=SLOW)], "ik": [Round(passes_s=FAST)]}, alone, 2).figures["llama"] == SLOW


def test_loads_under_load_use_up_no_tries(bench: Bench) -> None:
    for _ in range(5):
        bench.disturb(1.0)
        decision = bench.decide(bench.chooser(FAST, SLOW), again=True)
        assert (decision.is_settled, decision.tries) == (False, 0)


def test_what_fails_under_load_is_tried_again(bench: Bench) -> None:
    bench.disturb(1.0)
    assert not bench.decide(bench.chooser(SLOW, "It did not answer within 120 seconds.")).is_settled


def test_it_is_settled_at_a_quiet_moment_and_said_with_the_next_load(bench: Bench) -> None:
    wish = LoadRequest(str(bench.model), AUTO)
    bench.disturb(1.0)
    bench.decide(bench.chooser(FAST, SLOW))
    chooser = bench.chooser(SLOW, FAST)
    assert not chooser.measure_again(wish, bench.abort), "they are still busy"
    assert bench.decide(chooser).engine == "llama"
    bench.disturb(0.0)
    bench.abort.set()
    assert not chooser.measure_again(wish, bench.abort), "a command came"
    bench.abort.clear()
    assert chooser.measure_again(wish, bench.abort)
    bench.disturb(1.0)
    decision = bench.decide(chooser)
    assert (decision.engine, decision.is_firm) == ("ik", True)
    assert decision.sentence.endswith(" It was chosen anew while other programs rested.")
    assert not bench.decide(chooser).sentence.endswith("rested."), "once"


def test_a_quiet_moment_without_memory_is_left_alone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_choice.psutil, "virtual_memory", lambda: SimpleNamespace(available=1))
    assert not bench.chooser(SLOW, FAST).measure_again(LoadRequest(str(bench.model), AUTO), bench.abort)
    assert bench.started == []


def test_a_skip_takes_what_is_known_and_leaves_it_open(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_choice, "BUDGET_S", 1000.0)

    def skip_after(looks: int) -> None:
        bench.skip.clear()
        bench.progress.clear()

        def note(share: float) -> None:
            bench.progress.append(share)
            if len(bench.progress) == looks:
                bench.skip.set()

        bench.signs = LoadFeedback(bench.said.append, note, bench.say_measuring, bench.skip)

    chooser = bench.chooser(SLOW, FAST)
    skip_after(1)
    nothing = bench.decide(chooser)
    assert (nothing.engine, nothing.is_settled) == ("llama", False)
    assert "skipped" in nothing.sentence
    assert len(bench.over) == 1
    skip_after(6)
    partly = bench.decide(chooser)
    assert (partly.engine, partly.is_settled, partly.tries) == ("ik", False, 0)
    assert partly.sentence.endswith("Measuring was skipped; it is measured again when other programs rest.")
    monkeypatch.setattr(engine_choice, "BUDGET_S", 0.0)
    bench.skip.clear()
    firm = bench.decide(chooser)
    assert firm.is_firm
    skip_after(1)
    assert bench.decide(chooser, again=True) == firm, "what was known before stands"
    assert bench.decide(chooser) == firm


def test_children_have_the_threads_that_their_parent_says(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """They take turns, and each would take the other for another program."""
    jobs: list[Job] = []
    start = engine_choice.Trial

    def note(command: Sequence[str], job: Job) -> Trial:
        jobs.append(job)
        return start(command, job)

    monkeypatch.setattr(engine_choice, "Trial", note)
    chooser = bench.chooser(SLOW, FAST)
    bench.decide(chooser)
    bench.decide(chooser, msgspec.structs.replace(AUTO, threads=7))
    assert [job.settings.threads for job in jobs] == [2, 2, 7, 7]


def test_a_round_says_what_others_did_meanwhile() -> None:
    uses = iter([Use(10.0, 1.0, 5.0, 0.0), Use(12.0, 4.5, 9.0, 0.0)])
    model = ScriptedModel(Language())
    found = watched_round(model, range(1, 17), lambda: next(uses))
    assert set(found.passes_s) == set(LENGTHS)
    assert (found.wall_s, found.others_s) == (2.0, 0.5)


def test_a_crash_while_it_answered_leaves_the_second_engine_for_good(bench: Bench) -> None:
    chooser = bench.chooser(SLOW, FAST)
    assert bench.decide(chooser).engine == "ik"
    crashed = bench.decide(chooser, failed=True)
    assert crashed.engine == "llama"
    assert "crashed" in crashed.sentence
    assert bench.decide(chooser) == crashed
    assert bench.decide(chooser, again=True).engine == "ik", "a person can have it tried again"


def test_a_stop_ends_the_measuring(bench: Bench) -> None:
    bench.abort.set()
    with pytest.raises(SlipstreamError) as caught:
        bench.decide(bench.chooser(SLOW, FAST))
    assert caught.value.code == Code.ABORTED
    assert not bench.folder.exists()


@pytest.mark.parametrize("content", [b"", b"{}", b'{"engine": "other", "sentence": ""}', b"\xff"])
def test_a_damaged_record_is_measured_again(bench: Bench, content: bytes) -> None:
    chooser = bench.chooser(SLOW, FAST)
    bench.decide(chooser)
    (file,) = bench.folder.iterdir()
    file.write_bytes(content)
    assert bench.decide(chooser).engine == "ik"
    assert len(bench.started) == 4


def test_models_that_the_second_engine_fails_with_are_not_tried(bench: Bench) -> None:
    for extra, words in (
        ({"llama.attention.sliding_window": 512}, "sliding window"), ({"llama.ssm.state_size": 16}, "running state"),
    ):
        write_model(bench.model, extra=extra)  # type: ignore[arg-type]
        decision = bench.decide(bench.chooser(SLOW, FAST))
        assert decision.engine == "llama"
        assert words in decision.sentence
    assert bench.started == []


@pytest.mark.parametrize("only", ["llama", "ik"])
def test_with_one_installed_there_is_no_choice(bench: Bench, only: str) -> None:
    decision = bench.decide(bench.chooser(SLOW, FAST, {only: BOTH[only]}))
    assert decision.engine == only
    assert "not installed" in decision.sentence
    assert bench.started == []


class WrongInLongPasses(ScriptedModel):
    def decode(self, tokens: Sequence[int], rows: int) -> Logits:
        logits = super().decode(tokens, rows)
        return logits if len(tokens) <= 8 else -logits


class FakeLibrary:
    def __init__(self, name: str, trouble: Code | None = None) -> None:
        self.name = name
        self.trouble = trouble
        self.model: type[ScriptedModel] = ScriptedModel
        self.loads = 0

    def describe(self) -> str:
        return self.name

    def load(self, *_: object) -> ScriptedModel:
        self.loads += 1
        if self.trouble is not None:
            raise SlipstreamError(self.trouble, "It cannot be.", "Do without.")
        return self.model(Language())

    def quantize(self, *_: object, **__: object) -> None:
        raise AssertionError("nothing is to be written")


MakeEngines = Callable[..., Engines]


@pytest.fixture
def libraries() -> dict[str, FakeLibrary]:
    return {"llama": FakeLibrary("llama"), "ik": FakeLibrary("ik")}


@pytest.fixture
def make(bench: Bench, libraries: dict[str, FakeLibrary], monkeypatch: pytest.MonkeyPatch) -> MakeEngines:
    def make(one_a_process: bool = False, installed: dict[str, str] = BOTH) -> Engines:
        monkeypatch.setattr(engines, "open_library", lambda name, on_log, threads, extra: libraries[name])
        return Engines(lambda _: None, bench.chooser(SLOW, FAST, installed), installed, one_a_process)

    return make


def load(made: Engines, bench: Bench, engine: str) -> str:
    settings = msgspec.structs.replace(AUTO, engine=engine)
    _, sentence = made.load_target(LoadRequest(str(bench.model), settings), 1, bench.abort, bench.signs)
    return sentence


def test_target_and_draft_share_an_engine(make: MakeEngines, bench: Bench, libraries: dict[str, FakeLibrary]) -> None:
    made = make()
    assert load(made, bench, "ik") == "ik_llama.cpp, as was asked for."
    made.load("draft.gguf", LoadSettings(engine="llama"), 1, bench.abort, lambda _: None)
    assert (libraries["ik"].loads, libraries["llama"].loads) == (2, 0)
    assert made.name == "ik"
    assert made.describe() == BOTH["ik"]
    load(made, bench, "llama")
    assert made.describe() == BOTH["llama"]


def test_an_engine_that_computes_wrongly_warns_whoever_asked_for_it(
    make: MakeEngines, bench: Bench, libraries: dict[str, FakeLibrary]
) -> None:
    libraries["ik"].model = libraries["llama"].model = WrongInLongPasses
    sentence = load(make(), bench, "ik")
    assert sentence.startswith("ik_llama.cpp, as was asked for. But it computes this model differently")
    assert sentence.endswith("llama.cpp runs it as it should be.")
    assert load(make(), bench, "llama") == "llama.cpp, as was asked for."


def test_what_the_second_engine_cannot_load_the_first_does(
    make: MakeEngines, bench: Bench, libraries: dict[str, FakeLibrary]
) -> None:
    libraries["ik"].trouble = Code.MODEL_LOAD_FAILED
    made = make()
    assert load(made, bench, "auto") == "llama.cpp, since ik_llama.cpp did not load this model: It cannot be."
    assert made.name == "llama"
    assert "did not load" in bench.said[-1]
    with pytest.raises(SlipstreamError):
        load(made, bench, "ik")
    libraries["ik"].trouble = Code.ABORTED
    with pytest.raises(SlipstreamError) as caught:
        load(made, bench, "auto")
    assert caught.value.code == Code.ABORTED


def test_where_a_process_holds_one_library_it_says_so(make: MakeEngines, bench: Bench) -> None:
    made = make(one_a_process=True)
    load(made, bench, "llama")
    with pytest.raises(SlipstreamError) as caught:
        load(made, bench, "ik")
    assert caught.value.code == Code.ENGINE_BUSY
    load(made, bench, "llama")


def test_what_is_not_installed_cannot_be_asked_for(make: MakeEngines, bench: Bench) -> None:
    with pytest.raises(SlipstreamError, match=r"ik_llama\.cpp is not installed"):
        load(make(installed={"llama": "1"}), bench, "ik")


def test_the_first_pass_after_a_rest_is_not_timed() -> None:
    """It took 11 ms where two tokens took 8, and the faster engine lost by it."""
    asleep = True

    def seconds(tokens: int) -> float:
        nonlocal asleep
        took = 1.0 if asleep else tokens / 1000
        asleep = False
        return took

    model = ScriptedModel(Language(), cost=seconds)
    model.decode([1, 2, 3], 1)
    for _ in range(2):
        asleep = True
        assert measure_round(model, range(1, 17)) == pytest.approx({length: length / 1000 for length in LENGTHS})
        assert len(model.tokens) == 3
