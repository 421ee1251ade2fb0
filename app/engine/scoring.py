"""What the target alone, one token at a time, thinks of tokens that were emitted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.engine.backend import BATCH_TOKENS, Logits, Model
from app.terms import Candidate, TokenScore

BEST_SHOWN = 3


def score(
    target: Model, prompt: Sequence[int], token_ids: Sequence[int], positions: Sequence[int]
) -> list[TokenScore]:
    """Score ``token_ids[i]`` for each i in ``positions`` (all when empty) after ``prompt``, from an empty cache.

    Raises ``DecodeAbortedError``.
    """
    target.truncate(0)
    wanted = set(positions) if positions else set(range(len(token_ids)))
    body = prompt[:-1]
    for start in range(0, len(body), BATCH_TOKENS):
        target.decode(body[start : start + BATCH_TOKENS], 1)
    scores: list[TokenScore] = []
    last = prompt[-1]
    for position, token in enumerate(token_ids[: max(wanted, default=-1) + 1]):
        logits = target.decode([last], 1)[0]
        if position in wanted:
            scores.append(_score_row(target, logits, position, token))
        last = token
    return scores


def _score_row(target: Model, logits: Logits, position: int, token: int) -> TokenScore:
    best = np.argpartition(logits, -BEST_SHOWN)[-BEST_SHOWN:]
    best = best[np.argsort(-logits[best])]
    return TokenScore(
        position=position,
        token_id=token,
        logit=float(logits[token]),
        gap=float(logits[best[0]] - logits[token]),
        best=[_candidate(target, logits, int(i)) for i in best],
    )


def _candidate(target: Model, logits: Logits, token: int) -> Candidate:
    text = target.token_bytes(token) or target.token_text(token)
    return Candidate(token_id=token, text=text.decode("utf-8", "replace"), logit=float(logits[token]))
