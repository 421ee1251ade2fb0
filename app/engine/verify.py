"""Which guesses stand: pure functions on arrays.

Words: a draft token is *accepted*; the first token after a rejection is *recovered* (the target's own); the token after
full acceptance is the *bonus*. Every pass emits the accepted tokens and one of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.engine.backend import Logits
from app.engine.drafters.interface import Draft
from app.engine.sampling import PENALTY_WINDOW_TOKENS, Distribution, Sampler


@dataclass
class Acceptance:
    """``tokens`` are emitted, of which the first ``accepted`` were drafted; ``judged`` guesses were compared (a pass
    that ends inside its draft judges no guess behind the end). ``draws``: one random number per emitted token, or
    none when greedy."""

    tokens: list[int] = field(default_factory=list)
    accepted: int = 0
    judged: int = 0
    draws: list[float] = field(default_factory=list)
    ended: bool = False
    """The answer ended with the last of ``tokens``, inside the draft."""


def sample_and_match(
    rows: Logits, draft: Draft, sampler: Sampler, context: Sequence[int], is_end: Callable[[int], bool]
) -> Acceptance:
    """Sample-and-match: the target draws every token itself; a guess only decides whether its row was computed.

    ``rows`` has shape (len(draft) + 1, vocab_size): the logits after ``context`` and after each guess. The emitted
    tokens are exactly those of plain decoding with the same random numbers.
    """
    verdict = Acceptance()
    recent = list(context[-PENALTY_WINDOW_TOKENS:])
    for position in range(len(draft) + 1):
        choice = sampler.choose(rows[position], recent)
        sampler.accept(choice.token)
        verdict.tokens.append(choice.token)
        recent.append(choice.token)
        if choice.draw is not None:
            verdict.draws.append(choice.draw)
        if position == len(draft):
            break
        verdict.judged += 1
        if choice.token != draft.tokens[position]:
            break
        verdict.accepted += 1
        if is_end(choice.token):
            verdict.ended = True
            break
    return verdict


def rejection_sample(
    rows: Logits, draft: Draft, sampler: Sampler, context: Sequence[int], is_end: Callable[[int], bool]
) -> Acceptance:
    """Rejection sampling (Leviathan et al. 2211.17192, algorithm 1; Chen et al. 2302.01318, algorithm 2).

    A guess drawn from q is kept with probability min(1, p/q), else a token is drawn from the normalised max(0, p − q);
    p is the target's distribution after all sampler rules, q ``draft.distributions``. Emits tokens distributed as the
    target's, though not the same ones as plain decoding.
    """
    verdict = Acceptance()
    recent = list(context[-PENALTY_WINDOW_TOKENS:])
    for position in range(len(draft)):
        guess = draft.tokens[position]
        target = sampler.distribution(rows[position], recent)
        p, q = target.probability(guess), draft.distributions[position].probability(guess)
        verdict.judged += 1
        number = sampler.draw()
        if number * q >= p:
            residual = _residual(target, draft.distributions[position])
            return _emit(verdict, sampler, residual.draw(sampler.draw()))
        _emit(verdict, sampler, guess)
        recent.append(guess)
        verdict.accepted += 1
        if is_end(guess):
            verdict.ended = True
            return verdict
    return _emit(verdict, sampler, sampler.distribution(rows[len(draft)], recent).draw(sampler.draw()))


def _emit(verdict: Acceptance, sampler: Sampler, token: int) -> Acceptance:
    sampler.accept(token)
    verdict.tokens.append(token)
    return verdict


def _residual(target: Distribution, draft: Distribution) -> Distribution:
    """The normalised max(0, p − q)."""
    q = dict(zip(draft.token_ids.tolist(), draft.probabilities.tolist(), strict=True))
    rest = np.array(
        [max(0.0, p - q.get(token, 0.0))
         for token, p in zip(target.token_ids.tolist(), target.probabilities.tolist(), strict=True)]
    )
    total = rest.sum()
    # p ≤ q everywhere means p = q up to rounding: then nothing was really rejected and p itself is right
    return Distribution(target.token_ids, rest / total) if total > 0 else target
