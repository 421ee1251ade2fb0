"""The warning that a pair does not fit into memory, with all that helps."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.gui.look.banner import Banner
from app.gui.look.theme import Colours
from app.gui.words.messages import localise
from app.models.remedies import Remedy


class MemoryBanner(Banner):
    """``button`` is the way that costs no memory, ``second`` goes on anyway, ``ways`` are the ways between."""

    way_chosen = Signal(object)
    """The ``Remedy``."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(colours, parent)
        self.ways = QPushButton(self.tr("Other ways"), self)
        self.menu = QMenu(self.ways)
        self.ways.setMenu(self.menu)
        self.buttons.insertWidget(1, self.ways)
        self.ways.hide()

    def show_ways(self, remedies: list[Remedy]) -> None:
        """Offer these besides, in this order."""
        self.menu.clear()
        for remedy in remedies:
            action = self.menu.addAction(localise(remedy.text))
            action.triggered.connect(lambda _=False, chosen=remedy: self.way_chosen.emit(chosen))
        self.ways.setVisible(bool(remedies))
        self.arrange()
