"""The conversations on disk, read and written on a thread of their own, in the order that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.chat.attachment import Attachment
from app.chat.conversation import Conversation, Head, Node
from app.chat.export import to_json, to_markdown, write_file
from app.chat.importing import read_file
from app.chat.store import Store, Summary, open_store
from app.errors import SlipstreamError
from app.gui.controllers.background import Background

_RETRY_MS = 5000
"""After this long what could not be written is tried again."""


class Archive(QObject):
    """Everything returns at once. When the file cannot be used, ``failed`` says so and the window goes on without."""

    summaries_ready = Signal(list, str)
    """The list for a search text ("" for all)."""
    noticed = Signal(object)
    exported = Signal(int, str)
    """How many conversations went into which file."""
    imported = Signal(int)
    failed = Signal(object)
    recovered = Signal()
    """What could not be saved is saved now."""

    def __init__(self, path: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._thread = Background(self)
        self._store: Store | None = None
        self._broken = False
        self._unsaved: dict[str, Callable[[Store], None]] = {}
        """What could not be written yet, in order, by what it is; touched by the thread alone."""
        self._in_trouble = False
        self._refreshes = 0
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.setInterval(_RETRY_MS)
        self._retry.timeout.connect(self._write_unsaved)

    def open(self) -> None:
        """Open the file; the list follows."""
        def work() -> str:
            # Set here, on the thread: tasks that wait behind this one need it.
            self._store, notice = open_store(self._path)
            return notice

        self._thread.run(work, self._opened, self._not_opened)
        self.refresh()

    def refresh(self, search: str = "") -> None:
        """The list for ``search``, unless another one is asked for before its turn comes."""
        self._refreshes += 1
        number = self._refreshes

        def work(store: Store) -> list[Summary] | None:
            if number != self._refreshes:
                return None
            return store.search(search) if search else store.summaries()

        def show(summaries: list[Summary] | None) -> None:
            if summaries is not None:
                self.summaries_ready.emit(summaries, search)

        self._do(work, show)

    def load(self, conversation_id: str, on_loaded: Callable[[Conversation | None], None]) -> None:
        self._do(lambda store: store.load(conversation_id), on_loaded)

    def save_head(self, head: Head) -> None:
        self._write(f"head {head.id}", lambda store: store.save_head(head))

    def save_unsent_files(self, conversation_id: str, files: Sequence[Attachment]) -> None:
        kept = list(files)
        self._write(f"files {conversation_id}", lambda store: store.save_unsent_files(conversation_id, kept))

    def save_node(self, conversation_id: str, node: Node) -> None:
        self._write(f"node {node.id}", lambda store: store.save_node(conversation_id, node))

    def save_all(self, conversation: Conversation) -> None:
        """Write a conversation that nothing else changes meanwhile."""
        self._do(lambda store: store.save_all(conversation))

    def rename(self, conversation_id: str, title: str) -> None:
        self._do(lambda store: store.rename(conversation_id, title))

    def pin(self, conversation_id: str, pinned: bool) -> None:
        self._do(lambda store: store.pin(conversation_id, pinned))

    def move(self, conversation_id: str, folder: str) -> None:
        self._do(lambda store: store.move(conversation_id, folder))

    def delete(self, conversation_id: str) -> None:
        self._do(lambda store: store.delete(conversation_id))

    def restore(self, conversation_id: str) -> None:
        self._do(lambda store: store.restore(conversation_id))

    def export(self, conversation_ids: list[str], path: Path) -> None:
        """Write conversations (all if none is named) to ``path``: Markdown by its ending, else JSON."""
        def work(store: Store) -> int:
            ids = conversation_ids or [summary.id for summary in store.summaries()]
            found = [chat for chat in map(store.load, ids) if chat is not None]
            as_markdown = path.suffix.lower() in (".md", ".markdown")
            data = "\n\n".join(map(to_markdown, found)).encode() if as_markdown else to_json(found)
            write_file(path, data)
            return len(found)

        self._do(work, lambda count: self.exported.emit(count, path.name))

    def bring_in(self, path: Path) -> None:
        """Take in the conversations of a file."""
        def work(store: Store) -> int:
            found = read_file(path)
            for chat in found:
                store.save_all(chat, max((node.created_s for node in chat.nodes), default=0.0) or None)
            return len(found)

        self._do(work, self.imported.emit)

    def close(self) -> None:
        """Write what waits and close the file."""
        def work(store: Store) -> None:
            try:
                self._save(store)
            finally:
                store.close()

        self._retry.stop()
        self._do(work)
        self._thread.drain()

    def _write(self, key: str, work: Callable[[Store], None]) -> None:
        """Write, and what could not be written before first. What fails is kept and tried again."""
        def task(store: Store) -> bool:
            # In its old place: a message needs its conversation before it.
            self._unsaved[key] = work
            self._save(store)
            return True

        if not self._broken:
            self._thread.run(lambda: task(self._store) if self._store is not None else False, self._saved,
                             self._not_saved)

    def _write_unsaved(self) -> None:
        def task() -> bool:
            if self._store is not None:
                self._save(self._store)
            return True

        self._thread.run(task, self._saved, self._not_saved)

    def _save(self, store: Store) -> None:
        for key, work in list(self._unsaved.items()):
            work(store)
            del self._unsaved[key]

    def _saved(self, _done: bool) -> None:
        self._retry.stop()
        if self._in_trouble:
            self._in_trouble = False
            self.recovered.emit()

    def _not_saved(self, error: SlipstreamError) -> None:
        self._retry.start()
        if not self._in_trouble:
            # Said once, not with every word of an answer.
            self._in_trouble = True
            self._report(error)

    def _do(self, work: Callable[[Store], Any], on_done: Callable[[Any], None] | None = None) -> None:
        def task() -> Any:
            return work(self._store) if self._store is not None else None

        def done(result: Any) -> None:
            if on_done is not None and (result is not None or self._store is not None):
                on_done(result)

        if not self._broken:
            self._thread.run(task, done, self._report)

    def _opened(self, notice: str) -> None:
        if notice:
            self.noticed.emit(notice)

    def _not_opened(self, error: SlipstreamError) -> None:
        self._broken = True
        self._report(error)

    def _report(self, error: SlipstreamError) -> None:
        self.failed.emit(error.words)
