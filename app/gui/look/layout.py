"""Rows, columns, labels and buttons, each made in one call.

Every layout is set on a widget or in another layout, and stays: one that is made and deleted alone leaves PySide6
wrappers that come back as other widgets, so nothing here deletes one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

Part = QWidget | QLayout
Item = Part | int | tuple[Part, int] | tuple[Part, int, Qt.AlignmentFlag]
"""A widget or a layout, alone, with its stretch, or with stretch and alignment; a number is an empty stretch."""
Margins = tuple[int, int, int, int]
"""Left, top, right, bottom, in pixels."""
_Box = TypeVar("_Box", bound=QBoxLayout)
Slot = Callable[..., object] | SignalInstance


def column(parent: QWidget | None, *items: Item, margins: Margins | None = None,
           spacing: int | None = None) -> QVBoxLayout:
    """``items`` below each other in ``parent`` or, without one, for another layout.

    Margins and spacing, in pixels, are the style's own where none are given.
    """
    return _filled(QVBoxLayout() if parent is None else QVBoxLayout(parent), items, margins, spacing)


def row(parent: QWidget | None, *items: Item, margins: Margins | None = None,
        spacing: int | None = None) -> QHBoxLayout:
    """As ``column``, side by side."""
    return _filled(QHBoxLayout() if parent is None else QHBoxLayout(parent), items, margins, spacing)


def label(parent: QWidget | None, text: str = "", *, role: str = "", name: str = "", wraps: bool = False,
          plain: bool = False) -> QLabel:
    """``role`` and ``name`` are what the style sheet knows it by; ``plain``: its text is never taken for markup."""
    made = QLabel(text) if parent is None else QLabel(text, parent)
    _call(made, "role", role, name)
    if wraps:
        made.setWordWrap(True)
    if plain:
        made.setTextFormat(Qt.TextFormat.PlainText)
    return made


def button(parent: QWidget | None, text: str = "", pressed: Slot | None = None, *, kind: str = "", tip: str = "",
           name: str = "") -> QPushButton:
    """``kind`` and ``name`` are what the style sheet knows it by."""
    made = QPushButton(text) if parent is None else QPushButton(text, parent)
    _call(made, "kind", kind, name)
    if tip:
        made.setToolTip(tip)
    if pressed is not None:
        made.clicked.connect(pressed)
    return made


def tool_button(parent: QWidget, words: str, pressed: Slot | None = None) -> QToolButton:
    """A button that shows an icon alone; ``words`` are its tip, and its name for screen readers."""
    made = QToolButton(parent)
    made.setToolTip(words)
    made.setAccessibleName(words)
    if pressed is not None:
        made.clicked.connect(pressed)
    return made


def _call(widget: QWidget, key: str, value: str, name: str) -> None:
    if value:
        widget.setProperty(key, value)
    if name:
        widget.setObjectName(name)


def _filled(box: _Box, items: tuple[Item, ...], margins: Margins | None, spacing: int | None) -> _Box:
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        part = item[0] if isinstance(item, tuple) else item
        stretch = item[1] if isinstance(item, tuple) else 0
        if isinstance(part, QLayout):
            box.addLayout(part, stretch)
        else:
            box.addWidget(part, stretch, item[2] if isinstance(item, tuple) and len(item) == 3 else Qt.AlignmentFlag(0))
    return box
