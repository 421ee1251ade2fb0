"""The thinking of an answer, folded away until it is wanted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.gui.look import layout
from app.gui.look.fitted_browser import FittedBrowser
from app.gui.look.icons import icon
from app.gui.look.theme import Colours


class ThinkingFold(QWidget):
    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._thinking = ""
        self.button = QToolButton(self)
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.text = FittedBrowser(self)
        self.text.hide()
        layout.column(self, (self.button, 0, Qt.AlignmentFlag.AlignLeft), self.text, margins=(0, 0, 0, 4), spacing=4)
        self.button.toggled.connect(self._fold)
        self.set_colours(colours)
        self.hide()

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.button.setIcon(icon("caret-down" if self.button.isChecked() else "caret-right", colours))
        self.text.setStyleSheet(f"color: {colours.secondary};")

    def show_thinking(self, thinking: str, goes_on: bool) -> None:
        """``goes_on``: the thinking has not ended."""
        self.setVisible(bool(thinking) or goes_on)
        self.button.setText(self.tr("Thinking…") if goes_on else self.tr("Thinking"))
        self.button.setAccessibleName(self.tr("Show the thinking"))
        self._thinking = thinking
        if self.button.isChecked():
            self.text.show_plain(thinking)

    def _fold(self, on: bool) -> None:
        self.set_colours(self._colours)
        if on:
            self.text.show_plain(self._thinking)
        self.text.setVisible(on)
