"""Source code in a theme's colours, by pygments' lexers; the lexer's name comes from a model and is not trusted."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from app.gui.look.theme import Colours

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

MAX_CHARACTERS = 1_500
"""Longer code is coloured piece by piece as it arrives, never as a whole."""


@lru_cache(maxsize=1)
def _fields() -> dict[_TokenType, str]:
    """Fields of the theme by kind of token."""
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    return {
        Comment: "code_comment",
        Keyword: "code_keyword",
        Operator.Word: "code_keyword",
        String: "code_string",
        Number: "code_number",
        Name.Function: "code_name",
        Name.Class: "code_name",
        Name.Decorator: "code_name",
        Name.Builtin: "code_name",
    }


@lru_cache(maxsize=32)
def find_lexer(language: str) -> Lexer | None:
    """The lexer called ``language``, or None."""
    if not language or len(language) > 40:
        return None
    # Not at the top: a window without code needs no lexers.
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def coloured(code: str, language: str, colours: Colours) -> list[tuple[str, str]]:
    """Parts of ``code`` with a colour value each ("" for plain text); joined they are ``code`` again."""
    lexer = find_lexer(language.lower())
    if lexer is None or len(code) > MAX_CHARACTERS:
        return [(code, "")]
    parts: list[tuple[str, str]] = []
    for kind, value in lexer.get_tokens(code):
        colour = _colour(kind, colours)
        # Spaces have no colour of their own, so they do not part what is equal around them.
        if parts and (parts[-1][1] == colour or value.isspace()):
            parts[-1] = (parts[-1][0] + value, parts[-1][1])
        else:
            parts.append((value, colour))
    if "".join(value for value, _ in parts) != code:
        return [(code, "")]
    return parts


def _colour(kind: _TokenType, colours: Colours) -> str:
    for ancestor in reversed(kind.split()):
        field = _fields().get(ancestor)
        if field is not None:
            return str(getattr(colours, field))
    return ""
