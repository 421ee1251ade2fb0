"""Each rule against the plainest way to write it down."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.sampling import PENALTY_WINDOW_TOKENS, Sampler, confidence
from app.errors import Code, SlipstreamError
from app.records import Sampling

OFF: dict[str, Any] = {"top_k": 0, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 1.0}


def naive(logits: list[float], rules: Sampling, context: list[int]) -> dict[int, float]:
    """Token → probability after penalty, top-k, top-p, min-p and temperature, in this order; ties: smaller id first."""
    values = {token: float(np.float32(logit)) for token, logit in enumerate(logits)}
    for token in set(context[-PENALTY_WINDOW_TOKENS:]) if rules.repeat_penalty != 1.0 else ():
        value = np.float32(values[token])
        penalty = rules.repeat_penalty
        values[token] = float(np.float32(value / penalty if value > 0 else value * penalty))
    order = sorted(values, key=lambda token: (-values[token], token))
    if rules.top_k > 0:
        order = order[: rules.top_k]
    if rules.top_p < 1.0:
        weights = [math.exp(values[token] - values[order[0]]) for token in order]
        total, kept, cumulative = sum(weights), [], 0.0
        for token, weight in zip(order, weights, strict=True):
            kept.append(token)
            cumulative += weight / total
            if cumulative >= rules.top_p:
                break
        order = kept
    if rules.min_p > 0.0:
        order = [token for token in order if values[token] >= values[order[0]] + math.log(rules.min_p)]
    weights = [math.exp((values[token] - values[order[0]]) / rules.temperature) for token in order]
    return {token: weight / sum(weights) for token, weight in zip(order, weights, strict=True)}


def found(logits: list[float], rules: Sampling, context: list[int]) -> dict[int, float]:
    distribution = Sampler(rules).distribution(np.array(logits, dtype=np.float32), context)
    assert distribution.probabilities.sum() == pytest.approx(1.0)
    return dict(zip(distribution.token_ids.tolist(), distribution.probabilities.tolist(), strict=True))


# Multiples of a quarter: many ties, and no cut by min-p or top-p falls between two roundings of one value.
quarters = st.lists(st.integers(-80, 80).map(lambda n: n / 4), min_size=2, max_size=40)
rule_sets = st.builds(
    Sampling,
    temperature=st.sampled_from([0.3, 0.8, 1.0, 2.0]),
    top_k=st.sampled_from([0, 2, 3, 5, 20, 40, 1000]),
    top_p=st.sampled_from([0.0, 0.1, 0.37, 0.613, 0.951, 1.0]),
    min_p=st.sampled_from([0.0, 0.0513, 0.33, 1.0]),
    repeat_penalty=st.sampled_from([1.0, 1.25, 0.5]),
)


@given(logits=quarters, rules=rule_sets, data=st.data())
@settings(max_examples=400, deadline=None)
def test_rules_are_those_of_the_naive_chain(logits: list[float], rules: Sampling, data: st.DataObject) -> None:
    context = data.draw(st.lists(st.integers(0, len(logits) - 1), max_size=70))
    expected = naive(logits, rules, context)
    got = found(logits, rules, context)
    assert got.keys() == expected.keys()
    for token, probability in expected.items():
        assert got[token] == pytest.approx(probability, rel=1e-5)


@pytest.mark.parametrize("size", [1000, 50_000])
@pytest.mark.parametrize("rules", [
    Sampling(), Sampling(top_k=0, top_p=0.9, min_p=0.0), Sampling(top_k=64, top_p=1.0, min_p=0.0),
    Sampling(top_k=0, top_p=1.0, min_p=0.02), Sampling(top_k=700, top_p=0.99, min_p=0.0),
])
def test_rules_on_a_large_vocabulary(size: int, rules: Sampling) -> None:
    logits = (np.random.default_rng(size).standard_normal(size) * 3).astype(np.float32).tolist()
    expected, got = naive(logits, rules, []), found(logits, rules, [])
    assert got.keys() == expected.keys()
    assert list(got.values()) == pytest.approx([expected[token] for token in got], rel=1e-6)


def test_all_rules_off_leave_the_softmax() -> None:
    got = found([1.0, 2.0, 0.0, 2.0], Sampling(temperature=1.0, **OFF), [0, 1])
    weights = [math.e, math.e**2, 1.0, math.e**2]
    assert [got[token] for token in range(4)] == pytest.approx([w / sum(weights) for w in weights])


def test_equal_logits_at_the_border_of_top_k_go_by_id() -> None:
    # 30 tokens further from the best than any short cut looks, all equal
    logits = [0.0] * 30
    logits[17] = 100.0
    assert set(found(logits, Sampling(top_k=3, top_p=1.0, min_p=0.0), [])) == {17, 0, 1}


def test_penalty_looks_back_over_its_window_only() -> None:
    rules = Sampling(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, repeat_penalty=2.0)
    logits = [1.0, 1.0, -1.0]
    context = [0] + [1] * PENALTY_WINDOW_TOKENS
    assert found(logits, rules, context) == naive([1.0, 0.5, -1.0], Sampling(temperature=1.0, **OFF), [])
    assert found(logits, rules, [2]) == naive([1.0, 1.0, -2.0], Sampling(temperature=1.0, **OFF), [])


def test_penalty_leaves_the_logits_it_was_given() -> None:
    logits = np.array([1.0, 2.0], dtype=np.float32)
    Sampler(Sampling(temperature=0.0, repeat_penalty=2.0)).choose(logits, [0, 1])
    assert logits.tolist() == [1.0, 2.0]


def test_greedy_takes_the_first_of_equals_and_draws_nothing() -> None:
    for rules in (Sampling(temperature=0.0), Sampling(top_k=1)):
        choice = Sampler(rules).choose(np.array([0.0, 3.0, 3.0], dtype=np.float32), [])
        assert (choice.token, choice.draw) == (1, None)


def test_one_draw_for_one_choice() -> None:
    rules = Sampling(seed=7, **OFF)
    sampler, twin = Sampler(rules), np.random.Generator(np.random.PCG64(7))
    for _ in range(50):
        assert sampler.choose(np.zeros(9, dtype=np.float32), []).draw == twin.random()


def test_the_seed_alone_decides_and_none_draws_a_fresh_one() -> None:
    rows = np.random.default_rng(0).standard_normal((200, 30)).astype(np.float32)

    def tokens(seed: int | None) -> list[int]:
        sampler = Sampler(Sampling(seed=seed))
        return [sampler.choose(row, []).token for row in rows]

    assert tokens(3) == tokens(3)
    assert tokens(3) != tokens(4)
    assert tokens(None) != tokens(None)


def test_choices_follow_the_distribution() -> None:
    logits = np.array([0.0, 1.0, 2.0, -40.0], dtype=np.float32)
    sampler = Sampler(Sampling(temperature=1.0, seed=11, **OFF))
    counts = np.bincount([sampler.choose(logits, []).token for _ in range(6000)], minlength=4)
    expected = np.exp(logits.astype(float))
    expected *= 6000 / expected.sum()
    assert ((counts[:3] - expected[:3]) ** 2 / expected[:3]).sum() < 13.8  # 0.1% of fair runs exceed it
    assert counts[3] == 0


def test_draw_at_both_ends() -> None:
    distribution = Sampler(Sampling(temperature=1.0, **OFF)).distribution(np.zeros(3, dtype=np.float32), [])
    assert distribution.draw(0.0) == 0
    assert distribution.draw(np.nextafter(1.0, 0.0)) == 2
    assert distribution.probability(99) == 0.0


def test_confidence_is_the_best_tokens_softmax() -> None:
    token, probability = confidence(np.array([1.0, 3.0, 2.0], dtype=np.float32))
    assert token == 1
    assert probability == pytest.approx(math.exp(3) / (math.exp(1) + math.exp(2) + math.exp(3)))
    assert confidence(np.array([1e4, 0.0], dtype=np.float32)) == (0, 1.0)


@pytest.mark.parametrize("wrong", [
    {"min_p": 1.5}, {"min_p": -0.1}, {"top_p": -1.0}, {"top_p": 2.0}, {"repeat_penalty": 0.0}, {"repeat_penalty": -1.0},
    {"seed": -1}, {"temperature": math.nan}, {"temperature": math.inf}, {"top_p": math.nan},
    {"temperature": 1e9},
])
def test_settings_without_sense_are_refused_in_words(wrong: dict[str, Any]) -> None:
    with pytest.raises(SlipstreamError) as caught:
        Sampler(Sampling(**wrong))
    assert caught.value.code == Code.SETTINGS_INVALID
    assert caught.value.hint


@settings(deadline=None)
@given(st.lists(st.integers(0, 7), max_size=40), st.lists(st.floats(-9, 9, width=32), min_size=8, max_size=8),
       st.floats(-2, 2), st.floats(-2, 2))
def test_presence_and_frequency_are_openais(answer: list[int], logits: list[float], presence: float, frequency: float
                                            ) -> None:
    sampler = Sampler(Sampling(temperature=1.0, presence_penalty=presence, frequency_penalty=frequency))
    for token in answer:
        sampler.accept(token)
    ruled = sampler.penalise(np.array(logits, dtype=np.float32), [1, 2, 3])
    for token, logit in enumerate(logits):
        count = answer.count(token)
        expected = logit - presence * (count > 0) - frequency * count
        assert ruled[token] == pytest.approx(expected, abs=1e-4)


def test_penalties_of_an_answer_leave_prompt_and_given_logits_alone() -> None:
    logits = np.array([1.0, 2.0], dtype=np.float32)
    sampler = Sampler(Sampling(temperature=0.0, presence_penalty=2.0))
    assert sampler.choose(logits, [1, 1, 1]).token == 1
    sampler.accept(1)
    assert sampler.choose(logits, [1, 1, 1, 1]).token == 0
    assert logits.tolist() == [1.0, 2.0]


def test_guesses_are_drawn_by_the_penalties_of_the_answer() -> None:
    sampler = Sampler(Sampling(temperature=1.0, frequency_penalty=1.5))
    twin = sampler.without_grammar()
    sampler.accept(0)
    logits = np.zeros(4, dtype=np.float32)
    assert twin.distribution(logits, []).probability(0) == sampler.distribution(logits, []).probability(0) < 0.25
