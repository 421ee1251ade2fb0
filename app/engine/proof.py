"""Tries a library on this processor: for each type of weights, whether long passes say what single tokens say.

Kernels for many rows are others than those for one. llama.cpp that GCC before 13.2.1 compiled for AMX dies of an
illegal instruction in longer passes; ik_llama.cpp 0.1.5 computes Q4_1 wrongly from 32 rows on (AVX2). The models are
tiny and go through the product's own ``load`` and ``decode``, so that what those avoid counts as right.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.engine.backend import BATCH_TOKENS, AbortFlag, Library, Logits, Model
from app.engine.tiny_model import CTX_TOKENS, KINDS, VOCAB, write_tiny_model
from app.errors import SlipstreamError
from app.installed import Finding
from app.records import LoadSettings

LENGTHS = (1, 2, 8, 16, 24, 32, 64, BATCH_TOKENS)
"""Rows of the passes that are tried, in this order; what one thread says of each token alone is what they must say."""
MOST_PASSES, SHORT_TOKENS = 8, 64
"""Short passes read no more of the sequence than this."""
MOST_DIFFERENCE = 0.2
"""Total variation between two distributions of the next token that rounding may explain. With these models rounding
made 0.05 at most (three seeds of eight types, one of all twelve, both libraries), one matrix that was replaced 0.9."""

Chances = npt.NDArray[np.float64]
"""Of shape (rows, vocabulary): what comes next, in probabilities."""


Step = Callable[[str, int], None]
"""Called before each pass length with the type and the rows, so that a crash in it can be told."""


def prove(library: Library, folder: Path, on_step: Step, kinds: Iterable[str] = tuple(KINDS)) -> Iterator[Finding]:
    """One finding for each of ``kinds``. The models are written to ``folder``, one at a time. Raises ``OSError``."""
    for kind in kinds:
        path = write_tiny_model(folder / f"{kind}.gguf", kind)
        try:
            yield prove_model(library, path, kind, on_step)
        finally:
            path.unlink(missing_ok=True)


def prove_model(library: Library, path: Path, kind: str, on_step: Step) -> Finding:
    """Load the model at ``path`` and compare its passes. A model that does not load is a finding too.

    The long passes run on as many threads as answers do; single tokens on one, which is faster for a model so small.
    """
    on_step(kind, 0)
    try:
        with _loaded(library, path, threads=1) as model:
            expected = _read(model, sequence(), 1)
        with _loaded(library, path, threads=0) as model:
            return compare_passes(model, expected, kind, on_step)
    except SlipstreamError as error:
        return Finding(kind=kind, trouble=f"its model was refused: {error.message}")


@contextmanager
def _loaded(library: Library, path: Path, threads: int) -> Iterator[Model]:
    settings = LoadSettings(ctx_tokens=CTX_TOKENS, gpu_layers=0, threads=threads)
    model = library.load(os.fspath(path), settings, BATCH_TOKENS, AbortFlag(), lambda _: None)
    try:
        yield model
    finally:
        model.close()


def compare_passes(model: Model, expected: Chances, kind: str, on_step: Step) -> Finding:
    """Read ``sequence`` in passes of each length; ``expected`` are the chances after each of its tokens.

    Raises:
        SlipstreamError: a pass could not be computed.
    """
    if not np.isfinite(expected).all():
        return Finding(kind=kind, difference=1.0, trouble="single tokens come out as no numbers")
    tokens = sequence()
    longest, largest = 0, 0.0
    for length in LENGTHS:
        on_step(kind, length)
        part = tokens[: max(length, min(SHORT_TOKENS, MOST_PASSES * length))]
        difference = _difference(_read(model, part, length), expected[: len(part)])
        largest = max(largest, difference)
        if difference > MOST_DIFFERENCE:
            trouble = f"passes of {length} rows come out wrong"
            return Finding(kind=kind, longest=longest, difference=largest, trouble=trouble)
        longest = length
    return Finding(kind=kind, longest=longest, difference=largest)


def sequence() -> list[int]:
    """As many tokens as the longest pass has rows, the same ones always, none of control."""
    return [int(token) for token in np.random.default_rng(1).integers(3, VOCAB, BATCH_TOKENS)]


def _read(model: Model, tokens: list[int], length: int) -> Chances:
    """The chances after each token, read in passes of ``length``."""
    model.truncate(0)
    parts = [tokens[start : start + length] for start in range(0, len(tokens), length)]
    # each result is a view that the next pass overwrites
    return np.vstack([_chances(model.decode(part, len(part))) for part in parts])


def _chances(logits: Logits) -> Chances:
    """With what is no number in them where the logits have it."""
    with np.errstate(invalid="ignore", over="ignore"):
        values = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
        chances: Chances = values / values.sum(axis=1, keepdims=True)
    return chances


def _difference(found: Chances, expected: Chances) -> float:
    """The largest total variation of any row; 1 where there is no number."""
    if not np.isfinite(found).all():
        return 1.0
    return float(np.abs(found - expected).sum(axis=1).max() / 2)
