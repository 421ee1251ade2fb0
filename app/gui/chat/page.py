"""The Chat page: header, banners, transcript, composer and the speed panel beside them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.chat.attachment import MOST_ATTACHMENTS, Attachment
from app.chat.context import WARN_SHARE
from app.gui.chat.composer import Composer, file_paths
from app.gui.chat.conversation_list import ConversationList
from app.gui.chat.find_bar import FindBar
from app.gui.chat.header import ChatHeader
from app.gui.chat.memory_banner import MemoryBanner
from app.gui.controllers.attachment_reader import AttachmentReader
from app.gui.look.banner import Banner
from app.gui.look.theme import Colours
from app.gui.markdown.formulas import Formulas
from app.gui.speed.panel import SpeedPanel
from app.gui.transcript.transcript import WIDEST, Transcript


class ChatPage(QWidget):
    pick_requested = Signal()

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.header = ChatHeader(colours, self)
        self.memory_banner = MemoryBanner(colours, self)
        self.problem_banner = Banner(colours, self)
        self.formulas = Formulas(self)
        self.transcript = Transcript(colours, self, self.formulas)
        self.find_bar = FindBar(self.transcript, colours, self)
        self.welcome = QScrollArea(self)
        self.composer = Composer(colours, self)
        self.reader = AttachmentReader(self)
        self.setAcceptDrops(True)
        self.composer.files_chosen.connect(self._attach)
        self.reader.read.connect(self._take_attachment)
        self.reader.refused.connect(lambda words: self.problem_banner.say("warning", words))
        self.reader.noticed.connect(lambda words: self.problem_banner.say("info", words))
        self.reader.busy_changed.connect(self.composer.set_reading)
        self.panel = SpeedPanel(colours, self)
        self.listing = ConversationList(colours, self)
        self.middle = QStackedWidget(self)
        self.middle.addWidget(self.welcome)
        self.middle.addWidget(self.transcript)
        self._fill_welcome()
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._banners = QVBoxLayout()
        column.addLayout(_centred([self.problem_banner, self.memory_banner, self.find_bar], self._banners, top=8))
        column.addWidget(self.middle, 1)
        self.context = QLabel(self)
        self.context.setProperty("role", "secondary")
        self.context.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.context.setMinimumHeight(16)
        column.addLayout(_centred([self.composer, self.context], QVBoxLayout(), bottom=4))
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.listing)
        row.addLayout(column, 1)
        row.addWidget(self.panel)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.header)
        whole.addLayout(row, 1)
        QWidget.setTabOrder(self.composer.edit, self.composer.button)

    def set_look(self, colours: Colours, tint: bool) -> None:
        self.header.set_colours(colours)
        self.memory_banner.set_colours(colours)
        self.problem_banner.set_colours(colours)
        self.transcript.set_look(colours, tint)
        self.find_bar.set_colours(colours)
        self.composer.set_colours(colours)
        self.panel.set_colours(colours)
        self.listing.set_colours(colours)
        self.panel.show_tint(tint)

    def show_empty(self, title: str, words: str, button: str) -> None:
        """The empty state; ``button`` opens the model picker, none if empty."""
        self._welcome_title.setText(title)
        self._welcome_words.setText(words)
        self._welcome_button.setText(button)
        self._welcome_button.setVisible(bool(button))
        self.middle.setCurrentWidget(self.welcome)

    def show_context(self, used: int, whole: int, left_out: int = 0) -> None:
        """How much of the context the chat takes, with what is being written; nothing while that is not known."""
        tight = whole > 0 and (used > WARN_SHARE * whole or left_out > 0)
        words = self.tr("{used} of {whole} tokens of the context used")
        if left_out:
            words = self.tr("{used} of {whole} tokens of the context used: the oldest {count} messages are left out")
        elif tight:
            words = self.tr("{used} of {whole} tokens of the context used: soon the oldest messages are left out")
        known = bool(whole and used)
        self.context.setText(words.format(used=f"{used:,}", whole=f"{whole:,}", count=left_out) if known else "")
        self.transcript.mark_left_out(left_out if known else 0)
        role = "warning" if tight else "secondary"
        if self.context.property("role") != role:
            self.context.setProperty("role", role)
            self.context.style().unpolish(self.context)
            self.context.style().polish(self.context)

    def add_banner(self, banner: QWidget) -> None:
        """Place ``banner`` above the others."""
        banner.setMaximumWidth(WIDEST)
        self._banners.insertWidget(0, banner)

    def begin_find(self) -> None:
        """Find in the chat, if there is one."""
        if self.middle.currentWidget() is self.transcript:
            self.find_bar.begin()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if file_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Files that are dropped anywhere on the page go with the next message."""
        paths = file_paths(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self._attach(paths)

    def _attach(self, paths: list[Path]) -> None:
        for path in paths[:MOST_ATTACHMENTS]:
            self.reader.add(path)
        self.composer.edit.setFocus()

    def _take_attachment(self, attachment: Attachment, owner: str) -> None:
        if owner == self.reader.owner and not self.composer.add_attachment(attachment):
            words = self.tr("{name} was not attached: {count} files go with one message at most.")
            self.problem_banner.say("warning", words.format(name=attachment.name, count=MOST_ATTACHMENTS))

    def close_helpers(self) -> None:
        """End the processes that help with what is shown."""
        self.formulas.close()
        self.reader.close()

    def show_transcript(self) -> None:
        self.middle.setCurrentWidget(self.transcript)

    def show_below_welcome(self, widget: QWidget) -> None:
        """Place ``widget`` under the words of the empty state."""
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(widget, 1000)
        row.addStretch(1)
        self._welcome_column.insertLayout(self._welcome_column.count() - 1, row)

    def _fill_welcome(self) -> None:
        body = QWidget(self.welcome)
        body.setObjectName("page")
        # A small window with banners in it has no room for all of it.
        self.welcome.setWidgetResizable(True)
        self.welcome.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.welcome.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.welcome.setWidget(body)
        self._welcome_title = QLabel(body)
        self._welcome_title.setProperty("role", "title")
        self._welcome_title.setWordWrap(True)
        self._welcome_words = QLabel(body)
        self._welcome_words.setProperty("role", "secondary")
        self._welcome_words.setWordWrap(True)
        self._welcome_words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._welcome_button = QPushButton(body)
        self._welcome_button.clicked.connect(self.pick_requested)
        for label in (self._welcome_title, self._welcome_words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column = self._welcome_column = QVBoxLayout(body)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addStretch(2)
        column.addWidget(self._welcome_title)
        column.addWidget(self._welcome_words)
        column.addWidget(self._welcome_button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)


def _centred(widgets: list[QWidget], column: QVBoxLayout, top: int = 0, bottom: int = 0) -> QHBoxLayout:
    column.setSpacing(8)
    column.setContentsMargins(0, top, 0, bottom)
    for widget in widgets:
        widget.setMaximumWidth(WIDEST)
        column.addWidget(widget)
    row = QHBoxLayout()
    row.setContentsMargins(16, 0, 16, 0)
    row.addStretch(1)
    row.addLayout(column, 1000)
    row.addStretch(1)
    return row
