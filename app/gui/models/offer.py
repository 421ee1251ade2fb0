"""A model that is not on this computer, with the one button that gets it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.gui.look import layout


class ModelOffer(QWidget):
    pressed = Signal()

    def __init__(self, text: str, button: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = layout.label(self, text, role="secondary", wraps=True, plain=True)
        self.button = layout.button(self, button, self.pressed)
        self.button.setAccessibleName(f"{button}: {text}")
        layout.row(self, (self.text, 1), (self.button, 0, Qt.AlignmentFlag.AlignVCenter), margins=(0, 4, 0, 0),
                   spacing=8)

    def set_busy(self, words: str) -> None:
        """It is on its way: the button says so and cannot be pressed."""
        self.button.setText(words)
        self.button.setEnabled(False)
