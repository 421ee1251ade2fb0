"""A row of buttons of which exactly one is on."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from app.gui.look import layout


class Segments(QWidget):
    chosen = Signal(str)
    """The key of the segment that a person chose."""

    def __init__(self, segments: list[tuple[str, str, str]], name: str, parent: QWidget | None = None) -> None:
        """``segments`` are (key, label, tooltip); ``name`` is what the whole is called."""
        super().__init__(parent)
        self.setObjectName("segments")
        self.setAccessibleName(name)
        self._keys = [key for key, _, _ in segments]
        self._group = QButtonGroup(self)
        row = layout.row(self, margins=(0, 0, 0, 0), spacing=0)
        for index, (key, label, words) in enumerate(segments):
            button = layout.button(self, label, name=f"segment-{key}", tip=words)
            button.setCheckable(True)
            button.setAccessibleName(f"{name}: {label}")
            place = "first" if index == 0 else "last" if index == len(segments) - 1 else "middle"
            button.setProperty("place", place)
            self._group.addButton(button, index)
            row.addWidget(button, 1)
        self._group.idClicked.connect(lambda index: self.chosen.emit(self._keys[index]))

    @property
    def key(self) -> str:
        return self._keys[self._group.checkedId()] if self._group.checkedId() >= 0 else ""

    def choose(self, key: str) -> None:
        """Show ``key`` as chosen without telling anyone."""
        self._group.button(self._keys.index(key)).setChecked(True)

    def button(self, key: str) -> QPushButton:
        button = self._group.button(self._keys.index(key))
        assert isinstance(button, QPushButton)
        return button
