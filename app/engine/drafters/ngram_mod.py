"""Drafting from a hash pool of fixed size: for each n tokens seen, the token that followed them last.

llama.cpp's ``ngram-mod`` (pull request 19164 of ggml-org/llama.cpp) with its parameters: ``n`` tokens are hashed
(n-match there), drafts run until the pool knows no next token. The pool is shared by all chats with a model. Unlike
there, an entry holds a check on its n tokens, so strangers that share its place are told apart, and it need not be
emptied before it fills up: what is new takes the place of what is old.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.engine.backend import shared_prefix
from app.engine.drafters.interface import Draft, Drafter, Kept, Policy
from app.methods import Method

POOL_BITS = 22
POOL_BYTES = 4 << POOL_BITS
TOKEN_BITS = 19
"""An entry's low bits are the token + 1 (0: empty); the others check the n tokens before it."""
CHECK_BITS = 32 - TOKEN_BITS

CHUNK_TOKENS = 32
"""New text is put into the pool in pieces of this length: a loop of a few tokens must not feed on itself at once."""
POOR_SHARE = 0.25
POOR_DRAFTS = 5
"""After so many drafts in a row of which less than the share stood, the pool starts over from this chat's text."""

CONFIDENCE = 0.9

_WORD = (1 << 64) - 1
_FACTOR = 6364136223846793005  # of Knuth's MMIX generator
_FINAL = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: carries every bit up to those that are used


class NgramPool:
    """16 MiB of (n tokens → next token); ``n`` is part of the hash, so different ones do not meet."""

    def __init__(self) -> None:
        self._entries: npt.NDArray[np.uint32] = np.zeros(1 << POOL_BITS, dtype=np.uint32)

    @property
    def bytes(self) -> int:
        return self._entries.nbytes

    def clear(self) -> None:
        self._entries[:] = 0

    def add(self, text: Sequence[int], n: int) -> None:
        """Note what followed each n tokens of ``text``; of equals the last counts."""
        windows = len(text) - n
        if windows <= 0:
            return
        tokens = np.asarray(text, dtype=np.uint64)
        sums = np.full(windows, n, dtype=np.uint64)
        for offset in range(n):
            sums = sums * np.uint64(_FACTOR) + tokens[offset : offset + windows]
        hashes = sums * np.uint64(_FINAL)
        following = tokens[n:] + np.uint64(1)
        fits = following < np.uint64(1 << TOKEN_BITS)
        hashes, following = hashes[fits], following[fits]
        check = (hashes >> np.uint64(64 - POOL_BITS - CHECK_BITS)) & np.uint64((1 << CHECK_BITS) - 1)
        entries = (check << np.uint64(TOKEN_BITS)) | following
        self._entries[hashes >> np.uint64(64 - POOL_BITS)] = entries.astype(np.uint32)

    def reader(self, phrase: Sequence[int]) -> PoolReader:
        return PoolReader(self._entries, phrase)


class PoolReader:
    """Follows the pool from the n tokens of ``phrase``, one token at a time."""

    def __init__(self, entries: npt.NDArray[np.uint32], phrase: Sequence[int]) -> None:
        self._entries = entries
        self._phrase = list(phrase)
        n = len(phrase)
        # sum = n·F^n + t1·F^(n−1) + … + tn: the first term stays while the tokens move on
        self._seed = n * pow(_FACTOR, n, 1 << 64)
        self._first_weight = pow(_FACTOR, n - 1, 1 << 64)
        self._sum = n
        for token in phrase:
            self._sum = (self._sum * _FACTOR + token) & _WORD

    def next(self) -> int | None:
        """The token that followed the last n tokens, or None; it becomes the last of them."""
        hashed = (self._sum * _FINAL) & _WORD
        entry = int(self._entries[hashed >> (64 - POOL_BITS)])
        check = (hashed >> (64 - POOL_BITS - CHECK_BITS)) & ((1 << CHECK_BITS) - 1)
        token = (entry & ((1 << TOKEN_BITS) - 1)) - 1
        if token < 0 or entry >> TOKEN_BITS != check:
            return None
        self._move_on(token)
        return token

    def _move_on(self, token: int) -> None:
        kept = self._sum - self._seed - self._phrase.pop(0) * self._first_weight
        self._phrase.append(token)
        self._sum = (self._seed + kept * _FACTOR + token) & _WORD


class NgramModDrafter:
    def __init__(self, pool: NgramPool, n: int) -> None:
        self.name = "ngram-mod"
        self._pool = pool
        self._n = n
        self._added = 0
        self._poor = 0
        self._asked: tuple[int, list[int]] | None = None

    def begin(self, prompt: Sequence[int]) -> None:
        self._added = self._poor = 0
        self._asked = None
        self._add(prompt)

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        draft = Draft(self.name)
        self._judge(context)
        if len(context) - self._added > CHUNK_TOKENS:
            self._add(context)
        if len(context) < self._n:
            return draft
        reader = self._pool.reader(context[-self._n :])
        while policy.go_on():
            token = reader.next()
            if token is None or not policy.take(CONFIDENCE):
                break
            draft.tokens.append(token)
            draft.confidences.append(CONFIDENCE)
        if draft.tokens:
            self._asked = len(context), draft.tokens
        return draft

    def _add(self, context: Sequence[int]) -> None:
        self._pool.add(context[max(0, self._added - self._n) :], self._n)
        self._added = len(context)

    def _judge(self, context: Sequence[int]) -> None:
        asked, self._asked = self._asked, None
        if asked is None:
            return
        position, tokens = asked
        grown = context[position : position + len(tokens)]
        stood = shared_prefix(tokens, grown)
        if stood < len(tokens) and stood == len(grown):
            return  # it was not verified to its end
        self._poor = self._poor + 1 if stood < POOR_SHARE * len(tokens) else 0
        if self._poor >= POOR_DRAFTS:
            self._poor = self._added = 0
            self._pool.clear()
            self._add(context)


def make(method: Method, kept: Kept) -> tuple[Drafter, int]:
    """The drafter of ``method``, and the most tokens of its drafts."""
    return NgramModDrafter(kept.of(NgramPool), method.integer("n")), method.integer("max")
