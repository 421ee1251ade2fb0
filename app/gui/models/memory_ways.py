"""Ways out for a pair that does not fit into memory, each a button, in the order in which a person loses least."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.gui.words.messages import localise
from app.models.remedies import Remedy


class MemoryWays(QWidget):
    chosen = Signal(object)
    """The ``Remedy`` to be done."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading = QLabel(self.tr("What helps, the least loss first:"), self)
        self._heading.setProperty("role", "secondary")
        self.buttons: list[QPushButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self._heading)
        self.hide()

    def show_remedies(self, remedies: list[Remedy]) -> None:
        """Nothing is shown where there are none."""
        for button in self.buttons:
            self._column.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        for remedy in remedies:
            button = QPushButton(localise(remedy.text), self)
            button.setProperty("kind", "way")
            button.clicked.connect(lambda _=False, chosen=remedy: self.chosen.emit(chosen))
            self._column.addWidget(button)
            self.buttons.append(button)
        self.setVisible(bool(remedies))
