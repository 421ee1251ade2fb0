"""Rejection sampling on the real pair: what comes out is distributed as the target's own draws (chi-square)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from app.engine.backend import AbortFlag, Model
from app.engine.backends.llama import LlamaLibrary
from app.engine.controller import FixedController
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.sampling import Sampler
from app.records import LoadSettings, Sampling
from tests.engine.fakes import Language, ScriptedModel, finish, start

pytestmark = [pytest.mark.model, pytest.mark.long, pytest.mark.timeout(1800)]

RUNS = 2500
PROMPT = "Once upon a time there was a"
LEAST_EXPECTED = 8.0
_log = logging.getLogger(__name__)


class RealLanguage(Language):
    """The logits of a loaded model, each context computed once: few of them occur in thousands of draws."""

    def __init__(self, model: Model) -> None:
        super().__init__(vocab_size=model.facts.vocab_size, by_position=True)
        self._model = model
        self._seen: dict[tuple[int, ...], npt.NDArray[np.float32]] = {}

    def logits(self, context: Sequence[int]) -> npt.NDArray[np.float32]:
        key = tuple(context)
        if key not in self._seen:
            self._model.truncate(0)
            self._seen[key] = self._model.decode(list(key), 1)[0].copy()
        return self._seen[key]


@pytest.fixture(scope="module")
def pair(target_q4: Path, draft_q4_0: Path) -> Iterator[tuple[Model, Model]]:
    library = LlamaLibrary(on_log=lambda _line: None)
    settings = LoadSettings(ctx_tokens=256)
    models = [library.load(str(path), settings, 1, AbortFlag(), lambda _f: None) for path in (target_q4, draft_q4_0)]
    yield models[0], models[1]
    for model in models:
        model.close()


@pytest.mark.parametrize("sampling", [
    Sampling(temperature=1.0, top_k=5, top_p=1.0, min_p=0.0, seed=11),
    Sampling(temperature=0.8, top_k=40, top_p=0.6, min_p=0.02, repeat_penalty=1.1, seed=12),
])
def test_the_first_two_tokens_are_distributed_as_the_targets(pair: tuple[Model, Model], sampling: Sampling) -> None:
    target_model, draft_model = pair
    prompt = target_model.tokenize(PROMPT, add_special=True, parse_special=False)
    language, guessing = RealLanguage(target_model), RealLanguage(draft_model)
    sampler = Sampler(sampling)
    counts: Counter[tuple[int, int]] = Counter()
    drafted = accepted = 0
    for _ in range(RUNS):
        target, draft = ScriptedModel(language), ScriptedModel(guessing, max_rows=1)
        controller = FixedController(DraftModelDrafter(draft, language.vocab_size, sampler), 3)
        run = start(target, controller, prompt=prompt, max_tokens=3, sampler=sampler, draft=draft)
        finish(run)
        counts[run.token_ids[0], run.token_ids[1]] += 1
        figures = run.stats.speculation("", "")
        drafted += figures.num_draft_tokens
        accepted += figures.num_accepted_draft_tokens
    assert 0.1 * drafted < accepted < 0.95 * drafted, "both outcomes must have been there"
    assert_like(counts, exact_pairs(language, sampling, prompt))


def exact_pairs(language: Language, sampling: Sampling, prompt: list[int]) -> dict[tuple[int, int], float]:
    sampler = Sampler(sampling)
    first = sampler.distribution(language.logits(prompt), prompt)
    pairs = {}
    for a, p in zip(first.token_ids.tolist(), first.probabilities.tolist(), strict=True):
        second = sampler.distribution(language.logits([*prompt, a]), [*prompt, a])
        for b, q in zip(second.token_ids.tolist(), second.probabilities.tolist(), strict=True):
            pairs[a, b] = p * q
    return pairs


def assert_like(counts: Counter[tuple[int, int]], expected: dict[tuple[int, int], float]) -> None:
    """Chi-square over the pairs that are common enough, the rest as one."""
    assert set(counts) <= set(expected), "a pair that the target never draws"
    common = [pair for pair, p in expected.items() if p * RUNS >= LEAST_EXPECTED]
    assert len(common) >= 8
    shares = [expected[pair] for pair in common]
    seen = [counts[pair] for pair in common]
    if (1 - sum(shares)) * RUNS >= LEAST_EXPECTED:
        shares.append(1 - sum(shares))
        seen.append(RUNS - sum(seen))
    wanted = np.array(shares) / sum(shares) * RUNS
    statistic = float(((np.array(seen) - wanted) ** 2 / wanted).sum())
    assert statistic < unlikely(len(wanted) - 1), f"{statistic:.1f} with {len(wanted) - 1} degrees of freedom"
    _log.info("chi-square %.1f, %d degrees of freedom", statistic, len(wanted) - 1)


def unlikely(freedom: int) -> float:
    """What chi-square exceeds once in ten thousand times (Wilson and Hilferty, PNAS 17, 1931)."""
    ninth = 2 / (9 * freedom)
    return freedom * float((1 - ninth + 3.719 * ninth**0.5) ** 3)
