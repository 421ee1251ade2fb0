"""``Prepare`` from command to file, with scripted models and a quantiser that writes names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from app import protocol
from app.engine.backend import AbortFlag, Progress
from app.engine.prepare import FORMS
from app.errors import Code, SlipstreamError
from app.records import LoadSettings
from app.worker.preparing import PROMPTS
from app.worker.session import EngineSession
from tests.engine.fakes import MEMORY_BOUND, GuessingLanguage, Language, ScriptedModel, curve, per_token
from tests.machine.neighbours import Neighbours

FORM_NAMES = [form.name for form in FORMS]
SECONDS = {"as-is": 0.0185, "q4_0": 0.0129, "q4_0-all": 0.0101, "q8_0": 0.022}


class QuantisingLibrary:
    """The content of a file is its form's name; ``seconds`` a draft step of it takes."""

    name = "scripted"

    def __init__(self) -> None:
        self.seconds = dict(SECONDS)
        self.language = Language(end_bias=-30.0, by_position=True)
        self.refused: set[str] = set()
        self.widths: Mapping[str, int] | None = None
        self.during_quantize: Callable[[], None] = lambda: None
        self.models: list[ScriptedModel] = []
        self.rolls_back = True

    @staticmethod
    def describe() -> str:
        return "scripted 1"

    def load(
        self, path: str, settings: LoadSettings, max_rows: int, abort: AbortFlag, on_progress: Progress
    ) -> ScriptedModel:
        form = Path(path).read_text()
        if form == "target":
            model = ScriptedModel(self.language, cost=curve(MEMORY_BOUND), max_rows=max_rows,
                                  rolls_back=self.rolls_back)
        else:
            guesser = GuessingLanguage(self.language, lambda _: 0.8)
            model = ScriptedModel(guesser, cost=per_token(self.seconds[form], 0.0), max_rows=max_rows)
        model.facts = type(model.facts)(**{field: getattr(model.facts, field) for field in model.facts.__struct_fields__
                                           if field != "path"}, path=path)
        self.models.append(model)
        return model

    def quantize(
        self, source: str, destination: str, kind: str, *, whole: bool = False, threads: int = 0,
        widths: Mapping[str, int] | None = None,
    ) -> None:
        self.during_quantize()
        self.widths = widths
        form = f"{kind}-all" if whole else kind
        if form in self.refused:
            Path(destination).write_text("half")
            raise SlipstreamError(Code.MODEL_LOAD_FAILED, "It could not be written.", "")
        Path(destination).write_text(form)


