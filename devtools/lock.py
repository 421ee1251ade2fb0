"""One ``dev.py`` at a time where two would tread on each other. The system frees the lock when its holder ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from devtools.console import moving

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

WAIT_S = 0.5


def _try_lock(file: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def only_one(file: Path, doing: str, progress: Callable[[], str] = lambda: "") -> Iterator[None]:
    """Hold the lock ``file``, waiting for whoever has it; ``doing`` tells the person who waits what that one does, and
    ``progress`` how far it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as held:
        if not _try_lock(held):
            with moving(f"Another dev.py is {doing}; waiting for it …", progress):
                while not _try_lock(held):
                    time.sleep(WAIT_S)
        yield
