"""Tells a window that runs beside a build how far it is, and how a build leaves room for that window."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app import building, sentences
from app.building import Building, Stage
from app.errors import SlipstreamError
from app.paths import cache_dir
from devtools.console import duration_words

JOBS_VARIABLE = "CMAKE_BUILD_PARALLEL_LEVEL"
"""``cmake --build`` reads it; without it Ninja takes two jobs more than there are cores."""
PAUSE_S = 1.0
"""Between two reports of progress."""
SURE_FROM = 0.05
"""Share of the steps before which nothing is said of the time left: the first files are no sample of the rest."""
SPANS: dict[Stage, tuple[float, float]] = {
    "fetching source": (0.0, 0.04),
    "building": (0.04, 0.97),
    "trying it on this processor": (0.97, 0.99),
    "installing": (0.99, 1.0),
}
"""The part of the whole that each stage takes."""


def progress_file() -> Path:
    return cache_dir() / building.FILE_NAME


class BuildReport:
    """Writes the file. That it cannot be written is no reason to give a build up, so nothing here raises for it."""

    def __init__(self, file: Path | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file or progress_file()
        self._clock = clock
        self._written = float("-inf")
        told = building.read(self._file)
        # What another part of the same set-up said goes on here.
        self._now = told if told is not None and told.pid == os.getpid() else Building("starting", pid=os.getpid())

    def enter(self, stage: Stage, log: Path | None = None) -> None:
        """A stage begins. ``log`` is where its whole story goes, the earlier one if not given."""
        start = SPANS.get(stage, (0.0, 0.0))[0]
        told = self._now.log if log is None else str(log)
        self._write(replace(self._now, stage=stage, fraction=start, left_s=None, log=told))

    def update(self, share: float, left_s: float | None) -> None:
        """``share`` (0 to 1) of the present stage is done, and it takes ``left_s`` more; said once a second at most."""
        if self._clock() - self._written < PAUSE_S:
            return
        start, end = SPANS.get(self._now.stage, (0.0, 1.0))
        # What the other stages take is seconds; of the source alone nobody can tell how long the whole will last.
        known = left_s if self._now.stage == "building" and share >= SURE_FROM else None
        self._write(replace(self._now, fraction=start + min(1.0, share) * (end - start), left_s=known))

    def end(self) -> None:
        self._write(replace(self._now, stage="done", fraction=1.0, left_s=None))

    def fail(self, reason: str, hint: str) -> None:
        self._write(replace(self._now, stage="failed", left_s=None, reason=reason, hint=hint))

    def _write(self, now: Building) -> None:
        self._now = replace(now, written_at=time.time())
        self._written = self._clock()
        try:
            building.write(self._file, self._now)
        except OSError:
            return


@contextmanager
def reported() -> Iterator[None]:
    """Tell the window how what is done within ended. That a process is stopped is seen by its being gone."""
    try:
        yield
    except SlipstreamError as error:
        # The window shows no lines above.
        BuildReport().fail(error.message, "" if "lines above" in error.hint else error.hint)
        raise
    except OSError as error:
        BuildReport().fail(sentences.say("The system refused: {reason}.", reason=error), "")
        raise
    BuildReport().end()


def progress_words(file: Path) -> str:
    """``43%, about 4:10 left`` for a line in the terminal; "" while nothing is known."""
    found = building.read(file)
    if found is None or found.is_over or found.fraction <= 0:
        return ""
    left = ""
    if found.left_s is not None:
        left = f", about {duration_words(found.left_s - (time.time() - found.written_at))} left"
    return f"{found.fraction:.0%}{left}"


def usable_cores() -> int:
    """Cores that this process may use, which can be fewer than the machine has."""
    if sys.platform in ("win32", "darwin"):
        return os.cpu_count() or 1
    return len(os.sched_getaffinity(0))


def jobs_beside_window(cores: int) -> int:
    """One core is the window's and its engine's."""
    return max(1, cores - 1)


def gentle_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` for a build beside the window; a number of jobs that a person set stays."""
    return {JOBS_VARIABLE: str(jobs_beside_window(usable_cores())), **environment}


def gentle_prefix() -> list[str]:
    """What a command begins with so that it and all it starts come last, at the processor and at the disk."""
    if os.name == "nt":
        return []
    disk = ["ionice", "-c", "3"] if shutil.which("ionice") else []
    return [*disk, *(["nice", "-n", "19"] if shutil.which("nice") else [])]


def gentle_flags() -> int:
    """The same on Windows, where children inherit a low priority class; 0 elsewhere."""
    if sys.platform == "win32":
        return subprocess.IDLE_PRIORITY_CLASS
    return 0
