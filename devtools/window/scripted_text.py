"""Long answers that no model wrote, for measurements."""

from __future__ import annotations

import random

_SENTENCE = "the draft model guesses tokens and a target checks them so text comes sooner than without it"


def make_text(tokens: int, seed: int = 1) -> list[str]:
    """Tokens of a long answer: paragraphs, lists, tables and code, about five characters each."""
    chance = random.Random(seed)
    words = _SENTENCE.split()
    made: list[str] = []
    while len(made) < tokens:
        kind = chance.choice(("paragraph", "paragraph", "list", "code", "table", "heading"))
        made += _KINDS[kind](chance, words)
    return made[:tokens]


def _paragraph(chance: random.Random, words: list[str]) -> list[str]:
    count = chance.randint(40, 120)
    return [*(f"{'**' if chance.random() < 0.03 else ''}{chance.choice(words)} " for _ in range(count)), ".\n\n"]


def _list(chance: random.Random, words: list[str]) -> list[str]:
    made: list[str] = []
    for _ in range(chance.randint(4, 30)):
        made += ["- ", *(f"{chance.choice(words)} " for _ in range(chance.randint(4, 20))), "\n"]
    return [*made, "\n"]


def _code(chance: random.Random, words: list[str]) -> list[str]:
    made = ["```", "python\n"]
    for _ in range(chance.randint(5, 120)):
        made += ["    ", chance.choice(words), " = ", "call(", f"{chance.randint(0, 99)}", ", 'text')", "  # note\n"]
    return [*made, "```\n\n"]


def _table(chance: random.Random, words: list[str]) -> list[str]:
    made = ["| a ", "| b |\n", "|---|---|\n"]
    for _ in range(chance.randint(3, 12)):
        made += ["| ", chance.choice(words), " | ", f"{chance.randint(0, 999)}", " |\n"]
    return [*made, "\n"]


def _heading(chance: random.Random, words: list[str]) -> list[str]:
    return ["## ", *(f"{chance.choice(words)} " for _ in range(4)), "\n\n"]


_KINDS = {"paragraph": _paragraph, "list": _list, "code": _code, "table": _table, "heading": _heading}


