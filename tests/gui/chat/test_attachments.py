"""Files with a message, the context meter and continued answers, through the real window."""

from __future__ import annotations

from pathlib import Path

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from app import protocol
from app.chat.attachment import Attachment
from app.gui.controllers.worker_process import OnEvent
from app.gui.look.theme import read_colours
from app.gui.program import Program
from app.gui.transcript.attachment_chips import AttachmentChips
from app.helper.main import _answer
from app.helper.messages import PdfRead, ReadPdf, Refused
from app.records import LoadSettings
from app.settings.settings import Settings
from tests.gui.chat.test_conversations import click_on, say, titles
from tests.gui.conftest import MakeProgram
from tests.gui.window.test_main_window import WAIT_MS, ask, shown_text, wait_for_text, wait_until_idle


def write_pdf(path: Path, text: str) -> None:
    writer = PdfWriter()
    page = writer.add_blank_page(300, 300)
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1"),
                             NameObject("/BaseFont"): NameObject("/Helvetica")})
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(stream)
    with path.open("wb") as file:
        writer.write(file)


def drop(program: Program, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDropEvent(QPointF(10, 10), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
                       Qt.KeyboardModifier.NoModifier)
    program.window.page.dropEvent(event)


def sent(program: Program) -> list[protocol.Generate]:
    """What was asked of the engine, from now on."""
    found: list[protocol.Generate] = []
    send = program.worker.send

    def remember(command: protocol.AnyCommand, on_event: OnEvent | None = None) -> int:
        if isinstance(command, protocol.Generate):
            found.append(command)
        return send(command, on_event)

    program.worker.send = remember  # type: ignore[method-assign]
    return found


def test_dropped_files_go_with_the_message(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    program = make_program("--chunks", "3")
    composer = program.window.page.composer
    requests = sent(program)
    (tmp_path / "a.py").write_text("answer = 42\n")
    write_pdf(tmp_path / "b.pdf", "Hello from a page")
    drop(program, tmp_path / "a.py", tmp_path / "b.pdf")
    assert not composer.button.isEnabled()
    qtbot.waitUntil(lambda: len(composer.attachments) == 2, timeout=60_000)
    qtbot.waitUntil(lambda: all(each.tokens for each in composer.attachments), timeout=WAIT_MS)
    assert [(each.name, each.tokens) for each in composer.attachments] == [("a.py", 12), ("b.pdf", 17)]
    say(program, qtbot, "What is it?")
    content = requests[0].messages[-1].content
    assert content.startswith("File: a.py\n```\nanswer = 42\n```\n\nFile: b.pdf\n```\nHello from a page\n```")
    assert content.endswith("\n\nWhat is it?")
    assert composer.attachments == []
    view = program.window.page.transcript.questions[0]
    assert [fold.button.text() for fold in view.files] == ["a.py  ·  12 tokens", "b.pdf  ·  17 tokens"]
    assert not view.files[0].text.isVisible()
    qtbot.mouseClick(view.files[0].button, Qt.MouseButton.LeftButton)
    assert view.files[0].text.toPlainText() == "answer = 42\n"
    program.window.new_chat()
    qtbot.waitUntil(lambda: titles(program) == ["What is it?"], timeout=WAIT_MS)
    click_on(program, qtbot, "What is it?")
    qtbot.waitUntil(lambda: len(program.chat.turns) == 1, timeout=WAIT_MS)
    qtbot.keyClick(composer.edit, Qt.Key.Key_Up)
    assert [each.name for each in composer.attachments] == ["a.py", "b.pdf"]
    qtbot.mouseClick(composer.chips.chips[0].findChildren(type(composer.attach))[0], Qt.MouseButton.LeftButton)
    assert [each.name for each in composer.attachments] == ["b.pdf"]


def test_files_that_were_not_sent_survive_another_chat_and_a_restart(
    make_program: MakeProgram, qtbot: QtBot, tmp_path: Path
) -> None:
    program = make_program("--chunks", "3")
    composer = program.window.page.composer
    say(program, qtbot, "Sent")
    (tmp_path / "a.py").write_text("answer = 42\n")
    drop(program, tmp_path / "a.py")
    qtbot.waitUntil(lambda: len(composer.attachments) == 1, timeout=WAIT_MS)
    program.window.new_chat()
    assert composer.attachments == []
    qtbot.waitUntil(lambda: titles(program) == ["Sent"], timeout=WAIT_MS)
    click_on(program, qtbot, "Sent")
    qtbot.waitUntil(lambda: [each.name for each in composer.attachments] == ["a.py"], timeout=WAIT_MS)
    program.window.close()
    program.close()
    again = make_program("--chunks", "3", load=False)
    composer = again.window.page.composer
    qtbot.waitUntil(lambda: [each.name for each in composer.attachments] == ["a.py"], timeout=WAIT_MS)
    assert composer.attachments[0].text == "answer = 42\n"
    assert len(composer.chips.chips) == 1


def test_a_file_goes_to_the_chat_it_was_dropped_on(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    program = make_program("--chunks", "3")
    composer, banner = program.window.page.composer, program.window.page.problem_banner
    say(program, qtbot, "Sent")
    write_pdf(tmp_path / "b.pdf", "Hello from a page")
    drop(program, tmp_path / "b.pdf")
    program.window.new_chat()
    assert program.window.page.reader.is_busy
    drop(program, tmp_path / "b.pdf")
    program.window.new_chat()
    qtbot.waitUntil(lambda: not program.window.page.reader.is_busy, timeout=60_000)
    qtbot.waitUntil(lambda: "b.pdf" in banner.text.text(), timeout=WAIT_MS)
    assert composer.attachments == []
    click_on(program, qtbot, "Sent")
    qtbot.waitUntil(lambda: [each.name for each in composer.attachments] == ["b.pdf"], timeout=WAIT_MS)


def test_what_is_begun_waits_while_an_earlier_message_is_edited(
    make_program: MakeProgram, qtbot: QtBot, tmp_path: Path
) -> None:
    program = make_program("--chunks", "3")
    composer = program.window.page.composer
    say(program, qtbot, "First")
    (tmp_path / "a.py").write_text("answer = 42\n")
    drop(program, tmp_path / "a.py")
    qtbot.waitUntil(lambda: len(composer.attachments) == 1, timeout=WAIT_MS)
    qtbot.keyClicks(composer.edit, "next thought")
    program.window.page.transcript.questions[0].edit.click()
    assert (composer.edit.toPlainText(), composer.attachments) == ("First", [])
    composer.edit.setPlainText("First, changed")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert program.chat.turns[-1].question == "First, changed"
    assert composer.edit.toPlainText() == "next thought"
    assert [each.name for each in composer.attachments] == ["a.py"]
    wait_until_idle(program, qtbot)
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert program.chat.turns[-1].question == "next thought"
    assert (composer.edit.toPlainText(), composer.attachments) == ("", [])
    assert (program.chat.conversation.unsent, program.chat.conversation.unsent_files) == ("", [])


def test_chips_that_go_leave_nothing_behind(qtbot: QtBot) -> None:
    """PySide6 keeps the wrapper of a spacer whose layout is deleted alone, and gives it to later widgets there."""
    holder = QWidget()
    qtbot.addWidget(holder)
    chips = AttachmentChips(read_colours("light"), holder)
    taken = set()
    for turn in range(1_000):
        chips.show_all([Attachment(name=f"{name}.py", text="x", tokens=3) for name in "abcd"[: turn % 5]])
        if turn % 2:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        views = [QTextBrowser(holder) for _ in range(5)]
        taken |= {type(view.viewport()).__name__ for view in views}
        for view in views:
            view.deleteLater()
    assert taken == {"QWidget"}


def test_what_cannot_be_read_is_said(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    program = make_program("--chunks", "3")
    (tmp_path / "x.bin").write_bytes(b"\x00\x01" * 500)
    drop(program, tmp_path / "x.bin")
    banner = program.window.page.problem_banner
    qtbot.waitUntil(banner.isVisible, timeout=WAIT_MS)
    assert "x.bin was not attached: it is not a text file" in banner.text.text()
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    drop(program, tmp_path / "broken.pdf")
    qtbot.waitUntil(lambda: "broken.pdf" in banner.text.text(), timeout=60_000)
    assert program.window.page.composer.attachments == []
    assert not program.window.page.reader.is_busy


def test_hostile_pdfs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    for data in (b"", b"%PDF-1.7", b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\ntrailer<</Root 1 0 R>>",
                 b"%PDF-1.4\n" + b"[" * 50_000):
        path.write_bytes(data)
        assert isinstance(_answer(ReadPdf(path=str(path), most_characters=100)), Refused)
    write_pdf(path, "x" * 200)
    reply = _answer(ReadPdf(path=str(path), most_characters=50))
    assert reply == PdfRead(text="x" * 50, pages=1, cut=True)


def test_the_meter_counts_what_is_written_and_says_what_is_left_out(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3", settings=Settings(load=LoadSettings(ctx_tokens=400)))
    page = program.window.page
    ask(program, qtbot, "a" * 100)
    wait_until_idle(program, qtbot)
    qtbot.waitUntil(lambda: page.context.text().startswith("1"), timeout=WAIT_MS)
    before = page.context.text()
    page.composer.edit.setPlainText("b" * 50)
    qtbot.waitUntil(lambda: page.context.text() != before, timeout=WAIT_MS)
    assert " of 400 tokens" in page.context.text()
    assert page.context.property("role") == "secondary"
    page.composer.edit.setPlainText("b" * 200)
    qtbot.waitUntil(lambda: "the oldest 2 messages are left out" in page.context.text(), timeout=WAIT_MS)
    assert page.context.property("role") == "warning"
    assert page.transcript.questions[0].left_out.isVisible()
    page.composer.edit.setPlainText("")
    qtbot.waitUntil(lambda: not page.transcript.questions[0].left_out.isVisible(), timeout=WAIT_MS)


def test_a_stopped_answer_is_gone_on_with(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "300", "--delay-s", "0.02")
    requests = sent(program)
    ask(program, qtbot, "Long")
    wait_for_text(program, qtbot, "word9")
    view = program.window.page.transcript.answers[0]
    assert not view.go_on.isVisible()
    program.chat.stop()
    wait_until_idle(program, qtbot)
    begun = program.chat.turns[0].answer.text
    tokens = program.chat.turns[0].answer.emitted_tokens
    assert view.go_on.isVisible()
    qtbot.mouseClick(view.go_on, Qt.MouseButton.LeftButton)
    assert requests[-1].begun == begun
    assert [message.content for message in requests[-1].messages] == ["Long"]
    qtbot.waitUntil(lambda: len(program.chat.turns[0].answer.text) > len(begun) + 20, timeout=WAIT_MS)
    program.chat.stop()
    wait_until_idle(program, qtbot)
    answer = program.chat.turns[0].answer
    assert answer.text.startswith(begun + "word0 ")
    assert answer.emitted_tokens > tokens
    assert len(program.chat.turns) == 1
    assert "word0" in shown_text(program)
    node = program.chat.conversation.node(program.chat.turns[0].answer_id)
    assert node.content == answer.text


def test_a_finished_answer_offers_nothing_of_the_kind(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    say(program, qtbot, "Short")
    view = program.window.page.transcript.answers[0]
    for reason, offered in (("eos", False), ("length", True)):
        program.chat.turns[0].answer.reason = reason
        view.refresh()
        assert view.go_on.isVisible() == offered
