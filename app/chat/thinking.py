"""Thinking that a model writes before its answer, told apart from the answer itself, also while it is arriving."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENINGS = ("<think>", "<thinking>", "<reasoning>", "[THINK]")
_CLOSINGS = ("</think>", "</thinking>", "</reasoning>", "[/THINK]")
_OPENING = re.compile(r"\s*(<think>|<thinking>|<reasoning>|\[THINK\])", re.IGNORECASE)
_CLOSING = re.compile(r"(</think>|</thinking>|</reasoning>|\[/THINK\])\s*")


@dataclass(frozen=True)
class Parts:
    """``answer`` begins at ``answer_at`` in the whole text. ``is_thinking``: the thinking has not ended yet."""

    thinking: str
    answer: str
    answer_at: int
    is_thinking: bool = False


def split_thinking(text: str) -> Parts:
    """Cut ``text`` into thinking and answer.

    A missing opening tag is understood once the closing one comes (some templates put it into the prompt); a tag that
    has come in part is held back.
    """
    opening = _OPENING.match(text)
    start = opening.end() if opening else 0
    # A regular expression over a long answer costs a millisecond, thirty times a second.
    closing = _CLOSING.search(text, start) if any(tag in text for tag in _CLOSINGS) else None
    if closing is not None:
        return Parts(text[start : closing.start()].strip(), text[closing.end() :], closing.end())
    if opening is not None:
        return Parts(_without_partial_tag(text[start:]).strip(), "", len(text), is_thinking=True)
    if _may_become_opening(text):
        return Parts("", "", len(text))
    return Parts("", text, 0)


def _may_become_opening(text: str) -> bool:
    begun = text.lstrip().lower()
    return bool(begun) and any(opening.lower().startswith(begun) for opening in _OPENINGS)


def _without_partial_tag(text: str) -> str:
    at = max(text.rfind("<"), text.rfind("["))
    return text[:at] if at >= 0 and re.fullmatch(r"[<\[]/?\w*", text[at:]) else text
