"""Set-up proves what it built: the next way where a build fails, and a bad wheel is never installed again."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from app.engine.tiny_model import KINDS
from app.errors import SlipstreamError
from devtools import llama, proof, proven
from devtools.llama import Source, Tools
from devtools.proof import Outcome, prove, read_outcome
from devtools.proven import install_proven, next_way, ways, without_amx

AMX = "amx_bf16 amx_int8 amx_tile avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl avx512_vnni fma f16c sse4_2"
GOOD, SLOW, DEAD = Outcome(), Outcome(before="it died of SIGILL"), Outcome(refused="it died of SIGILL")
SOURCE = Source("1.0", "https://example.org/x.tar.gz", "00", 1)


class Setup:
    """A set-up whose builds take nothing, and whose proofs come out as planned, in order."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.built: list[str] = []
        self.installed: list[str] = []
        self.plan: list[Outcome] = []
        self.second = False
        self.tools = Tools(folder, folder / "python", folder / "uv", {})
        monkeypatch.setattr(llama, "cache_dir", lambda: folder)
        monkeypatch.setattr(proven, "processor_features", lambda: AMX)
        monkeypatch.setattr(llama, "build", self._build)
        monkeypatch.setattr(llama.subprocess, "run", self._run)

    def _build(self, tools: Tools, source: Source, key: str, arguments: str) -> Path:
        self.built.append(arguments)
        wheel = llama.wheels_dir(source.version, key) / f"{len(self.built)}.whl"
        wheel.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("llama_cpp/__init__.py", "")
        return wheel

    def _run(self, command: list[str], **_: object) -> object:
        self.installed.append(Path(command[-1]).name)
        return llama.subprocess.CompletedProcess(command, 0)

    def install(self, *plan: Outcome, key: str = "key") -> Outcome:
        left = list(plan)
        outcome = install_proven(self.tools, SOURCE, key, "-DX=1", lambda: left.pop(0), lambda: self.second)
        assert not left, "every proof that was planned was made"
        return outcome


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    return Setup(tmp_path, monkeypatch)


def test_without_amx_all_else_is_switched_on_by_hand() -> None:
    arguments = without_amx("-DX=1", AMX)
    assert arguments is not None
    assert arguments.startswith("-DX=1 -DGGML_NATIVE=OFF ")
    assert "-DGGML_AVX512=ON" in arguments
    assert "-DGGML_AVX512_VNNI=ON" in arguments
    assert "-DGGML_AVX512_VBMI=OFF" in arguments
    assert "-DGGML_BMI2=OFF" in arguments
    assert "AMX" not in arguments
    assert without_amx("-DX=1", "avx avx2") is None
    assert without_amx("-DGGML_NATIVE=OFF", AMX) is None
    assert [way.key for way in ways(llama.index_key("https://wheels.example"), "", AMX)] == [
        llama.index_key("https://wheels.example")
    ]


def test_what_is_sound_is_built_once(setup: Setup) -> None:
    assert setup.install(GOOD) == GOOD
    assert setup.install(GOOD) == GOOD
    assert setup.built == ["-DX=1"]
    assert setup.installed == ["1.whl", "1.whl"]


@pytest.mark.parametrize("first", [SLOW, DEAD])
def test_what_dies_is_built_without_amx_and_never_installed_again(setup: Setup, first: Outcome) -> None:
    assert setup.install(first, GOOD) == GOOD
    assert len(setup.built) == 2
    assert "-DGGML_NATIVE=OFF" in setup.built[1]
    assert llama.is_proven_bad("1.0", "key")
    assert llama.kept_wheel("1.0", "key") is None
    assert next_way("1.0", "key", "-DX=1").key != "key"
    assert not llama.must_build("1.0", next_way("1.0", "key", "-DX=1").key)
    assert setup.install(GOOD) == GOOD
    assert setup.installed == ["1.whl", "2.whl", "2.whl"]


def test_where_the_next_build_is_no_better_the_first_runs_without_extra_buffers(
    setup: Setup, capsys: pytest.CaptureFixture[str]
) -> None:
    assert setup.install(SLOW, SLOW, SLOW) == SLOW
    assert setup.installed == ["1.whl", "2.whl", "1.whl"]
    assert "without extra buffers" in capsys.readouterr().out
    assert setup.install(SLOW) == SLOW, "the other way is known to be no better"
    assert len(setup.built) == 2


