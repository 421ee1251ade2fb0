"""Which engine runs a model: measured in children, kept, said; and what happens where one of them fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from app.engine.backend import AbortFlag, Logits
from app.errors import Code, SlipstreamError
from app.terms import LoadSettings
from app.worker import engine_choice, engines
from app.worker.engine_choice import EngineChooser, Signs, Wish, weigh
from app.worker.engine_trial import LENGTHS, Round, measure_round
from app.worker.engines import Engines
from tests.engine.fakes import Language, ScriptedModel
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
answer = json.dumps({{"on_gpu": True}} if plan is None else {{"passes_s": plan}})
print(answer, flush=True)
for line in sys.stdin:
    print(answer, flush=True)
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
        self.signs = Signs(self.said.append, self.progress.append)
        self.abort = AbortFlag()

    def chooser(self, llama: object, ik: object, versions: dict[str, str] = BOTH) -> EngineChooser:
        script = self.tmp_path / "child.py"
        script.write_text(CHILD.format(folder=str(self.tmp_path), plan={"llama": llama, "ik": ik}), encoding="utf-8")
        return EngineChooser(self.folder, [sys.executable, str(script)], versions)

    def decide(self, chooser: EngineChooser, settings: LoadSettings = AUTO, **wish: bool):  # type: ignore[no-untyped-def]
        return chooser.decide(Wish(str(self.model), settings, **wish), self.abort, self.signs)

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
    _, sentence = made.load_target(Wish(str(bench.model), settings), 1, bench.abort, bench.signs)
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
