"""The clock of drawing: when the window takes what the worker says, and so when it draws what came of that."""

from __future__ import annotations

import math
import time

from PySide6.QtCore import QObject, QTimer, Signal

from app.client.clock import AwakeClock

_SHARE = 0.02
_SOONEST_MS, _LATEST_MS = 34, 200
"""What the worker says is taken in bursts that are so far apart that this thread, with all that follows from a burst
(text, plot, painting), takes that share of a processor: what the window takes, the engine lacks."""


class Pacer(QObject):
    """Nothing else in the window paces what a stream makes it draw: views draw when they are told."""

    due = Signal()
    """What waits is to be taken now."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = AwakeClock()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.due)
        self._begun_at, self._spent_s = 0.0, time.thread_time()
        self._interval_ms = 0.0

    def ask(self) -> None:
        """Something waits: ``due`` now if the last burst is long enough ago, so that only a stream is held up."""
        waited_ms = 1000 * (self._clock.now() - self._begun_at)
        if waited_ms >= self._interval_ms:
            self.due.emit()
        elif not self._timer.isActive():
            self._timer.start(math.ceil(self._interval_ms - waited_ms))

    def begin(self) -> None:
        """A burst begins. How soon the next may follow goes by what this thread did since the last one."""
        self._timer.stop()
        spent_s, self._spent_s = time.thread_time() - self._spent_s, time.thread_time()
        self._interval_ms = min(max(1000 * spent_s / _SHARE, _SOONEST_MS), _LATEST_MS)
        self._begun_at = self._clock.now()

    def stop(self) -> None:
        self._timer.stop()
