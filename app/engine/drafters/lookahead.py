"""Drafting without any draft model or repeat: n-grams from Jacobi iteration by the target itself.

Lookahead decoding (Fu et al., 2402.02057) on one causal sequence. Behind the draft, each verify pass carries ``window``
guesses of later tokens. What the target says after each of them is the next pass's guess one place further on; along
that way, over passes, n-grams arise that the target itself holds for plausible. They go into a pool, and the one that
starts with the present token is the draft. The paper's window has n − 1 levels that do not see each other, and several
n-grams are verified side by side; both need a mask. Here a guess sees the draft and all guesses before it, one n-gram
is verified, and a pass has n − 1 + window rows more instead of (n − 1) · (window + candidates).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.backend import Logits
from app.engine.drafters.interface import Draft, Drafter, Kept, Policy
from app.methods import Method

POOLED_CONFIDENCE = 0.5
JACOBI_CONFIDENCE = 0.1

Trail = tuple[int, ...]
"""A guess, and before it the guesses of earlier passes that led to it, each one place further back; up to n tokens."""


@dataclass
class _Pass:
    """A draft for index ``position`` of the text on: ``drafted`` pooled tokens, then the window."""

    position: int
    draft: Draft
    drafted: int = 0


class LookaheadDrafter:
    """``n`` tokens make an n-gram; ``window`` guesses are iterated."""

    def __init__(self, n: int, window: int) -> None:
        self.name = "lookahead"
        self._n = n
        self._window = window
        self._pool: dict[int, Trail] = {}
        """The latest n-gram for each first token."""
        self._trails: list[Trail] = []
        self._pass: _Pass | None = None

    def begin(self, prompt: Sequence[int]) -> None:
        self._pool.clear()
        self._trails.clear()
        self._pass = None

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        self._leave_behind(context)
        draft = Draft(self.name, on_rows=self._learn)
        given = self._pass = _Pass(len(context), draft)
        for token in self._pool.get(context[-1], ())[1:]:
            if not (policy.go_on() and policy.take(POOLED_CONFIDENCE)):
                return draft
            _guess(draft, token, POOLED_CONFIDENCE)
            given.drafted += 1
        for index in range(self._window):
            if not (policy.go_on() and policy.take(JACOBI_CONFIDENCE)):
                break
            if index == len(self._trails):
                # the paper starts with random tokens of the prompt: what they are matters little
                self._trails.append((context[-1 - index % len(context)],))
            _guess(draft, self._trails[index][-1], JACOBI_CONFIDENCE)
        return draft

    def _leave_behind(self, context: Sequence[int]) -> None:
        """Drop the guesses of the window that became text."""
        if self._pass is not None:
            accepted = len(context) - self._pass.position - 1
            del self._trails[: max(0, accepted - self._pass.drafted)]

    def _learn(self, rows: Logits) -> None:
        """Take what the target says after each guess of the window for the next one, and collect whole n-grams."""
        given = self._pass
        if given is None:
            return
        said = [int(token) for token in rows[given.drafted + 1 :].argmax(axis=1)]
        for index, token in enumerate(said):
            trail = (*self._trails[index], token)[-self._n :]
            self._trails[index] = trail
            if len(trail) == self._n:
                self._pool[trail[0]] = trail


def _guess(draft: Draft, token: int, confidence: float) -> None:
    draft.tokens.append(token)
    draft.confidences.append(confidence)


def make(method: Method, _kept: Kept) -> tuple[Drafter, int]:
    """The drafter of ``method``, and the most tokens of its drafts."""
    n, window = method.integer("n"), method.integer("window")
    return LookaheadDrafter(n, window), n - 1 + window
