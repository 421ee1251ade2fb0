"""When garbage is collected: while the window is idle, not in the middle of an answer.

Python's collector looks at every object of the program now and then, which takes as long as three frames.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

_THRESHOLDS = (4_000, 20, 1_000_000)
_EVERY_MS = 20_000


class IdleCollector(QObject):
    """``start`` once everything is loaded; ``is_busy`` says when it is a bad moment."""

    def __init__(self, is_busy: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_busy = is_busy
        self._before = gc.get_threshold()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._collect)

    def start(self) -> None:
        gc.enable()
        gc.collect()
        # Modules and what they hold stay until the end, so later rounds need not look at them.
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        self._timer.start()

    def stop(self) -> None:
        """As it was before."""
        self._timer.stop()
        gc.set_threshold(*self._before)
        gc.unfreeze()

    def _collect(self) -> None:
        if not self._is_busy():
            gc.collect()
