"""How the sides of a comparison are told apart: by letter, by shape, and by a colour that the colour-blind can tell.

Colours of A and B are the theme's; C and D are from the same palette (Okabe and Ito, darkened or lightened until they
stand out from the ground with at least 3:1).
"""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor

from app.gui.look.theme import Colours

_LONG_WORD = re.compile(r"\S{25,}")
_SEPARATOR = re.compile(r"[_\-./]|[^_\-./]{24}")
_MORE = {"light": ("#00805A", "#A3517F"), "dark": ("#3ECFA5", "#D99BC1")}
_PENS = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
_BRUSHES = (Qt.BrushStyle.SolidPattern, Qt.BrushStyle.Dense4Pattern, Qt.BrushStyle.BDiagPattern,
            Qt.BrushStyle.CrossPattern)
SYMBOLS = "ostd"
LEGEND = ("━━ ■", "╍╍ ▒", "┄┄ ▨", "━╍ ▩")
"""Line and fill of each side in words of a legend."""


def breakable(text: str) -> str:
    """``text`` whose long words may be broken after their separators, so that no file name makes a page wider."""
    return _LONG_WORD.sub(lambda word: _SEPARATOR.sub("\\g<0>\u200b", word.group()), text)


def side_colour(colours: Colours, side: int) -> str:
    return (colours.plot_a, colours.plot_b, *_MORE.get(colours.name, _MORE["light"]))[side % 4]


def side_pen_style(side: int) -> Qt.PenStyle:
    return _PENS[side % 4]


def side_brush(colours: Colours, side: int) -> QBrush:
    return QBrush(QColor(side_colour(colours, side)), _BRUSHES[side % 4])
