"""Standard streams of the worker: the protocol alone travels on stdout, everything native prints goes to stderr."""

from __future__ import annotations

import os
import sys
import threading
from typing import BinaryIO

from app import protocol


class Outlet:
    """Writes events, one line each, from any thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, event: protocol.Event) -> None:
        """A client that is gone cannot be told anything: a broken pipe is ignored, end of stdin ends the worker."""
        with self._lock:
            try:
                self._stream.write(protocol.encode(event))
                self._stream.flush()
            except (BrokenPipeError, ValueError):
                return


def take_over_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Return (commands in, events out) and point fd 1 at stderr, since native code prints to it."""
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (0, 1):
            msvcrt.setmode(descriptor, os.O_BINARY)
    events = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, events
