"""Has a fresh engine tried on this processor by the environment's own program, with progress in view."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devtools.console import Progress

TYPES = 12
"""Of weights that the program tries."""


@dataclass(frozen=True)
class Outcome:
    """``refused``: why the engine does not run here, ``before``: why it runs without extra buffers alone; in words."""

    refused: str = ""
    before: str = ""
    unsound: tuple[str, ...] = ()
    """Types of weights that it computes wrongly."""
    unproven: str = ""
    """Why nothing could be tried; it is then used as it is."""

    @property
    def rank(self) -> int:
        """2: as it should be; 1: of use; 0: of none."""
        return 0 if self.refused else 1 if self.before or self.unsound else 2

    @property
    def reason(self) -> str:
        wrong = f"it computes {', '.join(self.unsound)} weights wrongly" if self.unsound else ""
        return self.refused or self.before or wrong


def prove(python: Path, root: Path, environment: dict[str, str], engine: str) -> Outcome:
    """Try ``engine`` anew. A program that cannot even be asked counts as refused."""
    command = [str(python), "-m", "app", "--worker", "--prove", engine, "--again"]
    answer: dict[str, Any] = {}
    progress: Progress | None = None
    tried = 0
    with subprocess.Popen(
        command, cwd=root, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                word = _read(line)
                if "engine" in word:
                    answer = word
                elif word.get("finding"):
                    tried = tried % TYPES + 1
                    if progress is None or tried == 1:
                        progress = Progress("trying it on this processor", TYPES, "types of weights")
                    progress.update(tried)
        except KeyboardInterrupt:
            process.terminate()
            raise
        finally:
            if progress is not None:
                progress.end()
    return read_outcome(answer)


def read_outcome(answer: dict[str, Any]) -> Outcome:
    """From the record that the program wrote; an empty one means that it gave none."""
    if not answer:
        return Outcome(unproven="the program ended before it could be tried")
    unsound = tuple(str(found["kind"]) for found in answer.get("findings", ()) if found.get("trouble"))
    refused, before, unproven = (str(answer.get(name, "")) for name in ("refused", "before", "unproven"))
    return Outcome(refused, before, unsound, unproven)


def _read(line: bytes) -> dict[str, Any]:
    try:
        word = json.loads(line)
    except ValueError:
        return {}
    return word if isinstance(word, dict) else {}
