"""Copying from the text so far: what teaches, what is promised, and when copying stops and begins again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.engine.auto.copying import LEAST_GAIN, STAKE, STAKE_SHARE, SURE, SUREST, USUAL_WEIGHT, Copying
from app.engine.auto.cost import CostModel, CostSnapshot
from app.engine.auto.learned import FreeRecord
from app.engine.drafters.interface import Draft, Policy

CHEAP = CostSnapshot(verify_s={1: 1.0, 2: 1.05, 4: 1.2, 8: 1.5, 17: 2.2})
BETWEEN = CostSnapshot(verify_s={1: 1.0, 2: 1.3, 4: 1.9, 8: 3.2, 17: 6.5})
DEAR = CostSnapshot(verify_s={1: 1.0, 2: 1.9, 4: 3.4, 8: 6.0, 17: 12.0})
GUESSES = [10 + i for i in range(16)]


class Steady:
    """Always guesses the same tokens, each with the same confidence."""

    name = "steady"

    def __init__(self, confidence: float) -> None:
        self.confidence = confidence

    def begin(self, prompt: Sequence[int]) -> None:
        pass

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        draft = Draft(self.name)
        for token in GUESSES:
            if not (policy.go_on() and policy.take(self.confidence)):
                break
            draft.tokens.append(token)
            draft.confidences.append(self.confidence)
        return draft


def make(confidence: float, costs: CostSnapshot = CHEAP) -> tuple[Copying, FreeRecord]:
    record = FreeRecord()
    return Copying(Steady(confidence), record, CostModel(costs)), record


def propose(copying: Copying, context: Sequence[int], price: float = 1.0) -> tuple[Draft, float]:
    return copying.propose(context, 16, 16, price)


def judged(record: FreeRecord) -> tuple[float, float]:
    """(guesses that stood, all that were judged)."""
    return sum(c.stood for c in record.counts), sum(c.judged for c in record.counts)


def test_each_token_of_the_text_teaches_once() -> None:
    copying, record = make(0.8)
    context = [1, 2]
    propose(copying, context)
    context += GUESSES[:3]  # a pass that kept three guesses
    propose(copying, context)
    assert judged(record) == (3, 3)
    context += [99]  # the next one fell, and those behind it tell nothing
    propose(copying, context)
    assert judged(record) == (3, 4)
    propose(copying, context)
    assert judged(record) == (3, 4)


def test_what_was_not_verified_teaches_as_well() -> None:
    copying, record = make(0.5, DEAR)
    context = [1, 2]
    for _ in range(5):
        draft, gain = propose(copying, context)
        assert (len(draft), gain) == (0, 0.0)
        context += GUESSES[:1]
    propose(copying, context)
    assert judged(record) == (5, 5)


def test_a_new_answer_is_not_judged_by_what_was_proposed_in_the_last() -> None:
    copying, record = make(0.8)
    propose(copying, [1, 2])
    copying.begin([7, 8, 9])
    propose(copying, [7, 8, 9])
    assert judged(record) == (0, 0)


@pytest.mark.parametrize("confidence", [SURE - 0.1, SURE + 0.1])
def test_surviving_guesses_makes_the_next_one_surer(confidence: float) -> None:
    copying, _ = make(confidence)
    draft, gain = propose(copying, [1, 2])
    # E[rate ** n] of a Beta distribution: the mean of the n-th factor grows, and so does a draft's worth
    weight = USUAL_WEIGHT[confidence >= SURE]
    reach, won = 1.0, 0.0
    for survived in range(len(draft)):
        reach *= min(SUREST, (weight * confidence + survived) / (weight + survived))
        won += reach
    costs = CostModel(CHEAP)
    assert gain == pytest.approx(won - (costs.verify_s(1 + len(draft)) - costs.verify_s(1)))
    assert len(draft) > 4


def test_an_answer_that_turns_from_copying_is_noticed_and_one_that_turns_back_too() -> None:
    copying, _ = make(0.85, BETWEEN)
    context = [1, 2]

    def live(tokens: Sequence[int], steps: int) -> list[int]:
        lengths = []
        for _ in range(steps):
            lengths.append(len(propose(copying, context)[0]))
            context.extend(tokens)
        return lengths

    copied = live(GUESSES[:1], 40)
    assert copied[-1] > 0
    written = live([99], 40)
    assert written[-1] == 0
    again = live(GUESSES[:1], 120)
    assert again[-1] > 0


def test_one_lost_draft_does_not_bar_the_next_and_many_do() -> None:
    copying, _ = make(0.9)
    context = [1, 2]
    draft, first = propose(copying, context)
    copying.observe(draft, accepted=0)
    context += [99]
    draft, then = propose(copying, context)
    assert 0 < then < first
    for _ in range(40):
        copying.observe(draft, accepted=0)
    assert len(propose(copying, context)[0]) == 0


def test_little_is_not_worth_a_draft() -> None:
    """A first guess of chance p gains p - 0.6 tokens here: below ``LEAST_GAIN`` nothing is drafted."""
    steep = CostSnapshot(verify_s={1: 1.0, 2: 1.6, 17: 17.0})
    copying, _ = make(0.6 + LEAST_GAIN - 0.02, steep)
    assert len(propose(copying, [1, 2])[0]) == 0
    copying, _ = make(0.6 + LEAST_GAIN + 0.02, steep)
    assert len(propose(copying, [1, 2])[0]) > 0


def test_drafts_of_others_are_not_charged() -> None:
    copying, _ = make(0.9)
    copying.observe(Draft("draft", [1, 2, 3], [0.5] * 3), accepted=0)
    assert copying.copied_tokens == 0
    assert len(propose(copying, [1, 2])[0]) > 0


def lost(draft: Draft, costs: CostSnapshot) -> float:
    return CostModel(costs).verify_s(1 + len(draft)) - 1.0


def test_the_first_draft_of_an_answer_costs_little_where_passes_are_dear() -> None:
    """A repeat of four tokens looks sure, and often is by chance."""
    copying, _ = make(0.97, DEAR)
    prompt = [1, 2, 3]
    copying.begin(prompt)
    first, _ = propose(copying, prompt)
    assert 0 < lost(first, DEAR) <= STAKE
    copying, _ = make(0.97, DEAR)
    copying.begin(prompt)
    late, _ = propose(copying, [*prompt, *range(1000, 1100)])
    assert STAKE < lost(late, DEAR) <= STAKE + 100 * STAKE_SHARE
    cheap, _ = make(0.97, CHEAP)
    cheap.begin(prompt)
    assert len(propose(cheap, prompt)[0]) == 16


def test_what_copying_won_may_be_staked_and_what_it_lost_may_not() -> None:
    copying, _ = make(0.97, DEAR)
    prompt = [1, 2, 3]
    copying.begin(prompt)
    first, _ = propose(copying, prompt)
    longer: list[int] = []
    for _ in range(3):
        copying.observe(first, len(first))
        longer.append(len(propose(copying, prompt)[0]))
    assert longer[0] >= len(first)
    assert longer[-1] > len(first)
    unlucky, _ = make(0.97, DEAR)
    unlucky.begin(prompt)
    unlucky.observe(propose(unlucky, prompt)[0], 0)
    assert len(propose(unlucky, prompt)[0]) == 0
