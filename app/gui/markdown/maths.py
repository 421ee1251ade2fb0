r"""Formulas in Markdown: ``$…$``, ``$$…$$``, ``\(…\)`` and ``\[…\]``.

Prices stay text: a single dollar sign opens only before a character and closes only behind one, no letter or digit may
touch it from outside, and no digit may follow. As in LaTeX, no empty line stands within a formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.helper.messages import MOST_FORMULA_CHARACTERS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

INLINE, BLOCK, OPEN = "math_inline", "math_block", "math_open"
"""Token types. ``content`` is the LaTeX, ``markup`` its opening mark; ``math_open`` is a formula that may yet be
finished, and its ``content`` is all there is of it."""
_CLOSINGS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)", "$": "$"}


def add_math(parser: MarkdownIt) -> MarkdownIt:
    """Teach ``parser`` formulas; returns it."""
    parser.block.ruler.before("fence", BLOCK, _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.before("escape", INLINE, _inline)
    return parser


def closing_of(opening: str) -> str:
    return _CLOSINGS[opening]


def _inline(state: StateInline, silent: bool) -> bool:
    source, at = state.src, state.pos
    opening = next((mark for mark in ("$$", "$", "\\(", "\\[") if source.startswith(mark, at)), "")
    if not opening:
        return False
    begin = at + len(opening)
    end = _find_closing(source, begin, _CLOSINGS[opening])
    if end < 0 or (opening == "$" and not _is_formula(source, at, end)) or not source[begin:end].strip():
        return False
    if not silent:
        token = state.push(INLINE, "", 0)
        token.content, token.markup = source[begin:end], opening
    state.pos = end + len(_CLOSINGS[opening])
    return True


def _find_closing(source: str, begin: int, closing: str) -> int:
    end = begin
    last = min(len(source), begin + MOST_FORMULA_CHARACTERS)
    while (end := source.find(closing, end, last)) >= 0:
        backslashes = 0
        while source[end - 1 - backslashes] == "\\" and end - 1 - backslashes >= begin:
            backslashes += 1
        if backslashes % 2 == 0:
            return end
        end += 1
    return -1


def _is_formula(source: str, at: int, end: int) -> bool:
    before, after = source[at - 1 : at], source[end + 1 : end + 2]
    inside = source[at + 1 : end]
    if not inside or inside[0].isspace() or inside[-1].isspace():
        return False
    return not (before.isalnum() or before == "$" or after.isdigit() or after == "$")


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    first = _line(state, start)
    opening = first[:2]
    if opening not in ("$$", "\\["):
        return False
    lines: list[str] = []
    rest, line = first[2:], start
    while True:
        at = _find_closing(rest, 0, _CLOSINGS[opening])
        if at >= 0:
            break
        lines.append(rest)
        line += 1
        if line >= end:
            return _leave_open(state, start, line, opening, lines, silent)
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return False
        rest = _line(state, line)
    content = "\n".join([*lines, rest[:at]])
    if rest[at + 2 :].strip() or not content.strip() or len(content) > MOST_FORMULA_CHARACTERS:
        return False
    if not silent:
        _push(state, BLOCK, opening, content, start, line + 1)
    return True


def _leave_open(state: StateBlock, start: int, line: int, opening: str, lines: list[str], silent: bool) -> bool:
    """The text ends within the formula. It does not break into a paragraph before it is finished, since it may never
    be."""
    if silent or line < state.lineMax or state.level or sum(map(len, lines)) > MOST_FORMULA_CHARACTERS:
        return False
    _push(state, OPEN, opening, "\n".join([opening + lines[0], *lines[1:]]), start, line)
    return True


def _push(state: StateBlock, kind: str, opening: str, content: str, start: int, after: int) -> None:
    token = state.push(kind, "", 0)
    token.block = True
    token.content, token.markup, token.map = content, opening, [start, after]
    state.line = after


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
