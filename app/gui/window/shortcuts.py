"""The window's keyboard shortcuts: one list, from which they are made and shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.gui.look import theme


@dataclass(frozen=True)
class Shortcut:
    """``action`` None: the widget that has the focus does it by itself."""

    keys: str
    words: str
    action: Callable[[], object] | None = None
    group: str = ""


def add_shortcuts(window: QWidget, shortcuts: list[Shortcut]) -> None:
    for shortcut in shortcuts:
        if shortcut.action is not None:
            QShortcut(QKeySequence(shortcut.keys), window).activated.connect(shortcut.action)


def writing_shortcuts() -> list[Shortcut]:
    """What works where one writes, in the list and in the transcript."""
    translate = QCoreApplication.translate
    writing, listing = translate("Shortcuts", "Writing"), translate("Shortcuts", "List of conversations")
    return [
        Shortcut("Return", translate("Shortcuts", "Send"), group=writing),
        Shortcut("Shift+Return", translate("Shortcuts", "New line"), group=writing),
        Shortcut("Up", translate("Shortcuts", "Edit the last message (when nothing is written)"), group=writing),
        Shortcut("Return", translate("Shortcuts", "Open"), group=listing),
        Shortcut("F2", translate("Shortcuts", "Rename"), group=listing),
        Shortcut("Del", translate("Shortcuts", "Delete (asks first)"), group=listing),
        Shortcut("Menu", translate("Shortcuts", "Pin, move to a folder, export"), group=listing),
    ]


class ShortcutsDialog(QDialog):
    def __init__(self, shortcuts: list[Shortcut], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(480, 560)
        body = QWidget(self)
        grid = QGridLayout(body)
        grid.setContentsMargins(16, 8, 16, 8)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        group, row = "", 0
        for shortcut in shortcuts:
            if shortcut.group != group:
                group = shortcut.group
                head = QLabel(group, body)
                head.setProperty("role", "strong")
                grid.addWidget(head, row, 0, 1, 2)
                row += 1
            keys = QLabel(QKeySequence(shortcut.keys).toString(QKeySequence.SequenceFormat.NativeText), body)
            keys.setFont(theme.code_font())
            words = QLabel(shortcut.words, body)
            words.setWordWrap(True)
            keys.setAccessibleName(f"{shortcut.words}: {keys.text()}")
            grid.addWidget(words, row, 0)
            grid.addWidget(keys, row, 1, Qt.AlignmentFlag.AlignRight)
            row += 1
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(row, 1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setWidget(body)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(scroll, 1)
        column.addWidget(buttons)
