"""Grammars by ik_llama.cpp's own grammar functions: GBNF in, allowed tokens out."""

from __future__ import annotations

import ctypes

import ik_llama_cpp._ctypes_api as ik
import numpy as np
import numpy.typing as npt

from app.errors import Code, SlipstreamError
from app.sentences import say

_TOKEN = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class IkGrammar:
    """``grammar.Grammar`` over a grammar of ik_llama.cpp. ``functions`` is the library with its signatures bound."""

    def __init__(self, functions: ctypes.CDLL, context: int, vocab: int, gbnf: str) -> None:
        """Raises ``SlipstreamError`` (``SETTINGS_INVALID``)."""
        self._functions = functions
        self._context = context
        self._grammar = functions.llama_sampler_init_grammar(vocab, gbnf.encode(), b"root")
        if not self._grammar:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, say("The grammar cannot be read."),
                say("It must be GBNF with a rule called “root”."),
            )

    def allows(self, token_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        tokens = np.zeros(len(token_ids), dtype=_TOKEN)
        tokens["id"] = token_ids
        data = tokens.ctypes.data_as(ctypes.POINTER(ik.llama_token_data))
        array = ik.llama_token_data_array(data=data, size=len(tokens), selected=-1, sorted=False)
        self._functions.llama_sample_grammar(self._context, ctypes.byref(array), self._grammar)
        allowed: npt.NDArray[np.bool_] = np.isfinite(tokens["logit"])
        return allowed

    def accept(self, token: int) -> None:
        self._functions.llama_grammar_accept_token(self._grammar, self._context, token)

    def close(self) -> None:
        if self._grammar:
            self._functions.llama_grammar_free(self._grammar)
            self._grammar = None
