"""The suffix automaton against plain search, and the drafter over it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.drafters.suffix import BREAK, SuffixDrafter, SuffixHistory
from app.engine.drafters.suffix_automaton import COUNTED_SUFFIXES, SuffixAutomaton
from tests.engine.fakes import Limit

texts = st.lists(st.integers(0, 2), max_size=40)
growths = st.lists(st.integers(1, 8), max_size=10)


def ends(text: Sequence[int], phrase: Sequence[int]) -> list[int]:
    """Where ``phrase`` ends in ``text``."""
    n = len(phrase)
    return [end for end in range(n, len(text) + 1) if list(text[end - n : end]) == list(phrase)]


def build(text: Sequence[int]) -> SuffixAutomaton:
    automaton = SuffixAutomaton()
    for token in text:
        automaton.append(token)
    return automaton


def longest_repeat(text: Sequence[int], context: Sequence[int], within: bool) -> int:
    """Length of the longest end of ``context`` that stands in ``text`` (``within``: before the end that it is)."""
    for length in range(len(context), 0, -1):
        found = ends(text, context[len(context) - length :])
        if len(found) > within:
            return length
    return 0


@given(text=texts)
@settings(deadline=None)
def test_every_phrase_is_counted_and_nothing_else_is_in_it(text: list[int]) -> None:
    automaton = build(text)
    for start in range(len(text)):
        state = 0
        for end in range(start + 1, len(text) + 1):
            state = automaton.nexts[state][text[end - 1]]
            found = ends(text, text[start:end])
            assert automaton.counts[state] == len(found)
            assert automaton.ends[state] == found[-1]
            follows = {text[place] for place in found if place < len(text)}
            assert set(automaton.nexts[state]) == follows
    assert len(automaton.links) <= max(2, 2 * len(text))


@given(text=texts)
@settings(deadline=None)
def test_the_longest_repeated_end(text: list[int]) -> None:
    automaton = build(text)
    state, length = automaton.repeated
    assert length == longest_repeat(text, text, within=True)
    if length:
        assert automaton.ends[state] == len(text)
        assert automaton.counts[state] == len(ends(text, text[len(text) - length :]))


@given(text=texts, other=texts)
@settings(deadline=None)
def test_another_text_is_matched_as_it_grows(text: list[int], other: list[int]) -> None:
    automaton, state, length = build(text), 0, 0
    for end in range(1, len(other) + 1):
        state, length = automaton.step(state, length, other[end - 1])
        assert length == longest_repeat(text, other[:end], within=False)


def test_a_text_of_one_token_takes_bounded_time_per_token() -> None:
    automaton = build([7] * 3000)
    assert len(automaton.links) == 3001
    assert sum(automaton.counts) <= 3000 * COUNTED_SUFFIXES
    assert automaton.repeated[1] == 2999


def naive_suffix(context: list[int], factor: float, p_min: float, limit: int) -> list[int]:
    """The commonest token after the repeat and what was drafted so far, of equals the latest."""
    length = longest_repeat(context, context, within=True)
    draft: list[int] = []
    product = 1.0
    while length and len(draft) < min(limit, int(factor * length)):
        phrase = [*context[len(context) - length :], *draft]
        followed = [(context[end], end) for end in ends(context, phrase) if end < len(context)]
        if not followed:
            break
        count, _, token = max(
            (sum(each == token for each, _ in followed), max(end for each, end in followed if each == token), token)
            for token, _ in followed
        )
        product *= count / len(followed)
        if product < p_min:
            break
        draft.append(token)
    return draft


@given(text=st.lists(st.integers(0, 2), min_size=1, max_size=40), growths=growths,
       factor=st.sampled_from([0.5, 1.0, 3.0]), p_min=st.sampled_from([0.0, 0.1, 0.6]), limit=st.integers(0, 9))
@settings(deadline=None)
def test_suffix_is_the_naive_search(
    text: list[int], growths: list[int], factor: float, p_min: float, limit: int
) -> None:
    drafter = SuffixDrafter(factor, p_min)
    drafter.begin(text[:1])
    end = 1
    for growth in [0, *growths]:
        end += growth
        context = text[:end]
        draft = drafter.propose(context, Limit(limit))
        assert draft.tokens == naive_suffix(context, factor, p_min, limit)
        assert all(0 < confidence < 1 for confidence in draft.confidences)


def test_a_context_that_was_cut_back_is_read_anew() -> None:
    drafter = SuffixDrafter(9.0, 0.0)
    drafter.begin([1, 2, 3, 4, 1, 2])
    assert drafter.propose([1, 2, 3, 4, 1, 2], Limit(2)).tokens == [3, 4]
    drafter.begin([1, 2, 9, 1, 2])
    assert drafter.propose([1, 2, 9, 1, 2], Limit(2)).tokens == [9, 1]
    drafter.begin([1])
    assert drafter.propose([1], Limit(2)).tokens == []


def test_earlier_answers_are_looked_at_where_they_know_more() -> None:
    history = SuffixHistory()
    first = SuffixDrafter(9.0, 0.0, history)
    first.begin([50, 51])
    first.propose([50, 51], Limit(3))
    first.propose([50, 51, 1, 2, 3, 4, 5], Limit(3))
    assert history.automaton.tokens == [], "the answer that is being made is no earlier one"

    second = SuffixDrafter(9.0, 0.0, history)
    second.begin([60, 2])
    assert history.automaton.tokens == [1, 2, 3, 4, 5, BREAK], "answers, not prompts"
    assert second.propose([60, 2], Limit(9)).tokens == [3, 4, 5]
    # this chat goes before where it knows as much
    assert second.propose([60, 2, 7, 2], Limit(1)).tokens == [7]
    assert second.propose([60, 2, 7, 2, 2, 3], Limit(9)).tokens == [4, 5]
    # nothing follows the end of an answer
    assert second.propose([60, 2, 7, 2, 2, 3, 4, 5], Limit(9)).tokens == []

    without = SuffixDrafter(9.0, 0.0)
    without.begin([60, 2])
    assert without.propose([60, 2], Limit(9)).tokens == []


def test_the_history_is_bounded_and_keeps_the_latest() -> None:
    history = SuffixHistory(most_tokens=100)
    for number in range(30):
        history.begin()
        history.note(range(10 * number, 10 * number + 10))
        assert len(history.automaton.tokens) <= 100
    history.begin()
    assert history.automaton.tokens[-11:] == [*range(290, 300), BREAK]
