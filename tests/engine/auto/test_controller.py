"""The controller on scripted machines: what it gains, what it may lose, and how fast it turns round.

Seconds are those of the models' scripted clocks, so every run gives the same numbers on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.engine.auto.calibration import calibrate
from app.engine.auto.controller import LONGEST_DRAFT, AutoController
from app.engine.auto.cost import CostModel
from app.engine.auto.learned import Learned
from app.engine.controller import Controller, OffController
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.generate import Step
from app.records import Sampling
from tests.engine.fakes import (
    COMPUTE_BOUND,
    DRAFT_S,
    MEMORY_BOUND,
    VOCAB,
    Cost,
    GuessingLanguage,
    Language,
    ScriptedModel,
    curve,
    finish,
    per_token,
    start,
)

PROMPT = tuple(1 + n % 20 for n in range(40))
Agreement = Callable[[int], float]


@dataclass
class Answer:
    token_ids: list[int]
    steps: list[Step]
    step_s: list[float]
    """Scripted seconds of each step, target and draft together."""
    draft_s: float
    sentence: str

    @property
    def seconds(self) -> float:
        return sum(self.step_s)

    def seconds_of(self, begin: int, end: int) -> float:
        """Seconds spent on the tokens from number ``begin`` to ``end``."""
        total, emitted = 0.0, 0
        for step, seconds in zip(self.steps, self.step_s, strict=True):
            if begin <= emitted < end:
                total += seconds
            emitted += len(step.verdict.tokens)
        return total


class Machine:
    """A target, perhaps with a draft that guesses right with ``agreement`` of the position."""

    def __init__(
        self, cost: Cost, agreement: Agreement | None, *, sure: float = 0.8, unsure: float = 0.8, repeats: bool = False,
        draft_ctx: int = 8192, seed: int = 1, draft_s: float = DRAFT_S,
    ) -> None:
        # a memory of two tokens soon runs in circles, one of eight never
        language = Language(vocab_size=64, order=2 if repeats else 8, seed=seed, end_bias=-99.0)
        self.target = ScriptedModel(language, ctx_tokens=8192, cost=cost)
        self.draft = None
        if agreement is not None:
            expected = list(PROMPT)
            while not repeats and len(expected) < 2200:
                expected.append(int(language.logits(expected).argmax()))
            # known by its places, since a draft that was set aside may skip a part of the text
            guessing = GuessingLanguage(language, agreement, sure, unsure, expected=() if repeats else expected)
            self.draft = ScriptedModel(guessing, ctx_tokens=draft_ctx, max_rows=1, cost=per_token(draft_s, draft_s / 8))
        self.learned = Learned()
        self._costs: CostModel | None = None

    def controller(self) -> AutoController:
        if self._costs is None:
            self._costs = CostModel(calibrate(self.target, self.draft))
        drafter = DraftModelDrafter(self.draft, self.target.facts.vocab_size) if self.draft else None
        return AutoController(self.learned, self._costs, drafter, "Draft")

    def answer(
        self, controller: Controller, max_tokens: int = 2000, sampling: Sampling | None = None
    ) -> Answer:
        run = start(self.target, controller, prompt=PROMPT, max_tokens=max_tokens, draft=self.draft,
                    sampling=sampling)
        steps, step_s = [], []
        models = [model for model in (self.target, self.draft) if model]
        draft_before = self.draft.native_s if self.draft else 0.0
        before = sum(model.native_s for model in models)
        for step in run.steps():
            now = sum(model.native_s for model in models)
            steps.append(step)
            step_s.append(now - before)
            before = now
            assert "up to 0 " not in run.controller.sentence, "nobody drafts up to nothing"
        draft_s = self.draft.native_s - draft_before if self.draft else 0.0
        return Answer(run.token_ids, steps, step_s, draft_s, run.controller.sentence)

    def auto(self, max_tokens: int = 2000, sampling: Sampling | None = None) -> Answer:
        return self.answer(self.controller(), max_tokens, sampling)

    def plain(self, max_tokens: int = 2000, sampling: Sampling | None = None) -> Answer:
        return self.answer(OffController(), max_tokens, sampling)


def test_a_good_draft_on_a_memory_bound_machine_is_used() -> None:
    machine = Machine(curve(MEMORY_BOUND), lambda _: 0.85)
    auto, plain = machine.auto(), machine.plain()
    assert auto.token_ids == plain.token_ids
    assert auto.seconds <= 0.75 * plain.seconds
    assert auto.sentence.startswith("Drafting up to")
    assert "Draft" in auto.sentence


def test_an_informed_draft_gains_more() -> None:
    blind = Machine(curve(MEMORY_BOUND), lambda _: 0.7)
    informed = Machine(curve(MEMORY_BOUND), lambda _: 0.7, sure=0.95, unsure=0.35)
    assert informed.auto().seconds < 0.95 * blind.auto().seconds


@pytest.mark.parametrize("agreement", [0.0, 0.3, 0.5, 0.7, 0.85])
def test_a_compute_bound_machine_loses_next_to_nothing(agreement: float) -> None:
    machine = Machine(curve(COMPUTE_BOUND), lambda _: agreement)
    auto, plain = machine.auto(), machine.plain()
    assert auto.token_ids == plain.token_ids
    assert auto.seconds <= 1.03 * plain.seconds


@pytest.mark.parametrize("agreement", [0.0, 0.1, 0.2])
def test_a_bad_draft_costs_next_to_nothing_on_a_memory_bound_machine(agreement: float) -> None:
    machine = Machine(curve(MEMORY_BOUND), lambda _: agreement)
    auto, plain = machine.auto(), machine.plain()
    assert auto.seconds <= 1.03 * plain.seconds
    if agreement == 0.0:
        assert auto.sentence.startswith("Off")


def test_without_agreement_drafting_stays_within_the_probe_budget() -> None:
    machine = Machine(curve(MEMORY_BOUND), lambda _: 0.0)
    first, second = machine.auto(), machine.auto()
    assert first.draft_s <= 0.03 * first.seconds
    assert second.draft_s <= 0.02 * second.seconds, "what was learned is kept"
    late = [len(step.draft) for step in second.steps[200:] if step.draft.drafter == "draft"]
    assert len(late) <= 40


@pytest.mark.parametrize(("curve_points", "before", "after"), [
    (MEMORY_BOUND, 0.05, 0.95), (MEMORY_BOUND, 0.95, 0.05),
])
def test_adapts_in_the_middle_of_an_answer(curve_points: dict[int, float], before: float, after: float) -> None:
    turn = len(PROMPT) + 1000
    machine = Machine(curve(curve_points), lambda at: before if at < turn else after)
    auto, plain = machine.auto(), machine.plain()
    assert auto.token_ids == plain.token_ids
    for begin, share in ((0, before), (1000, after)):
        if share > 0.9:
            # the first 300 tokens after the turn may go on finding out
            assert auto.seconds_of(begin + 300, begin + 1000) <= 0.75 * plain.seconds_of(begin + 300, begin + 1000)
        # a turn for the worse has to be noticed, which costs a few long drafts
        assert auto.seconds_of(begin, begin + 1000) <= 1.04 * plain.seconds_of(begin, begin + 1000)


def test_there_and_back_again() -> None:
    turns = (len(PROMPT) + 700, len(PROMPT) + 1400)
    machine = Machine(curve(MEMORY_BOUND), lambda at: 0.95 if turns[0] <= at < turns[1] else 0.05)
    auto, plain = machine.auto(2100), machine.plain(2100)
    assert auto.token_ids == plain.token_ids
    assert auto.seconds_of(700, 1400) <= 0.8 * plain.seconds_of(700, 1400)
    for begin in (0, 1400):
        assert auto.seconds_of(begin, begin + 700) <= 1.05 * plain.seconds_of(begin, begin + 700)


def test_repeats_are_copied_without_any_draft_model() -> None:
    machine = Machine(curve(MEMORY_BOUND), None, repeats=True)
    auto, plain = machine.auto(), machine.plain()
    assert auto.token_ids == plain.token_ids
    assert auto.seconds <= 0.35 * plain.seconds
    assert auto.sentence.startswith("Drafting from the text so far")


def test_text_without_repeats_loses_nothing_to_looking_for_them() -> None:
    for points in (MEMORY_BOUND, COMPUTE_BOUND):
        machine = Machine(curve(points), None)
        auto, plain = machine.auto(), machine.plain()
        assert auto.token_ids == plain.token_ids
        assert auto.seconds <= 1.01 * plain.seconds
        assert auto.sentence.startswith("Off: nothing to repeat")


@pytest.mark.parametrize("points", [MEMORY_BOUND, COMPUTE_BOUND])
def test_stray_slow_passes_do_not_lead_it_astray(points: dict[int, float]) -> None:
    calm, noisy = Machine(curve(points), lambda _: 0.8), Machine(curve(points), lambda _: 0.8)
    usual = noisy.target.cost
    noisy.target.cost = lambda n: usual(n) * (5 if noisy.target.passes % 17 == 3 else 1)
    lengths = [len(calm.auto(800).steps), len(noisy.auto(800).steps)]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.15)


def test_a_machine_that_gets_slower_keeps_its_decision() -> None:
    machine = Machine(curve(COMPUTE_BOUND), lambda _: 0.5)
    usual = machine.target.cost
    machine.target.cost = lambda n: usual(n) * (1 if machine.target.passes < 600 else 2)
    draft_usual = machine.draft.cost if machine.draft else per_token(1, 1)
    assert machine.draft is not None
    machine.draft.cost = lambda n: draft_usual(n) * (1 if machine.target.passes < 600 else 2)
    auto = machine.auto(1500)
    late = [step for step in auto.steps[700:] if len(step.draft)]
    assert len(late) <= 0.05 * len(auto.steps)


def test_a_shorter_context_of_the_draft_pauses_it() -> None:
    machine = Machine(curve(MEMORY_BOUND), lambda _: 0.9, draft_ctx=400)
    auto, plain = machine.auto(1000), machine.plain(1000)
    assert auto.token_ids == plain.token_ids
    assert auto.seconds_of(0, 300) <= 0.75 * plain.seconds_of(0, 300)
    assert auto.seconds_of(450, 1000) <= 1.02 * plain.seconds_of(450, 1000)


def test_the_second_answer_starts_with_what_the_first_learned() -> None:
    machine = Machine(curve(COMPUTE_BOUND), lambda _: 0.3)
    machine.auto(1000)
    second, plain = machine.auto(1000), machine.plain(1000)
    assert second.seconds <= 1.015 * plain.seconds
    good = Machine(curve(MEMORY_BOUND), lambda _: 0.9)
    good.auto(500)
    assert good.auto(100).seconds <= 0.7 * good.plain(100).seconds


def test_without_room_to_measure_it_still_answers() -> None:
    machine = Machine(curve(MEMORY_BOUND), lambda _: 0.9)
    machine._costs = CostModel(Learned().costs)
    auto, plain = machine.auto(600), machine.plain(600)
    assert auto.token_ids == plain.token_ids
    assert auto.seconds <= 1.05 * plain.seconds


@given(
    points=st.sampled_from([MEMORY_BOUND, COMPUTE_BOUND]),
    agreement=st.lists(st.sampled_from([0.0, 0.5, 0.95, 1.0]), min_size=1, max_size=4),
    repeats=st.booleans(),
    draft=st.booleans(),
    sampling=st.sampled_from([Sampling(temperature=0.0), Sampling(seed=4), Sampling(seed=5, repeat_penalty=1.2)]),
    max_tokens=st.integers(1, 150),
    draft_ctx=st.sampled_from([60, 8192]),
    seed=st.integers(0, 3),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_answer_is_always_that_of_plain_decoding(
    points: dict[int, float], agreement: list[float], repeats: bool, draft: bool, sampling: Sampling, max_tokens: int,
    draft_ctx: int, seed: int,
) -> None:
    machine = Machine(
        curve(points), (lambda at: agreement[at // 10 % len(agreement)]) if draft else None, repeats=repeats,
        draft_ctx=draft_ctx, seed=seed, sure=0.9, unsure=0.3,
    )
    auto = machine.auto(max_tokens, sampling)
    assert auto.token_ids == machine.plain(max_tokens, sampling).token_ids
    assert all(len(step.draft) <= LONGEST_DRAFT for step in auto.steps)


def test_the_cache_is_right_after_every_step() -> None:
    machine = Machine(curve(MEMORY_BOUND), lambda at: 0.9 if at % 100 < 50 else 0.1)
    run = start(machine.target, machine.controller(), prompt=PROMPT, max_tokens=200, draft=machine.draft)
    finish(run)
    assert machine.target.facts.vocab_size > VOCAB


def test_what_it_learned_survives_a_restart() -> None:


    machine = Machine(curve(MEMORY_BOUND), lambda _: 0.9)
    machine.auto(300)
    assert machine._costs is not None
    machine.learned.costs = machine._costs.snapshot()
    again = msgspec.json.decode(msgspec.json.encode(machine.learned), type=Learned)
    assert again == machine.learned
    assert CostModel(again.costs).verify_s(1) == pytest.approx(0.093, rel=0.05)
