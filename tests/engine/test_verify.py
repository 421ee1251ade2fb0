"""Acceptance rules on arrays. What ``sample_and_match`` emits over a whole answer is tested in test_generate.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from app.engine.controller import FixedController, OffController
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.interface import Draft
from app.engine.sampling import Distribution, Sampler
from app.engine.verify import rejection_sample, sample_and_match
from app.records import Sampling
from tests.engine.fakes import END, VOCAB, Language, ScriptedModel, finish, start

PLAIN = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
UNLIKELY = {1: 10.8, 2: 13.8, 3: 16.3, 4: 18.5, 5: 20.5, 6: 22.5, 7: 24.3, 8: 26.1, 9: 27.9, 10: 29.6, 11: 31.3}
"""Chi-square values that one in a thousand fair samples exceeds, by degrees of freedom."""


def never(_token: int) -> bool:
    return False


def rows_of(*best: int, vocab: int = 6) -> npt.NDArray[np.float32]:
    """Rows of logits whose greedy choices are ``best``."""
    rows = np.zeros((len(best), vocab), dtype=np.float32)
    rows[range(len(best)), best] = 9.0
    return rows


def greedy() -> Sampler:
    return Sampler(Sampling(temperature=0.0))


@pytest.mark.parametrize(("guesses", "tokens", "accepted", "judged"), [
    ([], [3], 0, 0),
    ([3], [3, 4], 1, 1),
    ([3, 4], [3, 4, 5], 2, 2),
    ([2, 4], [3], 0, 1),
    ([3, 2, 5], [3, 4], 1, 2),
])
def test_match(guesses: list[int], tokens: list[int], accepted: int, judged: int) -> None:
    rows = rows_of(3, 4, 5, 1)[: len(guesses) + 1]
    verdict = sample_and_match(rows, Draft("d", guesses), greedy(), [0], never)
    assert (verdict.tokens, verdict.accepted, verdict.judged) == (tokens, accepted, judged)
    assert (verdict.ended, verdict.draws) == (False, [])


def test_match_ends_with_an_end_token_inside_the_draft() -> None:
    verdict = sample_and_match(rows_of(3, 4, 5), Draft("d", [3, 4]), greedy(), [0], lambda token: token == 3)
    assert (verdict.tokens, verdict.accepted, verdict.judged, verdict.ended) == ([3], 1, 1, True)


def test_match_penalises_by_what_the_same_pass_emitted() -> None:
    rows = np.zeros((2, 4), dtype=np.float32)
    rows[:, 1], rows[:, 2] = 2.0, 1.5
    sampler = Sampler(Sampling(temperature=0.0, repeat_penalty=2.0))
    assert sample_and_match(rows, Draft("d", [1]), sampler, [0], never).tokens == [1, 2]


def assert_distributed(counts: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float64]) -> None:
    """A chi-square test; outcomes expected less than five times are taken together with the rarest other one."""
    assert counts[probabilities == 0].sum() == 0, "an outcome without probability came out"
    order = np.argsort(probabilities)
    expected, seen = probabilities[order] * counts.sum(), counts[order]
    few = int(np.searchsorted(expected, 5.0))
    expected = np.array([expected[: few + 1].sum(), *expected[few + 1 :]])
    seen = np.array([seen[: few + 1].sum(), *seen[few + 1 :]])
    freedom = len(expected) - 1
    assert freedom >= 1, "too few outcomes for the test"
    assert float(((seen - expected) ** 2 / expected).sum()) < UNLIKELY[freedom]


def dense(distribution: Distribution, size: int) -> npt.NDArray[np.float64]:
    out = np.zeros(size)
    out[distribution.token_ids] = distribution.probabilities
    return out


P = np.log(np.array([.4, .25, .15, .12, .08], dtype=np.float32))
QS: dict[str, list[float]] = {
    "the same": [.4, .25, .15, .12, .08],
    "flat": [.2, .2, .2, .2, .2],
    "turned round": [.08, .12, .15, .25, .4],
    "certain and right": [1, 0, 0, 0, 0],
    "certain of the rarest": [0, 0, 0, 0, 1],
    "of other tokens": [0, .5, .5, 0, 0],
}


@pytest.mark.parametrize("name", QS)
@pytest.mark.parametrize("rules", [PLAIN, {**PLAIN, "top_k": 3}, {**PLAIN, "temperature": 0.7, "min_p": 0.25}])
def test_rejection_emits_the_targets_distribution(name: str, rules: dict[str, float]) -> None:
    q = np.array(QS[name])
    sampler = Sampler(Sampling(**rules, seed=3))  # type: ignore[arg-type]
    proposed = Distribution(np.flatnonzero(q), q[q > 0] / q.sum())
    p = dense(sampler.distribution(P, []), 5)
    counts = np.zeros(5, dtype=np.int64)
    accepted = 0
    for _ in range(5000):
        guess = proposed.draw(sampler.draw())
        draft = Draft("d", [guess], [1.0], [proposed])
        verdict = rejection_sample(np.stack([P, P]), draft, sampler, [], never)
        counts[verdict.tokens[0]] += 1
        accepted += verdict.accepted
        assert len(verdict.tokens) == verdict.accepted + 1
    assert_distributed(counts, p)
    # Leviathan et al., theorem 3.5: the share accepted is the overlap of both
    assert accepted / 5000 == pytest.approx(np.minimum(p, q).sum(), abs=0.03)


def test_rejection_judges_no_guess_behind_the_end() -> None:
    sure = Distribution(np.array([END]), np.ones(1))
    draft = Draft("d", [END, 1], [1.0, 1.0], [sure, sure])
    rows = np.full((3, 4), -50.0, dtype=np.float32)
    rows[:, END] = 50.0
    verdict = rejection_sample(rows, draft, Sampler(Sampling(**PLAIN, seed=1)), [], lambda token: token == END)  # type: ignore[arg-type]
    assert (verdict.tokens, verdict.accepted, verdict.judged, verdict.ended) == ([END], 1, 1, True)


def pairs_of_answers(
    make: Callable[[ScriptedModel, Sampler], object], draws: int, sampling: dict[str, float], tokens: int = 2
) -> npt.NDArray[np.int64]:
    """How often each pair of first tokens came out of whole runs."""
    language = Language(vocab_size=4, order=2, seed=9, spread=0.8, end_bias=-99.0)
    guessing = Language(vocab_size=4, order=2, seed=10, spread=1.0, end_bias=-99.0)
    target, draft = ScriptedModel(language), ScriptedModel(guessing, max_rows=1)
    sampler = Sampler(Sampling(**sampling, seed=77))  # type: ignore[arg-type]
    counts = np.zeros((4, 4), dtype=np.int64)
    for _ in range(draws):
        run = start(target, make(draft, sampler), prompt=[1, 2, 3], max_tokens=tokens, sampler=sampler, draft=draft)  # type: ignore[arg-type]
        finish(run)
        counts[run.token_ids[0], run.token_ids[1]] += 1
    return counts


def exact_pairs(sampling: dict[str, float]) -> npt.NDArray[np.float64]:
    language = Language(vocab_size=4, order=2, seed=9, spread=0.8, end_bias=-99.0)
    sampler = Sampler(Sampling(**sampling))  # type: ignore[arg-type]
    first = dense(sampler.distribution(language.logits([1, 2, 3]), [1, 2, 3]), 4)
    return np.stack([
        first[a] * dense(sampler.distribution(language.logits([2, 3, a]), [1, 2, 3, a]), 4) for a in range(4)
    ])


@pytest.mark.parametrize("p_min", [0.0, 0.45, 0.6])
@pytest.mark.parametrize("sampling", [PLAIN, {**PLAIN, "temperature": 0.7, "repeat_penalty": 1.4, "top_k": 3}])
def test_exact_drafting_leaves_the_distribution_even_when_stopped_by_confidence(
    p_min: float, sampling: dict[str, float]
) -> None:
    counts = pairs_of_answers(
        lambda draft, sampler: FixedController(DraftModelDrafter(draft, 4, sampler), 3, 0, p_min), 2000, sampling, 4
    )
    assert_distributed(counts.reshape(-1), exact_pairs(sampling).reshape(-1))


def test_plain_decoding_passes_the_same_test() -> None:
    counts = pairs_of_answers(lambda _draft, _sampler: OffController(), 2000, PLAIN)
    assert_distributed(counts.reshape(-1), exact_pairs(PLAIN).reshape(-1))


def test_exact_drafts_bring_their_distributions_and_sum_to_one() -> None:
    language = Language(end_bias=-30.0)
    draft = ScriptedModel(Language(seed=2, vocab_size=VOCAB + 5), max_rows=1)
    sampler = Sampler(Sampling(**PLAIN, seed=4))  # type: ignore[arg-type]
    run = start(ScriptedModel(language), FixedController(DraftModelDrafter(draft, VOCAB, sampler), 5),
                max_tokens=80, sampler=sampler, draft=draft)
    drafted = 0
    for step in finish(run):
        assert len(step.draft.distributions) == len(step.draft)
        for token, q in zip(step.draft.tokens, step.draft.distributions, strict=True):
            assert token < VOCAB
            assert q.token_ids.max() < VOCAB
            assert q.probabilities.sum() == pytest.approx(1.0)
            assert q.probability(token) > 0
            drafted += 1
    assert drafted > 50
