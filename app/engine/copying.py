"""The free half of ``auto``: whether copying from the text so far pays, and how far.

A drafter that needs no model, mostly the lookup, is consulted at every step. Whether its guesses stand shows in the
text itself, so all of them teach, verified or not; what its verified drafts really won corrects its promises, and what
they lost in this answer must be promised on top before copying goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.acceptance import AcceptanceModel
from app.engine.cost import CostModel
from app.engine.drafters.interface import Draft, Drafter, TakeAll
from app.engine.learned import FreeRecord
from app.engine.worth import best_length, expected_guesses, shorten

TRUST_WEIGHT = 8.0
"""As how many promised guesses of this answer the drafter's long-run record counts."""
LONG_TRUST_WEIGHT = 20.0
LONG_TRUST_LIMIT = 400.0
LEAST_GAIN = 0.1
"""Tokens that a copied draft must promise over a plain step."""


@dataclass
class _Shadow:
    """Guesses that wait for the text that proves them right or wrong."""

    position: int
    draft: Draft
    checked: int = 0


class Copying:
    """One per answer. ``record``, what is known of ``drafter``, is changed in place."""

    def __init__(self, drafter: Drafter, record: FreeRecord, costs: CostModel) -> None:
        self._drafter = drafter
        self._record = record
        self._costs = costs
        self._acceptance = AcceptanceModel(record.counts)
        self._shadows: deque[_Shadow] = deque()
        self._promised = 0.0
        self._kept = 0.0
        self._balance = 0.0
        self.copied_tokens = 0
        """Drafted tokens of this answer that stood."""

    def begin(self, prompt: Sequence[int]) -> None:
        self._drafter.begin(prompt)

    def propose(self, context: Sequence[int], room: int, longest: int, price: float) -> tuple[Draft, float]:
        """A draft of at most ``room`` guesses cut to its best length, and the tokens it should gain over a plain step.

        ``price`` is the tokens that a second is worth. Guesses up to ``longest`` are made and learned from in any case.
        """
        self._judge_shadows(context)
        draft = self._drafter.propose(context, TakeAll(longest))
        if not draft.tokens:
            return draft, 0.0
        self._shadows.append(_Shadow(len(context), Draft(draft.drafter, list(draft.tokens), list(draft.confidences))))
        chances = self._chances(draft)[: max(0, room)]
        # promises are made at every place, drafts verified at few: what those really won corrects the promises
        length, gain = best_length(chances, self._costs, price, self._trust())
        if gain < LEAST_GAIN + max(0.0, -self._balance):
            length, gain = 0, 0.0
        shorten(draft, length)
        return draft, gain

    def observe(self, draft: Draft, accepted: int) -> None:
        """A verify pass over ``draft`` kept ``accepted`` of its tokens; drafts of others are none of its business."""
        if draft.drafter != self._drafter.name or not draft.tokens:
            return
        self.copied_tokens += accepted
        self._balance += accepted + 1.0 - self._costs.verify_s(1 + len(draft)) / self._costs.verify_s(1)
        promised = expected_guesses(self._chances(draft))
        self._kept += accepted
        self._promised += promised
        known = self._record
        if known.promised > LONG_TRUST_LIMIT:
            known.kept *= LONG_TRUST_LIMIT / known.promised
            known.promised = LONG_TRUST_LIMIT
        known.kept += accepted
        known.promised += promised

    def _chances(self, draft: Draft) -> list[float]:
        return [self._acceptance.probability(confidence) for confidence in draft.confidences]

    def _trust(self) -> float:
        known = self._record
        usual = (known.kept + LONG_TRUST_WEIGHT) / (known.promised + LONG_TRUST_WEIGHT)
        return min(1.0, (self._kept + TRUST_WEIGHT * usual) / (self._promised + TRUST_WEIGHT))

    def _judge_shadows(self, context: Sequence[int]) -> None:
        for _ in range(len(self._shadows)):
            shadow = self._shadows.popleft()
            alive = True
            while alive and shadow.checked < len(shadow.draft) and shadow.position + shadow.checked < len(context):
                at = shadow.checked
                stood = shadow.draft.tokens[at] == context[shadow.position + at]
                self._acceptance.observe(shadow.draft.confidences[at], stood)
                shadow.checked += 1
                alive = stood
            if alive and shadow.checked < len(shadow.draft):
                self._shadows.append(shadow)
