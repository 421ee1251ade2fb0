"""Writes small GGUF files for tests: headers with a vocabulary and tensors that hold zeros."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from app.models.ggml_types import GGML_TYPES

Plain = str | bytes | bool | int | float | Sequence[str] | Sequence[bytes] | Sequence[int] | Sequence[float]
TYPE_CODES = {kind.name: code for code, kind in GGML_TYPES.items()}


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(raw)) + raw


def typed(value: Plain) -> bytes:
    """A value with its type: u32 for non-negative integers, i32 for others, f32, bool, string or an array of them."""
    code, raw = scalar(value)
    if code is not None:
        return struct.pack("<I", code) + raw
    items = [scalar(item) for item in value]  # type: ignore[union-attr]
    item_code = items[0][0] if items else 8
    assert item_code is not None
    return struct.pack("<IIQ", 9, item_code, len(items)) + b"".join(item for _, item in items)


def scalar(value: object) -> tuple[int | None, bytes]:
    if isinstance(value, bool):
        return 7, struct.pack("<?", value)
    if isinstance(value, str | bytes):
        return 8, text(value)
    if isinstance(value, int):
        return (4, struct.pack("<I", value)) if value >= 0 else (5, struct.pack("<i", value))
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    return None, b""


def build(metadata: dict[str, Plain], tensors: Sequence[tuple[str, tuple[int, ...], str]] = (), *, version: int = 3,
          magic: bytes = b"GGUF") -> bytes:
    """A whole file. ``tensors`` are (name, shape, type name); their data are zeros."""
    out = [magic, struct.pack("<IQQ", version, len(tensors), len(metadata))]
    for key, value in metadata.items():
        out += [text(key), typed(value)]
    offset = 0
    for name, shape, kind_name in tensors:
        code = TYPE_CODES[kind_name]
        elements = 1
        for extent in shape:
            elements *= extent
        out += [text(name), struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, code, offset)]
        offset += -(-GGML_TYPES[code].row_bytes(elements) // 32) * 32
    header = b"".join(out)
    return header + bytes(-len(header) % 32) + bytes(offset)


def tokenizer(tokens: Sequence[bytes], *, model: str = "gpt2", pre: str = "qwen2", **extra: Plain) -> dict[str, Plain]:
    """Metadata of a vocabulary; ``extra`` are keys below ``tokenizer.ggml.``."""
    keys: dict[str, Plain] = {"tokenizer.ggml.model": model, "tokenizer.ggml.pre": pre, "tokenizer.ggml.tokens": tokens}
    keys.update({f"tokenizer.ggml.{key}": value for key, value in extra.items()})
    return keys


def model_metadata(name: str = "Test Model", *, arch: str = "llama", layers: int = 2, **extra: Plain
                   ) -> dict[str, Plain]:
    """Metadata of a small chat model without a vocabulary; ``extra`` are keys below the architecture."""
    metadata: dict[str, Plain] = {
        "general.architecture": arch, "general.type": "model", "general.name": name, "general.file_type": 15,
        f"{arch}.block_count": layers, f"{arch}.context_length": 8192, f"{arch}.embedding_length": 256,
        f"{arch}.feed_forward_length": 512, f"{arch}.attention.head_count": 4, f"{arch}.attention.head_count_kv": 2,
        "tokenizer.chat_template": "{{ messages }}",
    }
    metadata.update({f"{arch}.{key}": value for key, value in extra.items()})
    return metadata


def model_tensors(layers: int = 2, vocab: int = 64, kind: str = "Q4_K") -> list[tuple[str, tuple[int, ...], str]]:
    tensors: list[tuple[str, tuple[int, ...], str]] = [("token_embd.weight", (256, vocab), "Q6_K"),
                                                       ("output.weight", (256, vocab), "Q6_K")]
    for layer in range(layers):
        tensors += [(f"blk.{layer}.ffn_up.weight", (256, 512), kind), (f"blk.{layer}.attn_norm.weight", (256,), "F32")]
    return tensors


def words(count: int, *, salt: str = "") -> list[bytes]:
    return [f"{salt}t{index}".encode() for index in range(count)]


def write_model(path: Path, name: str = "Test Model", *, tokens: Sequence[bytes] | None = None, layers: int = 2,
                kind: str = "Q4_K", extra: dict[str, Plain] | None = None) -> Path:
    """A complete small chat model at ``path``."""
    vocabulary = words(64) if tokens is None else tokens
    metadata = {**model_metadata(name, layers=layers), **tokenizer(vocabulary), **(extra or {})}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(build(metadata, model_tensors(layers, 64, kind)))
    return path
