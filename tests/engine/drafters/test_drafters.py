"""Drafters by themselves: against the plainest search, and by what they decode."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.backend import DecodeAbortedError, shared_prefix
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.lookup import LONGEST_MATCH, PLACES_KEPT, LookupDrafter, chance
from app.engine.drafters.ngram_simple import NgramSimpleDrafter
from tests.engine.fakes import VOCAB, GuessingLanguage, Language, Limit, ScriptedModel

texts = st.lists(st.integers(0, 3), min_size=1, max_size=60)
growths = st.lists(st.integers(1, 6), max_size=12)


@given(a=texts, b=texts, same=st.integers(0, 60))
def test_shared_prefix(a: list[int], b: list[int], same: int) -> None:
    b = [*a[:same], *b]
    naive = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    assert shared_prefix(a, b) == naive


def naive_ngram(context: Sequence[int], n: int, m: int) -> list[int]:
    """What followed the last n tokens where they last stood before."""
    for end in range(len(context) - 1, n - 1, -1):
        if len(context) >= n and context[end - n : end] == context[-n:]:
            return list(context[end : end + m])
    return []


@given(text=texts, growths=growths, n=st.integers(1, 5), m=st.integers(1, 12), limit=st.integers(0, 12))
@settings(deadline=None)
def test_ngram_simple_is_the_naive_search(text: list[int], growths: list[int], n: int, m: int, limit: int) -> None:
    drafter = NgramSimpleDrafter(n, m)
    drafter.begin(text[:1])
    length = 1
    for growth in [0, *growths]:
        length += growth
        context = text[:length]
        assert drafter.propose(context, Limit(limit)).tokens == naive_ngram(context, n, m)[:limit]


def test_ngram_simple_forgets_the_answer_before() -> None:
    drafter = NgramSimpleDrafter(2, 4)
    drafter.begin([1, 2, 3])
    assert drafter.propose([1, 2, 3, 1, 2], Limit(9)).tokens == [3, 1, 2]
    drafter.begin([5, 1, 2])
    assert drafter.propose([5, 1, 2], Limit(9)).tokens == []


def naive_lookup(context: Sequence[int], n: int) -> tuple[list[int], list[float]]:
    """What followed the latest of those of the last places that have the longest past in common with the present, and
    the chance of each token by the places that went on alike up to it."""
    places = [end for end in range(n, len(context)) if context[end - n : end] == context[-n:]][-PLACES_KEPT:]
    best = (0, 0)
    for place in reversed(places):
        past = 0
        while past < min(LONGEST_MATCH, place) and context[place - 1 - past] == context[-1 - past]:
            past += 1
        best = max(best, (past, place), key=lambda found: found[0])
    followed = list(context[best[1] :]) if best[0] else []
    chances = []
    for done, token in enumerate(followed):
        alike = [place for place in places if context[place : place + done] == followed[:done]]
        nexts = [context[place + done] for place in alike if place + done < len(context)]
        chances.append(chance(best[0] + done, len(nexts), nexts.count(token)))
    return followed, chances


@given(text=st.lists(st.integers(0, 2), min_size=1, max_size=120), growths=growths, n=st.integers(1, 4),
       limit=st.integers(0, 12))
@settings(deadline=None)
def test_lookup_is_the_naive_search(text: list[int], growths: list[int], n: int, limit: int) -> None:
    drafter = LookupDrafter(n)
    drafter.begin(text[:1])
    length = 1
    for growth in [0, *growths]:
        length += 5 * growth
        context = text[:length]
        followed, chances = naive_lookup(context, n)
        draft = drafter.propose(context, Limit(limit))
        assert draft.tokens == followed[:limit]
        assert all(0 < confidence < 1 for confidence in draft.confidences)
        assert draft.confidences == chances[:limit]


def test_a_guess_on_which_places_part_is_less_sure() -> None:
    assert chance(6, 4, 3) < chance(6, 1, 1) < chance(6, 4, 4)
    drafter = LookupDrafter()
    drafter.begin([])
    first, second = [1, 2, 3, 4, 5], [1, 2, 3, 9, 5]
    draft = drafter.propose([*first, 7, *second, 8, 1, 2], Limit(3))
    assert draft.tokens == [3, 9, 5]
    # after 3 the two places part; from there on only one of them is left
    assert draft.confidences == [chance(2, 2, 2), chance(3, 2, 1), chance(4, 1, 1)]


def test_lookup_is_surer_of_longer_repeats() -> None:
    def confidence(repeat: int) -> float:
        text = [*range(1, repeat + 1), 99, *range(1, repeat + 1)]
        drafter = LookupDrafter()
        drafter.begin([])
        return drafter.propose(text, Limit(1)).confidences[0]

    assert 0 < confidence(2) < confidence(3) < confidence(10) < confidence(40) < 1


def make_draft(**more: object) -> ScriptedModel:
    return ScriptedModel(Language(seed=2, end_bias=-30.0), max_rows=1, **more)  # type: ignore[arg-type]


def test_a_draft_is_the_models_own_greedy_text() -> None:
    model = make_draft()
    draft = DraftModelDrafter(model, VOCAB).propose([1, 2, 3], Limit(6))
    context = [1, 2, 3]
    for token in draft.tokens:
        assert token == int(model.language.logits(context).argmax())
        context.append(token)
    assert len(draft) == 6
    assert all(0 < confidence <= 1 for confidence in draft.confidences)
    assert (draft.passes, draft.caught_up) == (6, 3)


def test_only_what_is_new_is_decoded() -> None:
    model = make_draft()
    drafter = DraftModelDrafter(model, VOCAB)
    prompt = list(range(1, 11))
    drafter.begin(prompt)
    assert model.decoded == [9]
    model.decoded.clear()

    draft = drafter.propose(prompt, Limit(4))
    assert model.decoded == [1, 1, 1, 1]
    assert draft.caught_up == 1
    model.decoded.clear()

    # all four stand, and the target's own follows: the last guess and that one are not cached yet
    context = [*prompt, *draft.tokens, 5]
    assert drafter.lag(context) == 2
    second = drafter.propose(context, Limit(4))
    assert model.decoded == [2, 1, 1, 1]
    assert second.caught_up == 2
    model.decoded.clear()

    # one stands: what is right of the cache stays
    other = (second.tokens[1] + 1) % VOCAB
    context = [*context, second.tokens[0], other]
    drafter.propose(context, Limit(3))
    assert model.decoded == [1, 1, 1]
    model.decoded.clear()

    # after plain steps it catches up in one pass
    context = [*context, 1, 2, 3, 4, 5, 6]
    lag = drafter.lag(context)
    assert 4 <= lag <= 6
    assert drafter.propose(context, Limit(1)).caught_up == lag
    assert model.decoded == [lag]


def test_nothing_is_decoded_when_nothing_is_wanted() -> None:
    model = make_draft()
    assert len(DraftModelDrafter(model, VOCAB).propose([1, 2], Limit(0))) == 0
    assert model.passes == 0


def test_an_unsure_guess_ends_the_draft_and_is_dropped() -> None:
    language = GuessingLanguage(Language(end_bias=-30.0, by_position=True), lambda _: 0.5, sure=0.9, unsure=0.4)
    model = ScriptedModel(language, max_rows=1)
    drafter = DraftModelDrafter(model, VOCAB)
    lengths = set()
    for end in range(1, 30):
        draft = drafter.propose([1] * end, Limit(8, p_min=0.6))
        assert all(confidence >= 0.6 for confidence in draft.confidences)
        assert draft.passes == min(8, len(draft) + 1)
        lengths.add(len(draft))
    assert {0, 1} < lengths


@pytest.mark.parametrize("ctx_tokens", [1, 4, 10, 11, 12, 20])
def test_a_shorter_context_pauses_drafting(ctx_tokens: int) -> None:
    model = make_draft(ctx_tokens=ctx_tokens)
    drafter = DraftModelDrafter(model, VOCAB)
    context = [1 + n % 9 for n in range(10)]
    drafter.begin(context)
    for _ in range(15):
        draft = drafter.propose(context, Limit(4))
        assert len(draft) <= max(0, ctx_tokens - len(context))
        if ctx_tokens >= len(context) + 4:
            assert len(draft) == 4
        context.append(2)


def test_ids_beyond_the_targets_vocabulary_never_leave() -> None:
    language = Language(seed=3, vocab_size=VOCAB + 10, end_bias=-30.0)
    drafter = DraftModelDrafter(ScriptedModel(language, max_rows=1), VOCAB)
    cut = 0
    for first in range(VOCAB):
        for second in range(VOCAB):
            draft = drafter.propose([first, second], Limit(6))
            assert all(token < VOCAB for token in draft.tokens)
            cut += len(draft) < 6
    assert cut > 50, "no draft met such an id: nothing was tested"


@pytest.mark.parametrize("abort_at", [1, 2, 3, 4])
def test_an_aborted_draft_leaves_a_usable_cache(abort_at: int) -> None:
    model = make_draft(abort_at=abort_at)
    drafter = DraftModelDrafter(model, VOCAB)
    with pytest.raises(DecodeAbortedError):
        drafter.propose([1, 2, 3], Limit(6))
    assert list(model.tokens[:3]) == [1, 2, 3][: len(model.tokens)]
    model.abort_at = None
    fresh = DraftModelDrafter(make_draft(), VOCAB).propose([1, 2, 4], Limit(6))
    assert drafter.propose([1, 2, 4], Limit(6)).tokens == fresh.tokens
