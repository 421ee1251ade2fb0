"""How exact speculation is with a loaded model: measured, and then held against what was written.

A pass over several tokens may round otherwise than one over a single token. Where it does, two choices that nearly tie
can fall otherwise with a draft than without, and both are the target's own. Where it does not (on a processor: Q8_0 or
Q4_0 weights with flash attention and q8_0 caches), speculation must be bit-exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.engine.backend import BATCH_TOKENS, Model, shared_prefix
from app.records import BatchNoise, SequenceCheck, TokenScore
from app.sentences import say

POSITIONS = (60, 505, 900)
"""Behind 512 cached tokens some kernels take another path for a single row."""
ROWS = (2, 3, 4, 8, 16, 33, 65)
SINGLE_ROWS = 16
"""Rows that are compared; those behind them in a longer pass only make it long."""


def measure_noise(target: Model, tokens: Sequence[int], on_position: Callable[[int], None]) -> list[BatchNoise]:
    """The largest difference of any logit between one token at a time and passes over several, at each position.

    ``tokens`` is any text, long enough for the positions that are to be measured; positions without room in it or in
    the context are left out. What was cached before goes. Raises ``DecodeAbortedError``.
    """
    most = min(len(tokens), target.facts.ctx_tokens)
    found = []
    for position in (at for at in POSITIONS if at + SINGLE_ROWS <= most):
        on_position(position)
        _read_up_to(target, tokens, position)
        singles = np.concatenate([
            target.decode([token], 1).copy() for token in tokens[position : position + SINGLE_ROWS]
        ])
        gaps = {}
        for rows in (rows for rows in ROWS if rows <= target.max_rows and position + rows <= most):
            target.truncate(position)
            together = target.decode(tokens[position : position + rows], rows)
            compared = min(rows, SINGLE_ROWS)
            gaps[rows] = float(np.abs(together[:compared] - singles[:compared]).max())
        worst = max(gaps, key=lambda rows: gaps[rows], default=0)
        found.append(BatchNoise(position=position, rows=worst, gap=gaps.get(worst, 0.0)))
        target.truncate(position)
    return found


def _read_up_to(target: Model, tokens: Sequence[int], position: int) -> None:
    body = list(tokens[:position])
    target.truncate(shared_prefix(target.tokens, body))
    for start in range(len(target.tokens), position, BATCH_TOKENS):
        target.decode(body[start : start + BATCH_TOKENS], 1)
    target.mark(lasting=True)


def is_bit_exact(noise: Sequence[BatchNoise]) -> bool:
    return bool(noise) and all(each.gap == 0.0 for each in noise)


def describe_noise(noise: Sequence[BatchNoise]) -> str:
    """One sentence for a person."""
    if not noise:
        return say("Exactness could not be measured: the context is too short for it.")
    places = ", ".join(str(each.position) for each in noise)
    if is_bit_exact(noise):
        return say(
            "Bit-exact in this configuration: passes over many tokens give the very logits of one (at {places}).",
            places=places,
        )
    worst = max(noise, key=lambda each: each.gap)
    return say(
        "Not bit-exact in this configuration: passes over many tokens change a logit by up to {gap} (at {place}); "
        "choices that close together can fall either way, and both are the model's own.",
        gap=f"{worst.gap:.2g}", place=worst.position,
    )


def slack_of(noise: Sequence[BatchNoise]) -> float:
    """What a logit may be off by."""
    return max((each.gap for each in noise), default=0.0)


def check_sequence(scores: Sequence[TokenScore], slack: float) -> SequenceCheck:
    """Whether every token is what the target alone would have chosen, or within what rounding by ``slack`` explains.

    ``scores`` were made with that slack. Both of two logits may be off, so greedy choices may be twice that below the
    best one.
    """
    others = [score for score in scores if not score.is_own]
    return SequenceCheck(
        tokens=len(scores), own_choices=len(scores) - len(others),
        largest_gap=max((score.gap for score in others), default=0.0), allowed_gap=2.0 * slack,
        strange_positions=[score.position for score in others if not score.is_explained],
    )


def describe_check(check: SequenceCheck) -> str:
    if not check.tokens:
        return say("There is nothing to check.")
    if check.own_choices == check.tokens:
        return say("Checked: all {count} tokens are what the target alone would have written.", count=check.tokens)
    others = check.tokens - check.own_choices
    if not check.strange_positions:
        return say(
            "Checked: {own} of {count} tokens are what the target alone would have written; the other {others} "
            "are within the rounding measured here (up to {gap} between two logits).",
            own=check.own_choices, count=check.tokens, others=others, gap=f"{check.allowed_gap:.2g}",
        )
    return say(
        "Checked: {strange} of {count} tokens are none that the target alone would have written, the first at "
        "{place}. That is a defect: please report it.",
        strange=len(check.strange_positions), count=check.tokens, place=check.strange_positions[0] + 1,
    )
