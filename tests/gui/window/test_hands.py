"""Find in the chat, folders, shortcuts and what is told to those who cannot see it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QInputMethodEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QListWidget
from pytestqt.qtbot import QtBot

from app.chat.conversation import AnswerFacts, Conversation
from app.gui.program import Program
from app.gui.transcript import message_view
from app.gui.window.shortcuts import ShortcutsDialog
from tests.gui.chat.test_conversations import click_on, say, titles
from tests.gui.conftest import MakeProgram
from tests.gui.window.test_main_window import WAIT_MS, wait_until_idle

CONTROL = Qt.KeyboardModifier.ControlModifier


def long_chat(turns: int = 60) -> Conversation:
    chat = Conversation(title="Long")
    for number in range(turns):
        chat.add("user", f"question {number}")
        needle = "a **needle** here" if number in (3, 40, 59) else "hay"
        chat.add("assistant", f"answer {number}\n\n{needle}\n\n" * 2, facts=AnswerFacts(reason="eos"))
    return chat


def visible(program: Program, turn: int) -> bool:
    transcript = program.window.page.transcript
    views = transcript.views_of(turn)
    if views is None:
        return False
    top = views[1].mapTo(transcript.viewport(), views[1].rect().topLeft()).y()
    return -views[1].height() < top < transcript.viewport().height()


def test_find_goes_from_hit_to_hit_and_back_to_old_turns(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    program.chat.show(long_chat())
    page = program.window.page
    qtbot.waitUntil(program.window.isActiveWindow, timeout=WAIT_MS)
    qtbot.keyClick(program.window, Qt.Key.Key_F, CONTROL)
    assert page.find_bar.isVisible()
    qtbot.keyClicks(page.find_bar.edit, "Needle")
    qtbot.waitUntil(lambda: page.find_bar.count.text() == "6 of 6", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: visible(program, 59), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(page.transcript.answers[-1].body.extraSelections()) == 2, timeout=WAIT_MS)
    qtbot.keyClick(page.find_bar.edit, Qt.Key.Key_Return)
    assert page.find_bar.count.text() == "1 of 6"
    qtbot.waitUntil(lambda: visible(program, 3), timeout=WAIT_MS)
    qtbot.keyClick(page.find_bar.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert page.find_bar.count.text() == "6 of 6"
    page.find_bar.edit.setText("nothing like it")
    qtbot.waitUntil(lambda: page.find_bar.count.text() == "Not found", timeout=WAIT_MS)
    qtbot.keyClick(page.find_bar.edit, Qt.Key.Key_Escape)
    assert not page.find_bar.isVisible()
    assert not any(view.body.extraSelections() for view in page.transcript.answers)


def test_conversations_are_put_into_folders(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    listing = program.window.page.listing
    for name in ("Apples", "Pears"):
        program.window.new_chat()
        say(program, qtbot, name)
    qtbot.waitUntil(lambda: titles(program) == ["Pears", "Apples"], timeout=WAIT_MS)
    apples = listing.summaries()[1]
    listing.moved.emit(apples.id, "Fruit & more")
    qtbot.waitUntil(lambda: titles(program) == ["Apples", "Pears"], timeout=WAIT_MS)
    assert listing.list.count() == 4
    spoken = listing.list.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Folder Fruit & more (1), open"
    place = listing.list.visualItemRect(listing.list.item(0)).center()
    qtbot.mouseClick(listing.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert titles(program) == ["Pears"]
    qtbot.mouseClick(listing.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    listing.moved.emit(apples.id, "")
    qtbot.waitUntil(lambda: listing.list.count() == 2, timeout=WAIT_MS)
    click_on(program, qtbot, "Apples")
    qtbot.waitUntil(lambda: program.chat.turns[0].question == "Apples", timeout=WAIT_MS)


def test_every_shortcut_is_in_the_list(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    qtbot.waitUntil(program.window.isActiveWindow, timeout=WAIT_MS)
    qtbot.keyClick(program.window, Qt.Key.Key_F1)
    dialog = program.window.findChildren(ShortcutsDialog)[0]
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    made = {shortcut.key().toString() for shortcut in program.window.findChildren(QShortcut)
            if shortcut.parent() is program.window}
    assert len(made) >= 19
    assert made <= shown
    assert QKeySequence("Return").toString() in shown
    dialog.close()


def test_control_q_ends_the_program(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    qtbot.waitUntil(program.window.isActiveWindow, timeout=WAIT_MS)
    with qtbot.waitSignal(program.window.closing, timeout=WAIT_MS):
        qtbot.keyClick(program.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    assert not program.window.isVisible()


def test_everything_that_can_be_pressed_has_a_name(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    say(program, qtbot, "Hello")
    page = program.window.page
    nameless = [
        widget for kind in (QAbstractButton, QLineEdit, QListWidget) for widget in page.findChildren(kind)
        if widget.isVisible() and not widget.accessibleName() and not getattr(widget, "text", str)()
        and not widget.objectName().startswith("qt_")
    ]
    assert nameless == []


def test_the_end_of_an_answer_is_announced(
    make_program: MakeProgram, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def tell(event: QAccessibleAnnouncementEvent) -> None:
        told.append(event.message())

    fake = SimpleNamespace(isActive=lambda: True, updateAccessibility=tell,
                           AnnouncementPoliteness=QAccessible.AnnouncementPoliteness)
    monkeypatch.setattr(message_view, "QAccessible", fake)
    program = make_program("--chunks", "2")
    say(program, qtbot, "Hello")
    wait_until_idle(program, qtbot)
    assert told == ["Answer finished. word0 word1 word2 word3 "]


@pytest.mark.parametrize("preedit", [
    ["d", "dd", "đ", "điê", "điện"], ["d9", "đ", "đie6n", "điện"], ["n", "ni", "ni'h", "nihao"],
    ["に", "にh", "にほn", "日本"],
])
def test_enter_within_a_composition_never_sends(make_program: MakeProgram, qtbot: QtBot, preedit: list[str]) -> None:
    """Telex, VNI, pinyin, kana."""
    program = make_program(load=False)
    edit = program.window.page.composer.edit
    sent: list[str] = []
    program.window.page.composer.send_requested.disconnect()
    program.window.page.composer.send_requested.connect(sent.append)
    edit.setFocus()
    for text in preedit:
        QApplication.sendEvent(edit, QInputMethodEvent(text, []))
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert sent == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString(preedit[-1])
    QApplication.sendEvent(edit, commit)
    assert edit.toPlainText() == preedit[-1]
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert sent == [preedit[-1]]
