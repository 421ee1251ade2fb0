"""How the target chooses a token: penalties, top-k, top-p, min-p, temperature, then one random draw.

The order and the meaning of each rule are those of llama.cpp's default chain; the rules are ours, on arrays, so that
they are the same over every library, that the distribution after them is known exactly (rejection sampling needs it),
and that each draw can be reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.engine.backend import Logits
from app.engine.grammar import Grammar, mask
from app.errors import Code, SlipstreamError
from app.records import Sampling
from app.settings.table import settings_of

PENALTY_WINDOW_TOKENS = 64
NEAR_LOGITS = 12.0
"""Tokens this close to the best are looked at first when the top k are sought: nearly always enough, and cheap."""


@dataclass(frozen=True)
class Distribution:
    """What is left after all rules: ``token_ids`` int64 (n,), by falling probability where top-k or top-p sorted them,
    else by id; ``probabilities`` float64 (n,) that sum to 1. All other tokens have probability 0."""

    token_ids: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]

    def probability(self, token: int) -> float:
        found = np.flatnonzero(self.token_ids == token)
        return float(self.probabilities[found[0]]) if len(found) else 0.0

    def draw(self, number: float) -> int:
        """The token at ``number`` in [0, 1) of the cumulative distribution."""
        cumulative = np.cumsum(self.probabilities)
        index = int(np.searchsorted(cumulative, number * cumulative[-1], side="right"))
        return int(self.token_ids[min(index, len(self.token_ids) - 1)])

    def part_of(self, token: int) -> tuple[float, float] | None:
        """Where the cumulative distribution gives ``token``: (start, end), or None where nowhere."""
        found = np.flatnonzero(self.token_ids == token)
        if not len(found):
            return None
        cumulative = np.cumsum(self.probabilities) / self.probabilities.sum()
        end = float(cumulative[found[0]])
        return end - float(self.probabilities[found[0]]), end


@dataclass(frozen=True)
class Choice:
    token: int
    draw: float | None
    """The random number behind it; None when greedy."""


class Sampler:
    """Chooses tokens from logits. Uses one random number per choice, so a run is repeated by its seed."""

    def __init__(self, settings: Sampling, grammar: Grammar | None = None) -> None:
        """Raises ``SlipstreamError`` (``SETTINGS_INVALID``) for a value that makes no sense."""
        _check(settings)
        self._settings = settings
        self._grammar = grammar
        self._random = np.random.Generator(np.random.PCG64(settings.seed))
        self._counts: Counter[int] = Counter()
        """How often the answer so far has each token."""

    @property
    def is_greedy(self) -> bool:
        return self._settings.temperature <= 0 or self._settings.top_k == 1

    def without_grammar(self) -> Sampler:
        """The same rules, answer and stream of random numbers, for guesses: a grammar follows emitted tokens alone."""
        twin = Sampler(self._settings)
        twin._random, twin._counts = self._random, self._counts
        return twin

    def accept(self, token: int) -> None:
        """``token`` is emitted. Every emitted token is told, in order."""
        self._counts[token] += 1
        if self._grammar is not None:
            self._grammar.accept(token)

    def choose(self, logits: Logits, context: Sequence[int]) -> Choice:
        """Choose the token after ``context`` from its ``logits``, float32 (vocab_size,)."""
        if self.is_greedy:
            ruled = self._ruled(logits, context)
            best = int(ruled.argmax())
            _require_number(ruled[best])
            return Choice(best, None)
        number = float(self._random.random())
        return Choice(self.distribution(logits, context).draw(number), number)

    def draw(self) -> float:
        """One random number in [0, 1) from the sampler's own stream."""
        return float(self._random.random())

    def distribution(self, logits: Logits, context: Sequence[int]) -> Distribution:
        """The distribution from which ``choose`` draws; one token of probability 1 when greedy."""
        logits = self._ruled(logits, context)
        if self.is_greedy:
            best = int(logits.argmax())
            _require_number(logits[best])
            return Distribution(np.array([best]), np.ones(1))
        settings = self._settings
        ids = _top(logits, settings.top_k)
        if self._grammar is not None:
            ids = ids[np.isfinite(logits[ids])]
        values = logits[ids].astype(np.float64)
        _require_number(values.max() if len(values) else np.float64("nan"))
        if settings.top_p < 1.0:
            probabilities = _softmax(values)
            if 0 < settings.top_k < len(logits):
                sorted_ids = slice(None)
            else:
                # tokens rarer than this cannot be among those that make up top_p: they need no sorting
                likely = np.flatnonzero(probabilities >= (1.0 - settings.top_p) / len(probabilities))
                order = np.lexsort((ids[likely], -values[likely]))
                sorted_ids = likely[order]  # type: ignore[assignment]
            ids, values, probabilities = ids[sorted_ids], values[sorted_ids], probabilities[sorted_ids]
            kept = int(np.searchsorted(np.cumsum(probabilities), settings.top_p)) + 1
            ids, values = ids[:kept], values[:kept]
        if settings.min_p > 0.0:
            likely = values >= values.max() + np.log(settings.min_p)
            ids, values = ids[likely], values[likely]
        return Distribution(ids, _softmax(values / settings.temperature))

    def _ruled(self, logits: Logits, context: Sequence[int]) -> Logits:
        """Penalties, then the grammar."""
        logits = self.penalise(logits, context)
        if self._grammar is None:
            return logits
        return mask(self._grammar, logits, 1 if self.is_greedy else self._settings.top_k or len(logits))

    def penalise(self, logits: Logits, context: Sequence[int]) -> Logits:
        """``logits`` after the penalties: for repeating what the last tokens of ``context`` have, then OpenAI's, for
        what the answer has (presence) and how often (frequency)."""
        settings = self._settings
        penalty = settings.repeat_penalty
        if penalty != 1.0 and context:
            recent = np.unique(np.asarray(context[-PENALTY_WINDOW_TOKENS:], dtype=np.int64))
            logits = logits.copy()
            values = logits[recent]
            logits[recent] = np.where(values > 0, values / penalty, values * penalty)
        if (settings.presence_penalty or settings.frequency_penalty) and self._counts:
            known = np.fromiter((token for token in self._counts if token < len(logits)), dtype=np.int64)
            counts = np.fromiter((self._counts[token] for token in known.tolist()), dtype=np.float64)
            logits = logits.copy()
            logits[known] -= (settings.presence_penalty + settings.frequency_penalty * counts).astype(np.float32)
        return logits


