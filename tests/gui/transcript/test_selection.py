"""Text selected over several messages with the mouse, as a person would, and what is copied of it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.chat.answer import Answer, AnswerState, ChatTurn
from app.gui.look.fitted_browser import FittedBrowser
from app.gui.look.theme import read_colours
from app.gui.transcript.transcript import Transcript


def made_turn(number: int) -> ChatTurn:
    answer = Answer()
    answer.text = f"Answer {number} begins.\n\nAnswer {number} ends."
    answer.state = AnswerState.DONE
    return ChatTurn(question=f"Question {number}?", answer=answer, question_id=f"q{number}", answer_id=f"a{number}")


@pytest.fixture
def transcript(qtbot: QtBot) -> Transcript:
    view = Transcript(read_colours("light"))
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    view.show_turns([made_turn(number) for number in range(1, 4)])
    QTest.qWait(150)
    return view


def mouse(kind: QEvent.Type, to: QWidget, at: QPoint, held: bool) -> None:
    """One event of the left button, as the window system sends it to the widget that has the mouse."""
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    event = QMouseEvent(kind, QPointF(at), QPointF(to.mapToGlobal(at)), none if kind is QEvent.Type.MouseMove else left,
                        left if held else none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(to, event)


def drag(start: FittedBrowser, from_character: int, end: FittedBrowser, to_character: int) -> None:
    holder = start.viewport()

    def place(text: FittedBrowser, character: int) -> QPoint:
        cursor = text.textCursor()
        cursor.setPosition(character)
        spot = text.cursorRect(cursor)
        return holder.mapFromGlobal(text.viewport().mapToGlobal(QPoint(spot.left(), spot.center().y())))

    first, last = place(start, from_character), place(end, to_character)
    mouse(QEvent.Type.MouseButtonPress, holder, first, True)
    for share in (0.3, 0.6, 1.0):
        at = first + QPoint(round((last - first).x() * share), round((last - first).y() * share))
        mouse(QEvent.Type.MouseMove, holder, at, True)
    mouse(QEvent.Type.MouseButtonRelease, holder, last, False)


def copied(text: FittedBrowser) -> str:
    QGuiApplication.clipboard().clear()
    text.setFocus()
    QTest.keySequence(text, QKeySequence(QKeySequence.StandardKey.Copy))
    return QGuiApplication.clipboard().text()


def selected(transcript: Transcript) -> list[str]:
    views = [part for pair in zip(transcript.questions, transcript.answers, strict=True) for part in pair]
    texts = [view.text if hasattr(view, "text") else view.body for view in views]
    return [text.textCursor().selectedText().replace("\u2029", "|") for text in texts]


def test_a_drag_selects_over_messages_and_copies_all(transcript: Transcript) -> None:
    drag(transcript.questions[0].text, 9, transcript.answers[1].body, 6)
    assert selected(transcript) == ["1?", "Answer 1 begins.|Answer 1 ends.", "Question 2?", "Answer", "", ""]
    words = "1?\n\nAnswer 1 begins.\nAnswer 1 ends.\n\nQuestion 2?\n\nAnswer"
    assert copied(transcript.questions[0].text) == words
    assert copied(transcript.answers[0].body) == words


def test_upwards_too(transcript: Transcript) -> None:
    drag(transcript.answers[1].body, 6, transcript.questions[1].text, 9)
    assert selected(transcript) == ["", "", "2?", "Answer", "", ""]
    assert copied(transcript.answers[1].body) == "2?\n\nAnswer"


def test_inside_one_message_it_is_that_ones_selection(transcript: Transcript) -> None:
    drag(transcript.answers[0].body, 0, transcript.answers[0].body, 6)
    assert selected(transcript) == ["", "Answer", "", "", "", ""]
    assert copied(transcript.answers[0].body) == "Answer"


def test_the_next_press_lets_go(transcript: Transcript) -> None:
    drag(transcript.questions[0].text, 0, transcript.answers[2].body, 6)
    drag(transcript.answers[1].body, 0, transcript.answers[1].body, 6)
    assert selected(transcript) == ["", "", "", "Answer", "", ""]
    assert copied(transcript.answers[1].body) == "Answer"


def test_coming_back_into_the_first_message_shrinks_it(transcript: Transcript) -> None:
    start = transcript.questions[1].text
    holder = start.viewport()
    below = holder.mapFromGlobal(transcript.answers[2].mapToGlobal(QPoint(30, 30)))
    mouse(QEvent.Type.MouseButtonPress, holder, QPoint(1, 5), True)
    mouse(QEvent.Type.MouseMove, holder, below, True)
    assert selected(transcript)[4] == "Question 3?"
    cursor = start.textCursor()
    cursor.setPosition(8)
    mouse(QEvent.Type.MouseMove, holder, start.cursorRect(cursor).center(), True)
    mouse(QEvent.Type.MouseButtonRelease, holder, start.cursorRect(cursor).center(), False)
    assert selected(transcript) == ["", "", "Question", "", "", ""]
    assert copied(start) == "Question"


def test_beyond_the_edge_it_scrolls(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.resize(700, 160)
    QTest.qWait(100)
    last = transcript.answers[2].body
    holder = last.viewport()
    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    mouse(QEvent.Type.MouseButtonPress, holder, QPoint(40, 5), True)
    above = holder.mapFromGlobal(transcript.viewport().mapToGlobal(QPoint(40, -50)))
    mouse(QEvent.Type.MouseMove, holder, above, True)
    qtbot.waitUntil(lambda: bar.value() == 0 and selected(transcript)[1] != "", timeout=10_000)
    mouse(QEvent.Type.MouseButtonRelease, holder, above, False)
    assert selected(transcript)[2:4] == ["Question 2?", "Answer 2 begins.|Answer 2 ends."]


def test_messages_that_go_take_their_part_along(transcript: Transcript) -> None:
    drag(transcript.questions[0].text, 0, transcript.answers[2].body, 6)
    transcript.show_turns(transcript.turns[:2])
    assert copied(transcript.answers[1].body).endswith("Question 2?\n\nAnswer 2 begins.\nAnswer 2 ends.")
