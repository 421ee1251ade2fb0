"""Between the list of conversations, the composer, the chat and the file: what each change means to the others."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from app.chat.answer import ChatTurn
from app.chat.attachment import MOST_ATTACHMENTS, Attachment
from app.chat.conversation import Conversation, Head
from app.chat.export import to_markdown
from app.gui.chat.composer import Composer
from app.gui.chat.conversation_list import ConversationList
from app.gui.controllers.archive import Archive
from app.gui.controllers.attachment_reader import AttachmentReader
from app.gui.controllers.chat import ChatController

_UNSENT_MS = 400
_REFRESH_MS = 150


class ConversationsPresenter(QObject):
    opened = Signal()
    """A conversation was chosen from the list."""

    def __init__(self, chat: ChatController, archive: Archive, listing: ConversationList, composer: Composer,
                 reader: AttachmentReader, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat, self._archive, self._list, self._composer = chat, archive, listing, composer
        self._reader = reader
        reader.owner = chat.conversation.id
        reader.read.connect(self._keep_late)
        self._editing: ChatTurn | None = None
        self._shown = chat.conversation
        self._unsent = _single_shot(self, _UNSENT_MS)
        self._unsent.timeout.connect(self.keep_unsent)
        self._refresh = _single_shot(self, _REFRESH_MS)
        self._refresh.timeout.connect(self._ask_for_list)
        listing.open_requested.connect(self.open)
        listing.search_changed.connect(archive.refresh)
        listing.renamed.connect(self._rename)
        listing.pinned.connect(self._pin)
        listing.moved.connect(self._move)
        listing.deleted.connect(self._delete)
        listing.restored.connect(self._restore)
        listing.copy_requested.connect(lambda chat_id: archive.load(chat_id, _copy))
        listing.export_requested.connect(lambda ids, path: archive.export(ids, Path(path)))
        listing.import_requested.connect(lambda path: archive.bring_in(Path(path)))
        archive.imported.connect(self._ask_for_list)
        archive.summaries_ready.connect(listing.show_summaries)
        chat.head_changed.connect(self._take_head)
        chat.turns_changed.connect(self._take_turns)
        composer.changed.connect(self._note_change)
        composer.edit_cancelled.connect(self.stop_editing)
        composer.up_pressed.connect(self._edit_last)

    def open(self, conversation_id: str) -> None:
        """Show the conversation of this id, if there is one."""
        if conversation_id == self._chat.conversation.id:
            self.opened.emit()
            return
        self.keep_unsent()
        self._archive.load(conversation_id, self._take_loaded)

    def send(self, text: str) -> None:
        """Ask ``text``, in the place of the message that is edited, if one is."""
        turn, self._editing = self._editing, None
        attachments = self._composer.attachments
        self._composer.set_editing(False)
        self._composer.clear()
        if turn is not None:
            self._chat.edit(turn, text, attachments)
            self._show_unsent()
        else:
            self._chat.send(text, attachments=attachments)

    def edit(self, turn: ChatTurn) -> None:
        """Take the question of ``turn`` into the composer."""
        if self._chat.is_answering:
            return
        if self._editing is None:
            self.keep_unsent()
        self._editing = turn
        self._composer.set_editing(True)
        self._composer.set_attachments(turn.attachments)
        self._composer.show_text(turn.question)

    def stop_editing(self) -> None:
        if self._editing is not None:
            self._editing = None
            self._composer.set_editing(False)
            self._show_unsent()

    def keep_unsent(self) -> None:
        """Save now what is written and not sent."""
        self._unsent.stop()
        if self._editing is None:
            self._chat.keep_unsent(self._composer.edit.toPlainText(), self._composer.attachments)

    def _keep_late(self, attachment: Attachment, owner: str) -> None:
        """A file that was still being read when its chat was left waits there."""
        if owner == self._chat.conversation.id:
            return

        def add(conversation: Conversation | None) -> None:
            if owner == self._chat.conversation.id:
                self._composer.add_attachment(attachment)
            elif conversation is not None and len(conversation.unsent_files) < MOST_ATTACHMENTS:
                self._archive.save_unsent_files(owner, [*conversation.unsent_files, attachment])
            else:
                words = self.tr("The chat that {name} was for took it no longer. Attach it again where you want it.")
                self._reader.noticed.emit(words.format(name=attachment.name))

        self._archive.load(owner, add)

    def _show_unsent(self) -> None:
        conversation = self._chat.conversation
        self._composer.set_attachments(conversation.unsent_files)
        self._composer.show_text(conversation.unsent)

    def _take_loaded(self, conversation: Conversation | None) -> None:
        if conversation is None:
            self._ask_for_list()
            return
        self._chat.show(conversation)
        self.opened.emit()

    def _take_turns(self) -> None:
        conversation = self._chat.conversation
        if conversation is not self._shown:
            self._shown = conversation
            self._reader.owner = conversation.id
            self._editing = None
            self._composer.set_editing(False)
            self._show_unsent()
        self._list.show_current(conversation.id)

    def _take_head(self, head: Head) -> None:
        self._list.show_current(head.id)
        self._refresh.start()

    def _note_change(self) -> None:
        if self._editing is None:
            self._unsent.start()

    def _edit_last(self) -> None:
        if self._chat.turns:
            self.edit(self._chat.turns[-1])

    def _ask_for_list(self) -> None:
        self._archive.refresh(self._list.search.text().strip())

    def _rename(self, conversation_id: str, title: str) -> None:
        if conversation_id == self._chat.conversation.id:
            self._chat.rename(title)
        self._archive.rename(conversation_id, title)
        self._ask_for_list()

    def _pin(self, conversation_id: str, pinned: bool) -> None:
        self._archive.pin(conversation_id, pinned)
        self._ask_for_list()

    def _move(self, conversation_id: str, folder: str) -> None:
        self._archive.move(conversation_id, folder)
        self._ask_for_list()

    def _delete(self, conversation_id: str) -> None:
        if conversation_id == self._chat.conversation.id:
            self._chat.new_chat()
        self._archive.delete(conversation_id)
        self._ask_for_list()

    def _restore(self, conversation_id: str) -> None:
        self._archive.restore(conversation_id)
        self._ask_for_list()
        self.open(conversation_id)


def _copy(conversation: Conversation | None) -> None:
    if conversation is not None:
        QGuiApplication.clipboard().setText(to_markdown(conversation))


def _single_shot(parent: QObject, milliseconds: int) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    return timer
