"""A form made for a machine loses as little as its bits allow: the rounding that ``widths`` ask for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.models.gguf import GgufHeader, TensorInfo, read_header
from app.worker.engines import open_library

pytestmark = pytest.mark.model


def read_blocks(path: Path, header: GgufHeader, tensor: TensorInfo, block_bytes: int) -> NDArray[np.uint8]:
    raw = np.fromfile(path, np.uint8, tensor.size_bytes, offset=header.data_offset + tensor.offset)
    return raw.reshape(-1, block_bytes)


def nibbles(packed: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32)


def as_q4_1(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    scale, least = blocks[:, :2].copy().view(np.float16), blocks[:, 2:4].copy().view(np.float16)
    return nibbles(blocks[:, 4:]) * scale.astype(np.float32) + least.astype(np.float32)


def as_q4_0(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    return (nibbles(blocks[:, 2:]) - 8) * blocks[:, :2].copy().view(np.float16).astype(np.float32)


def test_matrices_whose_widths_are_given_are_rounded_with_less_error(smollm: Path, tmp_path: Path) -> None:
    source = read_header(smollm, with_tokens=False)
    widths = {tensor.name: tensor.shape[0] for tensor in source.tensors if len(tensor.shape) == 2}
    assert len(widths) > 100
    plain, careful = tmp_path / "plain.gguf", tmp_path / "careful.gguf"
    library = open_library("llama", lambda _line: None)
    library.quantize(str(smollm), str(plain), "q4_0", whole=True)
    library.quantize(str(smollm), str(careful), "q4_0", whole=True, widths=widths)
    assert plain.stat().st_size == careful.stat().st_size
    judged = 0
    for tensor in source.tensors:
        if tensor.kind.name != "Q4_1" or tensor.name not in widths:
            continue
        true, errors = as_q4_1(read_blocks(smollm, source, tensor, 20)), []
        for path in (plain, careful):
            header = read_header(path, with_tokens=False)
            made = next(each for each in header.tensors if each.name == tensor.name)
            assert made.kind.name == "Q4_0"
            errors.append(float(np.square(as_q4_0(read_blocks(path, header, made, 18)) - true).mean()))
        assert errors[1] < 0.95 * errors[0], tensor.name
        judged += 1
        if judged == 20:
            break
    assert judged == 20
