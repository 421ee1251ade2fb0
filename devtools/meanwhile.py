"""The window now, on the second engine, while llama-cpp-python is still being built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from devtools.console import complain, say


def run_while_building(
    build: Sequence[str], log: Path, run: Callable[[], int], surroundings: dict[str, str]
) -> int:
    """Run ``run`` and, at low priority beside it, ``build``, whose words go to ``log``. Returns what ``run`` returns.

    A build that is not done when ``run`` is, is waited for; Ctrl+C ends both, and the next start goes on from there.
    """
    say("The window opens with ik_llama.cpp, the second engine, while llama-cpp-python is being built beside it.")
    say(f"  Answers come slower meanwhile. How far the build is:  {log}")
    log.parent.mkdir(parents=True, exist_ok=True)
    gentle = [] if os.name == "nt" or shutil.which("nice") is None else ["nice", "-n", "19"]
    with log.open("w", encoding="utf-8") as file, subprocess.Popen(
        [*gentle, *build], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=surroundings
    ) as builder:
        threading.Thread(target=_tell_end, args=(builder,), daemon=True).start()
        try:
            status = run()
            if builder.poll() is None:
                say("llama-cpp-python is still being built; Ctrl+C stops that.")
            built = builder.wait()
        except BaseException:
            builder.terminate()
            raise
    if built != 0:
        complain(f"llama-cpp-python could not be built; the whole story is in {log}. The second engine works without.")
    return status


def _tell_end(builder: subprocess.Popen[bytes]) -> None:
    if builder.wait() == 0:
        say("llama-cpp-python is built. Close the window and start again: both engines are there then.")


def build_command(root: Path, options: Sequence[str]) -> list[str]:
    return [sys.executable, str(root / "dev.py"), "setup", "--without-models", *options]
