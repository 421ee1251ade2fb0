"""The proof of an engine: long passes held against single tokens, by libraries that are right, wrong, or none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.engine import proof
from app.engine.backend import BATCH_TOKENS, Logits
from app.engine.proof import LENGTHS, prove
from app.engine.tiny_model import KINDS, VOCAB
from app.errors import Code, SlipstreamError
from app.installed import Finding
from app.records import LoadSettings
from tests.engine.fakes import Language, ScriptedModel


class Passes(ScriptedModel):
    """Wrong in passes of ``wrong_from`` rows and more: in all of them, or in the ``row`` alone. ``rounding`` in all."""

    def __init__(self, wrong_from: int, filled: float | None, rounding: float) -> None:
        super().__init__(Language(vocab_size=VOCAB, order=1), max_rows=BATCH_TOKENS)
        self.wrong_from = wrong_from
        self.filled = filled
        self.rounding = rounding

    def decode(self, tokens: Sequence[int], rows: int) -> Logits:
        logits = super().decode(tokens, rows).copy()
        if rows > 1:
            logits += self.rounding * np.sin(np.arange(logits.size)).reshape(logits.shape).astype(np.float32)
        if rows >= self.wrong_from:
            logits[-1] = logits[-1][::-1] if self.filled is None else self.filled
        return logits


class FakeLibrary:
    name = "llama"

    def __init__(self, wrong_from: int = 10_000, filled: float | None = None, rounding: float = 0.05) -> None:
        self.wrong_from = wrong_from
        self.filled = filled
        self.rounding = rounding
        self.threads: list[int] = []
        self.refuses = ""
        self.closed = 0

    def describe(self) -> str:
        return self.name

    def load(self, path: str, settings: LoadSettings, max_rows: int, *_: object) -> Passes:
        assert Path(path).read_bytes()[:4] == b"GGUF"
        assert max_rows == BATCH_TOKENS
        if self.refuses in path and self.refuses:
            raise SlipstreamError(Code.MODEL_LOAD_FAILED, "It knows no such type.", "")
        self.threads.append(settings.threads)
        model = Passes(self.wrong_from, self.filled, self.rounding)
        model.close = self._close  # type: ignore[method-assign]
        return model

    def _close(self) -> None:
        self.closed += 1

    def quantize(self, *_: object, **__: object) -> None:
        raise AssertionError("nothing is to be written")


def findings(library: FakeLibrary, folder: Path, kinds: Sequence[str] = ("Q8_0",)) -> list[Finding]:
    return list(prove(library, folder, lambda *_: None, kinds))  # type: ignore[arg-type]


def test_rounding_is_no_fault(tmp_path: Path) -> None:
    library = FakeLibrary()
    (found,) = findings(library, tmp_path)
    assert found.is_sound
    assert found.longest == BATCH_TOKENS
    assert 0 < found.difference < proof.MOST_DIFFERENCE
    assert library.threads == [1, 0], "long passes with as many threads as answers"
    assert library.closed == 2
    assert list(tmp_path.iterdir()) == [], "the models are gone"


@pytest.mark.parametrize("wrong_from", [16, 32, 512])
@pytest.mark.parametrize("filled", [None, 0.0, float("nan"), float("inf")])
def test_one_wrong_row_is_found_and_said_up_to_where_all_is_right(
    tmp_path: Path, wrong_from: int, filled: float | None
) -> None:
    (found,) = findings(FakeLibrary(wrong_from, filled), tmp_path)
    assert not found.is_sound
    assert found.trouble == f"passes of {wrong_from} rows come out wrong"
    assert found.longest == max(length for length in LENGTHS if length < wrong_from)


def test_single_tokens_that_are_no_numbers_are_found(tmp_path: Path) -> None:
    (found,) = findings(FakeLibrary(1, float("nan")), tmp_path)
    assert (found.longest, found.trouble) == (0, "single tokens come out as no numbers")


def test_a_type_that_does_not_load_leaves_the_others(tmp_path: Path) -> None:
    library = FakeLibrary()
    library.refuses = "Q4_K"
    first, second = findings(library, tmp_path, ("Q4_K", "Q8_0"))
    assert first.trouble == "its model was refused: It knows no such type."
    assert second.is_sound


def test_every_step_is_told_before_it_is_done(tmp_path: Path) -> None:
    steps: list[tuple[str, int]] = []
    list(prove(FakeLibrary(), tmp_path, lambda kind, rows: steps.append((kind, rows)), ("F16",)))  # type: ignore[arg-type]
    assert steps == [("F16", 0), *(("F16", length) for length in LENGTHS)]
    assert {1, 2, 8, 16, 32, 64, 512} <= set(LENGTHS)
    assert len(KINDS) == 12
