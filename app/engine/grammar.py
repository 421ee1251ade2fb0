"""Answers in a given shape: a grammar says which tokens may come next, and the target chooses among those.

The mask comes after the penalties and before every other rule, as in llama.cpp. Verification by sample-and-match
chooses exactly the tokens that are emitted, so the grammar's state goes on with each choice and never has to go back:
with the same grammar and seed the tokens are the same with and without a draft.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from app.engine.backend import Logits
from app.errors import Code, SlipstreamError
from app.records import JsonShape
from app.sentences import say

FIRST_LOOK_TOKENS = 64
"""So many of the likeliest tokens are shown to the grammar first: the whole vocabulary takes milliseconds."""

FAR_LOGITS = 16.0
"""Tokens that far below the best one that is allowed are left out unseen: together they have no chance to be drawn."""


class Grammar(Protocol):
    """The state of one answer in a grammar."""

    def allows(self, token_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which of ``token_ids`` (n,) may come next; shape (n,)."""
        ...

    def accept(self, token: int) -> None:
        """Go on with ``token``, which must be one that is allowed."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class MakesGrammars(Protocol):
    """A ``Model`` whose library can hold an answer to a grammar."""

    def make_grammar(self, gbnf: str) -> Grammar:
        """Raises ``SlipstreamError`` (``SETTINGS_INVALID``) where ``gbnf`` is no grammar."""
        ...

    def shape_as_gbnf(self, shape: JsonShape) -> str:
        """Raises ``SlipstreamError`` (``SETTINGS_INVALID``) where the schema asks for what cannot be held to."""
        ...


def grammar_of(model: object, gbnf: str, shape: JsonShape | None) -> Grammar | None:
    """The grammar an answer is held to, or None where nothing is asked for. Raises ``SlipstreamError``."""
    if not gbnf and shape is None:
        return None
    if not isinstance(model, MakesGrammars):
        raise SlipstreamError(
            Code.SETTINGS_INVALID, say("This engine cannot hold an answer to a grammar or a JSON schema."),
            say("Ask without one, or load the model with the engine “llama”."),
        )
    return model.make_grammar(model.shape_as_gbnf(shape) if shape is not None else gbnf)


def mask(grammar: Grammar, logits: Logits, enough: int) -> Logits:
    """``logits``, float32 (vocab_size,), with −∞ for all tokens but the likeliest that are allowed.

    At least ``enough`` of them are left, as far as so many are allowed and near the best; those that are left are the
    likeliest.
    """
    size = len(logits)
    count = max(FIRST_LOOK_TOKENS, 2 * enough)
    while True:
        if count >= size:
            ids = np.arange(size)
        else:
            ids = np.flatnonzero(logits >= np.partition(logits, size - count)[size - count])
        allowed = ids[grammar.allows(ids)]
        if len(allowed) >= enough or count >= size:
            break
        if len(allowed) and logits[ids].min() < logits[allowed].max() - FAR_LOGITS:
            break
        count *= 16
    if not len(allowed):
        raise SlipstreamError(
            Code.DECODE_FAILED, say("The grammar leaves no token that could come next."),
            say("Ask with a simpler schema."),
        )
    masked = np.full(size, -np.inf, dtype=np.float32)
    masked[allowed] = logits[allowed]
    return masked
