"""Writes tiny llama models with random weights of any type, by numpy alone: what an engine is tried with.

No library is asked, since it is the library that is to be tried: blocks are drawn as they lie in the file
(ggml-common.h of llama.cpp). The numbers of rows and columns are such that the kernels for repacked weights and for
AMX take every matrix, the output matrix included: rows in multiples of 32, columns in multiples of 256.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

WIDTH, INNER, HEADS, KV_HEADS, LAYERS, VOCAB = 256, 512, 4, 2, 1, 288
CTX_TOKENS = 1024
SEED = 7
OUTPUT_GAIN = 2.0
"""Standard deviation of the logits: a next token has then a few likely choices, and a wrong matrix shows in them."""
NORM = 1.5
"""Weight of the norms before attention and feed-forward, for what the layers add must not drown in the embeddings."""
EMBEDDING = 0.7

Bytes = npt.NDArray[np.uint8]
Generator = np.random.Generator
_IQ4_VALUES = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


class Kind(NamedTuple):
    """A tensor type: its number in files, ``general.file_type`` of a model of it, and what draws blocks of it.

    ``draw(random, blocks, sigma)`` gives uint8 of shape (blocks, bytes of a block); weights have mean 0 and about the
    standard deviation ``sigma``.
    """

    code: int
    file_type: int
    elements: int
    draw: Callable[[Generator, int, float], Bytes]


def _halves(values: npt.NDArray[np.float64]) -> Bytes:
    """float16 values of shape (blocks, n) as bytes (blocks, 2n)."""
    return np.ascontiguousarray(values.astype("<f2")).view(np.uint8).reshape(len(values), -1)


def _bytes(random: Generator, blocks: int, count: int) -> Bytes:
    return random.integers(0, 256, (blocks, count), dtype=np.uint8)


def _steps(random: Generator, blocks: int, step: float, signed: bool = False) -> npt.NDArray[np.float64]:
    """Scales about ``step``, shape (blocks, 1), so that no two blocks are alike."""
    scales = step * random.uniform(0.6, 1.4, (blocks, 1))
    return scales * random.choice((-1.0, 1.0), (blocks, 1)) if signed else scales


def _symmetric(spread: float, count: int) -> Callable[[Generator, int, float], Bytes]:
    """A scale, then ``count`` bytes of numbers whose standard deviation is ``spread``: Q4_0, Q5_0, Q8_0, IQ4_NL."""

    def draw(random: Generator, blocks: int, sigma: float) -> Bytes:
        scales = _steps(random, blocks, sigma / spread, signed=True)
        return np.hstack([_halves(scales), _bytes(random, blocks, count)])

    return draw


def _with_least(most: int, count: int) -> Callable[[Generator, int, float], Bytes]:
    """A scale and the least value, then ``count`` bytes of numbers from 0 to ``most``: Q4_1, Q5_1."""

    def draw(random: Generator, blocks: int, sigma: float) -> Bytes:
        scales = _steps(random, blocks, sigma * 12**0.5 / (most + 1))
        leasts = -scales * most / 2 * random.uniform(0.8, 1.2, (blocks, 1))
        return np.hstack([_halves(scales), _halves(leasts), _bytes(random, blocks, count)])

    return draw


def _super_blocks(most: int, count: int) -> Callable[[Generator, int, float], Bytes]:
    """Two scales, twelve bytes of scales of 6 bits, ``count`` bytes of numbers up to ``most``: Q4_K, Q5_K.

    A weight is scale · s · q − least · m with s and m up to 63, drawn apart: of each group's own mean and width.
    """
    spread = ((most + 1) ** 2 / 12 * 1312 + (most / 2) ** 2 * 682) ** 0.5

    def draw(random: Generator, blocks: int, sigma: float) -> Bytes:
        scales = _steps(random, blocks, sigma / spread)
        both = np.hstack([_halves(scales), _halves(scales * most / 2)])
        return np.hstack([both, _bytes(random, blocks, 12 + count)])

    return draw


def _draw_q6_k(random: Generator, blocks: int, sigma: float) -> Bytes:
    scales = random.integers(-63, 64, (blocks, 16), dtype=np.int8).view(np.uint8)
    steps = _halves(_steps(random, blocks, sigma / (36.7 * 18.5)))
    return np.hstack([_bytes(random, blocks, 192), scales, steps])


def _draw_plain(random: Generator, blocks: int, sigma: float) -> npt.NDArray[np.float32]:
    return (random.standard_normal((blocks, 1)) * sigma).astype(np.float32)


def _draw_f32(random: Generator, blocks: int, sigma: float) -> Bytes:
    return _draw_plain(random, blocks, sigma).view(np.uint8)


def _draw_f16(random: Generator, blocks: int, sigma: float) -> Bytes:
    return _halves(_draw_plain(random, blocks, sigma).astype(np.float64))


def _draw_bf16(random: Generator, blocks: int, sigma: float) -> Bytes:
    return np.ascontiguousarray(_draw_plain(random, blocks, sigma).view(np.uint8)[:, 2:])


_IQ4_SPREAD = float(np.std(_IQ4_VALUES))
KINDS: dict[str, Kind] = {
    "Q4_0": Kind(2, 2, 32, _symmetric(4.63, 16)),
    "Q4_1": Kind(3, 3, 32, _with_least(15, 16)),
    "Q5_0": Kind(6, 8, 32, _symmetric(9.24, 20)),
    "Q5_1": Kind(7, 9, 32, _with_least(31, 20)),
    "Q8_0": Kind(8, 7, 32, _symmetric(73.9, 32)),
    "Q4_K": Kind(12, 15, 256, _super_blocks(15, 128)),
    "Q5_K": Kind(13, 17, 256, _super_blocks(31, 160)),
    "Q6_K": Kind(14, 18, 256, _draw_q6_k),
    "IQ4_NL": Kind(20, 25, 32, _symmetric(_IQ4_SPREAD, 16)),
    "IQ4_XS": Kind(23, 30, 256, _symmetric(_IQ4_SPREAD * 18.5, 134)),
    "F16": Kind(1, 1, 1, _draw_f16),
    "BF16": Kind(30, 32, 1, _draw_bf16),
}
"""What most files are made of."""
_F32 = Kind(0, 0, 1, _draw_f32)


class _Tensor(NamedTuple):
    name: str
    shape: tuple[int, ...]
    """Columns first, as in the file."""
    kind: Kind
    data: bytes


def write_tiny_model(path: Path, kind_name: str, seed: int = SEED) -> Path:
    """A model of about half a million weights of one type; norms and embeddings are F32. Raises ``OSError``."""
    kind = KINDS[kind_name]
    tensors = list(_draw_tensors(kind, np.random.default_rng(seed)))
    metadata = _metadata(f"Tiny {kind_name}", kind.file_type)
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(metadata)), *metadata]
    body, offset = [], 0
    for tensor in tensors:
        shape = tensor.shape
        head += [_text(tensor.name), struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, tensor.kind.code, offset)]
        padded = tensor.data + bytes(-len(tensor.data) % 32)
        body.append(padded)
        offset += len(padded)
    header = b"".join(head)
    path.write_bytes(header + bytes(-len(header) % 32) + b"".join(body))
    return path


def _draw_tensors(kind: Kind, random: Generator) -> Iterator[_Tensor]:
    narrow = WIDTH // HEADS * KV_HEADS

    def matrix(name: str, columns: int, rows: int, gain: float = 1.0, of: Kind = kind) -> _Tensor:
        blocks = of.draw(random, columns * rows // of.elements, gain / columns**0.5)
        return _Tensor(name + ".weight", (columns, rows), of, blocks.tobytes())

    def norm(name: str, weight: float = NORM) -> _Tensor:
        return _Tensor(name + ".weight", (WIDTH,), _F32, np.full(WIDTH, weight, "<f4").tobytes())

    yield matrix("token_embd", WIDTH, VOCAB, EMBEDDING * WIDTH**0.5, _F32)
    yield norm("output_norm", 1.0)
    yield matrix("output", WIDTH, VOCAB, OUTPUT_GAIN)
    for layer in range(LAYERS):
        place = f"blk.{layer}."
        yield norm(place + "attn_norm")
        yield matrix(place + "attn_q", WIDTH, WIDTH)
        yield matrix(place + "attn_k", WIDTH, narrow)
        yield matrix(place + "attn_v", WIDTH, narrow)
        yield matrix(place + "attn_output", WIDTH, WIDTH)
        yield norm(place + "ffn_norm")
        yield matrix(place + "ffn_gate", WIDTH, INNER)
        yield matrix(place + "ffn_up", WIDTH, INNER)
        yield matrix(place + "ffn_down", INNER, WIDTH)


def _metadata(name: str, file_type: int) -> list[bytes]:
    """The entries of the header, each with its key."""
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256)), b"\xe2\x96\x81"]
    types = [2, 3, 3, *[6] * 256, 1]
    unused = VOCAB - len(tokens)
    tokens += [f"<unused{number}>".encode() for number in range(unused)]
    types += [5] * unused
    numbers = {
        "general.file_type": file_type, "general.quantization_version": 2, "llama.context_length": CTX_TOKENS,
        "llama.embedding_length": WIDTH, "llama.block_count": LAYERS, "llama.feed_forward_length": INNER,
        "llama.attention.head_count": HEADS, "llama.attention.head_count_kv": KV_HEADS,
        "llama.rope.dimension_count": WIDTH // HEADS, "llama.vocab_size": VOCAB,
        "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
    }
    texts = {"general.architecture": "llama", "general.name": name, "tokenizer.ggml.model": "llama"}
    return [
        *(_text(key) + struct.pack("<I", 8) + _text(value) for key, value in texts.items()),
        *(_text(key) + struct.pack("<II", 4, value) for key, value in numbers.items()),
        _text("llama.attention.layer_norm_rms_epsilon") + struct.pack("<If", 6, 1e-5),
        _text("llama.rope.freq_base") + struct.pack("<If", 6, 10_000.0),
        _text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, VOCAB) + b"".join(map(_text, tokens)),
        _text("tokenizer.ggml.scores") + _array(6, "f", [0.0] * VOCAB),
        _text("tokenizer.ggml.token_type") + _array(5, "i", types),
    ]


def _array(code: int, letter: str, values: Sequence[float]) -> bytes:
    return struct.pack(f"<IIQ{len(values)}{letter}", 9, code, len(values), *values)


def _text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(raw)) + raw
