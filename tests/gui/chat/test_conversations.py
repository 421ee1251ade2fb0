"""Conversations through the real window, with a scripted worker and a real file."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psutil
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from app.chat.conversation import AnswerFacts, Conversation
from app.chat.store import Store
from app.gui.program import Program
from app.paths import data_dir
from tests.gui.conftest import MakeProgram
from tests.gui.window.test_main_window import WAIT_MS, ask, shown_text, wait_for_text, wait_until_idle


def titles(program: Program) -> list[str]:
    return [summary.title for summary in program.window.page.listing.summaries()]


def click_on(program: Program, qtbot: QtBot, title: str) -> None:
    listing = program.window.page.listing.list
    row = titles(program).index(title)
    place = listing.visualItemRect(listing.item(row)).center()
    qtbot.mouseClick(listing.viewport(), Qt.MouseButton.LeftButton, pos=place)


def say(program: Program, qtbot: QtBot, text: str) -> None:
    ask(program, qtbot, text)
    wait_until_idle(program, qtbot)


def test_chats_are_listed_and_come_back_whole(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "5")
    say(program, qtbot, "First question")
    program.window.new_chat()
    assert program.chat.turns == []
    say(program, qtbot, "Second question")
    qtbot.waitUntil(lambda: titles(program) == ["Second question", "First question"], timeout=WAIT_MS)
    click_on(program, qtbot, "First question")
    qtbot.waitUntil(lambda: [t.question for t in program.chat.turns] == ["First question"], timeout=WAIT_MS)
    assert "word9" in shown_text(program)
    line = program.window.page.transcript.answers[0].figures.text()
    assert "10 tokens" in line
    assert "40.0 tokens/s" in line
    say(program, qtbot, "And then?")
    program.window.close()
    again = make_program("--chunks", "5", load=False)
    qtbot.waitUntil(lambda: len(titles(again)) == 2, timeout=WAIT_MS)
    click_on(again, qtbot, "First question")
    qtbot.waitUntil(lambda: len(again.chat.turns) == 2, timeout=WAIT_MS)
    assert [turn.question for turn in again.chat.turns] == ["First question", "And then?"]


def test_another_answer_is_a_page_of_its_own(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "5")
    say(program, qtbot, "Question")
    first_id = program.chat.turns[0].answer_id
    qtbot.mouseClick(program.window.page.transcript.answers[0].again, Qt.MouseButton.LeftButton)
    wait_until_idle(program, qtbot)
    assert len(program.chat.turns) == 1
    view = program.window.page.transcript.answers[0]
    assert view.pager._label.text() == "2 of 2"
    qtbot.mouseClick(view.pager.back, Qt.MouseButton.LeftButton)
    assert program.chat.turns[0].answer_id == first_id
    assert program.window.page.transcript.answers[0].pager._label.text() == "1 of 2"


def test_editing_a_question_keeps_the_old_one(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "5")
    edit = program.window.page.composer.edit
    say(program, qtbot, "Old question")
    say(program, qtbot, "Follow-up")
    qtbot.mouseClick(program.window.page.transcript.questions[0].edit, Qt.MouseButton.LeftButton)
    assert edit.toPlainText() == "Old question"
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert edit.toPlainText() == ""
    qtbot.mouseClick(program.window.page.transcript.questions[0].edit, Qt.MouseButton.LeftButton)
    edit.selectAll()
    say(program, qtbot, "New question")
    assert [turn.question for turn in program.chat.turns] == ["New question"]
    pager = program.window.page.transcript.questions[0].pager
    assert pager._label.text() == "2 of 2"
    qtbot.mouseClick(pager.back, Qt.MouseButton.LeftButton)
    assert [turn.question for turn in program.chat.turns] == ["Old question", "Follow-up"]


def test_arrow_up_edits_the_last_message(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    edit = program.window.page.composer.edit
    say(program, qtbot, "My question")
    qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == "My question"
    assert program.window.page.composer.cancel_edit.isVisible()


def test_switching_mid_answer_keeps_what_was_written(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "300", "--delay-s", "0.02")
    ask(program, qtbot, "Long")
    wait_for_text(program, qtbot, "word9")
    program.window.new_chat()
    assert not program.chat.is_answering
    ask(program, qtbot, "Other")
    wait_for_text(program, qtbot, "word3")
    program.chat.stop()
    wait_until_idle(program, qtbot)
    assert shown_text(program).startswith("word0 word1")
    qtbot.waitUntil(lambda: titles(program) == ["Other", "Long"], timeout=WAIT_MS)
    click_on(program, qtbot, "Long")
    qtbot.waitUntil(lambda: program.chat.turns[0].question == "Long", timeout=WAIT_MS)
    assert "word9" in shown_text(program)
    assert "stopped" in program.window.page.transcript.answers[0].figures.text()


def test_deleting_asks_and_can_be_undone(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    listing = program.window.page.listing
    say(program, qtbot, "Precious")
    qtbot.waitUntil(lambda: titles(program) == ["Precious"], timeout=WAIT_MS)
    qtbot.keyClick(program.window, Qt.Key.Key_Backspace)
    qtbot.keyClick(listing.list, Qt.Key.Key_Backspace)
    assert program.window.findChildren(QMessageBox) == []
    listing.show_current(program.chat.conversation.id)
    qtbot.keyClick(listing.list, Qt.Key.Key_Delete)
    box = program.window.findChildren(QMessageBox)[0]
    delete = next(b for b in box.buttons() if b.text() == "Delete")
    qtbot.mouseClick(delete, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: titles(program) == [], timeout=WAIT_MS)
    assert program.chat.turns == []
    qtbot.mouseClick(listing.undo, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: titles(program) == ["Precious"], timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(program.chat.turns) == 1, timeout=WAIT_MS)


def test_search_finds_what_was_said(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    say(program, qtbot, "About zebras")
    program.window.new_chat()
    say(program, qtbot, "About lions")
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(program.window, Qt.Key.Key_F, both)
    qtbot.keyClicks(program.window.page.listing.search, "zebr")
    qtbot.waitUntil(lambda: titles(program) == ["About zebras"], timeout=WAIT_MS)
    program.window.page.listing.search.setText("nothing like it")
    qtbot.waitUntil(program.window.page.listing.empty.isVisible, timeout=WAIT_MS)
    assert "Nothing found" in program.window.page.listing.empty.text()


def test_unsent_text_is_kept(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    edit = program.window.page.composer.edit
    say(program, qtbot, "Sent")
    qtbot.keyClicks(edit, "half a thou")
    program.window.new_chat()
    assert edit.toPlainText() == ""
    qtbot.waitUntil(lambda: titles(program) == ["Sent"], timeout=WAIT_MS)
    click_on(program, qtbot, "Sent")
    qtbot.waitUntil(lambda: edit.toPlainText() == "half a thou", timeout=WAIT_MS)
    program.window.close()
    again = make_program("--chunks", "3", load=False)
    qtbot.waitUntil(lambda: again.window.page.composer.edit.toPlainText() == "half a thou", timeout=WAIT_MS)


def test_a_long_chat_is_made_in_parts(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    chat = Conversation(title="Long")
    for number in range(100):
        chat.add("user", f"question {number}")
        chat.add("assistant", f"answer {number}\n\n" * 4, facts=AnswerFacts(reason="eos"))
    program.chat.show(chat)
    transcript = program.window.page.transcript
    assert len(transcript.answers) < 20
    bar = transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum(), timeout=WAIT_MS)
    qtbot.wait(200)
    first = transcript.answers[0]
    before = len(transcript.answers)
    bar.setValue(100)
    at = first.mapTo(transcript.viewport(), first.rect().topLeft()).y()
    qtbot.waitUntil(lambda: len(transcript.answers) > before, timeout=WAIT_MS)
    qtbot.wait(200)
    assert abs(first.mapTo(transcript.viewport(), first.rect().topLeft()).y() - at) <= 2
    for _ in range(40):
        bar.setValue(0)
        qtbot.wait(100)
        if len(transcript.answers) == 100:
            break
    assert [view.answer.text[:9] for view in transcript.answers[:2]] == ["answer 0\n", "answer 1\n"]


def test_a_file_that_cannot_be_opened_is_said_and_the_chat_works(
    make_program: MakeProgram, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "slipstream").write_text("in the way")
    program = make_program("--chunks", "3")
    qtbot.waitUntil(program.window.page.problem_banner.isVisible, timeout=WAIT_MS)
    say(program, qtbot, "Hello")
    assert "word5" in shown_text(program)


def test_a_killed_window_loses_half_a_second_at_most(tmp_path: Path) -> None:
    environment = dict(os.environ) | {
        "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "SLIPSTREAM_MODELS": str(tmp_path),
    }
    driven = Path(__file__).resolve().parents[1] / "driven_window.py"
    state = tmp_path / "state.json"
    window = subprocess.Popen(
        [sys.executable, str(driven), "--ask", "A question", str(state), "--chunks", "2000", "--delay-s", "0.02"],
        env=environment,
    )
    path = tmp_path / "slipstream" / "conversations.db"
    end = time.monotonic() + 30
    while time.monotonic() < end and not _answer_length(path):
        time.sleep(0.05)
    time.sleep(1.0)
    length = _answer_length(path)
    children = psutil.Process(window.pid).children()
    os.kill(window.pid, signal.SIGKILL)
    window.wait()
    psutil.wait_procs(children, timeout=5)
    assert length > 0
    store = Store(path)
    assert store.check() == "ok"
    chat = store.load(store.summaries()[0].id)
    assert chat is not None
    question, answer = chat.path()
    assert question.content == "A question"
    assert len(answer.content) >= length
    store.close()


def _answer_length(path: Path) -> int:
    if not path.exists():
        return 0
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)
    try:
        row = db.execute("SELECT max(length(content)) FROM nodes WHERE role = 'assistant'").fetchone()
    except sqlite3.OperationalError:
        return 0
    finally:
        db.close()
    return int(row[0] or 0)


def test_data_lives_in_the_data_folder(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    say(program, qtbot, "Hello")
    qtbot.waitUntil(lambda: (data_dir() / "conversations.db").is_file(), timeout=WAIT_MS)


def test_a_whole_conversation_is_copied_from_its_menu(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    say(program, qtbot, "One")
    say(program, qtbot, "Two")
    listing = program.window.page.listing
    qtbot.waitUntil(lambda: titles(program) == ["One"], timeout=WAIT_MS)
    listing.list.customContextMenuRequested.emit(listing.list.visualItemRect(listing.list.item(0)).center())
    menu = listing.findChild(QMenu)
    assert menu is not None
    QGuiApplication.clipboard().clear()
    next(action for action in menu.actions() if action.text() == "Copy as Markdown").trigger()
    menu.close()
    qtbot.waitUntil(lambda: "Two" in QGuiApplication.clipboard().text(), timeout=WAIT_MS)
    text = QGuiApplication.clipboard().text()
    assert text.index("One") < text.index("Two")
    assert text.count(program.window.page.transcript.answers[0].answer.text.strip()) == 2
