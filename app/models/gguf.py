"""Header of a GGUF file: metadata and tensor list, read without trusting anything that it says.

Every length and count is checked against the file's size and against limits far above any real model before memory is
taken or time is spent, so that a hostile file costs at most about ``MAX_HEADER_BYTES`` of reading. Format: gguf.cpp of
ggml, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.errors import Code, SlipstreamError
from app.models.ggml_types import GGML_TYPES, GgmlType
from app.sentences import say

MAX_HEADER_BYTES = 128 * 1024 * 1024
MAX_KEYS = 65_536
MAX_TENSORS = 131_072
MAX_STRING_BYTES = 16 * 1024 * 1024
MAX_STRING_ITEMS = 4_194_304
MAX_KEY_BYTES = 65_535
MAX_TENSOR_NAME_BYTES = 63
MAX_DIMENSIONS = 4
MAX_ELEMENTS = 2**63 - 1
MAX_ALIGNMENT = 1024 * 1024
KEPT_NUMBERS = 65_536
"""Arrays of numbers longer than this (token scores and types) are passed over."""
_FIRST_READ_BYTES = 256 * 1024

Scalar = int | float | bool | str
ReadAt = Callable[[int, int], bytes]
"""``(offset, length)`` → up to ``length`` bytes; fewer only at the end of the file."""

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING = 8
_ARRAY = 9
_U64 = struct.Struct("<Q")

TOKENS_KEY = "tokenizer.ggml.tokens"
SKIPPED_KEYS = frozenset({"tokenizer.ggml.merges", "tokenizer.ggml.scores", "tokenizer.ggml.token_type"})


@dataclass(frozen=True)
class SkippedArray:
    """An array that was measured and passed over."""

    count: int


Value = Scalar | tuple[int | float | bool, ...] | tuple[bytes, ...] | SkippedArray


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """``shape`` as in the file, fastest dimension first; ``offset`` from the start of the tensor data."""

    name: str
    shape: tuple[int, ...]
    kind: GgmlType
    offset: int
    elements: int
    size_bytes: int


@dataclass(frozen=True)
class GgufHeader:
    """Checked header of one file (one part, when the model is split).

    ``tokens`` are the raw bytes of the vocabulary's texts, empty if there is none or if it was not asked for.
    """

    path: str
    file_bytes: int
    version: int
    metadata: dict[str, Value]
    tokens: list[bytes]
    vocab_size: int
    tensors: list[TensorInfo]
    data_offset: int

    @property
    def tensor_bytes(self) -> int:
        return sum(tensor.size_bytes for tensor in self.tensors)

    def text(self, key: str, default: str = "") -> str:
        value = self.metadata.get(key)
        return value if isinstance(value, str) else default

    def integer(self, key: str, default: int = 0) -> int:
        value = self.metadata.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else default

    def flag(self, key: str) -> bool | None:
        value = self.metadata.get(key)
        return value if isinstance(value, bool) else None

    def integers(self, key: str, count: int) -> list[int]:
        """A value per layer: an array of ``count`` integers, or one integer for all; ``[]`` if there is none."""
        value = self.metadata.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return [value] * count
        if isinstance(value, tuple) and len(value) >= count:
            return [int(item) for item in value[:count]]
        return []


class _MalformedError(Exception):
    """What is wrong with the file, as the end of “The file … cannot be read: ”."""


class _Cursor:
    """Reads forwards through a file, never past its end or ``MAX_HEADER_BYTES``."""

    def __init__(self, read_at: ReadAt, file_bytes: int) -> None:
        self._read_at = read_at
        self._file_bytes = file_bytes
        self.data = b""
        self.position = 0

    def require(self, end: int) -> None:
        """Have ``data`` reach ``end``. Raises when the file is shorter or the header absurdly long."""
        if end <= len(self.data):
            return
        if end > self._file_bytes:
            raise _MalformedError("it ends in the middle of its header, so it is cut short or damaged")
        if end > MAX_HEADER_BYTES:
            raise _MalformedError(f"its header is longer than {MAX_HEADER_BYTES // 2**20} MB")
        wanted = min(max(end, 2 * len(self.data), _FIRST_READ_BYTES), self._file_bytes, MAX_HEADER_BYTES)
        self.data += self._read_at(len(self.data), wanted - len(self.data))
        if len(self.data) < end:
            raise _MalformedError("it ends in the middle of its header, so it is cut short or damaged")

    def skip(self, length: int) -> int:
        """Move on by ``length`` bytes and return where they began."""
        start = self.position
        self.require(start + length)
        self.position = start + length
        return start

    def number(self, code: str) -> int | float | bool:
        size = struct.calcsize("<" + code)
        start = self.skip(size)
        return struct.unpack_from("<" + code, self.data, start)[0]  # type: ignore[no-any-return]

    def integer(self, code: str) -> int:
        return int(self.number(code))

    def string(self, limit: int, what: str) -> bytes:
        length = self.integer("Q")
        if length > limit:
            raise _MalformedError(f"{what} claims to be {length:,} bytes long")
        start = self.skip(length)
        return self.data[start : start + length]

    def string_items(self, count: int, keep: bool) -> list[bytes]:
        """``count`` strings, or ``[]`` when they are only passed over; a tight loop, for 300,000 of them are usual."""
        items: list[bytes] = []
        append = items.append
        unpack = _U64.unpack_from
        data, position, limit = self.data, self.position, len(self.data)
        for _ in range(count):
            start = position + 8
            if start > limit:
                self.require(start)
                data, limit = self.data, len(self.data)
            position = start + unpack(data, position)[0]
            if position > limit:
                if position - start > MAX_STRING_BYTES:
                    raise _MalformedError(f"one of its texts claims to be {position - start:,} bytes long")
                self.require(position)
                data, limit = self.data, len(self.data)
            if keep:
                append(data[start:position])
        self.position = position
        return items


def read_header(path: Path | str, *, with_tokens: bool = True) -> GgufHeader:
    """Read and check the header of the GGUF file at ``path``.

    Raises:
        SlipstreamError: ``MODEL_NOT_FOUND`` when there is no such file, ``MODEL_UNREADABLE`` when it cannot be read
            or is not a sound GGUF file.
    """
    place = Path(path)
    try:
        with place.open("rb") as file:
            size = os.fstat(file.fileno()).st_size

            def read_at(offset: int, length: int) -> bytes:
                file.seek(offset)
                return file.read(length)

            return parse_header(read_at, size, str(path), with_tokens=with_tokens)
    except FileNotFoundError as error:
        raise SlipstreamError(
            Code.MODEL_NOT_FOUND, say("There is no file “{name}”.", name=place),
            say("Check the path, or choose another model."),
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SlipstreamError(
            Code.MODEL_UNREADABLE, say("The file “{name}” cannot be read: {reason}.", name=place.name, reason=reason),
            say("Check that it is a file and that you may read it."),
        ) from error


def parse_header(read_at: ReadAt, file_bytes: int, path: str, *, with_tokens: bool = True,
                 check_length: bool = True) -> GgufHeader:
    """As ``read_header``, over any source of bytes, such as range requests.

    Raises:
        SlipstreamError: ``MODEL_UNREADABLE`` when it is not a sound GGUF file.
    """
    try:
        return _parse(_Cursor(read_at, file_bytes), file_bytes, path, with_tokens, check_length)
    except _MalformedError as problem:
        raise SlipstreamError(
            Code.MODEL_UNREADABLE,
            say("The file “{name}” cannot be read as a model: {reason}.", name=Path(path).name, reason=problem),
            say("Download it again, or choose another file."),
        ) from problem


def _parse(cursor: _Cursor, file_bytes: int, path: str, with_tokens: bool, check_length: bool) -> GgufHeader:
    version = _read_version(cursor, file_bytes)
    tensor_count, key_count = cursor.integer("Q"), cursor.integer("Q")
    if tensor_count > MAX_TENSORS:
        raise _MalformedError(f"it claims to hold {tensor_count:,} tensors")
    if key_count > MAX_KEYS:
        raise _MalformedError(f"it claims to hold {key_count:,} metadata keys")
    metadata: dict[str, Value] = {}
    tokens: list[bytes] = []
    vocab_size = 0
    for _ in range(key_count):
        key = _decode(cursor.string(MAX_KEY_BYTES, "the name of a key"))
        if not key:
            raise _MalformedError("one of its keys has no name")
        if key in metadata:
            raise _MalformedError(f"the key “{_short(key)}” is there twice")
        value = _read_value(cursor, key, with_tokens)
        if key == TOKENS_KEY:
            vocab_size = _length(value)
            if isinstance(value, tuple) and (not value or isinstance(value[0], bytes)):
                tokens = [item for item in value if isinstance(item, bytes)]
            elif not isinstance(value, SkippedArray):
                raise _MalformedError("its vocabulary is not a list of texts")
            value = SkippedArray(vocab_size)
        metadata[key] = value
    tensors = _read_tensors(cursor, tensor_count)
    alignment = _read_alignment(metadata)
    data_offset = -(-cursor.position // alignment) * alignment
    if check_length:
        _check_length(tensors, data_offset, file_bytes)
    return GgufHeader(path, file_bytes, version, metadata, tokens, vocab_size, tensors, data_offset)


def _read_version(cursor: _Cursor, file_bytes: int) -> int:
    if file_bytes < 4:
        raise _MalformedError("it is empty" if file_bytes == 0 else "it is only a few bytes long")
    start = cursor.skip(4)
    magic = cursor.data[start : start + 4]
    if magic == b"FUGG":
        raise _MalformedError("it is written for big-endian machines")
    if magic != b"GGUF":
        hint = "an older GGML file" if magic in {b"lmgg", b"fmgg", b"tjgg", b"algg"} else "not a GGUF file"
        raise _MalformedError(f"it is {hint}")
    version = cursor.integer("I")
    if version & 0xFFFF == 0 and version:
        raise _MalformedError("it is written for big-endian machines")
    if version == 1:
        raise _MalformedError("its format, GGUF version 1, is no longer supported")
    if version not in (2, 3):
        raise _MalformedError(f"its format, GGUF version {version}, is unknown to this program")
    return version


def _read_value(cursor: _Cursor, key: str, with_tokens: bool) -> Value:
    kind = cursor.integer("I")
    if kind == _STRING:
        return _decode(cursor.string(MAX_STRING_BYTES, f"the value of “{_short(key)}”"))
    if kind in _SCALARS:
        return _read_scalar(cursor, kind)
    if kind != _ARRAY:
        raise _MalformedError(f"the value of “{_short(key)}” has the unknown type {kind}")
    item_kind = cursor.integer("I")
    count = cursor.integer("Q")
    if item_kind == _STRING:
        if count > MAX_STRING_ITEMS:
            raise _MalformedError(f"“{_short(key)}” claims to hold {count:,} texts")
        # With 8 bytes a text at least, a count that the file cannot hold is found before any memory is taken.
        cursor.require(cursor.position + (8 * count if count < 4096 else 0))
        keep = (with_tokens and key == TOKENS_KEY) or (count <= 4096 and key not in SKIPPED_KEYS and key != TOKENS_KEY)
        items = cursor.string_items(count, keep)
        return tuple(items) if keep else SkippedArray(count)
    if item_kind not in _SCALARS:
        raise _MalformedError(f"the items of “{_short(key)}” have the unknown type {item_kind}")
    size = struct.calcsize("<" + _SCALARS[item_kind])
    start = cursor.skip(size * count)
    if count > KEPT_NUMBERS or key in SKIPPED_KEYS:
        return SkippedArray(count)
    if item_kind == 7:
        return tuple(byte != 0 for byte in cursor.data[start : start + count])
    return struct.unpack_from(f"<{count}{_SCALARS[item_kind]}", cursor.data, start)


def _read_scalar(cursor: _Cursor, kind: int) -> int | float | bool:
    return cursor.number("B") != 0 if kind == 7 else cursor.number(_SCALARS[kind])


def _read_tensors(cursor: _Cursor, count: int) -> list[TensorInfo]:
    tensors: list[TensorInfo] = []
    names: set[str] = set()
    for _ in range(count):
        name = _decode(cursor.string(MAX_TENSOR_NAME_BYTES, "the name of a tensor"))
        if name in names:
            raise _MalformedError(f"the tensor “{_short(name)}” is there twice")
        names.add(name)
        tensors.append(_read_tensor(cursor, name))
    return tensors


def _read_tensor(cursor: _Cursor, name: str) -> TensorInfo:
    dimensions = cursor.integer("I")
    if dimensions > MAX_DIMENSIONS:
        raise _MalformedError(f"the tensor “{_short(name)}” claims to have {dimensions:,} dimensions")
    start = cursor.skip(8 * dimensions)
    shape: tuple[int, ...] = struct.unpack_from(f"<{dimensions}Q", cursor.data, start)
    elements = 1
    for extent in shape:
        elements *= extent
        if extent > MAX_ELEMENTS or elements > MAX_ELEMENTS:
            raise _MalformedError(f"the tensor “{_short(name)}” claims to hold more than 2^63 elements")
    code, offset = cursor.integer("I"), cursor.integer("Q")
    kind = GGML_TYPES.get(code)
    if kind is None:
        raise _MalformedError(f"the tensor “{_short(name)}” has the unknown type {code}")
    first = shape[0] if shape else 1
    if first % kind.block_elements:
        raise _MalformedError(f"a row of the tensor “{_short(name)}” is not a whole number of {kind.name} blocks")
    return TensorInfo(name, shape, kind, offset, elements, kind.row_bytes(elements))


def _read_alignment(metadata: dict[str, Value]) -> int:
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or isinstance(alignment, bool):
        raise _MalformedError("its alignment is not a number")
    if alignment <= 0 or alignment > MAX_ALIGNMENT or alignment & (alignment - 1):
        raise _MalformedError(f"its alignment of {alignment} is not a power of two")
    return alignment


def _check_length(tensors: list[TensorInfo], data_offset: int, file_bytes: int) -> None:
    end = max((tensor.offset + tensor.size_bytes for tensor in tensors), default=0)
    if tensors and data_offset + end > file_bytes:
        missing = data_offset + end - file_bytes
        raise _MalformedError(f"it is cut short, the last {missing:,} bytes are missing")


def _length(value: Value) -> int:
    if isinstance(value, SkippedArray):
        return value.count
    return len(value) if isinstance(value, tuple) else 0


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _short(text: str) -> str:
    shown = "".join(character if character.isprintable() else "�" for character in text[:48])
    return shown + "…" if len(text) > 48 else shown
