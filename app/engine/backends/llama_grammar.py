"""Grammars by llama.cpp's own sampler: GBNF in, allowed tokens out."""

from __future__ import annotations

import ctypes

import llama_cpp
import numpy as np
import numpy.typing as npt

from app.errors import Code, SlipstreamError
from app.sentences import say

_TOKEN = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class LlamaGrammar:
    """``grammar.Grammar`` over a grammar sampler of llama.cpp."""

    def __init__(self, vocab: int, gbnf: str) -> None:
        """Raises ``SlipstreamError`` (``SETTINGS_INVALID``)."""
        self._sampler = llama_cpp.llama_sampler_init_grammar(vocab, gbnf.encode(), b"root")
        if not self._sampler:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, say("The grammar cannot be read."),
                say("It must be GBNF with a rule called “root”."),
            )

    def allows(self, token_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        tokens = np.zeros(len(token_ids), dtype=_TOKEN)
        tokens["id"] = token_ids
        data = tokens.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
        array = llama_cpp.llama_token_data_array(data=data, size=len(tokens), selected=-1, sorted=False)
        llama_cpp.llama_sampler_apply(self._sampler, ctypes.byref(array))
        allowed: npt.NDArray[np.bool_] = np.isfinite(tokens["logit"])
        return allowed

    def accept(self, token: int) -> None:
        llama_cpp.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        if self._sampler:
            llama_cpp.llama_sampler_free(self._sampler)
            self._sampler = None
