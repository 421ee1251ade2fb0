"""Whatever is said below the window has its Vietnamese words: the program's own source is searched for sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from app.gui.words.messages import localise

APP = Path(__file__).resolve().parents[3] / "app"
LAYERS = ("client", "worker", "engine", "models", "chat", "helper", "compare")
NOT_SHOWN = {
    # a mistake of the program, which only a developer meets
    "An estimate is made only where no model is loaded.", "Ask a worker of its own.",
    # the worker for servers elsewhere, whose sentences have no Vietnamese words yet
    "A server elsewhere cannot be asked that.", "Use a model on this computer for it.",
    "A server elsewhere has its own draft, if any.", "Choose the draft where the server is started.",
    # reports that are written as Markdown, in English
    "Prompts 7 of `7`, SHA-256 `7`.",
    "The best fixed setting is chosen on odd repeats and scored on even ones: that takes two repeats.",
    "Each prompt was read once for all methods, so times to the first token tell nothing.",
}
PUT_TOGETHER = {
    "The server at 7 refused the key7.": ("The server at 7 refused the key.", "The server at 7 refused the key: “7”."),
    "At 7 there is no OpenAI-compatible server, or not this model7.": (
        "At 7 there is no OpenAI-compatible server, or not this model.",
        "At 7 there is no OpenAI-compatible server, or not this model: “7”.",
    ),
    "The server at 7 is busy7.": ("The server at 7 is busy.", "The server at 7 is busy: “7”."),
    "The file 7 7.": (
        "The file 7 is damaged.", "The file 7 is no file of n-gram statistics.",
        "The file 7 holds n-grams that cannot be from this model.",
    ),
    "The 7 puts a 7 token around every prompt and the 7 does not.": (
        "The target puts a 7 token around every prompt and the draft does not.",
        "The draft puts a 7 token around every prompt and the target does not.",
    ),
    "The file “7” has 7.": ("The file “7” has no vocabulary.",
                            "The file “7” has a tokenizer of the unknown kind “7”."),
    "Line 7 of “7” 7.": ("Line 7 of “7” has no messages.", "Line 7 of “7” has the id “7” of an earlier line."),
}
"""Sentences whose last part is words as well: all that they can become."""


def texts_of(path: Path) -> Iterator[str]:
    """Every string of a file that is sentences, with 7 for what is filled in; docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if re.match(r"[A-Z].*\s.*\s.*\.$", text, re.DOTALL):
            yield text


def test_every_sentence_is_known(vietnamese: None) -> None:
    found = {
        sentence
        for layer in LAYERS for path in sorted((APP / layer).rglob("*.py")) for text in texts_of(path)
        for sentence in re.split(r"(?<=[.!?])\s+", text)
    }
    assert len(found) > 300
    assert found >= NOT_SHOWN | set(PUT_TOGETHER), "an exception whose sentence is gone"
    wanted = found - NOT_SHOWN - set(PUT_TOGETHER) | {each for texts in PUT_TOGETHER.values() for each in texts}
    assert sorted(each for each in wanted if localise(each) == each) == []
