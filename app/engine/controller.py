"""Who decides what is drafted in the next step: nobody (``OffController``) or fixed settings (``FixedController``).

``auto`` has its own file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.engine.drafters.interface import Draft, Drafter


@dataclass(frozen=True)
class StepCost:
    """What one step took, in seconds: ``draft_s`` in the draft model's passes, ``verify_s`` in the target's.

    ``calm``: as far as was known when it was timed, no other program was at work.
    """

    draft_s: float
    verify_s: float
    calm: bool = True


class Controller(Protocol):
    sentence: str
    """What it is doing and why, for the person; "" when there is nothing to say."""

    def begin(self, prompt: Sequence[int]) -> None:
        """A new answer starts after ``prompt``; part of prefill."""
        ...

    def draft(self, context: Sequence[int], room: int) -> Draft:
        """At most ``room`` guesses for what follows ``context``; an empty draft makes a plain step."""
        ...

    def observe(self, draft: Draft, accepted: int, judged: int, cost: StepCost) -> None:
        """What became of the last draft. ``judged`` guesses were compared, the first ``accepted`` of them stood."""
        ...


class OffController:
    """Plain decoding; ``sentence`` says why, if the person asked for something else."""

    def __init__(self, sentence: str = "") -> None:
        self.sentence = sentence

    def begin(self, prompt: Sequence[int]) -> None:
        pass

    def draft(self, context: Sequence[int], room: int) -> Draft:
        return Draft()

    def observe(self, draft: Draft, accepted: int, judged: int, cost: StepCost) -> None:
        pass


class FixedController:
    """One drafter with fixed settings, as other programs have them.

    Drafts end after ``max_tokens``, or at a guess less sure than ``p_min``; drafts shorter than ``min_tokens`` are
    dropped, unless their tokens were sampled (dropping those by what was drawn would bend the distribution).
    """

    def __init__(self, drafter: Drafter, max_tokens: int, min_tokens: int = 0, p_min: float = 0.0) -> None:
        self.sentence = ""
        self._drafter = drafter
        self._max_tokens = max_tokens
        self._min_tokens = min_tokens
        self._p_min = p_min

    def begin(self, prompt: Sequence[int]) -> None:
        self._drafter.begin(prompt)

    def draft(self, context: Sequence[int], room: int) -> Draft:
        draft = self._drafter.propose(context, _FixedPolicy(min(self._max_tokens, room), self._p_min))
        self.sentence = draft.pause
        too_short = len(draft) < self._min_tokens and not draft.distributions
        return Draft() if too_short else draft

    def observe(self, draft: Draft, accepted: int, judged: int, cost: StepCost) -> None:
        pass


class ChainController:
    """Asks ``first``, and ``then`` where it has nothing to draft."""

    def __init__(self, first: Controller, then: Controller) -> None:
        self.sentence = ""
        self._first = first
        self._then = then
        self._drafted = then

    def begin(self, prompt: Sequence[int]) -> None:
        self._first.begin(prompt)
        self._then.begin(prompt)

    def draft(self, context: Sequence[int], room: int) -> Draft:
        self._drafted = self._first
        draft = self._first.draft(context, room)
        if not draft.tokens:
            self._drafted = self._then
            draft = self._then.draft(context, room)
            self.sentence = self._then.sentence
        return draft

    def observe(self, draft: Draft, accepted: int, judged: int, cost: StepCost) -> None:
        self._drafted.observe(draft, accepted, judged, cost)


class _FixedPolicy:
    def __init__(self, limit: int, p_min: float) -> None:
        self._left = limit
        self._p_min = p_min

    def go_on(self) -> bool:
        return self._left > 0

    def take(self, confidence: float) -> bool:
        self._left -= 1
        return confidence >= self._p_min
