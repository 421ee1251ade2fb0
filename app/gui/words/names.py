"""How a pair is called in one line."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication

from app.gui.words import figures

_NOISE = re.compile(r"[\s_-]+(GGUF|AWQ|GPTQ|Instruct)\b", re.IGNORECASE)


def plain_name(name: str) -> str:
    """A model's name without words on its form, which every name on the list has."""
    return _NOISE.sub("", figures.short_name(name)) or figures.short_name(name)


def shortened(draft: str, target: str) -> str:
    """``draft`` without the words that it shares with ``target`` at its beginning and end: "0.5B"."""
    ours, theirs = re.split(r"[\s_-]+", draft), re.split(r"[\s_-]+", target)
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start].lower() == theirs[start].lower():
        start += 1
    end = 0
    most = min(len(ours), len(theirs)) - start
    while end < most and ours[-1 - end].lower() == theirs[-1 - end].lower():
        end += 1
    rest = ours[start : len(ours) - end]
    return "-".join(rest) if start and rest else draft


def pair_title(target: str, draft: str, speed_up: float = 0.0) -> str:
    """"Qwen2.5-Coder 1.5B, drafted by 0.5B · 2.1×"; ``draft`` "" for none, ``speed_up`` 0 while unknown."""
    name = plain_name(target)
    if draft:
        words = QCoreApplication.translate("PairTitle", "{target}, drafted by {draft}")
        name = words.format(target=name, draft=shortened(plain_name(draft), name))
    if speed_up > 0:
        name += f" · {figures.gain(speed_up)}"
    return name
