from __future__ import annotations

import pytest

from app.gui.look.theme import read_colours
from app.gui.markdown.code_colours import MAX_CHARACTERS, coloured, find_lexer

COLOURS = read_colours("light")
CODE = 'def func(x):  # why\n    return "a" + 1\n'


def colour_of(part: str, code: str = CODE, language: str = "python") -> str:
    return next(colour for text, colour in coloured(code, language, COLOURS) if part in text)


@pytest.mark.parametrize(("part", "field"), [
    ("def", "code_keyword"), ("func", "code_name"), ("# why", "code_comment"), ('"a"', "code_string"),
    ("1", "code_number"),
])
def test_what_is_what_has_its_colour(part: str, field: str) -> None:
    assert colour_of(part) == getattr(COLOURS, field)


@pytest.mark.parametrize("code", [CODE, "\n\n  x = 1", "x\r\ny\r\n", "'unfinished", "\tif a:\n", "phở = 'ơ'"])
@pytest.mark.parametrize("language", ["python", "Python", "c++", "no such language", ""])
def test_joined_it_is_the_code_again(code: str, language: str) -> None:
    assert "".join(text for text, _ in coloured(code, language, COLOURS)) == code


def test_unknown_languages_and_long_code_stay_plain() -> None:
    assert coloured(CODE, "klingon", COLOURS) == [(CODE, "")]
    long = "x = 1\n" * MAX_CHARACTERS
    assert coloured(long, "python", COLOURS) == [(long, "")]


def test_empty_lines_at_the_ends_take_no_colour_away() -> None:
    assert len(coloured("\n\nx = 1", "python", COLOURS)) > 1


def test_the_name_of_a_language_is_not_trusted() -> None:
    assert find_lexer("x" * 5000) is None
    assert find_lexer("../../etc/passwd") is None
    assert find_lexer("python") is not None
