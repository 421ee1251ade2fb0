"""A list of models in two lines each: the name, and what speaks for or against it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.gui.look import theme
from app.gui.look.theme import Colours

_ROW = Qt.ItemDataRole.UserRole + 1
_MARGIN = 8
_LONG_WORD = re.compile(r"\S{32,}")
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class ModelRow:
    """``badge`` is a short word by the name; a row that is not ``enabled`` cannot be chosen and says why."""

    path: str
    title: str
    detail: str
    badge: str = ""
    enabled: bool = True
    speaks_against: bool = False
    """Whether the badge is no praise."""
    title_first: bool = False
    """Whether the title begins with what tells it from others: it is cut at its end, not in its middle."""


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: QListWidget, colours: Colours) -> None:
        super().__init__(view)
        self._view = view
        self.colours = colours

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        row: ModelRow = index.data(_ROW)
        return QSize(0, 2 * _MARGIN + self._title_height() + 2 + self._detail_rect(row).height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row: ModelRow = index.data(_ROW)
        colours = self.colours
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect.adjusted(0, 1, 0, -1)
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or (row.enabled and state & QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.accent_soft if selected else colours.hover))
            painter.drawRoundedRect(area, 6, 6)
        if selected:
            painter.setBrush(QColor(colours.accent))
            painter.drawRoundedRect(QRect(area.left(), area.top() + 6, 3, area.height() - 12), 1.5, 1.5)
        if selected and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(colours.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 6, 6)
        inner = area.adjusted(_MARGIN + 2, _MARGIN - 1, -_MARGIN, 0)
        self._paint_title(painter, row, inner)
        painter.setFont(theme.ui_font(theme.SMALL_PX))
        painter.setPen(QColor(colours.secondary))
        detail = self._detail_rect(row)
        top = inner.top() + self._title_height() + 2
        place = QRect(inner.left(), top, self._detail_width(row), detail.height())
        painter.drawText(place, Qt.TextFlag.TextWordWrap, _breakable(row.detail))
        if row.badge:
            self._paint_badge(painter, row, inner, top - 1 if self._is_badge_below(row) else inner.top() + 1)
        painter.restore()

    def _paint_title(self, painter: QPainter, row: ModelRow, inner: QRect) -> None:
        font = theme.ui_font(bold=True)
        painter.setFont(font)
        painter.setPen(QColor(self.colours.text if row.enabled else self.colours.secondary))
        room = inner.width() - (0 if self._is_badge_below(row) else self._badge_room(row))
        mode = Qt.TextElideMode.ElideRight if row.title_first else Qt.TextElideMode.ElideMiddle
        title = QFontMetrics(font).elidedText(row.title, mode, room)
        line = QRect(inner.left(), inner.top(), room, self._title_height())
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, title)

    def _paint_badge(self, painter: QPainter, row: ModelRow, inner: QRect, top: int) -> None:
        colours = self.colours
        width = self._badge_room(row) - _MARGIN
        box = QRect(inner.right() - width, top, width, self._title_height() - 2)
        plain = row.speaks_against or not row.enabled
        painter.setPen(QColor(colours.border_strong if plain else colours.accent))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 6, 6)
        painter.setFont(theme.ui_font(11))
        painter.setPen(QColor(colours.secondary if plain else colours.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, row.badge)

    def _width(self) -> int:
        """Of what is written in a row."""
        return self._view.viewport().width() - 2 * _MARGIN - 2

    def _badge_room(self, row: ModelRow) -> int:
        return QFontMetrics(theme.ui_font(11)).horizontalAdvance(row.badge) + 12 + _MARGIN if row.badge else 0

    def _is_badge_below(self, row: ModelRow) -> bool:
        """Beside the details, where the title needs its whole line."""
        title = QFontMetrics(theme.ui_font(bold=True)).horizontalAdvance(row.title)
        return bool(row.badge) and title > self._width() - self._badge_room(row)

    def _title_height(self) -> int:
        return QFontMetrics(theme.ui_font(bold=True)).height() + 2

    def _detail_width(self, row: ModelRow) -> int:
        return max(60, self._width() - (self._badge_room(row) if self._is_badge_below(row) else 0))

    def _detail_rect(self, row: ModelRow) -> QRect:
        metrics = QFontMetrics(theme.ui_font(theme.SMALL_PX))
        room = QRect(0, 0, self._detail_width(row), 10_000)
        return metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), _breakable(row.detail))


def _breakable(text: str) -> str:
    """Very long words may break anywhere: a token of a vocabulary can be as long as it likes."""
    return _LONG_WORD.sub(lambda match: "\u200b".join(match[0]), text)


class ModelList(QListWidget):
    """Rows of ``ModelRow``; ``chosen`` tells the path of the row that became current by a person's hand."""

    chosen = Signal(str)

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = _Delegate(self, colours)
        self.setItemDelegate(self._delegate)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.currentItemChanged.connect(self._tell)

    def set_colours(self, colours: Colours) -> None:
        self._delegate.colours = colours
        self.viewport().update()

    def show_rows(self, rows: list[ModelRow], current_path: str | None) -> None:
        """Show ``rows`` with the one of ``current_path`` chosen, without telling anyone."""
        if rows == self.rows() and current_path == self.current_path:
            return
        place, before = self.verticalScrollBar().value(), self.current_path
        self.blockSignals(True)
        self.clear()
        for row in rows:
            item = QListWidgetItem(self)
            item.setData(_ROW, row)
            spoken = ", ".join(part for part in (row.title, row.badge, row.detail) if part)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
            item.setToolTip(row.path)
            if not row.enabled:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            elif row.path == current_path:
                self.setCurrentItem(item)
        self.blockSignals(False)
        self.verticalScrollBar().setValue(place)
        if current_path is not None and current_path != before:
            self.look_at(current_path)
        self.viewport().update()

    def look_at(self, path: str) -> None:
        """Have the row of ``path`` in sight, also one that cannot be chosen."""
        for index, row in enumerate(self.rows()):
            if row.path == path:
                self.scrollToItem(self.item(index))

    def rows(self) -> list[ModelRow]:
        return [self.item(i).data(_ROW) for i in range(self.count())]

    @property
    def current_path(self) -> str | None:
        item = self.currentItem()
        return str(item.data(_ROW).path) if item is not None else None

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.scheduleDelayedItemsLayout()
        return super().viewportEvent(event)

    def _tell(self) -> None:
        path = self.current_path
        if path is not None:
            self.chosen.emit(path)
