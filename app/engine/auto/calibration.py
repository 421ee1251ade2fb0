"""One short measurement of a model before ``auto`` first drafts for it; what it finds is refined while running."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from time import perf_counter

from app.engine.auto.cost import CALIBRATED_LENGTHS, CostSnapshot
from app.engine.backend import AbortFlag, Model

ROUNDS = 3
BUDGET_S = 4.0
DRAFT_PASSES = 6
PAIR_PASSES = 3


def calibrate(target: Model, draft: Model | None, skip: AbortFlag | None = None) -> CostSnapshot:
    """Time verify passes of several lengths and draft passes of one and two tokens, in turn, behind what is cached.

    Takes at most about ``BUDGET_S`` seconds (longer only where two passes already do) and leaves both caches as they
    were. A context without room for it gives an empty snapshot. With ``skip`` set it ends as soon as the few passes are
    timed without which nothing is known. Raises ``DecodeAbortedError``.
    """
    models = [model for model in (target, draft) if model is not None]
    if any(model.facts.ctx_tokens - len(model.tokens) <= max(CALIBRATED_LENGTHS) for model in models):
        return CostSnapshot()
    filler = target.tokenize("The quick brown fox jumps over the lazy dog. ", add_special=False, parse_special=False)
    began = perf_counter()
    verify: dict[int, list[float]] = {}
    drafting: list[float] = []
    pairs: list[float] = []
    for model in models:
        model.mark(lasting=True)  # every pass comes back to here
        _time_pass(model, filler, 1)  # warm-up
    for round_number in range(ROUNDS):
        for length in (n for n in CALIBRATED_LENGTHS if n <= target.max_rows):
            late = bool(skip) or perf_counter() - began > BUDGET_S
            if late and (round_number > 0 or length > 2):
                break
            verify.setdefault(length, []).append(_time_pass(target, filler, length))
        if draft is not None:
            for length, count, timed in ((1, DRAFT_PASSES, drafting), (2, PAIR_PASSES, pairs)):
                for _ in range(count):
                    if not (skip and timed):
                        timed.append(_time_pass(draft, filler, length))
        if skip:
            break
    return CostSnapshot(
        verify_s={length: median(seconds) for length, seconds in verify.items()},
        draft_s=median(drafting) if drafting else 0.0,
        draft_second_s=max(0.0, median(pairs) - median(drafting)) if drafting else 0.0,
    )


def _time_pass(model: Model, filler: Sequence[int], length: int) -> float:
    tokens = [filler[i % len(filler)] for i in range(length)]
    kept, before = len(model.tokens), model.native_s
    model.decode(tokens, min(length, model.max_rows))
    seconds = model.native_s - before
    model.truncate(kept)
    return seconds
