"""Files that are written whole or not at all. Standard library only: ``dev.py`` uses it too."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

BESIDE = ".slipstream-"
"""How the name of a file begins that is not finished; one that stays is of a process that was killed while it wrote."""


def write_whole(path: Path, *parts: bytes | memoryview, mode: int = 0o666, lasting: bool = True) -> None:
    """Have ``path`` hold ``parts`` one after the other; until that is so, what was there stays as it was.

    ``mode`` is narrowed by the process's mask. What is not ``lasting`` is not waited for until the disk has it: a cache
    that a power cut may take.

    Raises:
        OSError: and nothing of what was begun is left.
    """
    beside = path.with_name(f"{BESIDE}{secrets.token_hex(8)}")
    try:
        with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.writelines(parts)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    if lasting and os.name == "posix":
        _flush_folder(path.parent)


def try_to_write(path: Path, data: bytes) -> bool:
    """Best effort, its folder included: for what is found out anew where the disk takes nothing."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError:
        return False
    return True


def _flush_folder(folder: Path) -> None:
    """So that the new name outlasts a power cut. The file is in its place: not every file system flushes folders."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
