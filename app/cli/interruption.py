"""Ctrl+C on the command line: the first asks the engine to stop, the second ends it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType


class Interruption:
    """Within this context Ctrl+C calls ``stop`` and then ``kill``; ``happened`` says that it was pressed."""

    def __init__(self, stop: Callable[[], None], kill: Callable[[], None]) -> None:
        self._stop = stop
        self._kill = kill
        self._previous: object = None
        self.happened = False

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)  # type: ignore[arg-type]

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.happened:
            self._kill()
        else:
            self.happened = True
            self._stop()
