from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.chat.answer import Answer, ChatTurn
from app.gui.look.theme import read_colours
from app.gui.transcript.message_view import AnswerView
from app.protocol import Chunk
from app.records import Piece


def test_thinking_is_folded_and_the_answer_seen(qtbot: QtBot) -> None:
    answer = Answer()
    view = AnswerView(ChatTurn("q", answer), read_colours("light"), True)
    qtbot.addWidget(view)
    view.show()
    pieces = ["<thi", "nk>2 an", "d 2", "</think>", "\n\nIt is **", "four**."]
    for number, text in enumerate(pieces):
        answer.take(Chunk(request_id=1, pieces=[Piece(text=text, drafted=number == 5)], emitted_tokens=number + 1))
        view.refresh()
        assert "<thi" not in view.body.toPlainText()
    assert view.body.toPlainText() == "It is four."
    assert view.thinking.isVisible()
    assert not view.thinking.text.isVisible()
    view.thinking.button.click()
    assert view.thinking.text.isVisible()
    assert view.thinking.text.toPlainText() == "2 and 2"
    html = view.body.toHtml().lower()
    tinted = html[html.index(read_colours("light").drafted.lower()) :]
    assert "four" in tinted
    assert "it is" not in tinted
