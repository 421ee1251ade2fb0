"""The proof in a child process: crashes, silence and nonsense are answers, the next way is tried, and it is kept."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import msgspec
import pytest

from app import installed
from app.engine.backend import AbortFlag
from app.engine.tiny_model import KINDS
from app.errors import Code, SlipstreamError
from app.installed import Finding, Proof, library_identity, proof_file, read_proof
from app.records import LoadSettings
from app.worker import engines
from app.worker.engine_choice import EngineChooser, LoadFeedback, LoadRequest
from app.worker.engines import Engines
from app.worker.proving import Prover, Word, run_proof
from tests.engine.fakes import Language, ScriptedModel
from tests.models.gguf_writer import write_model

BOTH = {"llama": "llama-cpp-python 1", "ik": "ik-llama-cpp-python 2"}
CHILD = """
import json, os, signal, sys, time
task = json.loads(sys.stdin.readline())
way = task["engine"] + ("" if task["extra_buffers"] else " without")
open({log!r}, "a").write(way + "\\n")
def say(**word):
    print(json.dumps(word), flush=True)
plan = {plans!r}.get(way, "sound")
say(kind="Q4_0", rows=0)
if plan == "garbage":
    print("what?", flush=True)
    time.sleep(60)
if plan == "silence":
    time.sleep(60)
if plan == "exit":
    sys.exit(3)
if plan == "unloadable":
    say(trouble="its library cannot be loaded: libx.so: file too short")
    sys.exit(0)
say(kind="Q4_0", rows=16)
if plan.startswith("SIG"):
    os.kill(os.getpid(), getattr(signal, plan))
    time.sleep(60)
