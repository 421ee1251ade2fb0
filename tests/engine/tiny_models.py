"""Model files of some hundred kilobytes with random weights: each of another kind of memory than attention alone.

They write nonsense, but always the same nonsense, and through the library's own code for their kind.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.models.gguf_writer import Plain, text, typed

WIDTH = 64
INNER = 128
STATE = 16
HEADS = 4
LAYERS = 2
CTX_TRAIN = 4096

Tensors = dict[str, npt.NDArray[np.float32]]


def write_mamba(path: Path) -> Path:
    """Recurrent through and through; llama.cpp keeps no snapshots for it."""
    draw = _Weights(3)
    tensors = draw.frame()
    for layer in range(LAYERS):
        tensors |= {
            f"blk.{layer}.attn_norm.weight": draw.ones(WIDTH),
            f"blk.{layer}.ssm_in.weight": draw.matrix(2 * INNER, WIDTH),
            f"blk.{layer}.ssm_conv1d.weight": draw.matrix(INNER, 4),
            f"blk.{layer}.ssm_conv1d.bias": draw.vector(INNER),
            f"blk.{layer}.ssm_x.weight": draw.matrix(8 + 2 * STATE, INNER),
            f"blk.{layer}.ssm_dt.weight": draw.matrix(INNER, 8),
            f"blk.{layer}.ssm_dt.bias": draw.vector(INNER),
            f"blk.{layer}.ssm_a": -np.exp(draw.matrix(INNER, STATE)),
            f"blk.{layer}.ssm_d": draw.vector(INNER),
            f"blk.{layer}.ssm_out.weight": draw.matrix(WIDTH, INNER),
        }
    own: dict[str, Plain] = {
        "ssm.conv_kernel": 4, "ssm.inner_size": INNER, "ssm.state_size": STATE, "ssm.time_step_rank": 8,
        "feed_forward_length": 0, "attention.head_count": 0,
    }
    return _write(path, "mamba", own, tensors)


def write_lfm2(path: Path) -> Path:
    """One recurrent layer and one of attention; llama.cpp keeps snapshots for it (``n_rs_seq``)."""
    draw = _Weights(4)
    tensors = draw.frame(output_norm="token_embd_norm.weight")
    for layer in range(LAYERS):
        tensors |= draw.feed_forward(layer) | {
            f"blk.{layer}.attn_norm.weight": draw.ones(WIDTH), f"blk.{layer}.ffn_norm.weight": draw.ones(WIDTH),
        }
    tensors |= {
        "blk.0.shortconv.conv.weight": draw.matrix(WIDTH, 3),
        "blk.0.shortconv.in_proj.weight": draw.matrix(3 * WIDTH, WIDTH),
        "blk.0.shortconv.out_proj.weight": draw.matrix(WIDTH, WIDTH),
        "blk.1.attn_q_norm.weight": draw.ones(WIDTH // HEADS), "blk.1.attn_k_norm.weight": draw.ones(WIDTH // HEADS),
        **draw.attention(1),
    }
    own: dict[str, Plain] = {
        "shortconv.l_cache": 3, "feed_forward_length": 2 * WIDTH, "attention.head_count": HEADS,
        "attention.head_count_kv": [0, 2], "rope.freq_base": 10000.0,
    }
    return _write(path, "lfm2", own, tensors)


def write_falcon_h1(path: Path) -> Path:
    """Attention and a state in every layer; llama.cpp keeps no snapshots for it."""
    draw = _Weights(5)
    tensors = draw.frame()
    mixed = INNER + 2 * STATE
    for layer in range(LAYERS):
        tensors |= draw.attention(layer) | draw.feed_forward(layer) | {
            f"blk.{layer}.attn_norm.weight": draw.ones(WIDTH), f"blk.{layer}.ffn_norm": draw.ones(WIDTH),
            f"blk.{layer}.ssm_in.weight": draw.matrix(INNER + mixed + 8, WIDTH),
            f"blk.{layer}.ssm_conv1d.weight": draw.matrix(mixed, 4),
            f"blk.{layer}.ssm_conv1d.bias": draw.vector(mixed),
            f"blk.{layer}.ssm_dt.bias": draw.vector(8),
            f"blk.{layer}.ssm_a": -np.exp(draw.matrix(8, 1)),
            f"blk.{layer}.ssm_d": draw.matrix(8, 1),
            f"blk.{layer}.ssm_out.weight": draw.matrix(WIDTH, INNER),
        }
    own: dict[str, Plain] = {
        "ssm.conv_kernel": 4, "ssm.inner_size": INNER, "ssm.state_size": STATE, "ssm.time_step_rank": 8,
        "ssm.group_count": 1, "feed_forward_length": 2 * WIDTH, "attention.head_count": HEADS,
        "attention.head_count_kv": 2, "rope.freq_base": 10000.0,
    }
    return _write(path, "falcon-h1", own, tensors)


class _Weights:
    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def matrix(self, rows: int, columns: int) -> npt.NDArray[np.float32]:
        return (self._random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)

    def vector(self, size: int) -> npt.NDArray[np.float32]:
        return (self._random.standard_normal(size) * 0.5).astype(np.float32)

    @staticmethod
    def ones(size: int) -> npt.NDArray[np.float32]:
        return np.ones(size, dtype=np.float32)

    def frame(self, output_norm: str = "output_norm.weight") -> Tensors:
        vocab = len(_vocabulary()[0])
        return {
            "token_embd.weight": self.matrix(vocab, WIDTH) * np.float32(8),
            "output.weight": self.matrix(vocab, WIDTH) * np.float32(4),
            output_norm: self.ones(WIDTH),
        }

    def attention(self, layer: int) -> Tensors:
        narrow = WIDTH // HEADS * 2
        return {
            f"blk.{layer}.attn_q.weight": self.matrix(WIDTH, WIDTH), f"blk.{layer}.attn_k.weight":
            self.matrix(narrow, WIDTH), f"blk.{layer}.attn_v.weight": self.matrix(narrow, WIDTH),
            f"blk.{layer}.attn_output.weight": self.matrix(WIDTH, WIDTH),
        }

    def feed_forward(self, layer: int) -> Tensors:
        return {
            f"blk.{layer}.ffn_gate.weight": self.matrix(2 * WIDTH, WIDTH),
            f"blk.{layer}.ffn_up.weight": self.matrix(2 * WIDTH, WIDTH),
            f"blk.{layer}.ffn_down.weight": self.matrix(WIDTH, 2 * WIDTH),
        }


def _vocabulary() -> tuple[list[bytes], list[int]]:
    """Tokens and their types: three of control, then every byte."""
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256)), b"\xe2\x96\x81"]
    return tokens, [2, 3, 3, *[6] * 256, 1]


def _write(path: Path, architecture: str, own: dict[str, Plain], tensors: Tensors) -> Path:
    tokens, types = _vocabulary()
    metadata: dict[str, Plain] = {
        "general.architecture": architecture, "general.name": f"Tiny {architecture}",
        f"{architecture}.context_length": CTX_TRAIN, f"{architecture}.embedding_length": WIDTH,
        f"{architecture}.block_count": LAYERS, f"{architecture}.attention.layer_norm_rms_epsilon": 1e-5,
        **{f"{architecture}.{key}": value for key, value in own.items()},
        "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
    }
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(metadata) + 1)]
    for key, value in metadata.items():
        head += [text(key), typed(value)]
    head += [text("tokenizer.ggml.token_type"), struct.pack(f"<IIQ{len(types)}i", 9, 5, len(types), *types)]
    body, offset = [], 0
    for name, array in tensors.items():
        raw = array.astype("<f4").tobytes()
        shape = array.shape[::-1]
        head += [text(name), struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)]
        padded = raw + bytes(-len(raw) % 32)
        body.append(padded)
        offset += len(padded)
    header = b"".join(head)
    path.write_bytes(header + bytes(-len(header) % 32) + b"".join(body))
    return path
