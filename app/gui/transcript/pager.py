"""Pages through messages that stand in the same place: ‹ 2 of 3 ›."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.gui.look import layout
from app.gui.look.icons import icon
from app.gui.look.theme import Colours


class Pager(QWidget):
    chosen = Signal(str)
    """The id of the message to show."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ids: list[str] = []
        self._index = 0
        self.back = QToolButton(self)
        self.forward = QToolButton(self)
        self._label = layout.label(self, role="secondary")
        for button, words in ((self.back, self.tr("Earlier version")), (self.forward, self.tr("Later version"))):
            button.setToolTip(words)
            button.setAccessibleName(words)
        layout.row(self, self.back, self._label, self.forward, margins=(0, 0, 0, 0), spacing=0)
        self.back.clicked.connect(lambda: self._go(-1))
        self.forward.clicked.connect(lambda: self._go(1))
        self.set_colours(colours)

    def set_colours(self, colours: Colours) -> None:
        self.back.setIcon(icon("caret-left", colours))
        self.forward.setIcon(icon("caret-right", colours))

    def show_place(self, ids: list[str], shown: str) -> None:
        """``ids`` in order, ``shown`` among them; nothing to see when it is alone."""
        self._ids = ids
        self._index = ids.index(shown) if shown in ids else 0
        self.setVisible(len(ids) > 1)
        self._label.setText(self.tr("{n} of {all}").format(n=self._index + 1, all=len(ids)))
        self.back.setEnabled(self._index > 0)
        self.forward.setEnabled(self._index < len(ids) - 1)

    def _go(self, step: int) -> None:
        index = self._index + step
        if 0 <= index < len(self._ids):
            self.chosen.emit(self._ids[index])
