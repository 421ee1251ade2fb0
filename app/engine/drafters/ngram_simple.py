"""Drafting by lookup: what followed the last n tokens when they last stood in the context.

Prompt lookup decoding (Saxena 2023, github.com/apoorvumang/prompt-lookup-decoding); the parameters are those of
llama.cpp's ``ngram-simple``.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.engine.drafters.interface import Draft, Drafter, Kept, Policy
from app.methods import Method


class NgramSimpleDrafter:
    """Looks up the last ``n`` tokens and copies up to ``m`` that followed them."""

    def __init__(self, n: int, m: int) -> None:
        self.name = "ngram-simple"
        self._n = n
        self._m = m
        self._followed: dict[tuple[int, ...], int] = {}
        self._indexed = 0

    def begin(self, prompt: Sequence[int]) -> None:
        self._followed.clear()
        self._indexed = self._n

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        draft = Draft(self.name)
        self._index(context)
        at = self._followed.get(tuple(context[-self._n :]))
        if at is None:
            return draft
        for token in context[at : at + self._m]:
            if not (policy.go_on() and policy.take(1.0)):
                break
            draft.tokens.append(token)
            draft.confidences.append(1.0)
        return draft

    def _index(self, context: Sequence[int]) -> None:
        """Note where each n-gram was last followed by something."""
        n = self._n
        for end in range(self._indexed, len(context)):
            self._followed[tuple(context[end - n : end])] = end
        self._indexed = max(self._indexed, len(context))


def make(method: Method, _kept: Kept) -> tuple[Drafter, int]:
    """The drafter of ``method``, and the most tokens of its drafts."""
    return NgramSimpleDrafter(method.integer("n"), method.integer("m")), method.integer("m")