def test_where_nothing_runs_the_second_engine_answers_alone_or_it_is_said(
    setup: Setup, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SlipstreamError, match=r"does not run on this processor: it died of SIGILL") as caught:
        setup.install(DEAD, DEAD, DEAD)
    assert "compiler" in caught.value.hint
    setup.second = True
    assert setup.install(DEAD) == DEAD
    assert "ik_llama.cpp answers alone" in capsys.readouterr().err


def test_a_ready_wheel_for_another_processor_is_named(setup: Setup) -> None:
    with pytest.raises(SlipstreamError, match=r"it died of SIGILL") as caught:
        setup.install(DEAD, key=llama.index_key("https://wheels.example"))
    assert "--wheel-index" in caught.value.hint
    assert setup.built == []


def test_a_kept_wheel_whose_library_is_cut_short_is_built_again(setup: Setup) -> None:
    setup.install(GOOD)
    cut = Outcome(refused="its library cannot be loaded: libggml.so: file too short")
    assert setup.install(cut, GOOD) == GOOD
    assert setup.built == ["-DX=1", "-DX=1"]
    assert not llama.is_proven_bad("1.0", "key")


def test_a_half_written_wheel_is_not_taken(setup: Setup) -> None:
    setup.install(GOOD)
    (wheel,) = llama.wheels_dir("1.0", "key").glob("*.whl")
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("llama_cpp/lib/libggml.so", b"0123456789" * 100)
    whole = wheel.read_bytes()
    for damaged in (b"", whole[:500], whole.replace(b"0123456789", b"012345678x", 1)):
        wheel.write_bytes(damaged)
        assert llama.kept_wheel("1.0", "key") is None
    wheel.write_bytes(whole)
    assert llama.kept_wheel("1.0", "key") == wheel


def test_a_compiler_that_vanishes_amid_the_build_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama, "cache_dir", lambda: tmp_path)
    monkeypatch.setattr(llama, "fetch", lambda download, watch=None: None)
    uv = tmp_path / "uv"
    uv.write_text(
        f"#!{sys.executable}\nprint('[1/140] /usr/bin/c++ a.cpp')\n"
        "print('ninja: error: /bin/sh: 1: /usr/bin/c++: not found')\nraise SystemExit(1)\n", encoding="utf-8",
    )
    uv.chmod(0o755)
    tools = Tools(tmp_path, Path(sys.executable), uv, {})
    with pytest.raises(SlipstreamError, match=r"could not be built: .*c\+\+: not found") as caught:
        llama.build(tools, SOURCE, "key", "")
    assert "build.log" in caught.value.hint
    assert llama.kept_wheel("1.0", "key") is None


def test_a_build_that_fails_in_the_next_way_leaves_the_first(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    setup.install(GOOD)

    def fail(*_: object) -> Path:
        raise SlipstreamError(llama.Code.INTERNAL, "It could not be built: no compiler.", "")

    monkeypatch.setattr(llama, "build", fail)
    assert setup.install(SLOW, SLOW) == SLOW
    assert setup.installed[-1] == "1.whl"


def test_outcomes_are_ranked_and_have_words() -> None:
    record = {"engine": "llama", "findings": [{"kind": "Q4_1", "trouble": "x"}, {"kind": "Q8_0", "trouble": ""}]}
    assert read_outcome(record) == Outcome(unsound=("Q4_1",))
    assert read_outcome(record).reason == "it computes Q4_1 weights wrongly"
    assert read_outcome({}).rank == 2, "nothing is known against it"
    assert [one.rank for one in (GOOD, SLOW, DEAD)] == [2, 1, 0]
    assert len(KINDS) == proof.TYPES


def test_the_program_is_asked_and_shows_how_far_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = tmp_path / "app"
    package.mkdir()
    (package / "__init__.py").touch()
    lines = [json.dumps({"finding": {"kind": "Q4_0"}})] * proof.TYPES + ["noise", json.dumps({"engine": "llama"})]
    (package / "__main__.py").write_text(f"print({chr(10).join(lines)!r})", encoding="utf-8")
    assert prove(Path(sys.executable), tmp_path, {}, "llama") == GOOD
    assert "12 of 12 types of weights" in capsys.readouterr().out
    (package / "__main__.py").write_text("import os; os.abort()", encoding="utf-8")
    assert prove(Path(sys.executable), tmp_path, {}, "llama").unproven == "the program ended before it could be tried"