class Bench:
    def __init__(self, folder: Path) -> None:
        self.library = QuantisingLibrary()
        self.events: list[protocol.AnyEvent] = []
        self.session = EngineSession(self.library, self.events.append)  # type: ignore[arg-type]
        self.target, self.draft = folder / "target.gguf", folder / "draft.gguf"
        self.out = folder / "out" / "fast.gguf"
        self.out.parent.mkdir()
        self.target.write_text("target")
        self.draft.write_text("as-is")
        self.number = 1

    def run(self, command: protocol.AnyCommand) -> protocol.AnyEvent:
        self.session.announce(command)
        self.session.carry_out(command)
        return self.events[-1]

    def load(self) -> None:
        assert isinstance(self.run(protocol.Load(request_id=1, path=str(self.target))), protocol.Loaded)

    def prepare(self, draft: Path | None = None) -> protocol.AnyEvent:
        self.number += 1
        return self.run(protocol.Prepare(
            request_id=self.number, path=str(draft or self.draft), destination=str(self.out)
        ))

    def left(self) -> list[str]:
        return sorted(os.listdir(self.out.parent))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    for module in ("app.worker.session", "app.models.prepared"):
        monkeypatch.setattr(f"{module}.cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr("app.worker.session.read_header", lambda path: path)
    monkeypatch.setattr("app.worker.session.read_vocabulary", lambda path: path)
    monkeypatch.setattr(
        "app.worker.session.check_pair",
        lambda _target, draft: SimpleNamespace(compatible="gemma" not in str(draft), reason="Another family."),
    )
    bench = Bench(tmp_path)
    bench.load()
    return bench


def as_failed(event: protocol.AnyEvent, code: Code) -> protocol.Failed:
    assert isinstance(event, protocol.Failed), event
    assert event.code == code
    return event


def test_the_fastest_form_is_written_and_nothing_else_stays(bench: Bench) -> None:
    done = bench.prepare()
    assert isinstance(done, protocol.Prepared), done
    assert (done.form, bench.out.read_text(), bench.left()) == ("q4_0-all", "q4_0-all", ["fast.gguf"])
    assert [figures.form for figures in done.forms] == FORM_NAMES
    assert [figures.step_s for figures in done.forms] == pytest.approx(list(SECONDS.values()))
    assert done.gain > 1.02
    assert f"{done.gain:.2f}×" in done.sentence
    assert all(model.closed for model in bench.library.models[1:])
    progress = [event for event in bench.events if isinstance(event, protocol.PrepareProgress)]
    fractions = [event.fraction for event in progress]
    assert fractions == sorted(fractions)
    assert len(progress) == len(PROMPTS) + 1 + 2 * 3 + 1


def test_figures_taken_beside_other_programs_say_so(bench: Bench) -> None:
    neighbours = Neighbours()
    bench.session = EngineSession(bench.library, bench.events.append, neighbours.rest)  # type: ignore[arg-type]
    bench.load()
    calm = bench.prepare()
    assert isinstance(calm, protocol.Prepared)
    assert "busy" not in calm.sentence
    neighbours.work(1.0)
    busy = bench.prepare()
    assert isinstance(busy, protocol.Prepared)
    assert busy.sentence.endswith("Other programs were busy meanwhile, so these figures are rough.")
    first = next(e for e in bench.events if isinstance(e, protocol.PrepareProgress) and e.request_id == busy.request_id)
    assert first.message.startswith("Other programs are busy")


def test_the_widths_of_matrices_are_given_and_of_nothing_else(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = {"norm": (64,), "output": (64, 512), "experts": (64, 32, 8)}
    tensors = [SimpleNamespace(name=name, shape=shape) for name, shape in shapes.items()]
    monkeypatch.setattr("app.worker.preparing.read_header", lambda *_, **__: SimpleNamespace(tensors=tensors))
    assert isinstance(bench.prepare(), protocol.Prepared)
    assert bench.library.widths == {"output": 64}


def test_a_draft_whose_header_only_the_library_reads_is_prepared_all_the_same(bench: Bench) -> None:
    assert isinstance(bench.prepare(), protocol.Prepared)
    assert bench.library.widths == {}


@pytest.mark.parametrize("fastest", FORM_NAMES)
def test_any_form_may_win(bench: Bench, fastest: str) -> None:
    bench.library.seconds[fastest] = 0.004
    done = bench.prepare()
    assert isinstance(done, protocol.Prepared), done
    assert (done.form, bench.out.read_text(), bench.left()) == (fastest, fastest, ["fast.gguf"])


def test_a_form_that_cannot_be_written_is_left_out(bench: Bench) -> None:
    bench.library.refused = {"q4_0-all"}
    done = bench.prepare()
    assert isinstance(done, protocol.Prepared), done
    assert ([figures.form for figures in done.forms], done.form) == (["as-is", "q4_0", "q8_0"], "q4_0")


def test_what_the_same_command_made_is_made_again_and_nothing_else_is_overwritten(bench: Bench) -> None:
    bench.prepare()
    bench.library.seconds["q8_0"] = 0.004
    assert isinstance(bench.prepare(), protocol.Prepared)
    assert bench.out.read_text() == "q8_0"
    other = bench.draft.with_name("other.gguf")
    other.write_text("as-is")
    as_failed(bench.prepare(other), Code.FILE)
    bench.out.write_text("somebody's")
    assert "is there already" in as_failed(bench.prepare(), Code.FILE).message
    assert bench.out.read_text() == "somebody's"


def test_a_file_that_appears_meanwhile_stays(bench: Bench) -> None:
    bench.library.during_quantize = lambda: bench.out.write_text("somebody's") and None
    as_failed(bench.prepare(), Code.FILE)
    assert (bench.out.read_text(), bench.left()) == ("somebody's", ["fast.gguf"])


@pytest.mark.parametrize("place", ["missing/fast.gguf", "out", "target.gguf", "draft.gguf"])
def test_places_that_are_refused(bench: Bench, place: str) -> None:
    bench.out = bench.target.parent / place
    as_failed(bench.prepare(), Code.FILE)
    assert (bench.target.read_text(), bench.draft.read_text()) == ("target", "as-is")


def test_a_folder_that_takes_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_more: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("app.models.prepared.tempfile.mkdtemp", refuse)
    assert "cannot be written: Permission denied" in as_failed(bench.prepare(), Code.FILE).message


def test_a_full_disk(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.models.prepared.shutil.disk_usage", lambda _path: SimpleNamespace(free=1_000_000))
    failed = as_failed(bench.prepare(), Code.DISK_FULL)
    assert "1 MB left" in failed.message
    assert bench.left() == []


def test_a_stop_while_a_form_is_written_is_obeyed_after_it(bench: Bench) -> None:
    def stop() -> None:
        bench.session.stop(protocol.Stop(request_id=99, target_id=bench.number))

    bench.library.during_quantize = stop
    assert "nothing was written" in as_failed(bench.prepare(), Code.ABORTED).message
    assert bench.left() == []
    assert all(model.closed for model in bench.library.models[1:])


def test_what_a_killed_worker_left_is_removed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.models.prepared.psutil.pid_exists", lambda pid: pid == 7)
    for name in (".fast.gguf.preparing-5-x", ".fast.gguf.preparing-7-x", ".other.gguf.preparing-5-x"):
        (bench.out.parent / name).mkdir()
    assert isinstance(bench.prepare(), protocol.Prepared)
    assert bench.left() == [".fast.gguf.preparing-7-x", ".other.gguf.preparing-5-x", "fast.gguf"]


def test_drafts_and_targets_that_do_not_go(bench: Bench) -> None:
    gemma = bench.draft.with_name("gemma.gguf")
    gemma.write_text("as-is")
    as_failed(bench.prepare(gemma), Code.DRAFT_INCOMPATIBLE)
    part = bench.draft.with_name("big-00001-of-00002.gguf")
    as_failed(bench.prepare(part), Code.FILE)
    bench.library.rolls_back = False
    bench.load()
    as_failed(bench.prepare(), Code.METHOD_INVALID)
    bench.run(protocol.Unload(request_id=50))
    as_failed(bench.prepare(), Code.NO_MODEL_LOADED)
