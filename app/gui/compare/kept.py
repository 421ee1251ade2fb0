"""The list of kept comparisons: the newest first, to look at again or to delete."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from app.compare.history import KeptSummary
from app.gui.look import layout
from app.gui.words.messages import localise
from app.gui.words.translation import short_moment

_ROW = Qt.ItemDataRole.UserRole + 1
_MOST_SHOWN = 6


class KeptList(QFrame):
    show_requested = Signal(object)
    """The ``KeptSummary`` that was chosen."""
    delete_requested = Signal(object)
    """The ``KeptSummary`` that is to go."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        title = layout.label(self, self.tr("Earlier comparisons"), role="heading")
        self.empty = layout.label(self, self.tr("Results are kept here."), role="secondary", wraps=True)
        self.list = QListWidget(self)
        self.list.setAccessibleName(title.text())
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.delete = layout.button(self, self.tr("Delete"), kind="plain",
                                    tip=self.tr("Delete the chosen result; it can be brought back right afterwards"))
        foot = layout.row(None, 1, self.delete)
        layout.column(self, title, self.empty, (self.list, 1), foot, margins=(16, 12, 16, 12), spacing=8)
        self.list.itemClicked.connect(self._show)
        self.list.itemActivated.connect(self._show)
        self.list.itemSelectionChanged.connect(self._show_state)
        self.delete.clicked.connect(self._delete)
        self.show_kept([])

    def show_kept(self, kept: list[KeptSummary]) -> None:
        """Fill the list; what was chosen stays chosen."""
        chosen = self.chosen
        self.list.clear()
        for summary in kept:
            item = QListWidgetItem(describe_kept(summary))
            item.setData(_ROW, summary)
            item.setToolTip(f"{describe_kept(summary)}\n{' / '.join(summary.sides)}")
            self.list.addItem(item)
            if chosen is not None and summary.id == chosen.id:
                item.setSelected(True)
        row = self.list.sizeHintForRow(0) if kept else 0
        self.list.setFixedHeight(row * min(len(kept), _MOST_SHOWN) + 8)
        self.empty.setVisible(not kept)
        for widget in (self.list, self.delete):
            widget.setVisible(bool(kept))
        self._show_state()

    def choose(self, id_: str) -> None:
        """Mark the result ``id_`` without telling anyone."""
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setSelected(item.data(_ROW).id == id_)

    @property
    def chosen(self) -> KeptSummary | None:
        items = self.list.selectedItems()
        found: KeptSummary | None = items[0].data(_ROW) if items else None
        return found

    def centre_of(self, row: int) -> QPoint:
        """Where a row is, in the list's viewport."""
        return self.list.visualItemRect(self.list.item(row)).center()

    def _show(self, item: QListWidgetItem) -> None:
        self.show_requested.emit(item.data(_ROW))

    def _show_state(self) -> None:
        self.delete.setEnabled(self.chosen is not None)

    def _delete(self) -> None:
        summary = self.chosen
        if summary is not None:
            self.delete_requested.emit(summary)


def describe_kept(summary: KeptSummary) -> str:
    """Three lines: the title, what came out, and when."""
    when = short_moment(summary.created_at)
    headline = localise(summary.verdicts[0].headline) if summary.verdicts else ""
    return f"{summary.title}\n{headline}\n{when}"
