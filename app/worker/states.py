"""What models have computed of recent chats, on disk, so that a chat goes on at once after another one or a restart.

A file holds the tokens of one chat in one model's cache, and that cache. It is made for one model file, one version of
the library and one set of loading settings; for anything else it is as good as not there. So is a damaged one.
"""

from __future__ import annotations

import hashlib
import os
import struct
import time
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec
import numpy as np

from app.files import write_whole
from app.records import LoadSettings, ModelFacts, Record
from app.state_files import SUFFIX, state_file

MAGIC = b"slipstream state 1\n"
LEAST_TOKENS = 128
"""A shorter chat is computed again as quickly as it is read."""
_HEADER_BYTES = 4096
_HASHED_BYTES = 1024 * 1024
_ABANDONED_S = 3600.0


@runtime_checkable
class KeepsState(Protocol):
    """A model whose cache can be taken out and put back."""

    facts: ModelFacts

    @property
    def tokens(self) -> Sequence[int]: ...

    def copy_state(self) -> memoryview:
        """Keys and values of the cached tokens; empty where they cannot be taken out."""
        ...

    def put_state(self, data: bytearray, tokens: Sequence[int]) -> bool:
        """Have ``data`` and ``tokens`` in the place of what is cached. False, and an empty cache, where that fails."""
        ...


Loaded = tuple[object, LoadSettings]
"""A model, or None, and how it was loaded."""


class _Header(Record, frozen=True, kw_only=True):
    key: str
    tokens: int
    data_bytes: int
    digest: str


def state_key(model_path: str, library: str, settings: LoadSettings) -> str:
    """Tells apart what cannot take each other's states. Models are told apart by size, time and the file's beginning.

    Raises:
        OSError: the model file cannot be read.
    """
    path = Path(model_path)
    status = path.stat()
    with path.open("rb") as file:
        beginning = hashlib.blake2b(file.read(_HASHED_BYTES)).hexdigest()
    # How many threads or layers do the work changes nothing in what is computed.
    shape = msgspec.structs.replace(settings, threads=0, gpu_layers=0)
    identity = [str(status.st_size), str(status.st_mtime_ns), beginning, library, repr(shape)]
    return hashlib.sha256("\n".join(identity).encode()).hexdigest()[:32]


class ChatStates:
    """The kept states of chats, for the models that are loaded. ``library`` is its name and version."""

    def __init__(self, folder: Path, library: str) -> None:
        self._folder = StateFolder(folder)
        self._library = library

    def save(self, name: str, models: Sequence[Loaded], limit_bytes: int) -> int:
        """Keep what ``models`` have computed of the chat ``name``; returns the bytes that this takes."""
        saved = 0
        for model, settings in models:
            if isinstance(model, KeepsState) and (key := self._key(model, settings)):
                saved += self._folder.save(name, key, model, limit_bytes)
        self._folder.limit(limit_bytes)
        return saved

    def restore(self, name: str, models: Sequence[Loaded]) -> list[int]:
        """Bring back what was kept of the chat ``name``; returns the tokens of each model that are back."""
        restored = [0] * len(models)
        for index, (model, settings) in enumerate(models):
            if isinstance(model, KeepsState) and (key := self._key(model, settings)):
                restored[index] = self._folder.restore(name, key, model)
        return restored

    def _key(self, model: KeepsState, settings: LoadSettings) -> str:
        """"" where the model's file is gone."""
        try:
            return state_key(model.facts.path, self._library, settings)
        except OSError:
            return ""


class StateFolder:
    """The files. Nothing here raises for the disk's sake: a state is a convenience."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, name: str, key: str, model: KeepsState, limit_bytes: int) -> int:
        """Keep the state of ``model`` for the chat ``name``; returns the file's bytes, 0 if it is not kept."""
        tokens = np.asarray(model.tokens, dtype=np.int32).tobytes()
        if len(model.tokens) < LEAST_TOKENS:
            return 0
        data = model.copy_state()
        if not len(data) or len(data) + len(tokens) + _HEADER_BYTES > limit_bytes:
            return 0
        header = _Header(key=key, tokens=len(model.tokens), data_bytes=len(data), digest=_digest(tokens, data))
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._write(self._file(name, key), header, tokens, data)
        except OSError:
            return 0

    def restore(self, name: str, key: str, model: KeepsState) -> int:
        """Put the kept state of the chat ``name`` into ``model``; returns its tokens, 0 if there is none that fits."""
        path = self._file(name, key)
        try:
            with path.open("rb") as file:
                found = _read(file, key, path.stat().st_size, model.facts.ctx_tokens)
            if found is None:
                path.unlink()
                return 0
            os.utime(path)
        except OSError:
            return 0
        tokens, data = found
        return len(tokens) if model.put_state(data, tokens) else 0

    def limit(self, limit_bytes: int) -> None:
        """Remove what was used longest ago until the rest takes ``limit_bytes`` at most."""
        try:
            found = [(path.stat(), path) for path in self._folder.iterdir() if path.suffix == SUFFIX]
            for path in self._folder.glob(".*"):  # of a worker that was killed while it wrote
                if path.stat().st_mtime < time.time() - _ABANDONED_S:
                    path.unlink(missing_ok=True)
        except OSError:
            return
        kept = 0
        for status, path in sorted(found, key=lambda pair: pair[0].st_mtime_ns, reverse=True):
            kept += status.st_size
            if kept > limit_bytes:
                path.unlink(missing_ok=True)

    def _file(self, name: str, key: str) -> Path:
        return state_file(self._folder, name, key)

    def _write(self, path: Path, header: _Header, tokens: bytes, data: memoryview) -> int:
        encoded = msgspec.json.encode(header)
        start = MAGIC + struct.pack("<I", len(encoded)) + encoded + tokens
        write_whole(path, start, data, mode=0o600, lasting=False)  # a chat's own affair; its digest tells a damaged one
        return len(start) + len(data)


def _read(file: BufferedReader, key: str, file_bytes: int, limit_tokens: int) -> tuple[list[int], bytearray] | None:
    """Tokens and data, or None when the file is none of ours, of something else, or damaged."""
    start = file.read(len(MAGIC) + 4)
    if len(start) != len(MAGIC) + 4 or not start.startswith(MAGIC):
        return None
    (length,) = struct.unpack("<I", start[len(MAGIC) :])
    if length > _HEADER_BYTES:
        return None
    try:
        header = msgspec.json.decode(file.read(length), type=_Header)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    whole = len(start) + length + 4 * header.tokens + header.data_bytes
    if header.key != key or not 0 < header.tokens <= limit_tokens or header.data_bytes <= 0 or whole != file_bytes:
        return None
    tokens = file.read(4 * header.tokens)
    data = bytearray(header.data_bytes)
    if file.readinto(data) != header.data_bytes or _digest(tokens, memoryview(data)) != header.digest:
        return None
    return [int(token) for token in np.frombuffer(tokens, dtype=np.int32)], data


def _digest(tokens: bytes, data: memoryview) -> str:
    digest = hashlib.blake2b(tokens, digest_size=16)
    digest.update(data)
    return digest.hexdigest()
