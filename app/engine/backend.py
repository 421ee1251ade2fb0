"""What the engine needs of a library that runs models: weights with one sequence of cached tokens.

Everything above this interface (drafters, verification, controller, reports) is the same for every library. It holds
nothing that only one of them has: no sampler chains, no batches, no handles.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from app.records import LoadSettings, ModelFacts

Logits = npt.NDArray[np.float32]


BATCH_TOKENS = 512
"""Tokens of one physical batch, the grain of prefill progress."""


class DecodeAbortedError(Exception):
    """The abort flag ended a pass. The cache is as long as before the call."""


class Model(Protocol):
    """A loaded model and its one sequence of cached tokens (target and draft have a model each)."""

    facts: ModelFacts
    native_s: float
    """Seconds spent inside the library's own calls since loading."""

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens whose keys and values are cached, in order."""
        ...

    @property
    def max_rows(self) -> int:
        """The most rows of logits that one ``decode`` may ask for."""
        ...

    def decode(self, tokens: Sequence[int], rows: int) -> Logits:
        """Append ``tokens`` to the cache and compute the logits after each of the last ``rows`` of them.

        Returns:
            float32 array of shape (rows, vocab_size); a view that the next ``decode`` of this model overwrites.

        Raises:
            DecodeAbortedError: the abort flag was set.
            SlipstreamError: ``CONTEXT_FULL`` when the tokens do not fit, ``DECODE_FAILED`` otherwise. The cache is as
                long as before.
        """
        ...

    def truncate(self, length: int) -> None:
        """Forget all cached tokens from index ``length`` on.

        Models with a running state go back to the last ``mark`` at or before ``length``, or to the start: then the
        cache is shorter than ``length`` and the caller decodes again what is missing.
        """
        ...

    def mark(self, lasting: bool = False) -> None:
        """Say that ``truncate`` may have to come back to the present length. Costs nothing where every length will do.

        ``lasting`` is for places that a person may come back to, such as the end of a question.
        """
        ...

    def can_roll_back(self) -> bool:
        """Whether ``truncate`` comes back to a ``mark``, which verification needs."""
        ...

    def can_shift(self) -> bool:
        """Whether ``shift`` works with this model."""
        ...

    def shift(self, keep: int, drop: int) -> None:
        """Forget the ``drop`` cached tokens behind the first ``keep``; those behind them move up. No pass is needed."""
        ...

    def tokenize(self, text: str, *, add_special: bool, parse_special: bool) -> list[int]: ...

    def token_bytes(self, token: int) -> bytes:
        """The bytes that a token adds to the text; empty for control tokens."""
        ...

    def token_text(self, token: int) -> bytes:
        """The vocabulary's own entry of a token."""
        ...

    def is_end(self, token: int) -> bool:
        """Whether a token ends the generation."""
        ...

    @property
    def template(self) -> ChatTemplate: ...

    def close(self) -> None:
        """Free weights and cache; the model is unusable after it."""
        ...


@dataclass(frozen=True)
class ChatTemplate:
    """A model's own chat template (Jinja source, "" if the file has none) and the texts of the tokens it names."""

    source: str = ""
    bos_text: str = ""
    eos_text: str = ""
    add_bos: bool = False


class AbortFlag:
    """Set from any thread to end what the engine is doing; cleared at the start of each command.

    ``text`` is the flag for native code: a C string, empty while it is not set, of one character while it is.
    """

    def __init__(self) -> None:
        self.text = ctypes.create_string_buffer(2)

    def set(self) -> None:
        self.text[0] = b"\1"

    def clear(self) -> None:
        self.text[0] = b"\0"

    def __bool__(self) -> bool:
        return self.text[0] != b"\0"


class EitherFlag:
    """Set while one of several flags is."""

    def __init__(self, *flags: AbortFlag) -> None:
        self._flags = flags

    def __bool__(self) -> bool:
        return any(self._flags)


Progress = Callable[[float], None]
"""Called with the fraction (0 to 1) that is loaded."""
ThreadCount = Callable[[], int]
"""Asked before every pass: with how many threads it is computed."""


def thread_count(settings: LoadSettings, governed: ThreadCount) -> ThreadCount:
    """A fixed number where the settings name one."""
    return (lambda: settings.threads) if settings.threads else governed


class Library(Protocol):
    """A native library as loaded into this process."""

    @property
    def name(self) -> str:
        """``llama`` or ``ik``."""
        ...

    def describe(self) -> str:
        """The package and its version."""
        ...

    def load(
        self, path: str, settings: LoadSettings, max_rows: int, abort: AbortFlag, on_progress: Progress
    ) -> Model:
        """Load a model with a context of one sequence; no ``decode`` asks for more than ``max_rows`` rows.

        Raises:
            SlipstreamError: ``MODEL_NOT_FOUND``, ``MODEL_LOAD_FAILED``, ``MODEL_UNSUPPORTED``, ``OUT_OF_MEMORY``,
                ``SETTINGS_INVALID``, ``ABORTED``.
        """
        ...

    def quantize(
        self, source: str, destination: str, kind: str, *, whole: bool = False, threads: int = 0,
        widths: Mapping[str, int] | None = None,
    ) -> None:
        """Write ``source`` in another form: ``kind`` is ``bf16``, ``q8_0`` or ``q4_0``.

        ``whole`` gives the token embeddings and the output matrix that form too. Matrices whose names and ``widths``
        (values in a row) are given may be rounded with more care, where the library can.

        Raises:
            SlipstreamError: ``MODEL_LOAD_FAILED`` when the library refuses.
        """
        ...


def shared_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """Number of equal tokens at the start of two sequences."""
    n = min(len(a), len(b))
    if a[:n] == b[:n]:
        return n
    low, high = 0, n  # invariant: a[:low] == b[:low], a[:high] != b[:high]
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low
