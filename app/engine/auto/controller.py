"""``auto``: drafts what pays, measured while running, and nothing where nothing pays.

Speculation is a renewal process: a step that costs C seconds yields E tokens, and E/C is what a person feels. One
more guess is worth its price when the chance that it is reached and stands, divided by what it adds to the step's cost,
is at least the rate that can be had otherwise. Three things are kept current for that: what passes cost
(``CostModel``), how often guesses stand (``AcceptanceModel``), and what asking the draft model has been worth. A draft
model that does not pay is set aside and costs nothing until a probe, and probes are paid from a small share of the time
spent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp

from app.engine.auto.acceptance import AcceptanceModel, Counts
from app.engine.auto.copying import Copying
from app.engine.auto.cost import CostModel
from app.engine.auto.draft_value import best_length, expected_guesses, shorten
from app.engine.auto.learned import FreeRecord, Learned
from app.engine.auto.target_confidence import TargetConfidence
from app.engine.controller import StepCost
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.interface import Draft, Drafter, TakeAll
from app.engine.drafters.lookup import LookupDrafter
from app.sentences import say

LONGEST_DRAFT = 12
"""Beyond that chances are hope: in replays of recorded answers 16 lost a percent to it on every cost curve."""
WORTH_STEP = 0.15
"""Weight of one more attempt in the running worth of the draft model."""
CHANCES_SHARE = 0.5
MOST_TRUSTED = 1.0
"""Tokens of gain that past attempts are remembered for at most, so that a turn for the worse is noticed soon."""
PROBE_SHARE = 0.015
"""Share of decode time that may be lost on finding out whether the draft model pays again."""
GAIN_SHARE = 0.02
"""Share of the time that drafting saved which may go the same way."""
PROBE_ATTEMPTS = 3
PROBE_LENGTH = 2
"""Guesses verified in each attempt of a probe, whatever was learned of them before."""
FIRST_PAUSE_STEPS = 24
LONGEST_PAUSE_STEPS = 192
PROBE_CONTEXT_TOKENS = 48
"""A draft model that has fallen far behind is asked again with this much of the context, not with all of it."""
UNKNOWN_ACCEPTANCE = 0.7
SUREST = 0.97
FORESEEN_LENGTH = 8
"""A draft is not foreseen to be surer or longer than this: few are, and hope is dear."""
CATCH_UP = 0.15
CATCH_UP_FAR = 0.03
"""Shares of the cost of catching up that one attempt is charged, since those after it profit too: with a little copied
text, and with a whole prompt."""
START_GAIN = 0.05
"""Tokens that an attempt must be foreseen to gain before a draft model that was set aside is asked again."""
DISTRUST = 0.25
"""By how much that rises when it had to be set aside in this answer, and by twice as much every further time."""
BIAS_STEP = 0.02
"""Weight of one more attempt in how far foresight is off."""
RATE_PASSES = 24.0
PRESUMED_PASSES = 4.0
"""The rate that is being reached is that of about so many plain passes; plain decoding is presumed for the first."""
DEAREST_PROBE = 0.03
"""Share of an answer's decode time, so far, that one probe may lose."""


@dataclass
class Attempt:
    """What asking the draft model brings: tokens emitted, and its time in plain passes."""

    tokens: float
    passes: float

    def gain(self, price: float = 1.0) -> float:
        """Tokens over a plain step, if the time of a plain pass is worth ``price`` tokens."""
        return self.tokens - 1.0 - price * (self.passes - 1.0)

    def move(self, other: Attempt, share: float) -> None:
        self.tokens += share * (other.tokens - self.tokens)
        self.passes += share * (other.passes - self.passes)


