"""Follows a build of llama.cpp that runs beside the window, by the file in which it says how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app import building
from app.building import Building

Phase = Literal["unknown", "running", "done", "failed", "stopped", "lost"]
"""``stopped``: the builder is gone without a word. ``lost``: it may go on, but cannot be followed."""
_EVERY_MS = 1000
_PATIENCE = 10
"""Looks in vain, one a second, before it is said that nothing can be read."""


class BuildWatch(QObject):
    """Knows no widget. Looks once a second until the build is over, one way or the other."""

    changed = Signal()

    def __init__(self, file: Path, parent: QObject | None = None,
                 is_alive: Callable[[int], bool] = building.is_alive, clock: Callable[[], float] = time.time) -> None:
        super().__init__(parent)
        self._file, self._is_alive, self._clock = file, is_alive, clock
        self._misses = 0
        self.phase: Phase = "unknown"
        self.now: Building | None = None
        """What was read last."""
        self.closed_in: Phase = "unknown"
        """The phase in which a person closed what is said about it: it stays closed until the next one."""
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.look)

    @property
    def is_watching(self) -> bool:
        return self._timer.isActive()

    def start(self) -> None:
        self._timer.start()
        self.look()

    def close(self) -> None:
        self._timer.stop()

    def minutes_left(self) -> int | None:
        """Begun minutes that the build still takes, at least 1; None while that is not known."""
        if self.now is None or self.now.left_s is None:
            return None
        left_s = self.now.left_s - max(0.0, self._clock() - self.now.written_at)
        return max(1, -int(-left_s // 60))

    def look(self) -> None:
        found = building.read(self._file)
        if found is None:
            self._miss()
            return
        if not found.is_over and not self._is_alive(found.pid):
            # Its last word may have come after the look at the file.
            found = building.read(self._file) or found
        self._misses = 0
        self.now = found
        if found.stage == "done" or found.stage == "failed":
            self._end(found.stage)
        elif self._is_alive(found.pid):
            self.phase = "running"
            self.changed.emit()
        else:
            self._end("stopped")

    def _miss(self) -> None:
        self._misses += 1
        if self._misses < _PATIENCE:
            return
        if self.now is None:
            self._end("lost")
        elif not self._is_alive(self.now.pid):
            self._end("stopped")
        elif self.phase != "lost":
            self.phase = "lost"
            self.changed.emit()

    def _end(self, phase: Phase) -> None:
        self._timer.stop()
        self.phase = phase
        self.changed.emit()
