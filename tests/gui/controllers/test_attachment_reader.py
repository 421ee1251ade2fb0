from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.attachment import Attachment
from app.gui.controllers.attachment_reader import AttachmentReader
from app.gui.controllers.helper_process import HelperProcess
from app.helper.messages import AnyReply, PdfRead, ReadPdf, Refused


class FakeHelper:
    """Answers every question with the reply it was given."""

    def __init__(self) -> None:
        self.reply: AnyReply = Refused(reason="is damaged")
        self.asked: list[ReadPdf] = []
        self.closed = False

    def ask(self, request: ReadPdf, seconds: float, on_reply: object) -> None:
        self.asked.append(request)
        on_reply(self.reply)  # type: ignore[operator]

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def helper() -> FakeHelper:
    return FakeHelper()


@pytest.fixture
def reader(qapp: QApplication, helper: FakeHelper) -> Iterator[AttachmentReader]:
    made = AttachmentReader(helper=cast(HelperProcess, helper))
    made.owner = "chat"
    yield made
    made.close()


def test_a_text_is_read_for_the_chat_of_then(reader: AttachmentReader, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "phở.txt"
    path.write_text("Nước dùng", encoding="utf-8")
    read: list[tuple[Attachment, str]] = []
    busy: list[bool] = []
    reader.read.connect(lambda attachment, owner: read.append((attachment, owner)))
    reader.busy_changed.connect(busy.append)
    reader.add(path)
    reader.owner = "another chat"
    qtbot.waitUntil(lambda: bool(read))
    (attachment, owner), = read
    assert (attachment.name, attachment.text, owner) == ("phở.txt", "Nước dùng", "chat")
    assert (busy, reader.is_busy) == ([True, False], False)


@pytest.mark.parametrize("data", [None, b"\x00\x01\x02\xff" * 100])
def test_what_cannot_be_read_is_refused_in_words(reader: AttachmentReader, qtbot: QtBot, tmp_path: Path,
                                                 data: bytes | None) -> None:
    path = tmp_path / "file.bin"
    if data is not None:
        path.write_bytes(data)
    with qtbot.waitSignal(reader.refused) as told:
        reader.add(path)
    assert "file" in told.args[0]
    assert not reader.is_busy


def test_a_pdf_is_read_by_the_helper(reader: AttachmentReader, helper: FakeHelper, qtbot: QtBot, tmp_path: Path
                                     ) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(b"%PDF-1.7")
    helper.reply = PdfRead(text="Abstract", pages=9, cut=True)
    noticed: list[str] = []
    reader.noticed.connect(noticed.append)
    with qtbot.waitSignal(reader.read) as told:
        reader.add(path)
    assert told.args[0].text == "Abstract"
    assert helper.asked[0].path == str(path.resolve())
    assert "paper.pdf is long" in noticed[0]


def test_a_pdf_that_the_helper_refuses_is_refused_with_its_reason(reader: AttachmentReader, qtbot: QtBot, tmp_path: Path
                                                                  ) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(b"%PDF-1.7")
    with qtbot.waitSignal(reader.refused) as told:
        reader.add(path)
    assert "is damaged" in told.args[0]
    assert not reader.is_busy


def test_the_helper_ends_with_it(reader: AttachmentReader, helper: FakeHelper) -> None:
    reader.close()
    assert helper.closed
