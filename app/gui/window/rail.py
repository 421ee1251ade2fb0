"""The rail at the left: the pages, and the settings."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.gui.look.icons import icon
from app.gui.look.theme import Colours

WIDTH = 76


class Rail(QFrame):
    page_chosen = Signal(int)
    settings_requested = Signal()

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setFixedWidth(WIDTH)
        self._icons: list[tuple[QToolButton, str]] = []
        self._pages = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 8, 2, 8)
        column.setSpacing(4)
        pages = [(self.tr("Chat"), "chat-circle-text", self.tr("Chat (Ctrl+1)")),
                 (self.tr("Compare"), "scales", self.tr("What is faster, measured on this computer (Ctrl+2)")),
                 (self.tr("Models"), "cube", self.tr("Models on this computer (Ctrl+3)"))]
        for index, (label, name, words) in enumerate(pages):
            button = self._button(label, name, words)
            button.setCheckable(True)
            self._pages.addButton(button, index)
            column.addWidget(button)
        column.addStretch(1)
        self.settings = self._button(self.tr("Settings"), "gear", self.tr("Settings (Ctrl+,)"))
        self.settings.clicked.connect(self.settings_requested)
        column.addWidget(self.settings)
        self._pages.button(0).setChecked(True)
        self._pages.idClicked.connect(self.page_chosen)
        self.set_colours(colours)

    def show_page(self, index: int) -> None:
        self._pages.button(index).setChecked(True)

    def set_colours(self, colours: Colours) -> None:
        for button, name in self._icons:
            button.setIcon(icon(name, colours))

    def _button(self, label: str, name: str, words: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(label)
        button.setToolTip(words)
        button.setAccessibleName(label)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setIconSize(QSize(20, 20))
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._icons.append((button, name))
        return button
