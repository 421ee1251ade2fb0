"""Whatever is said below the window has its Vietnamese words, and travels as template and values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from app.gui.words.messages import localise
from app.sentences import Sentence
from devtools import translations

ROOT = Path(__file__).resolve().parents[3]
APP = ROOT / "app"
LAYERS = ("client", "worker", "engine", "models", "chat", "compare", "settings")
FILES = sorted(path for layer in LAYERS for path in (APP / layer).rglob("*.py"))
ENGLISH = {
    # a report that is written as Markdown, in English
    "The best fixed setting is chosen on odd repeats and scored on even ones: that takes two repeats.",
}


def calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == name:
            yield node


def plain_words_of(error: ast.Call) -> Iterator[str]:
    """Words of a ``SlipstreamError`` that no ``say`` gives a template."""
    said = {id(part) for call in calls(error, "say") for part in ast.walk(call)}
    for argument in error.args[1:]:
        for node in ast.walk(argument):
            if id(node) in said:
                continue
            if isinstance(node, ast.JoinedStr):
                yield ast.unparse(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) > 2:
                yield node.value


def test_every_template_has_a_translation(vietnamese: None) -> None:
    said = translations.find_said(ROOT)
    assert len(said) > 400
    assert [text for text in said if localise(Sentence(text)) == text] == []


def test_lupdate_is_given_what_is_written_in_the_source() -> None:
    known = translations.texts_of(translations.source_file(ROOT, "vi"))
    assert {(translations.CONTEXT, text) for text in translations.find_said(ROOT)} <= known


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(APP)))
def test_errors_are_said_by_template(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wrong = {words for error in calls(tree, "SlipstreamError") for words in plain_words_of(error)}
    assert wrong - ENGLISH == set()


def test_an_error_in_plain_words_is_found() -> None:
    (error,) = calls(ast.parse('SlipstreamError(Code.FILE, f"It is {what}.", say("Do {this}.", this=f"{x}"))'),
                     "SlipstreamError")
    assert list(plain_words_of(error)) == ["f'It is {what}.'"]


@pytest.mark.parametrize("path", sorted(APP.rglob("*.py")), ids=lambda path: str(path.relative_to(APP)))
def test_every_place_has_a_value(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if "app.sentences import" not in text or path.name == "sentences.py":
        return
    for call in calls(ast.parse(text), "say"):
        if isinstance(call.func, ast.Name):
            (template,) = call.args
            assert isinstance(template, ast.Constant), ast.unparse(call)
            given = {keyword.arg for keyword in call.keywords}
            assert {name for _, name, _, _ in Formatter().parse(template.value) if name} == given