say(finding=dict(kind="Q4_0", longest=512, difference=0.01, trouble=""))
say(kind="Q8_0", rows=2)
wrong = "passes of 32 rows come out wrong" if plan == "wrong" else ""
say(finding=dict(kind="Q8_0", longest=24 if wrong else 512, difference=0.01, trouble=wrong))
say(is_last=True)
"""


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tuning"
        self.log = folder / "tried"
        self.script = folder / "child.py"
        self.abort = AbortFlag()
        self.said: list[str] = []
        self.progress: list[float] = []
        self.signs = LoadFeedback(self.said.append, self.progress.append)

    def prover(self, patience_s: float = 30.0, **plans: str) -> Prover:
        by_way = {name.replace("_", " "): plan for name, plan in plans.items()}
        self.script.write_text(CHILD.format(log=str(self.log), plans=by_way), encoding="utf-8")
        return Prover(self.folder, [sys.executable, str(self.script)], BOTH, patience_s)

    def prove(self, prover: Prover, engine: str = "llama") -> Proof:
        return prover.prove(engine, self.abort, self.progress.append)

    @property
    def tried(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_sound_engine_is_used_as_it_is_and_tried_once(bench: Bench) -> None:
    prover = bench.prover()
    assert prover.look_up("llama") is None
    proof = bench.prove(prover)
    assert (proof.extra_buffers, proof.refused, proof.before) == (True, "", "")
    assert [found.kind for found in proof.findings] == ["Q4_0", "Q8_0"]
    assert prover.look_up("llama") == proof
    assert prover.look_up("ik") is None
    assert bench.tried == ["llama"]
    assert bench.progress == sorted(bench.progress)
    assert bench.progress


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_being_killed_is_no_fault_of_the_library(bench: Bench) -> None:
    prover = bench.prover(llama="SIGKILL")
    proof = bench.prove(prover)
    assert (proof.extra_buffers, proof.refused, proof.before) == (True, "", "")
    assert "when memory runs short" in proof.unproven
    assert prover.look_up("llama") is None


def test_a_child_that_cannot_do_its_work_says_nothing_of_the_library(bench: Bench) -> None:
    proof = bench.prove(bench.prover(llama="exit"))
    assert bench.tried == ["llama"]
    assert (proof.refused, proof.unproven) == ("", "it ended with status 3 while it loaded Q4_0 weights")
    away = Prover(bench.folder, [str(bench.folder / "nothing")], BOTH)
    assert "no process for it can be started" in bench.prove(away).unproven
    assert not bench.folder.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
@pytest.mark.parametrize(("plan", "words"), [
    ("SIGILL", "it died of an instruction that this processor cannot carry out (SIGILL) in passes of 16 rows"),
    ("SIGSEGV", "it died of a memory fault (SIGSEGV) in passes of 16 rows with Q4_0 weights"),
    ("garbage", "it wrote what is no answer"),
    ("unloadable", "its library cannot be loaded: libx.so: file too short"),
])
def test_where_it_dies_the_next_way_is_tried_and_the_reason_kept(bench: Bench, plan: str, words: str) -> None:
    prover = bench.prover(llama=plan)
    proof = bench.prove(prover)
    assert bench.tried == ["llama", "llama without"]
    assert not proof.extra_buffers
    assert not proof.refused
    assert words in proof.before
    assert prover.look_up("llama") == (proof if plan.startswith("SIG") else None), "the rest may be mended, or pass"
    refused = bench.prove(bench.prover(llama=plan, llama_without=plan))
    assert words in refused.refused


def test_one_that_says_nothing_is_not_waited_for(bench: Bench) -> None:
    proof = bench.prove(bench.prover(patience_s=0.5, llama="silence"))
    assert "said nothing for" in proof.before
    assert "Q4_0" in proof.before
    assert not bench.folder.exists(), "it may have been the machine"


def test_the_second_engine_has_one_way(bench: Bench) -> None:
    proof = bench.prove(bench.prover(ik="unloadable"), "ik")
    assert bench.tried == ["ik"]
    assert "file too short" in proof.refused


def test_one_wrong_type_is_kept_as_such(bench: Bench) -> None:
    proof = bench.prove(bench.prover(llama="wrong", llama_without="wrong"))
    assert proof.extra_buffers
    assert proof.trouble_with("Q8_0") == "passes of 32 rows come out wrong"
    assert proof.trouble_with("Q4_0") == ""
    assert proof.unsound == [Finding(kind="Q8_0", longest=24, difference=0.01, trouble=proof.unsound[0].trouble)]
    better = bench.prove(bench.prover(llama="wrong"))
    assert not better.extra_buffers
    assert better.before == "with Q8_0 weights, passes of 32 rows come out wrong"
    assert not better.unsound


def test_a_stop_keeps_nothing(bench: Bench) -> None:
    bench.abort.set()
    with pytest.raises(SlipstreamError) as caught:
        bench.prove(bench.prover(llama="silence"))
    assert caught.value.code == Code.ABORTED
    assert not bench.folder.exists()


@pytest.mark.parametrize("content", [b"", b"{", b'{"engine": "llama"}', b'{"engine": "ik", "refused": "x"}', b"\xff"])
def test_a_half_written_record_is_as_good_as_none(bench: Bench, content: bytes) -> None:
    prover = bench.prover()
    bench.prove(prover)
    (file,) = bench.folder.iterdir()
    file.write_bytes(content)
    assert prover.look_up("llama") is None


def test_another_processor_package_library_or_proof_is_proven_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {proof_file(bench.folder, "llama", "1")}
    names.add(proof_file(bench.folder, "llama", "2"))
    monkeypatch.setattr(installed, "processor_features", lambda: "another")
    names.add(proof_file(bench.folder, "llama", "1"))
    monkeypatch.setattr(installed, "library_identity", lambda engine: "rebuilt")
    names.add(proof_file(bench.folder, "llama", "1"))
    monkeypatch.setattr(installed, "PROOF", installed.PROOF + 1)
    names.add(proof_file(bench.folder, "llama", "1"))
    assert len(names) == 5
    assert read_proof(bench.folder / "nothing.json", "llama") is None


def test_a_rebuilt_library_has_another_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "llama_cpp"
    (package / "lib").mkdir(parents=True)
    (package / "__init__.py").touch()
    library = package / "lib" / "libggml-cpu.so"
    library.write_bytes(b"one")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "llama_cpp", raising=False)  # another test of this process may have taken it in
    assert [path.name for path in installed.library_files("llama")] == ["libggml-cpu.so"]
    before = library_identity("llama")
    library.write_bytes(b"other")
    assert library_identity("llama") != before


def test_what_the_child_says_is_passed_on(bench: Bench) -> None:
    words: list[Word] = []
    bench.prover().prove("llama", bench.abort, bench.progress.append, words.append)
    assert [word.rows for word in words if word.kind] == [0, 16, 2]
    assert words[-1].is_last
    json.loads(msgspec.json.encode(words[0]))


def test_the_childs_life() -> None:
    def fail(name: str, extra_buffers: bool) -> FakeLibrary:
        raise OSError("libggml.so: file too short")

    said = io.BytesIO()
    assert run_proof(io.BytesIO(b'{"engine": "llama"}\n'), said, fail) == 0  # type: ignore[arg-type]
    (word,) = [msgspec.json.decode(line, type=Word) for line in said.getvalue().splitlines()]
    assert word.trouble == "its library cannot be loaded: libggml.so: file too short"


class FakeLibrary:
    def __init__(self, name: str) -> None:
        self.name = name

    def load(self, *_: object) -> ScriptedModel:
        return ScriptedModel(Language())


class Opened:
    """Engines over fake libraries; ``ways`` are name and extra buffers of each library that was opened."""

    def __init__(self, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **plans: str) -> None:
        self.ways: list[tuple[str, bool]] = []
        self.model = write_model(tmp_path / "m.gguf", kind="Q8_0")
        self.bench = bench

        def open_library(name: str, on_log: object, threads: object, extra_buffers: bool) -> FakeLibrary:
            self.ways.append((name, extra_buffers))
            return FakeLibrary(name)

        monkeypatch.setattr(engines, "open_library", open_library)
        chooser = EngineChooser(bench.folder, [sys.executable, "-c", ""], BOTH)
        self.engines = Engines(lambda _: None, chooser, BOTH, False, prover=bench.prover(**plans))

    def load(self, engine: str) -> str:
        wish = LoadRequest(str(self.model), LoadSettings(engine=engine))
        return self.engines.load_target(wish, 1, self.bench.abort, self.bench.signs)[1]


def test_an_engine_is_tried_before_it_is_opened_and_opened_as_it_was_proven(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Opened(bench, tmp_path, monkeypatch, llama="unloadable")
    sentence = opened.load("llama")
    assert bench.said == ["Trying llama.cpp on this processor, once."]
    assert opened.ways == [("llama", False)]
    assert "It runs without extra buffers, since with them its library cannot be loaded" in sentence
    assert not opened.engines.uses_extra_buffers("llama")
    opened.load("llama")
    assert bench.tried == ["llama", "llama without"]


def test_a_refused_engine_is_never_opened(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Opened(bench, tmp_path, monkeypatch, llama="unloadable", llama_without="unloadable")
    sentence = opened.load("auto")
    assert sentence.startswith("ik_llama.cpp, since llama.cpp does not run on this processor: its library cannot be")
    assert [name for name, _ in opened.ways] == ["ik"]
    with pytest.raises(SlipstreamError) as caught:
        opened.load("llama")
    assert caught.value.code == Code.WORKER_START_FAILED
    assert "does not run on this processor" in caught.value.message
    assert "other engine" in caught.value.hint
    assert not opened.engines.may_run("llama")


def test_where_none_runs_that_is_said(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Opened(bench, tmp_path, monkeypatch, llama="unloadable", llama_without="unloadable", ik="unloadable")
    with pytest.raises(SlipstreamError, match=r"llama\.cpp does not run on this processor") as caught:
        opened.load("auto")
    assert "dev.py setup" in caught.value.hint
    assert opened.ways == []


def test_a_file_of_a_type_that_one_engine_computes_wrongly_goes_to_the_other(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Opened(bench, tmp_path, monkeypatch, ik="wrong")
    assert opened.load("auto") == (
        "llama.cpp, since ik_llama.cpp computes Q8_0 weights wrongly on this processor "
        "(passes of 32 rows come out wrong)."
    )
    other = Opened(bench, tmp_path, monkeypatch, llama="wrong", llama_without="wrong")
    next(bench.folder.glob("proof-llama-*")).unlink()
    assert "its answers may be wrong" in other.load("llama")


@pytest.mark.model
@pytest.mark.parametrize("engine", ["llama", "ik"])
def test_the_real_engines_are_proven_for_every_type(tmp_path: Path, engine: str) -> None:
    """Marked ``model`` since it wants all cores; the models are our own."""
    command = [sys.executable, "-m", "app", "--worker"]
    proof = Prover(tmp_path, command, installed.installed_engines()).prove(engine, AbortFlag(), lambda _: None)
    assert (proof.refused, proof.before) == ("", "")
    assert proof.unsound == []
    assert {found.kind for found in proof.findings} == set(KINDS)
