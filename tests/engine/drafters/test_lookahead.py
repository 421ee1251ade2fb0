"""Lookahead: what it puts behind the draft, and what it learns from the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from app.engine.controller import FixedController, OffController
from app.engine.drafters.lookahead import LookaheadDrafter
from tests.engine.fakes import Language, Limit, ScriptedModel, finish, start

N, WINDOW = 4, 6


def rows(*said: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.eye(30, dtype=np.float32)[list(said)]


def test_the_first_guesses_are_tokens_of_the_text() -> None:
    drafter = LookaheadDrafter(N, WINDOW)
    drafter.begin([4, 5])
    assert drafter.propose([4, 5], Limit(99)).tokens == [5, 4, 5, 4, 5, 4]
    assert drafter.propose([4, 5], Limit(2)).tokens == [5, 4]
    assert drafter.propose([4, 5], Limit(0)).tokens == []


def test_guesses_move_one_place_on_and_become_ngrams() -> None:
    drafter = LookaheadDrafter(3, 2)
    drafter.begin([1, 2])
    draft = drafter.propose([1, 2], Limit(9))
    assert draft.tokens == [2, 1]
    assert draft.on_rows is not None
    draft.on_rows(rows(9, 11, 12))  # 9 becomes text; 11 follows guess 2, 12 follows guess 1
    draft = drafter.propose([1, 2, 9], Limit(9))
    assert draft.tokens == [11, 12]
    assert draft.on_rows is not None
    draft.on_rows(rows(2, 13, 14))  # 2 11 13 and 1 12 14 are whole now
    draft = drafter.propose([1, 2, 9, 2], Limit(9))
    assert draft.tokens == [11, 13, 13, 14], "the n-gram that starts with 2, then the window"
    assert draft.on_rows is not None
    draft.on_rows(rows(11, 13, 20, 15, 16))  # both of the n-gram stand
    draft = drafter.propose([1, 2, 9, 2, 11, 13, 20], Limit(9))
    assert draft.tokens == [15, 16]
    assert draft.on_rows is not None
    draft.on_rows(rows(15, 8, 17))  # the window's first guess stands: it is left behind
    assert drafter.propose([1, 2, 9, 2, 11, 13, 20, 15, 8], Limit(9)).tokens[:1] == [17]


def test_a_new_answer_starts_with_nothing() -> None:
    drafter = LookaheadDrafter(2, 1)
    drafter.begin([1, 2])
    draft = drafter.propose([1, 2], Limit(9))
    assert draft.on_rows is not None
    draft.on_rows(rows(2, 4))
    assert drafter.propose([1, 2, 2], Limit(9)).tokens == [4, 4]
    drafter.begin([1, 2])
    assert drafter.propose([1, 2], Limit(9)).tokens == [2]


@pytest.mark.parametrize("kept", range(5))
def test_a_draft_that_was_shortened_or_dropped_does_no_harm(kept: int) -> None:
    drafter = LookaheadDrafter(2, 2)
    drafter.begin([1])
    for context in ([1], [1, 2], [1, 2, 1]):
        draft = drafter.propose(context, Limit(9))
        del draft.tokens[kept:]
        assert draft.on_rows is not None
        draft.on_rows(rows(*range(2, 3 + len(draft))))
    drafter.propose([1, 2, 1, 3], Limit(9))  # not verified at all
    assert drafter.propose([1, 2, 1, 3, 4], Limit(9)).tokens


def cycle_of(language: Language) -> Sequence[int]:
    plain = start(ScriptedModel(language), OffController(), max_tokens=300)
    finish(plain)
    return plain.token_ids


def test_the_target_itself_is_what_it_learns_from() -> None:
    """A language of one token's memory: every guess of the window is a true bigram, so that drafts must stand."""
    language = Language(order=1, end_bias=-30.0, seed=4)
    expected = cycle_of(language)
    run = start(ScriptedModel(language), FixedController(LookaheadDrafter(N, WINDOW), N - 1 + WINDOW), max_tokens=300)
    steps = finish(run)
    assert run.token_ids == expected
    assert len(steps) < 150
    assert max(len(step.draft) for step in steps) <= N - 1 + WINDOW
