"""Phosphor icons in a theme's colours.

The font comes with qtawesome, which is not imported: it would load eleven more fonts and every part of Qt, and so take
longer than all the rest of the window.
"""

from __future__ import annotations

import importlib.util
import json
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

from app.gui.look.theme import Colours

_Key = tuple[int, int, QIcon.Mode]
_GLYPH_SHARE = 0.875
"""Height of the glyph in its icon, which leaves room for the font's bearing."""


class _Glyph(QIconEngine):
    """Draws every size of an icon once: drawing a glyph takes longer than all the rest of a button, and buttons are
    painted anew with every line of an answer."""

    def __init__(self, letter: str, colours: dict[QIcon.Mode, str], kept: dict[_Key, QPixmap]) -> None:
        super().__init__()
        self._letter, self._colours, self._kept = letter, colours, kept

    def clone(self) -> QIconEngine:
        return _Glyph(self._letter, self._colours, self._kept)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        key = (size.width(), size.height(), mode)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._draw(size, mode)
        return found

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(rect.size() * ratio, mode, state))

    def _draw(self, size: QSize, mode: QIcon.Mode) -> QPixmap:
        drawn = QPixmap(size)
        drawn.fill(Qt.GlobalColor.transparent)
        font = QFont(_font_family())
        font.setPixelSize(max(1, round(_GLYPH_SHARE * size.height())))
        painter = QPainter(drawn)
        painter.setPen(QColor(self._colours[mode]))
        painter.setFont(font)
        painter.drawText(drawn.rect(), Qt.AlignmentFlag.AlignCenter, self._letter)
        painter.end()
        return drawn


@lru_cache(maxsize=512)
def icon(name: str, colours: Colours, colour: str = "") -> QIcon:
    """The Phosphor icon ``name`` (without prefix); ``colour`` is a colour value, the secondary text's by default.
    Raises ``KeyError`` for a name that the font does not have."""
    usual = colour or colours.secondary
    shades = {
        QIcon.Mode.Normal: usual, QIcon.Mode.Disabled: colours.border_strong,
        QIcon.Mode.Active: colour or colours.text, QIcon.Mode.Selected: colour or colours.text,
    }
    return QIcon(_Glyph(_letters()[name], shades, {}))


def _fonts_dir() -> Path:
    spec = importlib.util.find_spec("qtawesome")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the package qtawesome, which holds the icons, is not installed")
    return Path(next(iter(spec.submodule_search_locations))) / "fonts"


@lru_cache(maxsize=1)
def _letters() -> dict[str, str]:
    text = next(_fonts_dir().glob("phosphor-charmap-*.json")).read_text(encoding="utf-8")
    return {name: chr(int(code, 16)) for name, code in json.loads(text).items()}


@lru_cache(maxsize=1)
def _font_family() -> str:
    number = QFontDatabase.addApplicationFont(str(next(_fonts_dir().glob("phosphor-*.ttf"))))
    return QFontDatabase.applicationFontFamilies(number)[0]
