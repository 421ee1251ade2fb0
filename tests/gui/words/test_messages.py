"""What is said below the window, in the window's language."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from app import protocol
from app.chat.answer import Answer, AnswerState
from app.chat.conversation import AnswerFacts, Node
from app.compare.interval import Estimate
from app.compare.verdict import Kind, _headline
from app.errors import Code, SlipstreamError
from app.gui.words import messages
from app.sentences import joined, say

LONG = say("The prompt has {count} tokens, but the context holds {room}.", count="9,000", room="4,096")


def test_in_english_all_stays_as_it_is(qapp: QApplication) -> None:
    for text in (LONG, "Something nobody has written down. No model is loaded."):
        assert messages.localise(text) == text


def test_values_go_into_their_places(vietnamese: None) -> None:
    assert messages.localise(LONG) == "Lời nhắc có 9,000 token, nhưng ngữ cảnh chỉ chứa được 4,096."


def test_sentences_within_sentences(vietnamese: None) -> None:
    text = joined(["Odd weather in v1.5.", say("The draft could not be loaded:"),
                   say("The model file {name} is not there.", name="x.gguf")])
    assert messages.localise(text) == f"Odd weather in v1.5. {messages.localise('The draft could not be loaded:')} " \
        + messages.localise(say("The model file {name} is not there.", name="x.gguf"))
    assert "is not there" not in messages.localise(text)


def test_a_plain_text_that_is_a_template_is_known(vietnamese: None) -> None:
    """So old files and the catalog, which hold English texts, are shown translated where no value is in them."""
    assert messages.localise("No model is loaded.") != "No model is loaded."
    assert messages.localise("") == ""
    assert messages.localise("Words of others.") == "Words of others."


def test_values_with_braces_and_backslashes(vietnamese: None) -> None:
    text = say("There is no file “{name}”.", name=r"C:\1\{x}.gguf")
    assert messages.localise(text) == r"Không có tệp “C:\1\{x}.gguf”."


def test_an_error_is_message_and_hint(vietnamese: None) -> None:
    error = SlipstreamError(Code.OUT_OF_MEMORY, say("The engine ran out of memory."), say("Check the folder."))
    assert messages.words_of(error) == "Bộ máy đã hết bộ nhớ. Hãy kiểm tra thư mục."


@pytest.mark.parametrize("kind", ["faster", "slower", "same", "undecided"])
def test_headlines_of_comparisons(vietnamese: None, kind: Kind) -> None:
    headline = _headline(kind, Estimate(factor=1.2, low=1.1, high=1.3))
    assert "times" in headline
    assert "times" not in messages.localise(headline)


def test_a_kept_answer_is_shown_translated(vietnamese: None) -> None:
    answer = Answer()
    answer.take(protocol.Notice(request_id=1, message=LONG))
    answer.take(protocol.Failed(request_id=1, code="busy", message=LONG, hint="Plain."))
    facts = answer.facts()
    assert (facts.notice, facts.failed_message, facts.failed_hint) == (str(LONG), str(LONG), "Plain.")
    back = Answer.from_node(Node(id="1", parent_id="", role="assistant", content="", facts=facts))
    assert back.state is AnswerState.FAILED
    assert back.failed is not None
    assert messages.localise(back.notices[-1]) == messages.localise(back.failed.message) == messages.localise(LONG)
    old = Node(id="1", parent_id="", role="assistant", content="", facts=AnswerFacts(notice=str(LONG)))
    assert Answer.from_node(old).notices == [LONG]


def test_signals_carry_templates_as_objects(qapp: QApplication) -> None:
    """As ``str`` Qt would copy the text alone."""

    class Teller(QObject):
        told = Signal(object)

    heard: list[str] = []
    teller = Teller()
    teller.told.connect(heard.append)
    teller.told.emit(LONG)
    assert heard[0] is LONG
