"""Where ``dev.py bench`` keeps its figures, so that an interrupted measurement goes on but takes none of older code."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

MEASURED_CODE = ("app/engine", "app/worker", "app/methods.py")
"""What decides how fast an answer is."""


def results_file(root: Path, folder: Path, arguments: Sequence[str]) -> Path:
    """A file in ``folder``, which is made: one for each pair of models and state of the code."""
    folder.mkdir(parents=True, exist_ok=True)
    models = "+".join(Path(path).stem for option in ("--model", "--draft") if (path := _value(arguments, option)))
    return folder / f"{models}-{code_digest(root)[:12]}.json"


def code_digest(root: Path) -> str:
    """SHA-256 over the code that is measured."""
    digest = hashlib.sha256()
    for place in MEASURED_CODE:
        path = root / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _value(arguments: Sequence[str], option: str) -> str:
    return arguments[arguments.index(option) + 1] if option in arguments[:-1] else ""
