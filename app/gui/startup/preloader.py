"""Loads, while the window idles, what its first picture did not need and the next thing a person does will."""

from __future__ import annotations

import importlib

from PySide6.QtCore import QObject, QTimer, Signal

_NAMES = (
    "markdown_it", "markdown_it.rules_block", "pygments.lexers", "pygments.lexers.python", "app.gui.models.picker",
    "app.gui.models.page", "app.gui.settings.dialog",
)
"""The soonest wanted first. Comparisons and what goes online stay out: they are large, and many never use them."""
_FIRST_MS, _EVERY_MS = 150, 30


class Preloader(QObject):
    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._left = list(_NAMES)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._load)

    def start(self) -> None:
        self._timer.start(_FIRST_MS)

    def _load(self) -> None:
        """One module in each turn of the event loop, so that keys and clicks come in between."""
        if not self._left:
            self.finished.emit()
            return
        importlib.import_module(self._left.pop(0))
        self._timer.start(_EVERY_MS)
