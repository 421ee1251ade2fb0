"""The vocabulary of a model as llama.cpp would hold it, read from the header alone.

Source: ``llama_vocab::impl::load`` in llama-vocab.cpp (the one in llama-cpp-python 0.3.36), with its defaults for keys
that a file leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from app.errors import Code, SlipstreamError
from app.models.gguf import GgufHeader
from app.sentences import say

NO_TOKEN = -1

_BYTE_PAIR = "byte-pair"
_KINDS = {
    "llama": "sentencepiece",
    "bert": "wordpiece",
    "gpt2": _BYTE_PAIR,
    "hybriddna": _BYTE_PAIR,
    "whitespace": _BYTE_PAIR,
    "gemma4": _BYTE_PAIR,
    "t5": "unigram",
    "rwkv": "rwkv",
    "test": "test",
    "plamo2": "plamo2",
}
_DEFAULT_ENDS = {
    "llama": (1, 2),
    "bert": (101, NO_TOKEN),
    "gpt2": (11, 11),
    "hybriddna": (11, 11),
    "whitespace": (11, 11),
    "gemma4": (NO_TOKEN, NO_TOKEN),
    "t5": (NO_TOKEN, 1),
    "plamo2": (1, 2),
}
"""Beginning and end token where the file names none; both ``NO_TOKEN`` for tokenizers that are not listed."""

_ADD_BOS_KINDS = frozenset({"sentencepiece", "wordpiece"})
_ADD_EOS_KINDS = frozenset({"unigram"})
_ADD_BOS_PRE = frozenset({
    "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano", "tekken",
    "chameleon",
})
_NO_BOS_PRE = frozenset({"chatglm-bpe", "glm4", "glm5"})
_FORCED_BOS_PRE = frozenset({"gemma4", "granite-embed-multi-311m"})


@dataclass(frozen=True)
class Vocabulary:
    """``tokens`` are the texts by id, byte for byte as in the file. ``bos_id``, ``eos_id`` may be ``NO_TOKEN``."""

    kind: str
    model: str
    pre: str
    tokens: list[bytes]
    add_bos: bool
    add_eos: bool
    bos_id: int
    eos_id: int

    @property
    def size(self) -> int:
        return len(self.tokens)

    def engine_text(self, token_id: int) -> bytes:
        """The text that llama.cpp compares: up to the first NUL, a made-up name when it is empty."""
        text = self.tokens[token_id].split(b"\0", 1)[0]
        return text or f"[EMPTY_{token_id}]".encode()

    def shown_text(self, token_id: int) -> str:
        """The token as a person reads it: word marks as spaces, control characters escaped, at most 40 characters."""
        text = self.engine_text(token_id).decode("utf-8", errors="replace")
        if self.kind == _BYTE_PAIR and self.model != "gemma4":
            text = _spell_bytes(text)
        elif self.kind != "wordpiece":
            text = text.replace("▁", " ")
        shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
        return shown if len(shown) <= 40 else shown[:39] + "…"


def vocabulary_kind(tokenizer_model: str) -> str:
    """The kind that ``tokenizer.ggml.model`` names, "" if it is unknown."""
    return _KINDS.get(tokenizer_model, "")


def read_vocabulary(header: GgufHeader) -> Vocabulary:
    """The vocabulary of a header that was read with its tokens.

    Raises:
        SlipstreamError: ``MODEL_UNSUPPORTED`` when there is no vocabulary or its tokenizer is unknown.
    """
    model = header.text("tokenizer.ggml.model")
    kind = _KINDS.get(model)
    if kind is None:
        name = _file_name(header.path)
        raise SlipstreamError(
            Code.MODEL_UNSUPPORTED,
            say("The file “{name}” has no vocabulary.", name=name) if model in ("", "none", "no_vocab")
            else say("The file “{name}” has a tokenizer of the unknown kind “{kind}”.", name=name, kind=model[:40]),
            say("Choose another model."),
        )
    pre = "gemma4" if model == "gemma4" else header.text("tokenizer.ggml.pre")
    size = len(header.tokens)
    bos, eos = _DEFAULT_ENDS.get(model, (NO_TOKEN, NO_TOKEN))
    if kind == _BYTE_PAIR and pre in _NO_BOS_PRE:
        bos = NO_TOKEN
    add_bos = kind in _ADD_BOS_KINDS or (kind == _BYTE_PAIR and pre in _ADD_BOS_PRE)
    add_eos = kind in _ADD_EOS_KINDS
    given_bos, given_eos = header.flag("tokenizer.ggml.add_bos_token"), header.flag("tokenizer.ggml.add_eos_token")
    add_bos = add_bos if given_bos is None else given_bos
    add_eos = add_eos if given_eos is None else given_eos
    if kind == _BYTE_PAIR and pre in _FORCED_BOS_PRE:
        add_bos = True
    return Vocabulary(
        kind, model, pre, header.tokens, add_bos, add_eos,
        _special_id(header, "tokenizer.ggml.bos_token_id", bos, size),
        _special_id(header, "tokenizer.ggml.eos_token_id", eos, size),
    )


def _special_id(header: GgufHeader, key: str, default: int, size: int) -> int:
    fallback = default if default < size else NO_TOKEN
    given = header.integer(key, NO_TOKEN)
    return given if 0 <= given < size else fallback


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


@lru_cache(maxsize=1)
def _byte_of_letter() -> dict[str, int]:
    """GPT-2's table of printable stand-ins for bytes (openai/gpt-2, encoder.py), reversed."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(byte): byte for byte in printable}
    hidden = (byte for byte in range(256) if byte not in set(printable))
    table.update({chr(256 + index): byte for index, byte in enumerate(hidden)})
    return table


def _spell_bytes(text: str) -> str:
    """Undo the byte-level spelling of a byte-pair token; texts that are not so spelled stay as they are."""
    table = _byte_of_letter()
    if not all(letter in table for letter in text):
        return text
    return bytes(table[letter] for letter in text).decode("utf-8", errors="replace")
