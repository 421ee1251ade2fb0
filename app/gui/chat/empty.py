"""What stands where the messages will be, as long as there are none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController


class EmptyChat(QScrollArea):
    def __init__(self, models: ModelsController, pairs: PairController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models, self._pairs = models, pairs
        body = QWidget(self)
        body.setObjectName("page")
        # A small window with banners in it has no room for all of it.
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(body)
        self.title = QLabel(body)
        self.title.setProperty("role", "title")
        self.words = QLabel(body)
        self.words.setProperty("role", "secondary")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column = self._column = QVBoxLayout(body)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addStretch(2)
        for label in (self.title, self.words):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)
        column.addStretch(3)
        pairs.pair_changed.connect(self.refresh)
        pairs.nothing_found.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Say what can be done now."""
        title, words = self.tr("Welcome to Slipstream"), self.tr("Looking for models…")
        if self._pairs.target_path:
            title = self.tr("What shall we work on?")
            words = self.tr("Your messages stay on this computer.")
        elif self._models.scanned:
            words = self.tr(
                "No model was found on this computer. Get one here to begin: it is kept on this computer, and "
                "so is all that you write. (From a source folder, “python3 dev.py models” gets the same.)")
        self.title.setText(title)
        self.words.setText(words)

    def show_below(self, widget: QWidget) -> None:
        """Place ``widget`` under the words."""
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(widget, 1000)
        row.addStretch(1)
        self._column.insertLayout(self._column.count() - 1, row)
