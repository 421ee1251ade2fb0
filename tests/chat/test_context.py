from __future__ import annotations

import pytest

from app.chat.context import (
    DEFAULT_TOKENS_PER_CHARACTER,
    answer_reserve,
    estimate_tokens,
    fit_messages,
    tokens_per_character,
)
from app.chat.conversation import AnswerFacts, Conversation


def test_the_rate_is_measured_on_answers() -> None:
    chat = Conversation()
    chat.add("user", "?")
    assert tokens_per_character(chat.path()) == DEFAULT_TOKENS_PER_CHARACTER
    chat.add("assistant", "x" * 1000, facts=AnswerFacts(tokens=500))
    assert tokens_per_character(chat.path()) == 0.5


def test_what_fits_stays() -> None:
    fit = fit_messages(["q" * 100, "a" * 100, "q" * 100], 1.0, 4096, 1024)
    assert fit.left_out == 0
    assert fit.tokens == 3 * estimate_tokens("q" * 100, 1.0)


@pytest.mark.parametrize(("turns", "left_out"), [(10, 0), (20, 12), (40, 52)])
def test_the_oldest_go_in_pairs(turns: int, left_out: int) -> None:
    texts = ["x" * 92] * (2 * turns + 1)
    fit = fit_messages(texts, 1.0, 4096, 1000)
    assert fit.left_out == left_out
    assert fit.tokens <= 4096 - 1000


def test_the_question_is_never_left_out() -> None:
    assert fit_messages(["x" * 9999], 1.0, 100, 50).left_out == 0
    assert fit_messages(["a", "b", "x" * 9999], 1.0, 100, 50).left_out == 2


def test_the_reserve_is_a_quarter_at_most() -> None:
    assert answer_reserve(2048, 4096) == 1024
    assert answer_reserve(100, 4096) == 100