@dataclass
class AutoController:
    """One per answer. ``learned`` is changed in place."""

    learned: Learned
    costs: CostModel
    draft_model: DraftModelDrafter | None
    draft_title: str = ""
    free_drafter: Drafter = field(default_factory=LookupDrafter)
    sentence: str = ""
    _asked: Draft | None = None
    _paused: str = ""
    _expected: float = 0.0
    _drafting: bool = False
    _attempt: Attempt = field(default_factory=lambda: Attempt(1.0, 1.0))
    _probes_left: int = 0
    _probed: Counts = field(default_factory=Counts)
    _attempts: int = 0
    _gain_ema: float = 0.0
    _retry_penalty: float = 0.0
    _pause: int = FIRST_PAUSE_STEPS
    _steps_until_probe: int = FIRST_PAUSE_STEPS
    _recent_tokens: float = PRESUMED_PASSES
    _recent_passes: float = PRESUMED_PASSES
    _tokens: int = 0
    _passes: float = 0.0
    _spent_s: float = 0.0
    _recent_lengths: deque[int] = field(default_factory=lambda: deque(maxlen=16))

    def __post_init__(self) -> None:
        self._draft_acceptance = AcceptanceModel(self.learned.draft)
        record = self.learned.free.setdefault(self.free_drafter.name, FreeRecord())
        self._copying = Copying(self.free_drafter, record, self.costs)
        self.foresight = TargetConfidence(self.learned.foreseen)

    # --- the controller's three calls

    def begin(self, prompt: Sequence[int]) -> None:
        self._copying.begin(prompt)
        if self.draft_model is None:
            return
        worth = self.learned.draft_worth
        self._attempt = self._attempt_at(UNKNOWN_ACCEPTANCE)
        if worth is not None:
            self._attempt.tokens += worth - self._attempt.gain()
        self._drafting = self._attempt.gain() > 0
        self._gain_ema = self._attempt.gain()
        if self._drafting:
            self.draft_model.begin(prompt)

    def draft(self, context: Sequence[int], room: int) -> Draft:
        self._asked, self._expected = None, 0.0
        room = min(room, LONGEST_DRAFT)
        copied, copied_gain = self._copying.propose(context, room, LONGEST_DRAFT, self._price())
        draft = copied
        if self._drafting and copied.tokens:
            copied_gain -= self._price() * self._reading_s(len(copied))
        if self.draft_model is not None:
            if room > 0 and self._asks_draft_model(context, copied_gain):
                draft = self._ask_draft_model(self.draft_model, context, room)
            draft.on_rows = self.foresight.see_rows
        return draft

    def observe(self, draft: Draft, accepted: int, judged: int, cost: StepCost) -> None:
        asked = self._asked
        self.costs.observe_verify(len(draft) + 1, cost.verify_s, cost.calm)
        self.foresight.emit(accepted + 1)
        if asked is not None:
            self.costs.observe_draft(asked.passes, asked.caught_up, cost.draft_s, cost.calm)
            self._judge_draft(draft, accepted, judged)
            self._weigh_attempt(asked, len(draft), accepted, judged)
        emitted = accepted + 1
        modelled = self.costs.verify_s(len(draft) + 1) + (
            self.costs.draft_s(asked.passes, min(asked.caught_up, 2)) if asked is not None else 0.0
        )
        passes = modelled / self.costs.verify_s(1)
        fade = exp(-passes / RATE_PASSES)
        self._recent_tokens = fade * self._recent_tokens + emitted
        self._recent_passes = fade * self._recent_passes + passes
        plain = emitted * self.costs.verify_s(1)
        spent = cost.verify_s + cost.draft_s
        self._tokens += emitted
        self._passes += passes
        self._spent_s += spent
        self.learned.spent_s += spent
        self.learned.saved_s += plain - spent
        if asked is None:
            self._steps_until_probe -= 1
        self._copying.observe(draft, accepted)
        self._recent_lengths.append(len(draft))
        self._say()

    # --- the draft model

    def _asks_draft_model(self, context: Sequence[int], copied_gain: float) -> bool:
        if self.draft_model is None:
            return False
        if not self._drafting and self._probes_left == 0 and self._foresees_gain():
            self._attempt = self._foreseen()
            self._gain_ema = self._attempt.gain()
            self._drafting = True
            self._catch_up(self.draft_model, context)
        if self._drafting:
            return self._gain_of_asking(self.draft_model, context) > copied_gain
        if self._probes_left > 0:
            return copied_gain <= 0
        if self._steps_until_probe > 0 or copied_gain > 0:
            return False
        behind = self.draft_model.lag(context)
        loss_s = self.costs.draft_s(PROBE_ATTEMPTS * PROBE_LENGTH, min(behind, PROBE_CONTEXT_TOKENS))
        loss_s += PROBE_ATTEMPTS * (self.costs.verify_s(1 + PROBE_LENGTH) - self.costs.verify_s(1))
        known = self.learned
        allowed_s = PROBE_SHARE * known.spent_s + GAIN_SHARE * max(0.0, known.saved_s)
        if known.probed_s + loss_s > allowed_s or loss_s > DEAREST_PROBE * self._spent_s:
            return False
        known.probed_s += loss_s
        self._probes_left = PROBE_ATTEMPTS
        self._probed = Counts()
        self._catch_up(self.draft_model, context)
        return True

    def _gain_of_asking(self, drafter: DraftModelDrafter, context: Sequence[int]) -> float:
        """Tokens that asking the draft model should gain over a plain step at the rate that is being reached."""
        fresh = self._attempts == 0 and self.foresight.is_known
        attempt = self._foreseen() if fresh else self._attempt
        behind, near = drafter.lag(context), PROBE_CONTEXT_TOKENS
        near_s = self.costs.draft_s(1, min(behind, near)) - self.costs.draft_s(1)
        far_s = self.costs.draft_s(1, behind) - self.costs.draft_s(1) - near_s
        price = self._price()
        charged = price * (CATCH_UP * near_s + CATCH_UP_FAR * far_s)
        return attempt.gain(price * self.costs.verify_s(1)) - charged

    def _reading_s(self, tokens: int) -> float:
        """Seconds for which a draft model that is in use has to read what was copied."""
        return self.costs.draft_s(1, 2 + tokens) - self.costs.draft_s(1, 2)

    def _catch_up(self, drafter: DraftModelDrafter, context: Sequence[int]) -> None:
        """A draft model that has fallen far behind goes on from a short piece of the context."""
        if drafter.lag(context) > 2 * PROBE_CONTEXT_TOKENS:
            drafter.forget_before(len(context) - PROBE_CONTEXT_TOKENS)

    def _foreseen(self) -> Attempt:
        attempt = self._attempt_at(min(self.foresight.acceptance(), SUREST))
        attempt.tokens += self.learned.bias
        return attempt

    def _foresees_gain(self) -> bool:
        return self.foresight.is_known and self._foreseen().gain() > START_GAIN + self._retry_penalty

    def _ask_draft_model(self, drafter: DraftModelDrafter, context: Sequence[int], room: int) -> Draft:
        if self._probes_left > 0:
            draft = drafter.propose(context, TakeAll(min(room, PROBE_LENGTH)))
            self._paused = draft.pause
            self._asked = replace(draft)
            return draft
        policy = _DraftPolicy(self._draft_acceptance, self.costs, self._price(), room)
        draft = drafter.propose(context, policy)
        self._paused = draft.pause
        if draft.pause:
            return draft
        self._asked = replace(draft)
        chances = self._chances(draft, self._draft_acceptance)
        length, _ = best_length(chances, self.costs, self._price(), self.costs.full_accept_extra_s())
        self._expected = expected_guesses(chances[:length])
        shorten(draft, length)
        return draft

    def _judge_draft(self, draft: Draft, accepted: int, judged: int) -> None:
        for position in range(min(judged, len(draft))):
            self._draft_acceptance.observe(draft.confidences[position], position < accepted)

    def _weigh_attempt(self, asked: Draft, verified: int, accepted: int, judged: int) -> None:
        """Update what asking the draft model is worth."""
        known = self.learned
        if self._probes_left > 0:
            self._probes_left -= 1
            self._probed.stood += accepted
            self._probed.judged += min(judged, verified)
            if self._probes_left == 0:
                self._end_probe()
            return
        plain = self.costs.verify_s(1)
        spent = self.costs.verify_s(1 + verified) + self.costs.draft_s(asked.passes, min(asked.caught_up, 2))
        # chances have less luck in them than outcomes, outcomes no prejudice
        won = CHANCES_SHARE * self._expected + (1.0 - CHANCES_SHARE) * accepted
        seen = Attempt(1.0 + won, spent / plain)
        self._attempt.move(seen, WORTH_STEP)
        self._gain_ema = min(MOST_TRUSTED, self._gain_ema + WORTH_STEP * (seen.gain() - self._gain_ema))
        self._attempts += 1
        if self.foresight.is_known:
            known.bias += BIAS_STEP * (seen.gain() - self._foreseen().gain())
            if judged:
                self.foresight.judge(accepted > 0)
        known.draft_worth = self._attempt.gain()
        if self._gain_ema <= 0:
            self._drafting = False
            self._retry_penalty += self._retry_penalty + DISTRUST
            self._steps_until_probe = self._pause

    def _end_probe(self) -> None:
        share = (self._probed.stood + 0.5) / (self._probed.judged + 1.0)
        attempt = self._attempt_at(share)
        worth = attempt.gain()
        if worth > 0:
            self._attempt = attempt
            self._gain_ema = worth
            self._drafting = True
            self._pause = FIRST_PAUSE_STEPS
        else:
            self._pause = min(2 * self._pause, LONGEST_PAUSE_STEPS)
            self._steps_until_probe = self._pause
        self.learned.draft_worth = worth if self._drafting else min(self._attempt.gain(), worth)

    def _attempt_at(self, acceptance: float) -> Attempt:
        """What an attempt brings if each guess stands with this chance, at its best length of at least one guess."""
        plain = self.costs.verify_s(1)
        if not self.costs.knows_draft:
            return Attempt(1.0, 1.0)
        attempts = [
            Attempt(
                1.0 + sum(acceptance**i for i in range(1, length + 1)),
                (self.costs.verify_s(1 + length) + self.costs.draft_s(length)
                 + acceptance**length * self.costs.full_accept_extra_s()) / plain,
            )
            for length in range(1, FORESEEN_LENGTH + 1)
        ]
        return max(attempts, key=Attempt.gain)

    # --- common

    def _price(self) -> float:
        """Tokens that a second is worth: the better of plain decoding and what is being reached."""
        return max(1.0, self._recent_tokens / self._recent_passes) / self.costs.verify_s(1)

    def _chances(self, draft: Draft, acceptance: AcceptanceModel) -> list[float]:
        return [acceptance.probability(confidence) for confidence in draft.confidences]

    def _say(self) -> None:
        if self._tokens < 24:
            return
        # By what passes cost as a rule: a pass that waited for other programs says nothing of drafting.
        gain = self._tokens / self._passes
        longest = max(self._recent_lengths, default=0)
        if self._paused:
            self.sentence = self._paused
        elif self._drafting and longest:
            self.sentence = say(
                "Drafting up to {count} tokens with {name}: {gain} here.",
                count=longest, name=self.draft_title, gain=f"{gain:.1f}×",
            )
        elif self._copying.copied_tokens and gain >= 1.05:
            self.sentence = say("Drafting from the text so far: {gain} here.", gain=f"{gain:.1f}×")
        elif self.draft_model is not None:
            self.sentence = say("Off: this draft costs more than it saves here.")
        else:
            self.sentence = say("Off: nothing to repeat, and no draft model is loaded.")


