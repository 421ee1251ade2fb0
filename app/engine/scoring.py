"""What the target alone, one token at a time, thinks of tokens that were emitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.engine.backend import BATCH_TOKENS, Logits, Model
from app.engine.sampling import Sampler
from app.records import Candidate, TokenScore

BEST_SHOWN = 3


def score(
    target: Model, prompt: Sequence[int], token_ids: Sequence[int], positions: Sequence[int],
    sampler: Sampler | None = None, draws: Sequence[float] = (), slack: float = 0.0,
) -> list[TokenScore]:
    """Score ``token_ids[i]`` for each i in ``positions`` (all when empty) after ``prompt``, from an empty cache.

    ``sampler`` has the rules that chose them (None: greedy without rules), ``draws`` the random number behind each.
    ``slack`` is what any logit may be off by in a pass over several tokens.
    Raises ``DecodeAbortedError``.
    """
    target.truncate(0)
    wanted = set(positions) if positions else set(range(len(token_ids)))
    body = prompt[:-1]
    for start in range(0, len(body), BATCH_TOKENS):
        target.decode(body[start : start + BATCH_TOKENS], 1)
    scores: list[TokenScore] = []
    context = list(prompt)
    for position, token in enumerate(token_ids[: max(wanted, default=-1) + 1]):
        logits = target.decode(context[-1:], 1)[0]
        if position in wanted:
            draw = draws[position] if position < len(draws) else None
            judgement = _judge(sampler, logits, context, token, draw, slack)
            scores.append(_score_row(target, logits, position, token, judgement))
        context.append(token)
        if sampler is not None:
            sampler.accept(token)
    return scores


@dataclass(frozen=True)
class _Judgement:
    is_own: bool
    is_explained: bool
    draw: float | None = None


def _judge(
    sampler: Sampler | None, logits: Logits, context: Sequence[int], token: int, draw: float | None, slack: float
) -> _Judgement:
    if sampler is None:
        return _Judgement(int(logits.argmax()) == token, float(logits.max() - logits[token]) <= 2 * slack)
    distribution = sampler.distribution(logits, context)
    if draw is None or sampler.is_greedy:
        own = distribution.part_of(token) is not None
        favoured = np.where(np.arange(len(logits)) == token, logits + slack, logits - slack).astype(np.float32)
        return _Judgement(own, own or sampler.distribution(favoured, context).part_of(token) is not None)
    own = distribution.draw(draw) == token
    return _Judgement(own, own or _is_within(sampler, logits, context, token, draw, slack), draw)


def _is_within(
    sampler: Sampler, logits: Logits, context: Sequence[int], token: int, draw: float, slack: float
) -> bool:
    """Whether ``draw`` gives ``token`` when each logit may be off by ``slack``.

    Its part of the cumulative probabilities starts earliest when all is in its favour, and ends latest when what stands
    before it, or may stand there, is favoured over what stands behind. Where a rule then cuts it off, it was the last
    one a moment before.
    """
    ruled = sampler.penalise(logits, context)
    ids = sampler.distribution(logits, context).token_ids
    if len(ids) > 1 and bool((np.diff(ids) > 0).all()):  # not sorted by any rule
        surely_before = maybe_before = np.arange(len(logits)) < token
    else:
        surely_before, maybe_before = ruled >= ruled[token], ruled >= ruled[token] - 2 * slack

    def part(before: npt.NDArray[np.bool_], shift: float, own: float) -> tuple[float, float] | None:
        moved = np.where(before, logits + shift, logits - shift).astype(np.float32)
        moved[token] = logits[token] + own
        return sampler.distribution(moved, context).part_of(token)

    earliest = part(surely_before, -slack, slack)
    if earliest is None:
        return False
    latest = [part(maybe_before, slack, own) for own in (slack, -slack)]
    return earliest[0] <= draw <= max(1.0 if each is None else each[1] for each in latest)


def _score_row(target: Model, logits: Logits, position: int, token: int, judgement: _Judgement) -> TokenScore:
    best = np.argpartition(logits, -BEST_SHOWN)[-BEST_SHOWN:]
    best = best[np.argsort(-logits[best])]
    return TokenScore(
        position=position,
        token_id=token,
        logit=float(logits[token]),
        gap=float(logits[best[0]] - logits[token]),
        best=[_candidate(target, logits, int(i)) for i in best],
        is_own=judgement.is_own,
        is_explained=judgement.is_explained,
        draw=judgement.draw,
    )


def _candidate(target: Model, logits: Logits, token: int) -> Candidate:
    text = target.token_bytes(token) or target.token_text(token)
    return Candidate(token_id=token, text=text.decode("utf-8", "replace"), logit=float(logits[token]))
