"""Which chat the engine has computed, and when that is kept on disk and brought back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app import state_files
from app.protocol import AnyCommand, RestoreState, SaveState

IDLE_MS = 2000
"""After this long without a question the state of the chat is written, so that leaving it takes no time."""

Send = Callable[[AnyCommand], int]


class ChatStates(QObject):
    """Sends ``SaveState`` and ``RestoreState`` between answers; the worker takes commands in order, so none waits."""

    def __init__(self, send: Send, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._send = send
        self._chat = ""
        self._unsaved = False
        self._limit_bytes = 0
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(IDLE_MS)
        self._idle.timeout.connect(self.save)

    @property
    def is_unsaved(self) -> bool:
        """Whether ``save`` would have something to write."""
        return self._unsaved and bool(self._chat) and self._limit_bytes > 0

    def set_limit(self, limit_bytes: int) -> None:
        """What all states together may take on the disk; 0 keeps none."""
        self._limit_bytes = limit_bytes

    def enter(self, chat: str) -> None:
        """The next answer belongs to ``chat`` ("" for none): what there is of another one is kept, its own restored."""
        self._idle.stop()
        if chat == self._chat:
            return
        self.save()
        self._chat = chat
        if chat and self._limit_bytes > 0:
            self._send(RestoreState(request_id=0, name=chat))

    def note_answer(self) -> None:
        """The engine has computed more of the chat."""
        self._unsaved = True
        self._idle.start()

    def save(self) -> None:
        """Keep the state now, if there is anything new in it."""
        self._idle.stop()
        if self.is_unsaved:
            self._send(SaveState(request_id=0, name=self._chat, limit_bytes=self._limit_bytes))
        self._unsaved = False

    def drop(self) -> None:
        """The engine has forgotten what it computed."""
        self._idle.stop()
        self._chat, self._unsaved = "", False

    def forget(self, chat: str) -> None:
        """The chat is deleted: nothing of it is kept."""
        if chat == self._chat:
            self._idle.stop()
            self._unsaved = False
        state_files.remove_states(chat)
