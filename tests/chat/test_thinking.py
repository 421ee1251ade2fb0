from __future__ import annotations

import pytest

from app.chat.thinking import Parts, split_thinking


@pytest.mark.parametrize(("text", "parts"), [
    ("Plain answer", Parts("", "Plain answer", 0)),
    ("<think>hm</think>\n\nYes.", Parts("hm", "Yes.", 19)),
    ("\n<think>\nhm\n</think>Yes.", Parts("hm", "Yes.", 20)),
    ("hm, so\n</think>\nYes.", Parts("hm, so", "Yes.", 16)),
    ("<think>still at it", Parts("still at it", "", 18, is_thinking=True)),
    ("<think>still at it</thi", Parts("still at it", "", 23, is_thinking=True)),
    ("<thi", Parts("", "", 4)),
    ("<", Parts("", "", 1)),
    ("< 3 hearts", Parts("", "< 3 hearts", 0)),
    ("[THINK]a[/THINK]b", Parts("a", "b", 16)),
    ("<think></think>Yes.", Parts("", "Yes.", 15)),
    ("", Parts("", "", 0)),
])
def test_parts(text: str, parts: Parts) -> None:
    assert split_thinking(text) == parts


def test_however_it_is_cut_the_answer_is_never_hidden_for_good() -> None:
    text = "<think>first a < b, then [1]</think>\nThe answer is 4."
    for end in range(len(text) + 1):
        parts = split_thinking(text[:end])
        assert "<think" not in parts.answer
        assert parts.answer == text[parts.answer_at : end]
    assert split_thinking(text).answer == "The answer is 4."
