"""Phosphor icons in a theme's colours."""

from __future__ import annotations

from functools import lru_cache

import qtawesome
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap

from app.gui.theme import Colours

_Key = tuple[int, int, QIcon.Mode]


class _KeptIcon(QIconEngine):
    """Draws every size of an icon once: drawing a glyph takes longer than all the rest of a button, and buttons are
    painted anew with every line of an answer."""

    def __init__(self, drawn: QIcon, kept: dict[_Key, QPixmap]) -> None:
        super().__init__()
        self._drawn, self._kept = drawn, kept

    def clone(self) -> QIconEngine:
        return _KeptIcon(self._drawn, self._kept)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        key = (size.width(), size.height(), mode)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._drawn.pixmap(size, mode, state)
        return found

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(rect.size() * ratio, mode, state))


@lru_cache(maxsize=512)
def icon(name: str, colours: Colours, colour: str = "") -> QIcon:
    """The Phosphor icon ``name`` (without prefix); ``colour`` is a colour value, the secondary text's by default."""
    drawn: QIcon = qtawesome.icon(
        f"ph.{name}", color=colour or colours.secondary, color_active=colour or colours.text,
        color_disabled=colours.border_strong,
    )
    return QIcon(_KeptIcon(drawn, {}))
