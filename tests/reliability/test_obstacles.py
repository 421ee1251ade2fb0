"""A processor that is too old, a library or a plugin that is missing: named in a sentence before anything aborts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.client.process import ProcessClient, worker_command
from app.errors import Code, SlipstreamError
from app.gui.startup.platform_plugin import find_qt_obstacle
from app.records import LoadSettings
from app.worker.obstacles import describe_import_failure, lacks_avx2
from tests.reliability.driver import as_root_in_a_namespace
from tests.scripted_worker import ROOT

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="namespaces and loaders of Linux")
DIES_OF_AN_INSTRUCTION = "import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n"
MISSES_A_LIBRARY = (
    "raise RuntimeError(\"Failed to load shared library '/x/libllama.so': libgomp.so.1: cannot open shared object "
    "file: No such file or directory\")\n"
)


def failure_of(around: list[str], package: str, folder: Path) -> SlipstreamError:
    """What the client says of the program's own worker with another ``llama_cpp`` in the way."""
    for name in ("llama_cpp", "ik_llama_cpp"):
        (folder / f"{name}.py").write_text(package, encoding="utf-8")
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.path.insert(0, {str(folder)!r}); "
        "from app.worker.main import main; sys.exit(main())"
    )
    with ProcessClient([*around, sys.executable, "-P", "-c", program, "--worker"]) as client:
        with pytest.raises(SlipstreamError) as caught:
            client.load("/models/any.gguf", LoadSettings())
        return caught.value


def test_a_processor_without_avx2_is_named(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Old\nflags\t\t: fpu sse sse2 sse4_2 avx\n", encoding="ascii")
    script = f'mount --bind "{cpuinfo}" /proc/cpuinfo && exec "$@"'
    error = failure_of([*as_root_in_a_namespace("--mount"), "sh", "-c", script, "sh"], DIES_OF_AN_INSTRUCTION, tmp_path)
    assert error.code == Code.WORKER_START_FAILED
    assert "no AVX2" in error.message
    assert "older processors" in error.hint


def test_an_instruction_that_is_missing_all_the_same_is_said(tmp_path: Path) -> None:
    error = failure_of([], DIES_OF_AN_INSTRUCTION, tmp_path)
    assert error.code == Code.WORKER_DIED
    assert "instruction that this processor cannot carry out" in error.message


def test_a_missing_library_of_the_engine_is_named(tmp_path: Path) -> None:
    error = failure_of([], MISSES_A_LIBRARY, tmp_path)
    assert error.code == Code.WORKER_START_FAILED
    assert "libgomp.so.1" in error.message
    assert "apt-get install libgomp1" in error.hint


def test_other_failures_of_the_library_keep_its_words() -> None:
    obstacle = describe_import_failure("something else\nwent wrong")
    assert "something else went wrong" in obstacle.message
    assert obstacle.hint


def test_old_and_new_processors(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    for flags, lacks in (("fpu avx", True), ("fpu avx avx2", False)):
        cpuinfo.write_text(f"flags\t: {flags}\n", encoding="ascii")
        assert lacks_avx2(cpuinfo) is lacks
    cpuinfo.write_text("Features\t: asimd\n", encoding="ascii")
    assert not lacks_avx2(cpuinfo), "not an x86 processor"
    assert not lacks_avx2(tmp_path / "none")


def start_window(environment: dict[str, str], home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "app"], cwd=ROOT, capture_output=True, text=True, timeout=250,
                          env={**os.environ, "HOME": str(home), **environment}, check=False)


def test_a_platform_plugin_that_is_not_there(tmp_path: Path) -> None:
    ran = start_window({"QT_QPA_PLATFORM": "nonsense"}, tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "plugin for the platform “nonsense” is missing" in ran.stderr


def test_a_platform_plugin_that_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "libqoffscreen.so").write_bytes(b"not a library")
    ran = start_window({"QT_QPA_PLATFORM": "offscreen", "QT_QPA_PLATFORM_PLUGIN_PATH": str(tmp_path)}, tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "cannot be loaded" in ran.stderr


def test_a_system_library_of_qt_that_is_missing(tmp_path: Path) -> None:
    """libEGL hidden from this process tree, as on a bare system."""
    found = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    places = {line.rpartition("=> ")[2].strip() for line in found.splitlines() if "libEGL.so.1 " in line}
    if not places:
        pytest.skip("libEGL is not here at all")
    hidden = " && ".join(f'mount --bind /dev/null "{Path(place).resolve()}"' for place in places)
    around = [*as_root_in_a_namespace("--mount"), "sh", "-c", f'{hidden} && exec "$@"', "sh"]
    ran = subprocess.run([*around, sys.executable, "-m", "app"], cwd=ROOT, capture_output=True, text=True, timeout=250,
                         env={**os.environ, "HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}, check=False)
    assert ran.returncode == 1, ran.stderr
    assert ran.stderr.count("\n") == 1
    assert "libEGL.so.1" in ran.stderr


def test_nothing_is_in_the_way_here() -> None:
    assert find_qt_obstacle({"QT_QPA_PLATFORM": "offscreen"}) == ""
    assert worker_command()[-1] == "--worker"
