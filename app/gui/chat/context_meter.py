"""How full the context is, with what is being written: counted soon after a change, said under the composer."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.chat.attachment import with_attachments
from app.gui.chat.composer import Composer
from app.gui.controllers.chat import ChatController
from app.gui.controllers.token_counter import TokenCounter

_SETTLE_MS = 300


class ContextMeter(QObject):
    changed = Signal(int, int, int)
    """Tokens used, tokens of the context (0 while unknown), how many of the oldest messages will be left out."""

    def __init__(self, chat: ChatController, composer: Composer, counter: TokenCounter, parent: QObject | None = None
                 ) -> None:
        super().__init__(parent)
        self._chat, self._composer, self._counter = chat, composer, counter
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SETTLE_MS)
        self._timer.timeout.connect(self._count)
        composer.changed.connect(self.refresh)
        chat.turns_changed.connect(self.refresh)
        chat.answering_changed.connect(self.refresh)
        counter.counted.connect(self._show)

    def refresh(self) -> None:
        """Count anew when things have settled."""
        self._timer.start()

    def _count(self) -> None:
        attachments = self._composer.attachments
        text = self._composer.edit.toPlainText().strip()
        files = [each.text for each in attachments]
        self._counter.want([*self._chat.texts(), *files, with_attachments(text, attachments)])
        self._show()

    def _show(self) -> None:
        attachments = [
            each if each.tokens else msgspec.structs.replace(each, tokens=self._counter.known(each.text) or 0)
            for each in self._composer.attachments
        ]
        self._composer.note_tokens(attachments)
        fit, whole = self._chat.fit(self._composer.edit.toPlainText().strip(), attachments)
        self.changed.emit(fit.tokens, whole, fit.left_out)
