"""Which form is chosen, by figures; and how forms are measured, with scripted models."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app.engine import prepare
from app.engine.backend import AbortFlag, DecodeAbortedError
from app.engine.prepare import (
    ANSWER_TOKENS,
    AS_IS,
    FORMS,
    Answer,
    TargetFigures,
    choose,
    describe,
    expected_tokens,
    judge,
)
from app.errors import Code, SlipstreamError
from app.records import FormFigures
from tests.engine.fakes import COMPUTE_BOUND, MEMORY_BOUND, GuessingLanguage, Language, ScriptedModel, curve, per_token

Q4_0 = FORMS[1]
YES, NO = True, False


def figures(form: str, tokens_per_second: float, step_s: float = 0.01, acceptance_rate: float = 0.7) -> FormFigures:
    return FormFigures(
        form=form, size_bytes=1, step_s=step_s, acceptance_rate=acceptance_rate, best_draft_tokens=3,
        tokens_per_second=tokens_per_second,
    )


@pytest.mark.parametrize(
    ("stood", "length", "expected"),
    [
        ([[YES] * 10], 3, 4.0),
        ([[NO] * 10], 3, 1.0),
        ([[YES, NO, YES, YES]], 2, (2 + 1 + 3) / 3),
        ([[YES, YES], [NO, NO]], 2, (3 + 1) / 2),
        ([[YES, YES]], 3, 1.0),
        ([], 1, 1.0),
    ],
)
def test_expected_tokens(stood: list[list[bool]], length: int, expected: float) -> None:
    assert expected_tokens(stood, length) == pytest.approx(expected)


def test_the_best_length_follows_cost_and_acceptance() -> None:
    cheap, dear = (lambda n: 0.1 + 0.001 * n), (lambda n: 0.1 * n)
    right, wrong = [[YES] * 48], [[YES, NO, NO] * 16]
    assert judge("f", 1, right, 0.001, cheap).best_draft_tokens == prepare.LONGEST_DRAFT
    assert judge("f", 1, wrong, 0.02, cheap).best_draft_tokens == 1
    assert judge("f", 1, right, 0.001, dear).tokens_per_second < 1 / dear(1)
    found = judge("f", 7, [[YES, YES, NO, YES]], 0.5, lambda n: 1.0 * n)
    assert (found.form, found.size_bytes, found.acceptance_rate, found.step_s) == ("f", 7, 0.75, 0.5)


def test_speed_is_tokens_by_seconds() -> None:
    found = judge("f", 1, [[YES] * 48], 0.01, curve(MEMORY_BOUND))
    k = found.best_draft_tokens
    assert found.tokens_per_second == pytest.approx((k + 1) / (k * 0.01 + curve(MEMORY_BOUND)(k + 1)))


@pytest.mark.parametrize("slower", [0.0185, 0.0129])
def test_a_faster_step_wins_where_the_guesses_are_as_good(slower: float) -> None:
    guesses = [([YES] * 4 + [NO]) * 9]
    slow = judge("as-is", 1, guesses, slower, curve(MEMORY_BOUND))
    fast = judge("q4_0-all", 1, guesses, 0.0101, curve(MEMORY_BOUND))
    assert choose([slow, fast]) is fast


def test_a_worse_guesser_loses_though_its_step_is_faster() -> None:
    good = judge("as-is", 1, [([YES] * 7 + [NO]) * 6], 0.012, curve(MEMORY_BOUND))
    bad = judge("q4_0", 1, [[YES, NO] * 24], 0.010, curve(MEMORY_BOUND))
    assert choose([good, bad]) is good


@pytest.mark.parametrize(("other", "chosen"), [(10.1, "as-is"), (10.3, "q4_0"), (9.0, "as-is")])
def test_less_than_can_be_told_changes_nothing(other: float, chosen: str) -> None:
    assert choose([figures("as-is", 10.0), figures("q4_0", other)]).form == chosen


def test_sentences() -> None:
    as_is, fast = figures("as-is", 17.6, 0.0185, 0.72), figures("q4_0-all", 20.8, 0.0101, 0.71)
    said = describe(fast, as_is, 10.0)
    for part in ("10.1 ms", "18.5", "71%", "72%", "20.8 tokens/s", "17.6", "1.18×", "embeddings", "alone: 10.0"):
        assert part in said
    assert "no slower here (30.0 tokens/s)" in describe(fast, as_is, 30.0)
    assert describe(as_is, as_is, 10.0).startswith("No other form is clearly faster")


def measured_target(target: ScriptedModel, prompts: list[list[int]] | None = None) -> TargetFigures:
    return prepare.measure_target(target, prompts or [[3, 1, 4, 1, 5], [3, 1, 4, 2, 6, 5]], AbortFlag(), lambda _: None)


def target_model(**more: object) -> ScriptedModel:
    language = Language(end_bias=-30.0, by_position=True)
    return ScriptedModel(language, cost=curve(MEMORY_BOUND), **more)  # type: ignore[arg-type]


def test_the_target_answers_alone() -> None:
    target = target_model()
    known = measured_target(target)
    assert known.plain_tokens_per_second == pytest.approx(1 / MEMORY_BOUND[1])
    assert known.verify_s(6) == pytest.approx(MEMORY_BOUND[6])
    assert [len(answer.tokens) for answer in known.answers] == [ANSWER_TOKENS] * 2
    for answer in known.answers:
        text = [*answer.prompt, *answer.tokens]
        for before, _after in pairwise(range(len(answer.prompt), len(text))):
            assert text[before] == target.language.logits(text[:before]).argmax()


@pytest.mark.parametrize("agreement", [0.0, 0.6, 1.0])
def test_a_form_is_measured(agreement: float) -> None:
    target = target_model()
    known = measured_target(target)
    language = GuessingLanguage(target.language, lambda _: agreement)
    draft = ScriptedModel(language, cost=per_token(0.013, 0.0), max_rows=ANSWER_TOKENS)
    found = prepare.measure_form(Q4_0, 99, target, known, draft)
    assert found.acceptance_rate == pytest.approx(agreement, abs=0.15)
    assert found.step_s == pytest.approx(0.013)
    assert (found.form, found.size_bytes) == ("q4_0", 99)
    if agreement == 1.0:
        assert found.tokens_per_second > 2 * known.plain_tokens_per_second


def test_a_machine_that_slows_down_midway_changes_no_step() -> None:
    target = target_model()
    known = measured_target(target)
    slowed = 3.0
    target.cost = lambda n: slowed * curve(MEMORY_BOUND)(n)
    draft = ScriptedModel(GuessingLanguage(target.language, lambda _: 1.0), cost=per_token(slowed * 0.013, 0.0))
    assert prepare.measure_form(AS_IS, 1, target, known, draft).step_s == pytest.approx(0.013)


def test_a_few_stray_passes_change_no_step() -> None:
    target = target_model()
    known = measured_target(target)
    draft = ScriptedModel(GuessingLanguage(target.language, lambda _: 1.0))
    draft.cost = lambda _n: 9.0 if draft.passes % 11 == 0 else 0.013
    assert prepare.measure_form(AS_IS, 1, target, known, draft).step_s == pytest.approx(0.013)


def test_a_draft_that_lacks_a_token_guesses_nothing() -> None:
    target = target_model()
    known = TargetFigures([Answer([3, 20], [5, 6])], curve(COMPUTE_BOUND))
    draft = ScriptedModel(Language(vocab_size=12), cost=per_token(0.01, 0.0))
    assert prepare.measure_form(AS_IS, 1, target, known, draft).acceptance_rate == 0.0


def test_a_small_context_is_refused_in_words_and_long_prompts_are_left_out() -> None:
    with pytest.raises(SlipstreamError) as failure:
        measured_target(target_model(ctx_tokens=40))
    assert failure.value.code == Code.SETTINGS_INVALID
    known = measured_target(target_model(ctx_tokens=100), [[1] * 90, [1, 2, 3]])
    assert [answer.prompt for answer in known.answers] == [[1, 2, 3]]


@pytest.mark.parametrize("at", [1, 20, 60])
def test_a_stop_ends_the_measuring(at: int) -> None:
    with pytest.raises(DecodeAbortedError):
        measured_target(target_model(abort_at=at))
