"""Files on their way to be attachments: read on a thread, PDFs by the helper process, refused in words."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.chat.attachment import MOST_CHARACTERS, Attachment, is_pdf, read_text, refuse, safe_name
from app.errors import SlipstreamError
from app.gui.controllers.background import Background
from app.gui.controllers.helper_process import HelperProcess
from app.helper.messages import AnyReply, PdfRead, ReadPdf

PDF_S = 30.0


class AttachmentReader(QObject):
    read = Signal(object, str)
    """An ``Attachment``, and the ``owner`` of when it was asked for."""
    refused = Signal(object)
    """Why a file was not attached, in words."""
    noticed = Signal(object)
    busy_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None, helper: HelperProcess | None = None) -> None:
        super().__init__(parent)
        self.owner = ""
        """Whom the files are for that are added from now on: the id of a conversation."""
        self._thread = Background(self)
        self._helper = helper or HelperProcess(self)
        self._running = 0

    @property
    def is_busy(self) -> bool:
        return self._running > 0

    def add(self, path: Path) -> None:
        """Read ``path``; what comes of it is told by the signals."""
        self._count(1)
        owner = self.owner
        self._thread.run(lambda: _look(path), lambda found: self._take(path, owner, found), self._refuse)

    def close(self) -> None:
        self._thread.close()
        self._helper.close()

    def _take(self, path: Path, owner: str, found: Attachment | None) -> None:
        if found is not None:
            self._finish(found, owner)
            return
        request = ReadPdf(path=str(path.resolve()), most_characters=MOST_CHARACTERS)
        self._helper.ask(request, PDF_S, lambda reply: self._take_pdf(path, owner, reply))

    def _take_pdf(self, path: Path, owner: str, reply: AnyReply) -> None:
        if not isinstance(reply, PdfRead):
            reason = getattr(reply, "reason", "")
            self._refuse(refuse(path.name, f"it {reason}"))
            return
        if reply.cut:
            words = self.tr("{name} is long: only its beginning was attached.")
            self.noticed.emit(words.format(name=safe_name(path.name)))
        self._finish(Attachment(name=safe_name(path.name), text=reply.text), owner)

    def _finish(self, attachment: Attachment, owner: str) -> None:
        self._count(-1)
        self.read.emit(attachment, owner)

    def _refuse(self, error: SlipstreamError) -> None:
        self._count(-1)
        self.refused.emit(error.words)

    def _count(self, by: int) -> None:
        before = self.is_busy
        self._running += by
        if self.is_busy != before:
            self.busy_changed.emit(self.is_busy)


def _look(path: Path) -> Attachment | None:
    """The text of a file, None for a PDF."""
    return None if is_pdf(path) else read_text(path)
