"""A model that is not on this computer, with the one button that gets it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget


class ModelOffer(QWidget):
    pressed = Signal()

    def __init__(self, text: str, button: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLabel(text, self)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setProperty("role", "secondary")
        self.button = QPushButton(button, self)
        self.button.setAccessibleName(f"{button}: {text}")
        self.button.clicked.connect(self.pressed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)

    def set_busy(self, words: str) -> None:
        """It is on its way: the button says so and cannot be pressed."""
        self.button.setText(words)
        self.button.setEnabled(False)
