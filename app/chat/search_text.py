"""What a search compares: words, and pairs of characters of scripts that are written without spaces."""

from __future__ import annotations

import re

_SNIPPET = 90
_BEFORE = 24
_WORD = re.compile(r"\w+")
# Scripts written without spaces: one index holds whole runs of them, another their pairs of characters.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def is_unspaced(word: str) -> bool:
    return _UNSPACED.search(word) is not None


def pairs(text: str | None) -> str:
    """Every two neighbours, and the last one alone, of each run of a script without spaces: what the index holds."""
    made: list[str] = []
    for run in _UNSPACED.findall(text or ""):
        made += [run[i : i + 2] for i in range(len(run))]
    return " ".join(made)


def match_pairs(words: list[str]) -> str:
    """The question to that index: runs as phrases; a single character begins a pair or stands alone."""
    phrases = []
    for word in words:
        for run in _UNSPACED.findall(word):
            phrase = " ".join(run[i : i + 2] for i in range(len(run) - 1)) or run
            phrases.append(f'"{phrase}"' + ("*" if len(run) == 1 else ""))
    return " AND ".join(phrases)


def snippet(content: str, word: str) -> str:
    """Text around ``word``; from the beginning where it only matches without its accents."""
    at = max(0, content.lower().find(word.lower()) - _BEFORE)
    return ("…" if at else "") + " ".join(content[at : at + _SNIPPET].split())


def escape(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
