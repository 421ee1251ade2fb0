"""A strip that says what happened, where it happened, with one button that helps."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from app.gui.icons import icon
from app.gui.theme import Colours

Level = Literal["info", "warning", "error"]
_ICONS = {"info": "info", "warning": "warning", "error": "warning-circle"}


class Banner(QFrame):
    pressed = Signal()
    second_pressed = Signal()
    dismissed = Signal()

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._level: Level = "info"
        self._icon = QLabel(self)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text = QLabel(self)
        self.text.setObjectName("bannerText")
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.button = QPushButton(self)
        self.button.clicked.connect(self.pressed)
        self.second = QPushButton(self)
        self.second.clicked.connect(self.second_pressed)
        self._close = QToolButton(self)
        self._close.setToolTip(self.tr("Close this message"))
        self._close.setAccessibleName(self.tr("Close this message"))
        self._close.clicked.connect(self.hide)
        self._close.clicked.connect(self.dismissed)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.second, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignVCenter)
        self.set_colours(colours)
        self.hide()

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self._show_icon()

    def say(self, level: Level, text: str, button: str = "", second: str = "", closable: bool = True) -> None:
        """Show ``text``; ``button`` is the label of the button that helps, ``second`` of another way, none if empty."""
        self._level = level
        self.setProperty("level", level)
        self.text.setText(text)
        self.setAccessibleName(text)
        self.button.setText(button)
        self.button.setVisible(bool(button))
        self.second.setText(second)
        self.second.setVisible(bool(second))
        self._close.setVisible(closable)
        self._show_icon()
        for widget in (self, self.text):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
        self.show()

    def _show_icon(self) -> None:
        colour = {"info": self._colours.accent, "warning": self._colours.warning_text,
                  "error": self._colours.error_text}[self._level]
        self._icon.setPixmap(icon(_ICONS[self._level], self._colours, colour).pixmap(20, 20))
        self._close.setIcon(icon("x", self._colours, colour))