class _DraftPolicy:
    """Stops a draft where one more guess costs more than it should bring."""

    def __init__(self, acceptance: AcceptanceModel, costs: CostModel, price: float, limit: int) -> None:
        self._acceptance = acceptance
        self._costs = costs
        self._price = price
        self._limit = limit
        self._length = 0
        self._reach = 1.0
        self._previous: float | None = None

    def go_on(self) -> bool:
        if self._length >= self._limit:
            return False
        if self._length == 0:
            return True  # whether to ask at all was decided before
        chance = self._acceptance.expected_next(self._previous)
        return self._pays(chance, pass_s=self._costs.draft_s())

    def take(self, confidence: float) -> bool:
        chance = self._acceptance.probability(confidence)
        self._acceptance.observe_next(self._previous, chance)
        self._previous = confidence
        reach = self._reach * chance
        ahead = self._acceptance.expected_next(confidence)
        if not self._pays(chance, pass_s=0.0, later=ahead):
            return False
        self._reach = reach
        self._length += 1
        return True

    def _pays(self, chance: float, pass_s: float, later: float | None = None) -> bool:
        """Whether some number of further guesses, the first of this chance, brings more than it costs.

        Verify cost has steps, so one more guess may pay only together with those that fill the step.
        """
        costs, start = self._costs, self._costs.verify_s(1 + self._length)
        full_accept_extra_s = costs.full_accept_extra_s() if self._length else 0.0
        won, reach, spent = 0.0, self._reach, 0.0
        for more in range(1, self._limit - self._length + 1):
            reach *= chance if more == 1 else (later if later is not None else chance)
            won += reach
            spent += pass_s if more == 1 else costs.draft_s()
            saved = full_accept_extra_s * (self._reach - reach)
            if won >= self._price * (spent + costs.verify_s(1 + self._length + more) - start - saved):
                return True
            if reach < 0.05:
                break
        return False
