"""Going back with models that keep a running state (recurrent and hybrid ones) instead of a row for every token.

Two means. Snapshots: some architectures write the state after each of the last tokens of a pass, and llama.cpp goes
back to one of them (``n_rs_seq``). Marks: a copy of the state, taken where one may have to come back to.
"""

from __future__ import annotations

import ctypes

import llama_cpp

SNAPSHOTS = 6
"""Tokens that a pass can be taken back by. Each costs the memory of one more state, and no draft may be longer."""

MOST_STATE_BYTES = 256 * 1024 * 1024
"""A larger state is not copied at every step: that would cost more than drafting gains."""

KEPT = 2

_SEQUENCE = 0
_PARTIAL = llama_cpp.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY


def has_state(model: int) -> bool:
    return bool(llama_cpp.llama_model_is_recurrent(model) or llama_cpp.llama_model_is_hybrid(model))


def state_bytes(context: int) -> int:
    """Size of a copy of the present state, without the keys and values of a hybrid's attention layers."""
    return int(llama_cpp.llama_state_seq_get_size_ext(context, _SEQUENCE, _PARTIAL))


class StateMarks:
    """Copies of one sequence's state, by the number of tokens that had been read.

    Of lasting ones (ends of prompts, for another try of an answer) and of others the latest ``KEPT`` are kept.
    """

    def __init__(self, context: int) -> None:
        self._context = context
        self._copies: dict[int, ctypes.Array[ctypes.c_uint8]] = {}
        self._lasting: set[int] = set()

    def save(self, length: int, lasting: bool) -> None:
        """Remember the present state, which is that after ``length`` tokens."""
        if length not in self._copies:
            size = state_bytes(self._context)
            copy = (ctypes.c_uint8 * size)()
            if llama_cpp.llama_state_seq_get_data_ext(self._context, copy, size, _SEQUENCE, _PARTIAL) != size:
                return
            self._copies[length] = copy
        if lasting:
            self._lasting.add(length)
        for kind in (self._lasting, self._copies.keys() - self._lasting):
            self._drop(sorted(kind)[:-KEPT])

    def restore(self, length: int) -> int:
        """Bring back the latest state of at most ``length`` tokens; returns their number, 0 when there is none."""
        self.forget_after(length)
        for saved in sorted(self._copies, reverse=True):
            copy = self._copies[saved]
            if llama_cpp.llama_state_seq_set_data_ext(self._context, copy, len(copy), _SEQUENCE, _PARTIAL):
                return saved
            self._drop([saved])
        return 0

    def forget_after(self, length: int) -> None:
        self._drop([saved for saved in self._copies if saved > length])

    def _drop(self, lengths: list[int]) -> None:
        for length in lengths:
            del self._copies[length]
            self._lasting.discard(length)
