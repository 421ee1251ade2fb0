"""The loop with a scripted target: whatever drafts, the answer is that of plain decoding, and the cache is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.engine.backend import AbortFlag, DecodeAbortedError
from app.engine.controller import ChainController, Controller, FixedController, OffController
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.lookahead import LookaheadDrafter
from app.engine.drafters.lookup import LookupDrafter
from app.engine.drafters.ngram_cache import NgramCacheDrafter
from app.engine.drafters.ngram_map import NgramMapK4vDrafter, NgramMapKDrafter
from app.engine.drafters.ngram_mod import NgramModDrafter, NgramPool
from app.engine.drafters.ngram_simple import NgramSimpleDrafter
from app.engine.drafters.ngram_statistics import NgramStatistics
from app.engine.drafters.suffix import SuffixDrafter, SuffixHistory
from app.engine.generate import Generation
from app.engine.sampling import Sampler
from app.errors import Code, SlipstreamError
from app.records import Sampling
from tests.engine.fakes import (
    END,
    VOCAB,
    GuessingLanguage,
    Language,
    ScriptedDrafter,
    ScriptedModel,
    finish,
    start,
)

GREEDY = Sampling(temperature=0.0)
SAMPLED = Sampling(temperature=0.8, seed=5)
PENALISED = Sampling(temperature=1.2, seed=6, repeat_penalty=1.3, top_k=12, top_p=0.9, min_p=0.01)
COUNTED = Sampling(temperature=0.9, seed=7, presence_penalty=0.8, frequency_penalty=0.6)
COUNTED_GREEDY = Sampling(temperature=0.0, presence_penalty=-0.4, frequency_penalty=0.9)


def plain(language: Language, sampling: Sampling, max_tokens: int, ctx_tokens: int) -> Generation:
    run = start(ScriptedModel(language, ctx_tokens=ctx_tokens), OffController(), sampling=sampling,
                max_tokens=max_tokens)
    finish(run)
    return run


def same(run: Generation, other: Generation) -> None:
    assert run.token_ids == other.token_ids
    assert run.reason == other.reason
    assert run.draws == other.draws


def oracle(language: Language, sampling: Sampling, prompt: Sequence[int], ctx_tokens: int = 4096) -> list[int]:
    """The text of plain decoding without the loop under test."""
    sampler, context = Sampler(sampling), list(prompt)
    while len(context) <= ctx_tokens and len(context) < len(prompt) + 400:
        context.append(sampler.choose(language.logits(context), context).token)
        sampler.accept(context[-1])
        if context[-1] == END:
            break
    return context[len(prompt):]


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED, PENALISED, COUNTED, COUNTED_GREEDY])
@pytest.mark.parametrize("seed", range(6))
def test_plain_decoding_is_the_naive_loop(sampling: Sampling, seed: int) -> None:
    language = Language(seed=seed, end_bias=-2.0)
    run = plain(language, sampling, 400, 4096)
    expected = oracle(language, sampling, run.prompt)
    assert run.token_ids == expected
    assert run.reason == ("eos" if expected[-1] == END else "length")
    assert len(run.draws) == (0 if sampling.temperature == 0 else len(expected))


@given(
    guesses=st.lists(st.lists(st.integers(0, VOCAB - 1), max_size=9), min_size=1, max_size=30),
    right=st.lists(st.integers(0, 9), min_size=1, max_size=30),
    seed=st.integers(0, 5),
    sampling=st.sampled_from([GREEDY, SAMPLED, PENALISED, COUNTED, COUNTED_GREEDY]),
    max_tokens=st.integers(0, 60),
    ctx_tokens=st.integers(6, 70),
    end_bias=st.sampled_from([-30.0, -2.0, 1.0]),
    longest=st.integers(1, 12),
    shortest=st.integers(0, 4),
    max_rows=st.sampled_from([1, 2, 5, 65]),
)
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_drafter_leaves_the_answer_unchanged(
    guesses: list[list[int]], right: list[int], seed: int, sampling: Sampling, max_tokens: int, ctx_tokens: int,
    end_bias: float, longest: int, shortest: int, max_rows: int,
) -> None:
    language = Language(seed=seed, end_bias=end_bias)
    expected = plain(language, sampling, max_tokens, ctx_tokens)
    text = [*expected.prompt, *expected.token_ids]

    def guess(context: Sequence[int]) -> list[int]:
        """Some tokens that are right, then some that are what they are."""
        known = right[len(context) % len(right)]
        return text[len(context) : len(context) + known] + guesses[len(context) % len(guesses)]

    controller = FixedController(ScriptedDrafter(guess), longest, shortest)
    run = start(ScriptedModel(language, ctx_tokens=ctx_tokens, max_rows=max_rows), controller, sampling=sampling,
                max_tokens=max_tokens)
    steps = finish(run)
    same(run, expected)
    for step in steps:
        assert step.verdict.accepted <= step.verdict.judged <= len(step.draft) <= longest
        assert len(step.draft) < max_rows


def controllers(language: Language, ctx_tokens: int, sampling: Sampling) -> dict[str, tuple[Controller, ScriptedModel]]:
    def draft(vocab_size: int = VOCAB, ctx: int = ctx_tokens) -> ScriptedModel:
        guessing = GuessingLanguage(language, lambda _: 0.7, vocab_size=vocab_size)
        return ScriptedModel(guessing, ctx_tokens=ctx, max_rows=1)

    good, wide, short = draft(), draft(VOCAB + 3), draft(ctx=max(1, ctx_tokens // 2))
    twin = ScriptedModel(language, ctx_tokens=ctx_tokens, max_rows=1)
    return {
        "good": (FixedController(DraftModelDrafter(good, VOCAB), 6), good),
        "wide": (FixedController(DraftModelDrafter(wide, VOCAB), 6), wide),
        "short context": (FixedController(DraftModelDrafter(short, VOCAB), 6), short),
        "itself": (FixedController(DraftModelDrafter(twin, VOCAB), 8, 2, 0.2), twin),
        "ngram-simple": (FixedController(NgramSimpleDrafter(2, 8), 8), good),
        "lookup": (FixedController(LookupDrafter(), 8), good),
        "ngram-map-k": (FixedController(NgramMapKDrafter(2, 8, 1), 8), good),
        "ngram-map-k4v": (FixedController(NgramMapK4vDrafter(2, 4, 2), 8), good),
        "ngram-cache": (FixedController(NgramCacheDrafter(NgramStatistics()), 8), good),
        "ngram-mod": (FixedController(NgramModDrafter(NgramPool(), 3), 8, 2), good),
        "suffix": (FixedController(SuffixDrafter(2.0, 0.1, SuffixHistory()), 8), good),
        "lookahead": (FixedController(LookaheadDrafter(3, 5), 7), good),
        "chain": (
            ChainController(
                FixedController(NgramSimpleDrafter(3, 8), 8, 2), FixedController(DraftModelDrafter(good, VOCAB), 4)
            ),
            good,
        ),
    }


FREE = ["ngram-simple", "lookup", "ngram-map-k", "ngram-map-k4v", "ngram-cache", "ngram-mod", "suffix", "lookahead"]


@pytest.mark.parametrize("name", ["good", "wide", "short context", "itself", "chain", *FREE])
@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED, PENALISED, COUNTED, COUNTED_GREEDY])
@pytest.mark.parametrize(("max_tokens", "ctx_tokens"), [(120, 4096), (500, 90)])
def test_real_drafters_leave_the_answer_unchanged(
    name: str, sampling: Sampling, max_tokens: int, ctx_tokens: int
) -> None:
    for seed in range(3):
        language = Language(seed=seed, end_bias=-5.0, order=2)
        expected = plain(language, sampling, max_tokens, ctx_tokens)
        controller, draft = controllers(language, ctx_tokens, sampling)[name]
        run = start(ScriptedModel(language, ctx_tokens=ctx_tokens), controller, sampling=sampling,
                    max_tokens=max_tokens, draft=draft)
        finish(run)
        same(run, expected)
        if seed == 0:  # once more, with what drafters keep from answer to answer
            second = start(ScriptedModel(language, ctx_tokens=ctx_tokens), controller, sampling=sampling,
                           max_tokens=max_tokens, draft=draft)
            finish(second)
            same(second, expected)


@pytest.mark.parametrize("name", FREE)
def test_free_drafters_draft(name: str) -> None:
    """Without this, a drafter that never guesses would pass for one that changes nothing."""
    language = Language(seed=1, end_bias=-30.0, order=1)
    controller, draft = controllers(language, 4096, GREEDY)[name]
    run = start(ScriptedModel(language), controller, max_tokens=300, draft=draft)
    finish(run)
    assert run.stats.speculation(name, "").num_accepted_draft_tokens > 100
    assert set(run.stats.speculation(name, "").by_drafter) == {name}


def test_a_chain_drafts_with_the_model_where_the_text_has_nothing() -> None:
    language = Language(seed=1, end_bias=-30.0, order=2)
    controller, draft = controllers(language, 4096, GREEDY)["chain"]
    run = start(ScriptedModel(language), controller, max_tokens=300, draft=draft)
    finish(run)
    figures = run.stats.speculation("draft", "").by_drafter
    assert set(figures) == {"draft", "ngram-simple"}
    assert min(each.num_accepted_draft_tokens for each in figures.values()) > 10


def test_the_context_end_is_reached_to_the_last_token() -> None:
    language = Language(end_bias=-30.0)
    for controller in (OffController(), FixedController(ScriptedDrafter(lambda _: [1, 2, 3]), 3)):
        run = start(ScriptedModel(language, ctx_tokens=20), controller, max_tokens=100)
        finish(run)
        assert (run.reason, len(run.prompt) + len(run.token_ids)) == ("context", 21)


def test_an_end_token_inside_a_draft_cuts_it_there() -> None:
    language = Language(end_bias=0.0, seed=3)
    expected = plain(language, GREEDY, 400, 4096)
    assert expected.reason == "eos"
    assert len(expected.token_ids) > 3
    text = [*expected.prompt, *expected.token_ids]
    drafter = ScriptedDrafter(lambda context: [*text[len(context) :], 7, 7, 7])
    run = start(ScriptedModel(language, max_rows=500), FixedController(drafter, 450), max_tokens=490)
    steps = finish(run)
    same(run, expected)
    assert len(steps) == 1
    assert steps[0].verdict.ended
    figures = run.stats.speculation("draft", "")
    assert figures.num_draft_tokens == figures.num_accepted_draft_tokens == len(expected.token_ids)
    assert figures.draft_acceptance_rate == 1.0


def test_no_tokens_asked_none_given() -> None:
    for max_tokens in (0, -5):
        run = start(ScriptedModel(), OffController(), max_tokens=max_tokens)
        assert (list(run.steps()), run.reason, run.token_ids) == ([], "length", [])


@pytest.mark.parametrize("target_pass", range(1, 12))
def test_aborted_in_any_pass_of_the_target(target_pass: int) -> None:
    language = Language(end_bias=-30.0)
    expected = plain(language, SAMPLED, 40, 4096)
    draft = ScriptedModel(GuessingLanguage(language, lambda _: 0.6), max_rows=1)
    target = ScriptedModel(language)
    run = start(target, FixedController(DraftModelDrafter(draft, VOCAB), 4), sampling=SAMPLED, max_tokens=40,
                draft=draft)
    target.abort_at = target.passes + target_pass
    finish(run)
    assert run.reason == "aborted"
    assert run.token_ids == expected.token_ids[: len(run.token_ids)]
    assert len(run.token_ids) < 40
    assert run.draws == expected.draws[: len(run.token_ids)]
    again(run, target, draft, expected)


@pytest.mark.parametrize("draft_pass", range(1, 20))
def test_aborted_in_any_pass_of_the_draft(draft_pass: int) -> None:
    language = Language(end_bias=-30.0)
    expected = plain(language, SAMPLED, 40, 4096)
    target = ScriptedModel(language)
    draft = ScriptedModel(GuessingLanguage(language, lambda _: 0.6), max_rows=1)
    run = start(target, FixedController(DraftModelDrafter(draft, VOCAB), 4), sampling=SAMPLED, max_tokens=40,
                draft=draft)
    draft.abort_at = draft.passes + draft_pass
    finish(run)
    assert run.reason == "aborted"
    assert run.token_ids == expected.token_ids[: len(run.token_ids)]
    again(run, target, draft, expected)


def again(run: Generation, target: ScriptedModel, draft: ScriptedModel, expected: Generation) -> None:
    """The next answer finds both caches usable."""
    target.abort_at = draft.abort_at = None
    second = start(target, FixedController(DraftModelDrafter(draft, VOCAB), 4), sampling=SAMPLED, max_tokens=40,
                   draft=draft)
    finish(second)
    same(second, expected)
    assert second.stats.cached_tokens == len(run.prompt) - 1


@pytest.mark.parametrize("abort_at", [1, 2, 3])
def test_aborted_in_prefill_keeps_what_was_decoded(abort_at: int) -> None:
    prompt = [1 + n % 7 for n in range(1200)]
    target = ScriptedModel(abort_at=abort_at)
    run = Generation(target, None, OffController(), Sampler(GREEDY), prompt, 5, AbortFlag())
    done: list[int] = []
    with pytest.raises(DecodeAbortedError):
        run.prefill(done.append)
    assert len(target.tokens) == 512 * (abort_at - 1) == done[-1]
    assert target.tokens == prompt[: len(target.tokens)]
    assert run.reason == "aborted"
    target.abort_at = None
    second = Generation(target, None, OffController(), Sampler(GREEDY), prompt, 5, AbortFlag())
    second.prefill(done.append)
    assert second.stats.cached_tokens == 512 * (abort_at - 1)
    assert done[-1] == 1200
    assert target.decoded == [512, 512, 175]
    finish(second)


def test_the_flag_ends_it_before_the_next_pass() -> None:
    target = ScriptedModel(Language(end_bias=-30.0))
    run = start(target, OffController(), max_tokens=50)
    for number, _ in enumerate(run.steps(), start=1):
        if number == 3:
            run.abort.set()
            passes = target.passes
    assert (run.reason, len(run.token_ids), target.passes) == ("aborted", 3, passes)


def test_a_prefix_is_reused_and_an_edit_is_decoded_from_where_it_starts() -> None:
    target = ScriptedModel(Language(end_bias=-30.0))
    first = start(target, OffController(), prompt=range(1, 20), max_tokens=8)
    finish(first)
    longer = [*first.prompt, *first.token_ids, 3, 3, 3]
    second = start(target, OffController(), prompt=longer, max_tokens=4)
    assert second.stats.cached_tokens == len(first.prompt) + len(first.token_ids) - 1
    finish(second)
    edited = [*longer[:10], 23, *longer[11:]]
    third = start(target, OffController(), prompt=edited, max_tokens=4)
    assert third.stats.cached_tokens == 10
    finish(third)
    assert third.token_ids == oracle(target.language, GREEDY, edited)[:4]
    shorter = start(target, OffController(), prompt=edited[:5], max_tokens=4)
    assert shorter.stats.cached_tokens == 4
    finish(shorter)


def test_a_model_that_cannot_forget_a_part_starts_over() -> None:
    target = ScriptedModel(Language(end_bias=-30.0), rolls_back=False)
    first = start(target, OffController(), max_tokens=8)
    finish(first)
    second = start(target, OffController(), max_tokens=8)
    assert second.stats.cached_tokens == 0
    finish(second)
    assert second.token_ids == first.token_ids


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED])
@pytest.mark.parametrize("drafted", ["good", "itself", "ngram-simple", "lookahead", "chain"])
def test_a_target_with_a_running_state_goes_back_to_its_marks(drafted: str, sampling: Sampling) -> None:
    language = Language(seed=1, end_bias=-30.0, order=2)
    expected = plain(language, sampling, 150, 4096)
    controller, draft = controllers(language, 4096, sampling)[drafted]
    target = ScriptedModel(language, keeps_state=True)
    run = start(target, controller, sampling=sampling, max_tokens=150, draft=draft)
    finish(run)
    same(run, expected)
    assert run.stats.speculation(drafted, "").num_accepted_draft_tokens > 2
    # lookahead verifies a window of guesses at every step; from the start it would be some 90 tokens a step
    most = 12 if drafted == "lookahead" else 8
    assert sum(target.decoded) < 150 * most, "from a mark, not from the start"
    again = start(target, controller, sampling=sampling, max_tokens=150, draft=draft)
    assert again.stats.cached_tokens == len(run.prompt) - 1, "another try begins where the question ended"
    finish(again)
    same(again, expected)


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED])
def test_a_draft_with_a_running_state_goes_back_to_its_marks(sampling: Sampling) -> None:
    language = Language(seed=1, end_bias=-30.0, order=2)
    expected = plain(language, sampling, 150, 4096)
    draft = ScriptedModel(GuessingLanguage(language, lambda _: 0.7), max_rows=1, keeps_state=True)
    run = start(ScriptedModel(language), FixedController(DraftModelDrafter(draft, VOCAB), 6), sampling=sampling,
                max_tokens=150, draft=draft)
    finish(run)
    same(run, expected)
    assert max(draft.decoded) <= 8, "from a mark, not from the start"


def test_aborted_while_reading_again_what_stands() -> None:
    language = Language(seed=1, end_bias=-30.0)
    expected = plain(language, GREEDY, 40, 4096)
    for target_pass in range(2, 12):
        target = ScriptedModel(language, keeps_state=True)
        run = start(target, FixedController(ScriptedDrafter(lambda _: [1, 2]), 2), max_tokens=40)
        target.abort_at = target_pass
        for _ in run.steps():
            if target.passes >= target_pass:
                run.abort.set()  # as what ended the pass would have been
        assert run.token_ids == expected.token_ids[: len(run.token_ids)]
        assert run.target.tokens == run.context[: len(run.target.tokens)]
        target.abort_at = None
        second = start(target, OffController(), max_tokens=40)
        finish(second)
        same(second, expected)


@given(fails_at=st.integers(1, 40), keeps_state=st.booleans(), sampling=st.sampled_from([GREEDY, SAMPLED, COUNTED]))
@settings(max_examples=60, deadline=None)
def test_a_draft_that_fails_leaves_the_answer_as_it_is(fails_at: int, keeps_state: bool, sampling: Sampling) -> None:
    class Failing(ScriptedModel):
        fails = True
        failed = False

        def decode(self, tokens: Sequence[int], rows: int) -> np.ndarray:  # type: ignore[type-arg]
            if self.fails and self.passes + 1 >= fails_at:
                self.failed = True
                raise SlipstreamError(Code.DECODE_FAILED, "It broke.", "Mend it.")
            return super().decode(tokens, rows)

    language = Language(seed=1, end_bias=-30.0)
    expected = plain(language, sampling, 30, 4096)
    draft = Failing(GuessingLanguage(language, lambda _: 0.7), max_rows=1, keeps_state=keeps_state)
    controller = FixedController(DraftModelDrafter(draft, VOCAB), 4)
    run = start(ScriptedModel(language), controller, sampling=sampling, max_tokens=30, draft=draft)
    finish(run)
    same(run, expected)
    if draft.failed:
        assert run.controller.sentence == "Drafting has stopped, for the draft failed: It broke."
    draft.fails = False
    again = start(ScriptedModel(language), controller, sampling=sampling, max_tokens=30, draft=draft)
    finish(again)
    same(again, expected)
    assert again.stats.speculation("", "").num_draft_tokens > 0, "the next answer tries again"


def test_a_draft_of_a_short_context_says_why_it_pauses() -> None:
    language = Language(seed=1, end_bias=-30.0)
    draft = ScriptedModel(GuessingLanguage(language, lambda _: 0.9), max_rows=1, ctx_tokens=20)
    controller = FixedController(DraftModelDrafter(draft, VOCAB), 4)
    run = start(ScriptedModel(language), controller, max_tokens=60, draft=draft)
    said = []
    for _ in run.steps():
        said.append(run.controller.sentence)
    assert said[0] == ""
    assert said[-1] == "Drafting pauses: the draft's context of 20 tokens is full."
    assert len(run.token_ids) == 60


def test_a_failure_of_the_target_is_told_and_leaves_the_cache() -> None:
    class Broken(ScriptedModel):
        def decode(self, tokens: Sequence[int], rows: int) -> np.ndarray:  # type: ignore[type-arg]
            if self.passes == 4:
                raise SlipstreamError(Code.DECODE_FAILED, "Broken.", "Mend it.")
            return super().decode(tokens, rows)

    target = Broken(Language(end_bias=-30.0))
    run = start(target, FixedController(ScriptedDrafter(lambda _: [1, 2]), 2), max_tokens=50)
    with pytest.raises(SlipstreamError, match="Broken"):
        list(run.steps())
    assert target.tokens == [*run.prompt, *run.token_ids][:-1]


def test_figures_are_right_at_any_moment() -> None:
    run = start(ScriptedModel(Language(end_bias=-30.0)), OffController(), max_tokens=50)
    for _ in run.steps():
        timings = run.stats.timings(0.0)
        assert timings.decode_s >= timings.sample_s > 0
        assert timings.tokens_per_second == pytest.approx(run.stats.emitted_tokens / timings.decode_s)
        if run.stats.steps == 2:
            break  # as on a stop text
    assert run.stats.timings(0.0).tokens_per_second > 0


def test_a_draft_without_a_tokens_number_pauses() -> None:
    """A target of more (padded) tokens than its draft: such a token must not reach the draft."""
    language = Language(vocab_size=VOCAB, end_bias=-30.0)
    expected = start(ScriptedModel(language), OffController(), max_tokens=60, sampling=SAMPLED)
    finish(expected)
    draft = ScriptedModel(Language(vocab_size=VOCAB - 4), max_rows=1)
    run = start(ScriptedModel(language), FixedController(DraftModelDrafter(draft, VOCAB), 4), max_tokens=60,
                sampling=SAMPLED, draft=draft)
    finish(run)
    same(run, expected)
    assert max(expected.token_ids) >= VOCAB - 4, "the text must have such a token, or nothing was tested"
