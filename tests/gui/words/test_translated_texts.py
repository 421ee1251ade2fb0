"""The Vietnamese texts fit their English ones: what is filled in, shortened and pressed stands in both."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from devtools import translations

ROOT = Path(__file__).resolve().parents[3]
MARKS = re.compile(r"\{\w*\}|%n|%\d|&(?=\w)")
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


def read_texts_of(path: Path) -> set[tuple[str, str]]:
    """Class or context, and text, of every ``tr``, ``translate`` and ``marked`` in a file."""
    found = set()

    def walk(node: ast.AST, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
                words = [a.value for a in child.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
                if name == "tr" and words:
                    found.add((owner, words[0]))
                elif name in ("translate", "_translate", "marked") and len(words) > 1:
                    found.add((words[0], words[1]))
            walk(child, child.name if isinstance(child, ast.ClassDef) else owner)

    walk(ast.parse(path.read_text(encoding="utf-8")), "")
    return found


def test_lupdate_has_seen_every_text() -> None:
    """It reads Python roughly: what stands within an f-string, for one, it passes over."""
    known = translations.texts_of(translations.source_file(ROOT, "vi"))
    wanted = {text for path in sorted((ROOT / "app" / "gui").rglob("*.py")) for text in read_texts_of(path)}
    assert len(wanted) > 800
    assert sorted(wanted - known) == []
