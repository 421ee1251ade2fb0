"""An engine that somebody else keeps: commands go out on our stdout and events come in on our stdin.

The window plays the worker's part, so the server that it starts holds no weights of its own.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

from app import protocol
from app.client.interface import EventSink, ignore_progress
from app.client.process import EngineProcess, Exited, Mail, ProcessClient
from app.client.worker_exit import WorkerExit
from app.records import LoadSettings

_READ_BYTES = 64 * 1024


def take_over_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Return (commands out, events in) and point fd 1 at stderr: the protocol alone travels on stdout."""
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (0, 1):
            msvcrt.setmode(descriptor, os.O_BINARY)
    commands = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return commands, os.fdopen(os.dup(0), "rb", buffering=0)


class _Line:
    """The pipes to whoever keeps the engine, in place of a process of ours."""

    def __init__(
        self, commands: BinaryIO, events: BinaryIO, inbox: queue.SimpleQueue[Mail], on_closed: Callable[[], None]
    ) -> None:
        self._commands = commands
        self._events = events
        self._inbox = inbox
        self._on_closed = on_closed
        self._closed = False
        # a daemon: a read of stdin cannot be ended from here, it ends with the process
        threading.Thread(target=self._read, name="relay-events", daemon=True).start()

    @property
    def pid(self) -> int:
        return os.getppid()

    @property
    def has_ended(self) -> bool:
        return self._closed

    def send(self, line: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):
            rest = memoryview(line)
            while rest:
                rest = rest[self._commands.write(rest) :]

    def kill(self) -> None:
        """The engine is not ours to kill; we only stop listening to it."""
        self._closed = True

    def close(self, patience_s: float) -> None:
        self._closed = True
        with contextlib.suppress(OSError):
            self._commands.close()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while data := self._events.read(_READ_BYTES):
                self._inbox.put(data)
        self._closed = True
        self._inbox.put(Exited(WorkerExit(status=0)))
        self._on_closed()


class RelayClient(ProcessClient):
    """An ``EngineClient`` over two pipes. ``load("")`` asks for what is loaded there."""

    def __init__(self, commands: BinaryIO, events: BinaryIO) -> None:
        super().__init__([])
        self._pipes = commands, events
        self._tell_closed: Callable[[], None] = lambda: None
        self._method = ""

    @property
    def method(self) -> str:
        """How answers are to speculate, as the other side said with the last ``load``; "" while it has not."""
        return self._method

    def load(
        self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress, measure_engines: bool = False
    ) -> protocol.Loaded:
        loaded = super().load(path, settings, on_progress, measure_engines)
        self._method = loaded.method
        return loaded

    def on_closed(self, call: Callable[[], None]) -> None:
        """``call`` when the other side has gone, from any thread."""
        self._tell_closed = call

    def _launch(self, inbox: queue.SimpleQueue[Mail]) -> EngineProcess:
        return _Line(*self._pipes, inbox, lambda: self._tell_closed())
