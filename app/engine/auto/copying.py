"""The free half of ``auto``: whether copying from the text so far pays, and how far.

A drafter that needs no model, mostly the lookup, is consulted at every step. Whether its guesses stand shows in the
text itself, so each token of the text teaches, whether guesses for it were verified or not. How long copying goes well
differs from answer to answer far more than guesses differ: so the chance that a guess stands is that of a Beta
distribution over this answer's own rate, which also grows along a draft as its guesses are survived. What a draft may
cost is bounded by how much is written: where passes are dear, one unlucky draft costs more than a short answer can win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.engine.auto.acceptance import AcceptanceModel
from app.engine.auto.cost import CostModel
from app.engine.auto.draft_value import best_length, shorten
from app.engine.auto.learned import FreeRecord
from app.engine.drafters.interface import Draft, Drafter, TakeAll

SURE = 0.72
"""Guesses of at least this confidence, repeats of four tokens or more, are counted apart from the others."""
USUAL_WEIGHT = 8.0, 16.0
"""As how many guesses of this answer the long run counts, for unsure and for sure ones."""
KEPT = 1.0 - 1.0 / 64.0
"""What is left of an older guess's weight with every newer one: an answer may turn from copying to writing."""
SUREST = 0.98
"""No guess is taken to be surer, however many stood before it."""
LEAST_GAIN = 0.1
"""Tokens that a copied draft must promise over a plain step."""
LOSS_SHARE = 0.1
"""Share of what copying has lost in this answer that it must promise on top."""
STAKE = 2.0
STAKE_SHARE = 0.03
"""Tokens that one draft may cost if none of it stands, and that times the tokens written so far; what copying has won
or lost in this answer comes on top. Chosen by replays of recorded answers of two models on five cost curves."""


class Copying:
    """One per answer. ``record``, what is known of ``drafter``, is changed in place."""

    def __init__(self, drafter: Drafter, record: FreeRecord, costs: CostModel) -> None:
        self._drafter = drafter
        self._costs = costs
        self._acceptance = AcceptanceModel(record.counts)
        self._here = _Rate(USUAL_WEIGHT[False]), _Rate(USUAL_WEIGHT[True])
        self._proposed = Draft()
        self._start = 0
        self._position = 0
        self._balance = 0.0
        self.copied_tokens = 0
        """Drafted tokens of this answer that stood."""

    def begin(self, prompt: Sequence[int]) -> None:
        self._drafter.begin(prompt)
        self._proposed = Draft()
        self._start = len(prompt)

    def propose(self, context: Sequence[int], room: int, longest: int, price: float) -> tuple[Draft, float]:
        """A draft of at most ``room`` guesses cut to its best length, and the tokens it should gain over a plain step.

        ``price`` is the tokens that a second is worth. Guesses up to ``longest`` are made in any case.
        """
        self._learn(context)
        draft = self._drafter.propose(context, TakeAll(longest))
        self._position = len(context)
        self._proposed = Draft(draft.drafter, list(draft.tokens), list(draft.confidences))
        chances = self._chances(draft)[: self._affordable(min(room, len(draft)), len(context) - self._start)]
        length, gain = best_length(chances, self._costs, price)
        if gain < LEAST_GAIN + LOSS_SHARE * max(0.0, -self._balance):
            length, gain = 0, 0.0
        shorten(draft, length)
        return draft, gain

    def observe(self, draft: Draft, accepted: int) -> None:
        """A verify pass over ``draft`` kept ``accepted`` of its tokens; drafts of others are none of its business."""
        if draft.drafter != self._drafter.name or not draft.tokens:
            return
        self.copied_tokens += accepted
        self._balance += accepted - self._risk(len(draft))

    def _affordable(self, length: int, written: int) -> int:
        """The longest draft of at most ``length`` guesses that copying may lose when so many tokens are written."""
        stake = STAKE + STAKE_SHARE * written + self._balance
        while length > 0 and self._risk(length) > stake:
            length -= 1
        return max(0, length)

    def _risk(self, length: int) -> float:
        """Tokens that a draft of so many guesses costs if none of them stands."""
        return self._costs.verify_s(1 + length) / self._costs.verify_s(1) - 1.0

    def _chances(self, draft: Draft) -> list[float]:
        """The chance of each guess, given that all before it stood."""
        survived = [0, 0]
        chances = []
        for confidence in draft.confidences:
            sure = confidence >= SURE
            usual = self._acceptance.usual(confidence)
            chances.append(min(SUREST, self._here[sure].chance(usual, survived[sure])))
            survived[sure] += 1
        return chances

    def _learn(self, context: Sequence[int]) -> None:
        """Judge the last proposal by what was written since, each token once."""
        proposed = self._proposed
        written = context[self._position :]
        for token, confidence, actual in zip(proposed.tokens, proposed.confidences, written, strict=False):
            stood = token == actual
            self._acceptance.observe(confidence, stood)
            for rate in self._here:
                rate.fade()
            self._here[confidence >= SURE].add(stood)
            if not stood:
                break


@dataclass
class _Rate:
    """How often guesses of one sort stood in this answer, the newest counting most."""

    usual_weight: float
    stood: float = field(default=0.0, init=False)
    fell: float = field(default=0.0, init=False)

    def fade(self) -> None:
        self.stood *= KEPT
        self.fell *= KEPT

    def add(self, stood: bool) -> None:
        if stood:
            self.stood += 1.0
        else:
            self.fell += 1.0

    def chance(self, usual: float, survived: int) -> float:
        """Of the next guess, if ``usual`` of them stand in the long run and ``survived`` before it in this draft do."""
        stood = self.usual_weight * usual + self.stood + survived
        return stood / (self.usual_weight + self.stood + self.fell + survived)
