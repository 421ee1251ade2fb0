"""How full the context is, and what has to be left out so that there is room for an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.chat.conversation import Node

TOKENS_PER_MESSAGE = 8
"""What a chat template puts around a message, about."""
DEFAULT_TOKENS_PER_CHARACTER = 0.3
MARGIN = 0.03
WARN_SHARE = 0.8


@dataclass(frozen=True)
class Fit:
    """``left_out`` of the oldest messages do not fit; ``tokens`` is the estimate for what is kept."""

    left_out: int
    tokens: int


def tokens_per_character(path: Sequence[Node]) -> float:
    """Measured on the answers so far, whose tokens are known; texts in other scripts differ much."""
    counted = [(node.facts.tokens, len(node.content)) for node in path
               if node.facts is not None and node.facts.tokens > 0 and node.content]
    tokens, characters = sum(t for t, _ in counted), sum(c for _, c in counted)
    return tokens / characters if characters >= 200 else DEFAULT_TOKENS_PER_CHARACTER


def estimate_tokens(text: str, rate: float) -> int:
    return round(len(text) * rate) + TOKENS_PER_MESSAGE


def fit_messages(texts: Sequence[str], rate: float, ctx_tokens: int, answer_tokens: int) -> Fit:
    """How many of the oldest of ``texts`` (questions and answers in turn, the new question last) to leave out, in
    pairs, so that ``answer_tokens`` fit behind the rest. The new question is never left out."""
    return fit_sizes([estimate_tokens(text, rate) for text in texts], ctx_tokens, answer_tokens)


def fit_sizes(sizes: Sequence[int], ctx_tokens: int, answer_tokens: int) -> Fit:
    """The same for messages whose tokens are known."""
    room = ctx_tokens * (1 - MARGIN) - answer_tokens
    left_out, taken = 0, sum(sizes)
    while taken > room and left_out + 2 < len(sizes):
        taken -= sum(sizes[left_out : left_out + 2])
        left_out += 2
    return Fit(left_out, taken)


def answer_reserve(max_tokens: int, ctx_tokens: int) -> int:
    """Tokens kept free for an answer: what it may have, but a quarter of the context at most."""
    return min(max_tokens, ctx_tokens // 4)
