"""What the engine, the models and the files say, in the window's language.

Below the window all is said in English, since logs, the command line and other programs hold it too. Here such a text
is recognised sentence by sentence among ``message_texts`` and put into the window's language; what is not known there
stays as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from app.errors import SlipstreamError
from app.gui.words.message_texts import TEXTS
from app.gui.words.message_texts_engine import ENGINE_TEXTS
from app.gui.words.message_texts_files import FILE_TEXTS

_translate = QCoreApplication.translate
_PLACE = re.compile(r"\{(\w+)\}")
_VALUE = r"(?:(?![.!?]\s).)+?"
"""What stands in a place: never the end of a sentence and the begin of the next."""
_SPACE = re.compile(r"\s+")
_END = re.compile(r"[.!?:](?=\s)")


def localise(text: str) -> str:
    """``text`` with every sentence that is known in the window's language."""
    known = _translate("Messages", TEXTS[0])
    return text if known == TEXTS[0] else _localise(text, known)


def localise_clauses(sentence: str) -> str:
    """The same for a sentence whose clauses stand between semicolons."""
    ending = "." if sentence.endswith(".") else ""
    return "; ".join(localise(clause) for clause in sentence.removesuffix(".").split("; ")) + ending


def words_of(error: SlipstreamError) -> str:
    """What happened and what to do."""
    return localise(f"{error.message} {error.hint}".strip())


@lru_cache(maxsize=256)
def _localise(text: str, _language: str) -> str:
    parts, at = [], 0
    while at < len(text):
        words, end = _take(text, at)
        space = _SPACE.match(text, end)
        at = space.end() if space is not None else end
        parts += [words, text[end:at]]
    return "".join(parts)


def _take(text: str, at: int) -> tuple[str, int]:
    """The next sentence of ``text`` in the window's language, or as it is, and where it ends."""
    for template, pattern in _patterns():
        found = pattern.match(text, at)
        if found is not None:
            return _fill(_translate("Messages", template), found), found.end()
    following = _END.search(text, at)
    end = following.end() if following is not None else len(text)
    return text[at:end], end


def _fill(words: str, found: re.Match[str]) -> str:
    return _PLACE.sub(lambda place: found[place[1]], words)


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Every text as a pattern, those with the most words of their own first."""
    made = []
    for template in (*TEXTS, *ENGINE_TEXTS, *FILE_TEXTS):
        pieces = _PLACE.split(template)
        words = [re.escape(piece) if index % 2 == 0 else f"(?P<{piece}>{_VALUE})" for index, piece in enumerate(pieces)]
        made.append((sum(map(len, pieces[::2])), template, re.compile("".join(words) + r"(?=\s|$)")))
    return [(template, pattern) for _, template, pattern in sorted(made, key=lambda each: -each[0])]
