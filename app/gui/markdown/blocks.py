"""Markdown cut into blocks that are finished and a tail that may still change.

A finished block is rendered once; only the tail is parsed and rendered again while an answer arrives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from app.gui.markdown.maths import add_math

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# markdown-it counts lines after making each of these a newline.
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Block:
    """A top-level block, or one item of a top-level list.

    ``tokens`` is the block's part of the token stream, with its own opening and closing token. ``start`` and ``end``
    are character offsets into the parsed text, ``line_starts`` the offset of every line of that text.
    """

    tokens: list[Token]
    start: int
    end: int
    line_starts: list[int]

    @property
    def is_fence(self) -> bool:
        return self.tokens[0].type == "fence"


@lru_cache(maxsize=1)
def make_parser() -> MarkdownIt:
    """CommonMark with tables, strikethrough and formulas; raw HTML stays text. One for all: parsing changes nothing."""
    # Not at the top: a window without a chat needs no parser.
    from markdown_it import MarkdownIt

    return add_math(MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]))


def split_blocks(parser: MarkdownIt, text: str) -> list[Block]:
    """Blocks of ``text`` in order. All but the last are finished, whatever is appended to ``text``.

    The items of a top-level list count as blocks, since a list can be as long as an answer.
    """
    tokens = parser.parse(text)
    line_starts = _line_starts(text)
    pieces: list[tuple[int, list[Token]]] = []
    index = 0
    while index < len(tokens):
        end = _closing(tokens, index)
        token = tokens[index]
        if token.type in ("bullet_list_open", "ordered_list_open"):
            pieces += _items(tokens, index, end)
        else:
            pieces.append((_first_line(token), tokens[index : end + 1]))
        index = end + 1
    starts = [_offset(line_starts, line, len(text)) for line, _ in pieces] + [len(text)]
    return [Block(part, starts[i], starts[i + 1], line_starts) for i, (_, part) in enumerate(pieces)]


def _items(tokens: list[Token], start: int, end: int) -> list[tuple[int, list[Token]]]:
    from markdown_it.token import Token

    opening, closing = tokens[start], tokens[end]
    first = int(opening.attrGet("start") or 1)
    items = []
    index, number = start + 1, 0
    while index < end:
        last = _closing(tokens, index)
        head = Token(opening.type, opening.tag, opening.nesting, attrs={"start": first + number}, level=opening.level,
                     markup=opening.markup, map=tokens[index].map)
        items.append((_first_line(tokens[index]), [head, *tokens[index : last + 1], closing]))
        index, number = last + 1, number + 1
    return items


def _closing(tokens: list[Token], start: int) -> int:
    depth = 0
    for index in range(start, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1


def _first_line(token: Token) -> int:
    return token.map[0] if token.map else 0


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def _offset(line_starts: list[int], line: int, length: int) -> int:
    return line_starts[line] if line < len(line_starts) else length
