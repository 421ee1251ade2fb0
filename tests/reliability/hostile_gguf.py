"""GGUF files made to do harm, each from a sound one: damaged, absurd, lying, poisoned. Nothing is downloaded."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from tests.models import gguf_writer as writer

COUNT_AT = 8
KEYS_AT = 16


def structures(data: bytes) -> dict[str, int]:
    """Offsets at which a structure of the header begins: where truncation is meanest."""
    first_key = 24
    tokens = data.index(b"tokenizer.ggml.tokens")
    tensor = data.index(b"token_embd.weight")
    return {
        "magic": 2, "version": 6, "tensor-count": 12, "key-count": 20, "first-key-length": first_key + 4,
        "first-key": first_key + 12, "tokens-key": tokens + 5, "tokens-type": tokens + 23, "tokens-count": tokens + 31,
        "a-token": tokens + 47, "tensor-name": tensor + 4, "tensor-shape": tensor + 25, "tensor-type": tensor + 38,
        "tensor-offset": tensor + 46, "data": len(data) - 100,
    }


def corpus(folder: Path) -> Iterator[Path]:
    """Write the files one after the other."""
    sound = writer.build({**writer.model_metadata(), **writer.tokenizer(writer.words(64))}, writer.model_tensors())
    for name, at in structures(sound).items():
        yield _write(folder, f"cut-{name}", sound[:at])
    for name, at, value in (
        ("tensor-count-huge", COUNT_AT, 2**63), ("key-count-huge", KEYS_AT, 2**40), ("key-length-huge", 24, 2**62),
        ("tensor-count-zero", COUNT_AT, 0), ("key-count-zero", KEYS_AT, 0),
    ):
        yield _write(folder, name, sound[:at] + struct.pack("<Q", value) + sound[at + 8:])
    tokens = sound.index(b"tokenizer.ggml.tokens") + len(b"tokenizer.ggml.tokens")
    yield _write(folder, "tokens-of-numbers", sound[:tokens + 4] + struct.pack("<I", 4) + sound[tokens + 8:])
    yield _write(folder, "tokens-count-huge", sound[:tokens + 8] + struct.pack("<Q", 2**50) + sound[tokens + 16:])
    yield _write(folder, "tokens-nested", sound[:tokens + 4] + struct.pack("<I", 9) + sound[tokens + 8:])
    yield from _odd_models(folder)


def _odd_models(folder: Path) -> Iterator[Path]:
    metadata, tensors = writer.model_metadata(), writer.model_tensors()
    vocabulary = writer.tokenizer(writer.words(64))
    odd: dict[str, dict[str, object]] = {
        "empty-vocabulary": {**metadata, **writer.tokenizer([])},
        "no-vocabulary": metadata,
        "layers-huge": {**metadata, **vocabulary, "llama.block_count": 2**31},
        "heads-zero": {**metadata, **vocabulary, "llama.attention.head_count": 0},
        "embedding-zero": {**metadata, **vocabulary, "llama.embedding_length": 0},
        "context-huge": {**metadata, **vocabulary, "llama.context_length": 2**32 - 1},
        "layers-text": {**metadata, **vocabulary, "llama.block_count": "many"},
        "name-number": {**metadata, **vocabulary, "general.name": 7},
        "architecture-hostile": {**metadata, **vocabulary, "general.architecture": "../../etc\x1b]0;x\x07"},
        "bos-outside": {**metadata, **vocabulary, "tokenizer.ggml.bos_token_id": 2**31},
        "template-huge": {**metadata, **vocabulary, "tokenizer.chat_template": "{{ 1 }}" * 200_000},
        "alignment-odd": {**metadata, **vocabulary, "general.alignment": 3},
        "tokens-not-text": {**metadata, **writer.tokenizer([b"\xff\xfe", b"\x00", b"\x1b[2J"])},
    }
    for name, keys in odd.items():
        yield _write(folder, name, writer.build(keys, tensors))  # type: ignore[arg-type]
    huge = [("token_embd.weight", (2**31, 2**31), "F32"), *tensors[1:]]
    yield _write(folder, "tensor-huge", _header_only({**metadata, **vocabulary}, huge))
    yield _write(folder, "tensor-twice", writer.build({**metadata, **vocabulary}, [tensors[0], tensors[0]]))


def _header_only(metadata: dict[str, writer.Plain], tensors: list[tuple[str, tuple[int, ...], str]]) -> bytes:
    out = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(metadata))]
    for key, value in metadata.items():
        out += [writer.text(key), writer.typed(value)]
    for name, shape, kind in tensors:
        out += [writer.text(name), struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, writer.TYPE_CODES[kind], 0)]
    return b"".join(out)


def _write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / f"{name}.gguf"
    path.write_bytes(data)
    return path


def poison(model: Path, out: Path, every: int = 1) -> Path:
    """A copy of a real model whose weights' scales are no numbers (f16 NaN) in every ``every``-th Q4_1 block."""
    from app.models.gguf import read_header

    header = read_header(model, with_tokens=False)
    data = bytearray(model.read_bytes())
    for tensor in header.tensors:
        if tensor.kind.name == "Q4_1" and "ffn_down" in tensor.name:
            start = header.data_offset + tensor.offset
            for at in range(start, start + tensor.size_bytes, 20 * every):
                data[at : at + 2] = b"\x00\x7e"
    out.write_bytes(data)
    return out


def with_template(model: Path, out: Path, template: str) -> Path:
    """A copy of ``model`` with another chat template of at most the length of its own."""
    whole = model.read_bytes()
    key = b"tokenizer.chat_template"
    start = whole.index(key) + len(key) + 4 + 8
    length = int.from_bytes(whole[start - 8 : start], "little")
    raw = template.encode()
    assert len(raw) <= length < 10_000, length
    out.write_bytes(whole[:start] + raw.ljust(length) + whole[start + length :])
    return out
