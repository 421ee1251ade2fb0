"""The Vietnamese texts fit their English ones: what is filled in, shortened and pressed stands in both."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from devtools import translations

ROOT = Path(__file__).resolve().parent.parent.parent
MARKS = re.compile(r"\{\w*\}|%n|%\d|&\w")
KEYS = re.compile(r"(?:Ctrl|Shift|Alt)\+[\w+,]+|\bEsc\b|\bEnter\b")
PATTERNS = re.compile(r"\*\.\w+|https?://|HF_\w+|--\w+")
"""File patterns and names that a computer reads."""


def read_pairs() -> list[tuple[str, str, str]]:
    """Context, English and Vietnamese of every text."""
    root = Xml.parse(translations.source_file(ROOT, "vi")).getroot()
    return [
        (context.findtext("name", ""), message.findtext("source", ""), message.findtext("translation", ""))
        for context in root.findall("context") for message in context.findall("message")
    ]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, str, str]]:
    found = read_pairs()
    assert len(found) > 800
    return found


@pytest.mark.parametrize("parts", [MARKS, KEYS, PATTERNS], ids=["placeholders", "keys", "names"])
def test_both_hold_the_same(pairs: list[tuple[str, str, str]], parts: re.Pattern[str]) -> None:
    wrong = [pair for pair in pairs if sorted(parts.findall(pair[1])) != sorted(parts.findall(pair[2]))]
    assert wrong == []


def test_both_begin_and_end_alike(pairs: list[tuple[str, str, str]]) -> None:
    def edges(text: str) -> tuple[str, str, str]:
        inner = text.strip()
        mark = inner[-1:] if inner[-1:] in ".…:?!" else ""
        return text[: len(text) - len(text.lstrip())], mark, text[len(text.rstrip()):]

    assert [pair for pair in pairs if edges(pair[1]) != edges(pair[2])] == []


def test_one_text_has_one_translation_in_a_context(pairs: list[tuple[str, str, str]]) -> None:
    known: dict[tuple[str, str], set[str]] = {}
    for context, source, text in pairs:
        known.setdefault((context, source), set()).add(text)
    assert [key for key, texts in known.items() if len(texts) > 1] == []
