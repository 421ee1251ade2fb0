from __future__ import annotations

import msgspec
import pytest

from app.chat.conversation import ROOT, AnswerFacts, Conversation, Node, make_title


def test_questions_and_answers_form_a_path() -> None:
    chat = Conversation()
    assert chat.path() == []
    question = chat.add("user", "one?")
    answer = chat.add("assistant", "one.")
    assert [node.content for node in chat.path()] == ["one?", "one."]
    assert question.parent_id == ROOT
    assert answer.parent_id == question.id


def test_another_answer_is_a_sibling_and_nothing_is_lost() -> None:
    chat = Conversation()
    question = chat.add("user", "one?")
    first = chat.add("assistant", "first")
    chat.add("user", "two?")
    second = chat.add("assistant", "second", parent_id=question.id)
    assert [node.content for node in chat.path()] == ["one?", "second"]
    assert chat.siblings(first.id) == [first.id, second.id]
    chat.select(first.id)
    assert [node.content for node in chat.path()] == ["one?", "first", "two?"]
    assert len(chat) == 4


def test_an_edited_first_question() -> None:
    chat = Conversation()
    old = chat.add("user", "old?")
    chat.add("assistant", "old.")
    new = chat.add("user", "new?", parent_id=ROOT)
    assert [node.content for node in chat.path()] == ["new?"]
    assert chat.siblings(new.id) == [old.id, new.id]


def test_what_the_model_sees() -> None:
    chat = Conversation()
    chat.add("user", "one?")
    chat.add("assistant", "one.")
    chat.add("user", "lost?")
    lost = chat.add("assistant", "")
    last = chat.add("user", "two?")
    assert [m.content for m in chat.messages()] == ["one?", "one.", "two?"]
    assert [m.content for m in chat.messages(lost.id)] == ["one?", "one."]
    assert chat.leaf_id == last.id


def test_replacing_keeps_the_place() -> None:
    chat = Conversation()
    chat.add("user", "one?")
    answer = chat.add("assistant", "")
    grown = msgspec.structs.replace(answer, content="one.", facts=AnswerFacts(reason="eos"), parent_id="elsewhere")
    chat.replace(grown)
    assert chat.path()[-1].content == "one."
    assert chat.path()[-1].parent_id == answer.parent_id


def test_strangers_are_refused() -> None:
    chat = Conversation()
    with pytest.raises(KeyError):
        chat.add("user", "x", parent_id="nowhere")
    with pytest.raises(KeyError):
        chat.select("nowhere")
    node = chat.add("user", "x")
    with pytest.raises(KeyError):
        Conversation("c", "", [node, node])


def test_an_unknown_leaf_falls_back_to_the_latest_branch() -> None:
    nodes = [Node(id="a", parent_id=ROOT, role="user", content="a"),
             Node(id="b", parent_id="a", role="assistant", content="b")]
    assert Conversation("c", "", nodes, "gone").leaf_id == "b"


@pytest.mark.parametrize(("question", "title"), [
    ("Hello", "Hello"), ("\n\n  Two\nlines", "Two"), ("", ""), ("a\x00b", "ab"),
    ("word " * 30, "word word word word word word word word word word word word…"), ("x" * 100, "x" * 60 + "…"),
])
def test_titles(question: str, title: str) -> None:
    assert make_title(question) == title
