"""How often guesses stand, as a function of what the drafter itself thought of them."""

from __future__ import annotations

from bisect import bisect_right

import msgspec

EDGES = (0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 0.995)
PRIOR_WEIGHT = 4.0
ANSWER_WEIGHT = 8.0
LONG_RUN_LIMIT = 400.0
ANSWER_LIMIT = 16.0
"""Older observations fade once a bin holds this many: soon within an answer, which may turn from prose to code."""


class Counts(msgspec.Struct, kw_only=True):
    """Guesses that stood, and all that were judged, in one bin of confidence."""

    stood: float = 0.0
    judged: float = 0.0

    def add(self, stood: bool, limit: float) -> None:
        if self.judged >= limit:
            keep = (limit - 1.0) / self.judged
            self.stood *= keep
            self.judged *= keep
        self.stood += stood
        self.judged += 1.0


class AcceptanceModel:
    """Calibrates confidences: first trusts them, then what was seen in the long run, then this answer.

    ``long_run`` has one ``Counts`` per bin and is kept from answer to answer.
    """

    def __init__(self, long_run: list[Counts]) -> None:
        self.long_run = long_run
        long_run.extend(Counts() for _ in range(len(EDGES) + 1 - len(long_run)))
        self._answer = [Counts() for _ in long_run]
        self._next = [Counts() for _ in range(len(long_run) + 1)]

    def begin(self) -> None:
        """A new answer starts."""
        self._answer = [Counts() for _ in self.long_run]

    def probability(self, confidence: float) -> float:
        """The chance that a guess of this confidence stands, given that all before it stood."""
        answer = self._answer[bisect_right(EDGES, confidence)]
        return (answer.stood + ANSWER_WEIGHT * self.usual(confidence)) / (answer.judged + ANSWER_WEIGHT)

    def usual(self, confidence: float) -> float:
        """The same over all answers, whatever this one shows."""
        long_run = self.long_run[bisect_right(EDGES, confidence)]
        return (long_run.stood + PRIOR_WEIGHT * confidence) / (long_run.judged + PRIOR_WEIGHT)

    def observe(self, confidence: float, stood: bool) -> None:
        at = bisect_right(EDGES, confidence)
        self.long_run[at].add(stood, LONG_RUN_LIMIT)
        self._answer[at].add(stood, ANSWER_LIMIT)

    def expected_next(self, previous: float | None) -> float:
        """The chance that a guess not made yet will stand, given the confidence of the one before it."""
        counts = self._next[self._previous_bin(previous)]
        start = 0.6 if previous is None else max(0.4, min(0.9, previous))
        return (counts.stood + PRIOR_WEIGHT * start) / (counts.judged + PRIOR_WEIGHT)

    def observe_next(self, previous: float | None, probability: float) -> None:
        """A guess was made after one of confidence ``previous``; its calibrated chance is ``probability``."""
        counts = self._next[self._previous_bin(previous)]
        if counts.judged >= 50:
            counts.stood *= 49 / 50
            counts.judged *= 49 / 50
        counts.stood += probability
        counts.judged += 1.0

    def _previous_bin(self, previous: float | None) -> int:
        return len(self.long_run) if previous is None else bisect_right(EDGES, previous)
