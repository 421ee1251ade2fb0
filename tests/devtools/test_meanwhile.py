from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app import building
from devtools.meanwhile import run_while_building, run_with_restarts

ROOT = Path(__file__).resolve().parents[2]
WORDS = "import sys; print('building'); sys.exit(int(sys.argv[1]))"
REPORTING = """
import sys
from pathlib import Path
from devtools.building import BuildReport
report = BuildReport(Path(sys.argv[1]))
report.enter("building")
if sys.argv[2] == "wait":
    input()
report.fail("It broke.", "") if sys.argv[2] == "fail" else report.end()
sys.exit(sys.argv[2] == "fail")
"""
Build = Callable[..., int]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def run(command: list[str], window: Callable[[], int] = lambda: 3) -> int:
        surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
        return run_while_building([sys.executable, *command], tmp_path / "logs" / "building.log", file(tmp_path),
                                  window, surroundings)

    return run


def file(folder: Path) -> Path:
    return folder / "building.json"


def stage(folder: Path) -> str:
    told = building.read(file(folder))
    return "" if told is None else told.stage


def until(found: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not found() and time.monotonic() < end:
        time.sleep(0.02)
    assert found()


@pytest.mark.parametrize(("code", "ends"), [(0, "done"), (1, "failed")])
def test_the_window_runs_beside_the_build_and_its_status_counts(
    build: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int, ends: str
) -> None:
    assert build(["-c", WORDS, str(code)]) == 3
    assert (tmp_path / "logs" / "building.log").read_text(encoding="utf-8").strip() == "building"
    assert ("could not be built" in capsys.readouterr().err) == bool(code)
    assert stage(tmp_path) == ends, "also of a builder that says nothing itself"


def test_an_interruption_ends_the_build(build: Build) -> None:
    def interrupt() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(["-c", "import time; time.sleep(60)"], interrupt)


def test_the_end_of_the_build_is_told_while_the_window_is_open(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []

    def window() -> int:
        def is_told() -> bool:
            told.append("".join(capsys.readouterr()))
            return any("is built" in words for words in told)

        until(is_told)
        return 0

    assert build(["-c", WORDS, "0"], window) == 0
    assert "start again" in "".join(told)


def test_the_window_finds_the_builder_in_the_place_of_an_earlier_one(build: Build, tmp_path: Path) -> None:
    building.write(file(tmp_path), building.Building("failed", reason="of yesterday"))
    seen: list[building.Building | None] = []
    assert build(["-c", "import time; time.sleep(0.2)"], lambda: seen.append(building.read(file(tmp_path))) or 0) == 0
    assert seen[0] is not None
    assert (seen[0].stage, seen[0].reason) == ("starting", "")
    assert seen[0].log.endswith("building.log")


@pytest.mark.parametrize(("how", "reason"), [("end", ""), ("fail", "It broke.")])
def test_the_last_word_is_the_builders_own(build: Build, tmp_path: Path, how: str, reason: str) -> None:
    build(["-c", REPORTING, str(file(tmp_path)), how])
    told = building.read(file(tmp_path))
    assert told is not None
    assert (told.is_over, told.reason) == (True, reason)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
def test_a_killed_builder_is_told_as_failed(build: Build, tmp_path: Path) -> None:
    def window() -> int:
        until(lambda: stage(tmp_path) == "building")
        told = building.read(file(tmp_path))
        assert told is not None
        os.kill(told.pid, signal.SIGKILL)
        until(lambda: stage(tmp_path) == "failed")
        return 0

    code = "import time, sys\n" + REPORTING.replace("input()", "time.sleep(60)")
    assert build(["-c", code, str(file(tmp_path)), "wait"], window) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="priority classes there")
def test_the_build_gives_way(build: Build, tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = ("import os, sys; from pathlib import Path; Path(sys.argv[1]).write_text("
            "f\"{os.getpriority(os.PRIO_PROCESS, 0)} {os.environ['CMAKE_BUILD_PARALLEL_LEVEL']}\")")
    build(["-c", code, str(told)])
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    assert told.read_text() == f"19 {max(1, cores - 1)}"


def test_a_window_that_asks_for_it_is_started_again_without_a_build(
) -> None:
    starts: list[bool] = []

    def start(is_building: bool) -> int:
        starts.append(is_building)
        status = building.RESTART_STATUS if len(starts) < 3 else 0
        return subprocess.run([sys.executable, "-c", f"import sys; sys.exit({status})"], check=False).returncode

    assert run_with_restarts(start) == 0
    assert starts == [True, False, False]
