"""The tiny models: weights as they should be by the layouts that llama.cpp has, shapes that every kernel takes."""

from __future__ import annotations

import ctypes
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from app.engine import tiny_model
from app.engine.tiny_model import KINDS, write_tiny_model
from app.models.ggml_types import FILE_TYPES, GGML_TYPES
from app.models.gguf import read_header


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_whole_and_of_one_type(tmp_path: Path, kind: str) -> None:
    header = read_header(str(write_tiny_model(tmp_path / "m.gguf", kind)), with_tokens=True)
    matrices = {tensor.name: tensor for tensor in header.tensors if len(tensor.shape) > 1}
    assert {tensor.kind.name for name, tensor in matrices.items() if name != "token_embd.weight"} == {kind}
    assert FILE_TYPES[int(header.metadata["general.file_type"])].startswith(kind)  # type: ignore[call-overload]
    assert all(columns % 256 == 0 and rows % 32 == 0 for columns, rows in (one.shape for one in matrices.values()))
    last = max(header.tensors, key=lambda tensor: tensor.offset)
    assert header.data_offset + last.offset + last.size_bytes <= header.file_bytes
    assert len(header.tokens) == tiny_model.VOCAB


def test_the_same_file_every_time(tmp_path: Path) -> None:
    first, second = (write_tiny_model(tmp_path / name, "Q4_K").read_bytes() for name in ("a", "b"))
    assert first == second
    assert write_tiny_model(tmp_path / "c", "Q4_K", seed=8).read_bytes() != first


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_have_the_size_and_their_weights_the_spread_that_is_asked_for(kind: str) -> None:
    of = KINDS[kind]
    blocks = of.draw(np.random.default_rng(1), 131_072 // of.elements, 0.0625)
    assert blocks.dtype == np.uint8
    assert blocks.shape[1] * of.elements == GGML_TYPES[of.code].block_bytes * of.elements
    weights = read_weights(kind, blocks)
    assert np.isfinite(weights).all()
    assert abs(weights.mean()) < 0.003
    assert weights.std() == pytest.approx(0.0625, rel=0.06)


def read_weights(kind: str, blocks: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """What llama.cpp reads out of blocks."""
    if kind == "F16":
        return blocks.view(np.float16).astype(np.float32).ravel()
    if kind == "BF16":
        return (blocks.view(np.uint16).astype(np.uint32) << 16).view(np.float32).ravel()
    spec = find_spec("llama_cpp")
    assert spec is not None
    assert spec.origin is not None
    name = {"win32": "ggml-base.dll", "darwin": "libggml-base.dylib"}.get(sys.platform, "libggml-base.so")
    library = ctypes.CDLL(str(Path(spec.origin).parent / "lib" / name))
    read = getattr(library, f"dequantize_row_{kind.lower().replace('_k', '_K')}")
    read.argtypes, read.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64], None
    weights = np.zeros(len(blocks) * KINDS[kind].elements, np.float32)
    read(np.ascontiguousarray(blocks).ctypes.data, weights.ctypes.data, weights.size)
    return weights
