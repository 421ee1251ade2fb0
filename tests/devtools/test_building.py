from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app import building as shared
from app.building import Building
from app.errors import Code, SlipstreamError
from devtools import building
from devtools.building import BuildReport


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(building, "cache_dir", lambda: tmp_path)
    return tmp_path / "building.json"


def told(file: Path) -> Building:
    found = shared.read(file)
    assert found is not None
    return found


def test_progress_is_said_once_a_second_and_never_goes_back(file: Path) -> None:
    now = [0.0]
    report = BuildReport(file, lambda: now[0])
    seen: list[float] = []
    for stage in ("fetching source", "building", "trying it on this processor", "installing"):
        report.enter(stage)  # type: ignore[arg-type]
        for step in range(11):
            report.update(step / 10, 100.0 - step)
            seen.append(told(file).fraction)
            now[0] += 0.5
    report.end()
    assert told(file).fraction == 1.0
    assert seen == sorted(seen)
    assert 20 < len(set(seen)) < 40, "half of the updates come too soon"


def test_the_time_left_is_said_when_there_is_a_sample(file: Path) -> None:
    report = BuildReport(file, iter(range(0, 1000, 2)).__next__)
    report.enter("fetching source")
    report.update(0.5, 3.0)
    assert told(file).left_s is None, "of the source, not of the whole"
    report.enter("building", Path("/logs/build.log"))
    report.update(0.01, 900.0)
    assert told(file).left_s is None
    report.update(0.5, 200.0)
    assert told(file).left_s == 200.0
    assert told(file).log == "/logs/build.log"
    assert told(file).pid == os.getpid()


def test_what_one_part_of_the_set_up_said_goes_on_in_the_next(file: Path) -> None:
    BuildReport().enter("building", Path("/logs/build.log"))
    BuildReport().fail("It broke.", "")
    assert (told(file).stage, told(file).log, told(file).reason) == ("failed", "/logs/build.log", "It broke.")
    shared.write(file, Building("building", 0.5, pid=os.getpid() + 1, log="/of/another"))
    BuildReport().enter("fetching source")
    assert told(file).log == ""


def test_a_file_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    BuildReport(tmp_path / "taken" / "building.json").enter("building")


def test_the_end_is_reported_however_it_comes(file: Path) -> None:
    with building.reported():
        pass
    assert told(file).stage == "done"
    with pytest.raises(SlipstreamError), building.reported():
        raise SlipstreamError(Code.NETWORK, "The network is away.", "The lines above say why.")
    assert (told(file).stage, told(file).reason, told(file).hint) == ("failed", "The network is away.", "")
    with pytest.raises(OSError, match="denied"), building.reported():
        raise PermissionError(13, "denied", "/models")
    assert "denied" in told(file).reason


def test_words_for_the_terminal(file: Path) -> None:
    assert building.progress_words(file) == ""
    shared.write(file, Building("building", 0.43, None, pid=1))
    assert building.progress_words(file) == "43%"
    shared.write(file, Building("building", 0.43, 250.0, pid=1, written_at=time.time() + 0.01))
    assert building.progress_words(file).startswith("43%, about 4:")
    shared.write(file, Building("done", 1.0, pid=1))
    assert building.progress_words(file) == ""


@pytest.mark.parametrize(("cores", "jobs"), [(1, 1), (2, 1), (16, 15)])
def test_one_core_is_left_to_the_window(cores: int, jobs: int) -> None:
    assert building.jobs_beside_window(cores) == jobs


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot keep a process to some cores")
def test_cores_that_may_not_be_used_do_not_count() -> None:
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    code += "from devtools.building import usable_cores; print(usable_cores())"
    root = Path(__file__).resolve().parents[2]
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert answer.stdout.strip() == "1"


def test_a_number_of_jobs_that_a_person_set_stays() -> None:
    assert building.gentle_environment({"CMAKE_BUILD_PARALLEL_LEVEL": "7"}) == {"CMAKE_BUILD_PARALLEL_LEVEL": "7"}
    assert int(building.gentle_environment({})["CMAKE_BUILD_PARALLEL_LEVEL"]) >= 1


@pytest.mark.skipif(shutil.which("nice") is None, reason="priorities are set otherwise on this system")
def test_what_the_build_starts_comes_last_too() -> None:
    grandchild = "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}], check=True)"
    command = [*building.gentle_prefix(), sys.executable, "-c", child]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "19"
    if shutil.which("ionice"):
        command = [*building.gentle_prefix(), "sh", "-c", "ionice -p $$"]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "idle"
