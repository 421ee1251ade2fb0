"""Rounding of passes, measured and reported; written sequences held against the target alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from app.engine.backend import Logits
from app.engine.controller import FixedController, OffController
from app.engine.exactness import (
    check_sequence,
    describe_check,
    describe_noise,
    is_bit_exact,
    measure_noise,
    slack_of,
)
from app.engine.sampling import Sampler
from app.engine.scoring import score
from app.records import BatchNoise, Sampling
from tests.engine.fakes import Language, ScriptedDrafter, ScriptedModel, finish, start

GREEDY = Sampling(temperature=0.0)
SAMPLED = Sampling(temperature=0.8, seed=5)
FLAT = Sampling(temperature=1.5, seed=7, top_k=0, top_p=0.95, min_p=0.0, repeat_penalty=1.2)
TEXT = [1 + 7 * n % 23 for n in range(1000)]


class RoundingModel(ScriptedModel):
    """Passes over more than one token are off by ``noise``, alternately up and down."""

    def __init__(self, noise: float, from_rows: int = 2, from_position: int = 0, **more: object) -> None:
        super().__init__(Language(end_bias=-30.0), **more)  # type: ignore[arg-type]
        self.noise = noise
        self.from_rows = from_rows
        self.from_position = from_position

    def decode(self, tokens: Sequence[int], rows: int) -> Logits:
        start = len(self._tokens)
        logits = super().decode(tokens, rows)
        if rows >= self.from_rows and start >= self.from_position:
            logits = self._given = logits + np.where(np.arange(logits.shape[1]) % 2, self.noise, -self.noise).astype(
                np.float32
            )
        return logits


def measure(model: ScriptedModel, text: Sequence[int] = TEXT) -> list[BatchNoise]:
    return measure_noise(model, text, lambda _position: None)


def test_a_model_that_rounds_alike_is_bit_exact() -> None:
    noise = measure(ScriptedModel())
    assert [(each.position, each.gap) for each in noise] == [(60, 0.0), (505, 0.0), (900, 0.0)]
    assert is_bit_exact(noise)
    assert describe_noise(noise).startswith("Bit-exact in this configuration")


@pytest.mark.parametrize("keeps_state", [False, True])
def test_the_largest_difference_is_found_where_it_is(keeps_state: bool) -> None:
    noise = measure(RoundingModel(0.25, from_rows=9, from_position=300, keeps_state=keeps_state))
    assert [each.gap for each in noise] == pytest.approx([0.0, 0.25, 0.25], abs=1e-6)
    assert noise[1].rows == 16
    assert not is_bit_exact(noise)
    assert "up to 0.25 (at 505)" in describe_noise(noise)


def test_only_passes_that_can_be_asked_for_are_measured() -> None:
    assert is_bit_exact(measure(RoundingModel(0.25, from_rows=9, max_rows=8)))


def test_what_was_cached_is_used_and_positions_without_room_are_left_out() -> None:
    model = ScriptedModel(ctx_tokens=600)
    assert [each.position for each in measure(model)] == [60, 505]
    assert max(model.decoded) <= 445
    assert measure(ScriptedModel(ctx_tokens=70)) == []
    assert not is_bit_exact([])
    assert "too short" in describe_noise([])


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED, Sampling(temperature=1.2, seed=6, repeat_penalty=1.3, top_k=9)])
def test_what_an_exact_target_wrote_is_its_own(sampling: Sampling) -> None:
    drafter = FixedController(ScriptedDrafter(lambda _: [1, 2, 3]), 3)
    for controller in (OffController(), drafter):
        run = start(ScriptedModel(Language(end_bias=-30.0)), controller, sampling=sampling, max_tokens=80)
        finish(run)
        scores = score(run.target, run.prompt, run.token_ids, [], Sampler(sampling), run.draws)
        assert all(each.is_own for each in scores)
        check = check_sequence(scores, slack_of(measure(ScriptedModel())))
        assert (check.tokens, check.own_choices, check.strange_positions) == (80, 80, [])
        assert describe_check(check) == "Checked: all 80 tokens are what the target alone would have written."


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED, FLAT])
def test_what_rounding_changed_is_explained_by_it(sampling: Sampling) -> None:
    target = RoundingModel(0.3)
    run = start(target, FixedController(ScriptedDrafter(lambda _: [1, 2, 3]), 3), sampling=sampling, max_tokens=200)
    finish(run)
    slack = slack_of(measure(target))
    check = check_sequence(score(target, run.prompt, run.token_ids, [], Sampler(sampling), run.draws, slack), slack)
    assert 0 < check.own_choices < check.tokens == 200
    assert check.strange_positions == []
    assert check.allowed_gap == pytest.approx(0.6, abs=1e-5)
    assert "within the rounding measured here (up to 0.6 between two logits)" in describe_check(check)
    if sampling is GREEDY:
        assert 0 < check.largest_gap <= 0.6001


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED])
def test_a_token_that_is_nobodys_choice_is_found(sampling: Sampling) -> None:
    run = start(ScriptedModel(Language(end_bias=-30.0)), OffController(), sampling=sampling, max_tokens=40)
    finish(run)
    wrong = list(run.token_ids)
    context = [*run.prompt, *wrong[:25]]
    wrong[25] = int(Language(end_bias=-30.0).logits(context).argmin())
    check = check_sequence(score(run.target, run.prompt, wrong, [], Sampler(sampling), run.draws, 0.05), 0.05)
    assert check.strange_positions[0] == 25
    assert "the first at 26. That is a defect" in describe_check(check)


def test_the_part_of_a_token() -> None:
    distribution = Sampler(Sampling(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0)).distribution(
        np.log(np.array([0.5, 0.3, 0.2], dtype=np.float32)), []
    )
    assert distribution.part_of(0) == pytest.approx((0.0, 0.5))
    assert distribution.part_of(1) == pytest.approx((0.5, 0.8))
    assert distribution.part_of(7) is None


def test_scores_of_some_positions_have_their_own_draws() -> None:
    run = start(ScriptedModel(Language(end_bias=-30.0)), OffController(), sampling=SAMPLED, max_tokens=40)
    finish(run)
    scores = score(run.target, run.prompt, run.token_ids, [3, 17], Sampler(SAMPLED), run.draws)
    assert [(each.position, each.draw, each.is_own) for each in scores] == [
        (3, run.draws[3], True), (17, run.draws[17], True)
    ]


def test_nothing_written_nothing_checked() -> None:
    assert describe_check(check_sequence([], 0.0)) == "There is nothing to check."
