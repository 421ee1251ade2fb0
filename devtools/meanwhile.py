"""The window now, on the second engine, while llama-cpp-python is still being built."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from app import building
from app.building import Building
from devtools.building import gentle_environment, gentle_flags, gentle_prefix, progress_words
from devtools.console import complain, moving, say


def run_while_building(
    build: Sequence[str], log: Path, progress: Path, run: Callable[[], int], surroundings: dict[str, str]
) -> int:
    """Run ``run`` and, beside it, ``build``, whose words go to ``log``. Returns what ``run`` returns.

    ``build`` runs with one core less than there are and comes last at processor and disk, so that window and answers
    go before it. ``progress`` is the file in which it says how far it is.
    A build that is not done when ``run`` is, is waited for; Ctrl+C ends both, and the next start goes on from there.
    """
    say("The window opens with ik_llama.cpp, the second engine, while llama-cpp-python is being built beside it.")
    say(f"  Answers come slower meanwhile. The window says how far the build is; its whole story:  {log}")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file, subprocess.Popen(
        [*gentle_prefix(), *build], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
        env=gentle_environment(surroundings), creationflags=gentle_flags(),
    ) as builder:
        # Until the builder has said something itself, and in the place of what an earlier one said.
        _tell(progress, Building("starting", pid=builder.pid, log=str(log)))
        teller = threading.Thread(target=_tell_end, args=(builder, progress, log), daemon=True)
        teller.start()
        try:
            status = run()
            if builder.poll() is None:
                say("llama-cpp-python is still being built; Ctrl+C stops that.")
                with moving("  building …", lambda: progress_words(progress)):
                    builder.wait()
            built = builder.wait()
        except BaseException:
            builder.terminate()
            raise
        teller.join()
    if built != 0:
        complain(f"llama-cpp-python could not be built; the whole story is in {log}. The second engine works without.")
    return status


def run_with_restarts(start: Callable[[bool], int]) -> int:
    """Start the window, again whenever it asks for that. ``start`` is told whether a build runs beside it."""
    status = start(True)
    while status == building.RESTART_STATUS:
        status = start(False)
    return status


def _tell_end(builder: subprocess.Popen[bytes], progress: Path, log: Path) -> None:
    status = builder.wait()
    told = building.read(progress)
    if status == 0:
        if told is None or not told.is_over:
            _tell(progress, Building("done", 1.0, pid=builder.pid, log=str(log)))
        say("llama-cpp-python is built. Close the window and start again: both engines are there then.")
    elif told is None:
        _tell(progress, Building("failed", pid=builder.pid, log=str(log)))
    elif told.stage != "failed":
        _tell(progress, replace(told, stage="failed", left_s=None, written_at=time.time()))


def _tell(progress: Path, now: Building) -> None:
    try:
        building.write(progress, now)
    except OSError as error:
        complain(f"The window cannot show how far the build is: {error}.")


def build_command(root: Path, options: Sequence[str]) -> list[str]:
    return [sys.executable, str(root / "dev.py"), "setup", "--without-models", *options]
