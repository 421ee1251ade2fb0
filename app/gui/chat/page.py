"""The Chat page: header, banners, transcript, composer and the speed panel beside them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from app.chat.answer import ChatTurn
from app.chat.attachment import MOST_ATTACHMENTS, Attachment
from app.chat.context import WARN_SHARE
from app.gui.chat.composer import Composer, file_paths
from app.gui.chat.context_meter import ContextMeter
from app.gui.chat.conversation_list import ConversationList
from app.gui.chat.conversations_presenter import ConversationsPresenter
from app.gui.chat.empty import EmptyChat
from app.gui.chat.find_bar import FindBar
from app.gui.chat.header import ChatHeader
from app.gui.chat.memory_banner import MemoryBanner
from app.gui.chat.problem_banner import ProblemBanner
from app.gui.controllers.archive import Archive
from app.gui.controllers.attachment_reader import AttachmentReader
from app.gui.controllers.chat import ChatController
from app.gui.controllers.engine import EngineController
from app.gui.controllers.exactness_meter import ExactnessMeter
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look.theme import Colours, ThemeController
from app.gui.markdown.formulas import Formulas
from app.gui.speed.panel import SpeedPanel
from app.gui.transcript.links import ask_to_open
from app.gui.transcript.transcript import WIDEST, Transcript


class ChatPage(QWidget):
    wanted = Signal()
    """A conversation was opened or begun: the page is to be seen."""
    models_wanted = Signal()
    """Models are to be chosen."""

    def __init__(self, engine: EngineController, models: ModelsController, chat: ChatController, pairs: PairController,
                 keeper: SettingsKeeper, archive: Archive, exactness: ExactnessMeter, theme: ThemeController,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._engine, self._chat, self._pairs, self._keeper, self._theme = engine, chat, pairs, keeper, theme
        self._look: tuple[Colours, bool] | None = None
        colours = theme.colours
        self.header = ChatHeader(engine, models, chat, pairs, colours, self)
        self.memory_banner = MemoryBanner(models, pairs, colours, self)
        self.problem_banner = ProblemBanner(engine, pairs, archive, keeper, colours, self)
        self.formulas = Formulas(self)
        self.transcript = Transcript(colours, self, self.formulas)
        self.find_bar = FindBar(self.transcript, colours, self)
        self.welcome = EmptyChat(models, pairs, self)
        self.composer = Composer(colours, self)
        self.reader = AttachmentReader(self)
        self.setAcceptDrops(True)
        self.panel = SpeedPanel(chat, pairs, keeper, exactness, colours, self)
        self.listing = ConversationList(colours, self)
        self.middle = QStackedWidget(self)
        self.middle.addWidget(self.welcome)
        self.middle.addWidget(self.transcript)
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
        self.chats = ConversationsPresenter(chat, archive, self.listing, self.composer, self.reader, self)
        self._tie_composer()
        self._tie_transcript()
        for signal in (self.header.pick_requested, self.problem_banner.models_wanted):
            signal.connect(self.models_wanted)
        for signal in (self.header.new_chat_requested, self.listing.new_requested):
            signal.connect(self.new_chat)
        self.chats.opened.connect(self.wanted)
        self.listing.deleted.connect(engine.states.forget)
        keeper.changed.connect(self._follow_look)
        theme.changed.connect(self._follow_look)
        self._follow_look()

    def _tie_composer(self) -> None:
        composer, reader, chat = self.composer, self.reader, self._chat
        composer.send_requested.connect(self._send)
        composer.stop_requested.connect(chat.stop)
        composer.files_chosen.connect(self._attach)
        chat.answering_changed.connect(composer.set_answering)
        reader.read.connect(self._take_attachment)
        reader.refused.connect(self.problem_banner.warn)
        reader.noticed.connect(self.problem_banner.inform)
        reader.busy_changed.connect(composer.set_reading)
        if chat.counter is not None:
            ContextMeter(chat, composer, chat.counter, self).changed.connect(self.show_context)

    def _tie_transcript(self) -> None:
        transcript, chat = self.transcript, self._chat
        transcript.skip_requested.connect(self._engine.skip)
        transcript.help_pressed.connect(self._engine.start_again)
        transcript.again_requested.connect(chat.answer_again)
        transcript.go_on_requested.connect(chat.go_on)
        transcript.branch_chosen.connect(chat.show_branch)
        transcript.edit_requested.connect(self.chats.edit)
        transcript.link_requested.connect(self._ask_to_open)
        chat.turns_changed.connect(self._show_turns)
        chat.turn_added.connect(self._add_turn)
        chat.answer_changed.connect(transcript.refresh)

    def catch_up(self) -> None:
        """Show what went on before this page was made."""
        self._show_turns()
        self.composer.set_answering(self._chat.is_answering)
        self.composer.set_attachments(self._chat.conversation.unsent_files)
        self.composer.show_text(self._chat.conversation.unsent)

    def new_chat(self) -> None:
        """An empty chat, with the switch as the target's default has it."""
        self.chats.keep_unsent()
        self._chat.new_chat()
        self.wanted.emit()

    def search_chats(self) -> None:
        """Have words looked for in all conversations."""
        self.header.listing.setChecked(True)
        self.listing.search.setFocus()
        self.listing.search.selectAll()

    def escape(self) -> None:
        """End what is being done: the search, the answer or the editing."""
        if self.find_bar.edit.hasFocus():
            self.find_bar.leave()
        elif self._chat.is_answering:
            self._chat.stop()
        else:
            self.chats.stop_editing()

    def go_on(self) -> None:
        """Let the model go on with the last answer, if it was cut."""
        if self._chat.turns:
            self._chat.go_on(self._chat.turns[-1])

    def answer_again(self) -> None:
        if self._chat.turns:
            self._chat.answer_again(self._chat.turns[-1])

    def _send(self, text: str) -> None:
        if not self._pairs.target_path:
            self.models_wanted.emit()
            return
        self.problem_banner.hide()
        self.chats.send(text)

    def _show_turns(self) -> None:
        """Another chat or branch."""
        self.transcript.show_turns(self._chat.turns)
        self.middle.setCurrentWidget(self.transcript if self._chat.turns else self.welcome)

    def _add_turn(self, turn: ChatTurn) -> None:
        self.middle.setCurrentWidget(self.transcript)
        self.transcript.add_turn(turn)

    def _ask_to_open(self, address: str) -> None:
        ask_to_open(self, address)

    def _follow_look(self) -> None:
        look = self._theme.colours, self._keeper.settings.tint_drafted
        if look != self._look:
            self._look = look
            self.set_look(*look)

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
            self.problem_banner.warn(words.format(name=attachment.name, count=MOST_ATTACHMENTS))

    def close_helpers(self) -> None:
        """End the processes that help with what is shown."""
        self.formulas.close()
        self.reader.close()


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
