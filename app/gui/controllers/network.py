"""Requests to the model hub, each on a thread of its own: a slow one holds up neither the window nor its end."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from app.errors import Code, SlipstreamError

_LOOK_MS = 40

Done = Callable[[Any], None]
FailedTo = Callable[[SlipstreamError], None]


class Network(QObject):
    """Threads write into a queue that a timer empties, so a thread that outlives the window touches nothing of it."""

    busy_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._answers: queue.SimpleQueue[tuple[int, Any, SlipstreamError | None]] = queue.SimpleQueue()
        self._waiting: dict[int, tuple[Done, FailedTo]] = {}
        self._last = 0
        self._closed = False
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._deliver)

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    def run(self, work: Callable[[], Any], on_done: Done, on_failed: FailedTo) -> int:
        """Call ``work`` on a thread, then a handler on the window's; returns a ticket to ``forget`` it by."""
        self._last += 1
        ticket = self._last
        if self._closed:
            return ticket
        self._waiting[ticket] = (on_done, on_failed)
        threading.Thread(target=_carry_out, args=(ticket, work, self._answers), name="hub", daemon=True).start()
        self._timer.start()
        self.busy_changed.emit()
        return ticket

    def forget(self, ticket: int) -> None:
        """What comes of this request is of no interest any more."""
        if self._waiting.pop(ticket, None) is not None:
            self.busy_changed.emit()

    def close(self) -> None:
        """No handler is called any more."""
        self._closed = True
        self._timer.stop()
        self._waiting.clear()

    def _deliver(self) -> None:
        while not self._answers.empty():
            ticket, result, failure = self._answers.get()
            handlers = self._waiting.pop(ticket, None)
            if handlers is None:
                continue
            self.busy_changed.emit()
            if failure is not None:
                handlers[1](failure)
            else:
                handlers[0](result)
        if not self._waiting:
            self._timer.stop()


def _carry_out(ticket: int, work: Callable[[], Any],
               answers: queue.SimpleQueue[tuple[int, Any, SlipstreamError | None]]) -> None:
    words = QCoreApplication.translate("Network", "The program made a mistake while it asked the model hub.")
    result: Any = None
    failure: SlipstreamError | None = SlipstreamError(Code.INTERNAL, words)
    try:
        result = work()
        failure = None
    except SlipstreamError as error:
        failure = error
    except OSError as error:
        failure = SlipstreamError(Code.FILE, f"{error.strerror or error}.")
    finally:
        # Also after a defect of ours, or whoever asked would wait for ever.
        answers.put((ticket, result, failure))
