"""The window's keyboard shortcuts: one list, from which they are made and shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.gui.look import theme

if TYPE_CHECKING:
    from app.gui.window.main_window import MainWindow


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


def window_shortcuts(window: MainWindow) -> list[Shortcut]:
    """What works anywhere in ``window``."""
    translate = QCoreApplication.translate
    page, pages = window.page, window.pages
    chats, general = translate("Shortcuts", "Chats"), translate("Shortcuts", "Window")
    shown = translate("Shortcuts", "This list")
    return [
        Shortcut("Ctrl+N", translate("Shortcuts", "New chat"), page.new_chat, chats),
        Shortcut("Ctrl+L", translate("Shortcuts", "Go to the message"), pages.show_chat, chats),
        Shortcut("Ctrl+F", translate("Shortcuts", "Find in this chat"), page.begin_find, chats),
        Shortcut("Ctrl+Shift+F", translate("Shortcuts", "Search all conversations"), page.search_chats, chats),
        Shortcut("Ctrl+Shift+A", translate("Shortcuts", "Attach files"), page.composer.choose_files, chats),
        Shortcut("Esc", translate("Shortcuts", "Stop the answer, or stop editing"), page.escape, chats),
        Shortcut("Ctrl+Return", translate("Shortcuts", "Go on with a cut answer"), page.go_on, chats),
        Shortcut("Ctrl+R", translate("Shortcuts", "Answer again"), page.answer_again, chats),
        Shortcut("Ctrl+Shift+C", translate("Shortcuts", "Copy the last answer"), page.transcript.copy_last, chats),
        Shortcut("Ctrl+Shift+D", translate("Shortcuts", "Mark drafted text"), page.panel.tint.click, chats),
        Shortcut("Ctrl+M", translate("Shortcuts", "Choose target and draft"), window.open_picker, general),
        Shortcut("Ctrl+1", translate("Shortcuts", "Chat"), pages.show_chat, general),
        Shortcut("Ctrl+2", translate("Shortcuts", "Compare"), pages.show_compare, general),
        Shortcut("Ctrl+3", translate("Shortcuts", "Models"), pages.show_models, general),
        Shortcut("Ctrl+,", translate("Shortcuts", "Settings"), window.open_settings, general),
        Shortcut("Ctrl+Shift+L", translate("Shortcuts", "Show or hide the conversations"), page.header.listing.toggle,
                 general),
        Shortcut("Ctrl+Shift+S", translate("Shortcuts", "Show or hide the speed panel"), page.header.panel.toggle,
                 general),
        Shortcut("F1", shown, window.open_shortcuts, general),
        Shortcut("Ctrl+/", shown, window.open_shortcuts, general),
        Shortcut("Ctrl+Q", translate("Shortcuts", "Quit"), window.close, general),
    ]


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
