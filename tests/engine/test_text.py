"""Text of an answer as it streams: nothing broken, nothing of a stop text, nothing lost."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.engine.text import TextAssembler


def feed(assembler: TextAssembler, parts: list[bytes]) -> list[str]:
    """The text of each push, and of the end."""
    given_out = ["".join(piece.text for piece in assembler.push(part, drafted=False)) for part in parts]
    return [*given_out, "".join(piece.text for piece in assembler.finish())]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    borders = sorted({min(place, len(data)) for place in places} | {0, len(data)})
    return [data[a:b] for a, b in pairwise(borders)]


places = st.lists(st.integers(0, 60), max_size=20)


@given(text=st.text(max_size=25), places=places)
def test_characters_cut_anywhere_come_out_whole(text: str, places: list[int]) -> None:
    assembler = TextAssembler()
    out = feed(assembler, cut(text.encode(), places))
    assert "".join(out) == assembler.text == text
    assert all("�" not in part or "�" in text for part in out)


@given(data=st.binary(max_size=40), places=places)
def test_bytes_that_are_no_text_are_replaced_the_same_wherever_they_are_cut(data: bytes, places: list[int]) -> None:
    assembler = TextAssembler()
    feed(assembler, cut(data, places))
    assert assembler.text == data.decode("utf-8", "replace")


def test_an_unfinished_character_waits_and_is_replaced_at_the_end() -> None:
    assembler = TextAssembler()
    emoji = "🙂".encode()
    assert feed(assembler, [b"a" + emoji[:3]]) == ["a", "�"]
    assembler = TextAssembler()
    assert feed(assembler, [emoji[:1], emoji[1:3], emoji[3:]]) == ["", "", "🙂", ""]


@given(text=st.text("ab→", max_size=25), stop=st.text("ab→", min_size=1, max_size=4), places=places)
def test_a_stop_text_is_found_across_any_cut(text: str, stop: str, places: list[int]) -> None:
    assembler = TextAssembler([stop])
    out = feed(assembler, cut(text.encode(), places))
    before, found, _ = text.partition(stop)
    assert "".join(out) == assembler.text == before
    assert assembler.stopped == bool(found)


@given(text=st.text("abc", max_size=25), stops=st.lists(st.text("abc", max_size=4), max_size=4), places=places)
def test_several_stop_texts(text: str, stops: list[str], places: list[int]) -> None:
    assembler = TextAssembler(stops)
    feed(assembler, cut(text.encode(), places))
    real = [stop for stop in stops if stop]
    assert text.startswith(assembler.text)
    assert not any(stop in assembler.text for stop in real)
    assert assembler.stopped == any(stop in text for stop in real)
    if not assembler.stopped:
        assert assembler.text == text


@given(text=st.text("abc", max_size=25), stops=st.lists(st.text("abc", min_size=1, max_size=4), max_size=4),
       places=places)
def test_stop_texts_that_overlap_end_it_at_the_same_place_wherever_tokens_are_cut(
    text: str, stops: list[str], places: list[int]
) -> None:
    letters, parts = TextAssembler(stops), TextAssembler(stops)
    feed(letters, [letter.encode() for letter in text])
    feed(parts, cut(text.encode(), places))
    assert (parts.text, parts.stopped) == (letters.text, letters.stopped)


def test_of_two_stop_texts_the_one_that_is_complete_first_counts() -> None:
    for parts in ([b"xabcd"], [b"xabc", b"d"], [b"xa", b"bcd"]):
        assembler = TextAssembler(["abcd", "bc"])
        feed(assembler, parts)
        assert assembler.text == "xa"


@given(text=st.text("ab", max_size=20), stop=st.text("ab", min_size=1, max_size=3), places=places)
def test_nothing_is_held_back_that_cannot_become_a_stop_text(text: str, stop: str, places: list[int]) -> None:
    assembler = TextAssembler([stop])
    seen = ""
    for part in cut(text.encode(), places):
        seen += part.decode()
        assembler.push(part, drafted=False)
        if not assembler.stopped:
            held = seen[len(assembler.text) :]
            assert stop.startswith(held)


def test_pieces_keep_who_guessed_them_across_what_was_held() -> None:
    assembler = TextAssembler(["STOP"])
    assert assembler.push(b"ST", drafted=True) == []
    pieces = assembler.push(b"EP", drafted=False)
    assert [(piece.text, piece.drafted) for piece in pieces] == [("ST", True), ("EP", False)]


def test_nothing_after_a_stop_text() -> None:
    assembler = TextAssembler(["."])
    assert "".join(piece.text for piece in assembler.push(b"One. Two.", drafted=False)) == "One"
    assert assembler.push(b"Three", drafted=False) == []
    assert assembler.finish() == []
    assert (assembler.text, assembler.stopped) == ("One", True)
