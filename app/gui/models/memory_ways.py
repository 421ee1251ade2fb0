"""Ways out for a pair that does not fit into memory, each a button, in the order in which a person loses least."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.gui.look import layout
from app.gui.words.messages import localise
from app.models.remedies import Remedy


class MemoryWays(QWidget):
    chosen = Signal(object)
    """The ``Remedy`` to be done."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading = layout.label(self, self.tr("What helps, the least loss first:"), role="secondary")
        self.buttons: list[QPushButton] = []
        self._column = layout.column(self, self._heading, margins=(0, 0, 0, 0), spacing=4)
        self.hide()

    def show_remedies(self, remedies: list[Remedy]) -> None:
        """Nothing is shown where there are none."""
        for button in self.buttons:
            self._column.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        for remedy in remedies:
            button = layout.button(self, localise(remedy.text), lambda _=False, chosen=remedy: self.chosen.emit(chosen))
            button.setProperty("kind", "way")
            self._column.addWidget(button)
            self.buttons.append(button)
        self.setVisible(bool(remedies))
