"""Where the kept states of chats lie, and how their files are called; what is in them is the worker's affair."""

from __future__ import annotations

import hashlib
from pathlib import Path

from app import paths

SUFFIX = ".state"


def states_dir() -> Path:
    return paths.cache_dir() / "states"


def state_file(folder: Path, name: str, key: str) -> Path:
    """The file of the chat ``name`` for the models and settings that ``key`` stands for."""
    return folder / f"{_prefix(name)}-{key}{SUFFIX}"


def remove_states(name: str, folder: Path | None = None) -> None:
    """Forget everything that was kept of the chat ``name``, which is its text in another form."""
    try:
        for path in (folder or states_dir()).glob(f"{_prefix(name)}-*{SUFFIX}"):
            path.unlink(missing_ok=True)
    except OSError:
        return


def _prefix(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]
