"""A sentence is its English text, and its template and values travel with it."""

from __future__ import annotations

import json
import pickle

import msgspec
import pytest

from app import protocol
from app.errors import Code, SlipstreamError
from app.protocol import Failed
from app.sentences import Sentence, as_record, as_text, joined, mapped, read, say, sentence_of


def said() -> Sentence:
    made = say("The file {name} is there: {reason}.", name="a{b}.gguf", reason=say("It has {count} parts", count=3))
    assert isinstance(made, Sentence)
    return made


def test_it_is_its_english_text() -> None:
    sentence = said()
    assert sentence == "The file a{b}.gguf is there: It has 3 parts."
    assert type(f"{sentence}") is str
    assert sentence.template == "The file {name} is there: {reason}."
    assert sentence.values["reason"] == "It has 3 parts"


def test_a_value_is_never_read_as_a_template() -> None:
    assert say("{a} and {b}", a="{b}", b="c") == "{b} and c"
    assert Sentence("C:\\{x}", {}) == "C:\\{x}"


def test_it_travels_over_the_protocol() -> None:
    event = Failed(request_id=1, code="file", message=said(), hint=say("Try again."))
    line = protocol.encode(event)
    assert json.loads(line)["hint"] == "Try again."
    back = protocol.decode_event(line)
    assert isinstance(back, Failed)
    assert back == event
    assert isinstance(back.message, Sentence)
    assert (back.message.template, back.message.values) == (said().template, said().values)
    inner = back.message.values["reason"]
    assert isinstance(inner, Sentence)
    assert inner.template == "It has {count} parts"


def test_plain_words_travel_as_before() -> None:
    line = b'{"type":"notice","request_id":3,"message":"Words of others."}'
    event = protocol.decode_event(line)
    assert event == protocol.Notice(request_id=3, message="Words of others.")
    assert protocol.encode(event) == (
        b'{"type":"notice","request_id":3,"message":"Words of others.","passing":false,"skippable":false}\n'
    )


@pytest.mark.parametrize("record", [
    3, {"template": "x"}, {"template": 1, "values": {}}, {"template": "x", "values": {"a": 1}},
])
def test_what_is_no_sentence_is_refused(record: object) -> None:
    with pytest.raises(ValueError, match="a text or a sentence"):
        sentence_of(record)
    line = json.dumps({"type": "notice", "request_id": 1, "message": record}).encode()
    with pytest.raises(protocol.ProtocolError):
        protocol.decode_event(line)


def test_files_for_people_hold_english() -> None:
    assert msgspec.json.encode({"a": said()}, enc_hook=as_text) == json.dumps(
        {"a": str(said())}, separators=(",", ":")).encode()


def test_joined_leaves_out_what_is_empty() -> None:
    both = joined([said(), "", "Plain."])
    assert both == f"{said()} Plain."
    assert sentence_of(as_record(both)) == both
    assert joined([]) == ""


def test_only_values_are_changed() -> None:
    assert mapped(said(), str.upper) == "The file A{B}.GGUF is there: It has 3 parts."
    assert mapped("plain", str.upper) == "PLAIN"


def test_it_survives_copying() -> None:
    back = pickle.loads(pickle.dumps(said()))
    assert (back, back.template, back.values) == (said(), said().template, said().values)


def test_an_error_says_both() -> None:
    error = SlipstreamError(Code.FILE, said(), say("Try again."))
    assert error.words == str(error) == f"{said()} Try again."
    assert isinstance(error.words, Sentence)


def test_only_sentences_are_hooked() -> None:
    for hook in (as_record, as_text):
        with pytest.raises(NotImplementedError):
            hook(object())
    with pytest.raises(NotImplementedError):
        read(int, 3)


def test_a_short_record_makes_no_endless_text() -> None:
    with pytest.raises(ValueError, match="too long"):
        sentence_of({"template": "{a}" * 10_000, "values": {"a": "x" * 1_000}})
