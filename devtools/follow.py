"""A long child process whose counted steps become a line of progress; everything it prints goes into a log."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from devtools.console import Progress

STEP = re.compile(r"^\s*\[\s*(\d+)/\s*(\d+)\]")


def read_step(line: str) -> tuple[int, int] | None:
    """``[12/140] /usr/bin/c++ …`` → (12, 140): the step and how many there are."""
    found = STEP.match(line)
    return (int(found[1]), int(found[2])) if found else None


def follow(command: Sequence[str], environment: Mapping[str, str] | None, log: Path, label: str,
           watch: Callable[[float, float | None], None] = lambda share, left_s: None) -> int:
    """Run ``command`` to its end, also when interrupted. Returns its exit status.

    ``watch`` is told the share of the steps that is done and the seconds left, as ``Progress`` tells it.
    """
    progress: Progress | None = None
    with (
        log.open("w", encoding="utf-8") as file,
        subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                file.write(line)
                step = read_step(line)
                if step is None:
                    continue
                if progress is None:
                    progress = Progress(label, step[1], "steps", watch=watch)
                progress.update(step[0])
        except KeyboardInterrupt:
            process.terminate()
            raise
        finally:
            if progress is not None:
                progress.end()
    return process.returncode
