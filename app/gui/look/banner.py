"""A strip that says what happened, where it happened, with one button that helps."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLabel,
    QSizePolicy,
    QWidget,
)

from app.gui.look import layout
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.words.messages import localise

Level = Literal["info", "warning", "error"]
_MOST_LINES = 2
"""Beside its buttons; a longer text has them below."""
_ICONS = {"info": "info", "warning": "warning", "error": "warning-circle"}


class Banner(QFrame):
    pressed = Signal()
    second_pressed = Signal()
    dismissed = Signal()
    report_requested = Signal(str)
    """A person wants a report about what an error says."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._level: Level = "info"
        self._icon = QLabel(self)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text = layout.label(self, name="bannerText", wraps=True, plain=True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.button = layout.button(self, "", self.pressed)
        self.second = layout.button(self, "", self.second_pressed)
        self.report = layout.tool_button(self, self.tr("Details to copy for a report"),
                                         lambda: self.report_requested.emit(self.text.text()))
        self._close = layout.tool_button(self, self.tr("Close this message"), self.hide)
        self._close.clicked.connect(self.dismissed)
        self.buttons = layout.row(None, self.button, self.second, spacing=8)
        self._inner = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._inner.setSpacing(8)
        self._inner.addWidget(self.text, 1)
        self._inner.addLayout(self.buttons)
        self.column = layout.column(None, self._inner, spacing=8)
        self._row = layout.row(self, (self._icon, 0, Qt.AlignmentFlag.AlignTop), (self.column, 1),
                               (self.report, 0, Qt.AlignmentFlag.AlignVCenter),
                               (self._close, 0, Qt.AlignmentFlag.AlignTop), margins=(12, 8, 8, 8), spacing=8)
        self.set_colours(colours)
        self.hide()

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self._show_icon()

    def say(self, level: Level, text: str, button: str = "", second: str = "", closable: bool = True) -> None:
        """Show ``text``, which may come from below the window.

        ``button`` is the label of the button that helps, ``second`` of another way, none if empty.
        """
        self._level = level
        self.setProperty("level", level)
        text = localise(text)
        self.text.setText(text)
        self.setAccessibleName(text)
        self.button.setText(button)
        self.button.setVisible(bool(button))
        self.second.setText(second)
        self.second.setVisible(bool(second))
        self.report.setVisible(level == "error")
        self._close.setVisible(closable)
        self._show_icon()
        for widget in (self, self.text):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
        self.arrange()
        self.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def arrange(self) -> None:
        """Buttons beside a short text, below a long one: it would be squeezed into a column of few words."""
        room = self.width() - 12 - 8 - self._icon.sizeHint().width() - self._close.sizeHint().width() - 2 * 8
        beside = room - self.buttons.sizeHint().width() - 8
        lines = self.text.heightForWidth(max(beside, 40)) / max(self.text.fontMetrics().lineSpacing(), 1)
        below = self.button.isVisibleTo(self) and round(lines) > _MOST_LINES
        self._inner.setDirection(QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight)
        # One line of text stands in the middle of its buttons, and so does the icon.
        beside_one = self.button.isVisibleTo(self) and round(lines) <= 1
        self._row.setAlignment(self._icon, Qt.AlignmentFlag.AlignVCenter if beside_one else Qt.AlignmentFlag.AlignTop)
        self._inner.setAlignment(self.buttons, Qt.AlignmentFlag.AlignLeft if below else Qt.AlignmentFlag.AlignVCenter)

    def _show_icon(self) -> None:
        colour = {"info": self._colours.accent, "warning": self._colours.warning_text,
                  "error": self._colours.error_text}[self._level]
        self._icon.setPixmap(icon(_ICONS[self._level], self._colours, colour).pixmap(20, 20))
        self.report.setIcon(icon("clipboard-text", self._colours, colour))
        self._close.setIcon(icon("x", self._colours, colour))