def confidence(logits: Logits) -> tuple[int, float]:
    """The best token of ``logits``, float32 (vocab_size,), and its probability without any rule."""
    best = int(logits.argmax())
    return best, 1.0 / float(np.exp(logits - logits[best]).sum())


def _check(settings: Sampling) -> None:
    for row in settings_of("sampling"):
        row.check(getattr(settings, row.key))


def _require_number(largest: np.floating) -> None:
    """The largest of some logits is NaN if any of them is."""
    if np.isnan(largest):
        raise SlipstreamError(
            Code.DECODE_FAILED, "The model computes values that are no numbers, so its file is damaged.",
            "Download the file again, or choose another model.",
        )


def _top(logits: Logits, k: int) -> npt.NDArray[np.int64]:
    """Ids of the k largest logits, largest first (all, unsorted, when k is 0 or too large)."""
    size = len(logits)
    if not 0 < k < size:
        return np.arange(size)
    near = np.flatnonzero(logits >= logits.max() - NEAR_LOGITS)
    if len(near) < k:
        near = np.flatnonzero(logits >= np.partition(logits, size - k)[size - k])
    order = np.lexsort((near, -logits[near]))[:k]
    return near[order]


def _softmax(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    weights = np.exp(values - values.max())
    return weights / weights.sum()  # type: ignore[no-any-return]
