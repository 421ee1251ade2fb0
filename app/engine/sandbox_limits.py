"""Bounds on time and memory for a piece of Python that a stranger wrote, such as a chat template.

Time: an exception is raised in the restrained thread by another one, which ends loops in Python; what sits in one call
of native code cannot be reached and is left to the supervisor's deadline. Memory: where the system can limit what a
process holds (Linux), one huge allocation fails instead of filling the machine.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 10.0
MORE_BYTES = 1024 * 1024 * 1024


class TookTooLongError(RuntimeError):
    """Raised inside ``restrained`` when its time is over."""


@contextmanager
def restrained(seconds: float = SECONDS, more_bytes: int = MORE_BYTES) -> Iterator[None]:
    """Run the block for at most about ``seconds`` and with ``more_bytes`` on top of what the process holds.

    Raises ``TookTooLongError``; the block meets ``MemoryError``.
    """
    watch = _Watch(seconds)
    with _less_memory(more_bytes):
        try:
            watch.start()
            yield
        finally:
            watch.stop()


class _Watch:
    def __init__(self, seconds: float) -> None:
        self._thread_id = threading.get_ident()
        self._lock = threading.Lock()
        self._over = self._fired = False
        self._timer = threading.Timer(seconds, self._fire)
        self._timer.daemon = True

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        """Afterwards nothing is raised any more, though the time may end just now."""
        with self._lock:
            self._over = True
            if self._fired:
                _raise_in(self._thread_id, None)
        self._timer.cancel()

    def _fire(self) -> None:
        with self._lock:
            if not self._over:
                self._fired = True
                _raise_in(self._thread_id, TookTooLongError)


def _raise_in(thread_id: int, kind: type[BaseException] | None) -> None:
    argument = ctypes.py_object(kind) if kind is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), argument)


@contextmanager
def _less_memory(more_bytes: int) -> Iterator[None]:
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = _data_bytes() + more_bytes
    limited = soft == resource.RLIM_INFINITY or wanted < soft
    if limited:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    try:
        yield
    finally:
        if limited:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    """What the kernel counts as this process's own data."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0
