"""One timed answer, as it is kept, and the file it is kept in."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from app.compare.plan import SideTurn
from app.errors import Code, SlipstreamError
from app.protocol import Done
from app.records import REMOTE, MemoryFigures, Record, SpeculationFigures, StopReason, Timings
from app.sentences import as_text, read, say

_BLOCK_BYTES = 1 << 22


class FileFacts(Record, frozen=True, kw_only=True):
    """A model file, told apart from others of its name by size and time of change; ``sha256`` is "" until asked for."""

    name: str
    size_bytes: int
    modified_ns: int
    sha256: str = ""


def file_facts(path: str) -> FileFacts:
    """Raises ``SlipstreamError`` (``MODEL_NOT_FOUND``). Of a model elsewhere, only the name is known."""
    if path.startswith(REMOTE):
        return FileFacts(name=path, size_bytes=0, modified_ns=0)
    try:
        stat = os.stat(path)
    except OSError as error:
        raise SlipstreamError(
            Code.MODEL_NOT_FOUND,
            say("The model file “{name}” could not be read: {reason}.", name=path, reason=error.strerror),
            say("Check the path."),
        ) from error
    return FileFacts(name=Path(path).name, size_bytes=stat.st_size, modified_ns=stat.st_mtime_ns)


def hash_file(path: str, is_stopped: Callable[[], bool] = lambda: False) -> str:
    """SHA-256 in hex; a second for each few hundred megabytes. "" when it was stopped, and of a model elsewhere.

    Raises ``SlipstreamError`` (``FILE``).
    """
    digest = hashlib.sha256()
    if path.startswith(REMOTE):
        return ""
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK_BYTES):
                if is_stopped():
                    return ""
                digest.update(block)
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, say("The file “{name}” could not be read: {reason}.", name=path, reason=error.strerror),
            say("Check the path."),
        ) from error
    return digest.hexdigest()


class Trial(Record, frozen=True, kw_only=True):
    """The raw figures of one answer.

    ``side`` is the name of the side, ``run`` the round. ``started_at`` is in seconds since 1970; ``other_load`` the
    share of the machine's processors that other programs took meanwhile; ``attempt`` counts repeats of a disturbed
    answer from 1.
    """

    key: str
    prompt_id: str
    kind: str
    side: str
    method: str
    run: int
    seed: int
    started_at: float
    wall_s: float
    stop_reason: StopReason
    prompt_tokens: int
    token_ids: list[int]
    text: str
    timings: Timings
    speculation: SpeculationFigures
    memory: MemoryFigures
    draws: list[float] = msgspec.field(default_factory=list)
    other_load: float = 0.0
    attempt: int = 1

    @property
    def tokens_per_second(self) -> float:
        return self.timings.tokens_per_second


def make_trial(
    key: str, side: str, method: str, turn: SideTurn, done: Done, started_at: float, wall_s: float,
    other_load: float = 0.0, attempt: int = 1,
) -> Trial:
    return Trial(
        key=key, prompt_id=turn.prompt.id, kind=turn.prompt.kind, side=side, method=method, run=turn.run,
        seed=turn.seed, started_at=started_at, wall_s=wall_s, stop_reason=done.reason,
        prompt_tokens=done.prompt_tokens, token_ids=done.token_ids, text=done.text, timings=done.timings,
        speculation=done.speculation, memory=done.memory, draws=done.draws, other_load=other_load, attempt=attempt,
    )


def key_of(conditions: Any) -> str:
    """A name for everything that a trial's figures depend on; equal for equal ``conditions``."""
    return hashlib.sha256(msgspec.json.encode(conditions, order="deterministic")).hexdigest()[:32]


class TrialFile:
    """Finished trials as JSON lines. A trial is on disk before the next begins, so an interrupted comparison goes on
    where it was; a half-written last line is passed over."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._trials: dict[str, Trial] = {}
        if path is not None and path.exists():
            for line in _on_disk(path, lambda: path.read_bytes()).splitlines():
                try:
                    trial = msgspec.json.decode(line, type=Trial, dec_hook=read)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue
                self._trials[trial.key] = trial

    def find(self, key: str) -> Trial | None:
        return self._trials.get(key)

    def add(self, trial: Trial) -> None:
        """Raises ``SlipstreamError`` (``FILE``)."""
        self._trials[trial.key] = trial
        path = self._path
        if path is not None:
            _on_disk(path, lambda: _append(path, msgspec.json.encode(trial, enc_hook=as_text)))


def _append(path: Path, line: bytes) -> bytes:
    with path.open("ab") as file:
        # An earlier, half-written line ends here and not in the middle of this one.
        file.write((b"" if file.tell() == 0 else b"\n") + line)
        file.flush()
        os.fsync(file.fileno())
    return line


def _on_disk(path: Path, work: Callable[[], bytes]) -> bytes:
    try:
        return work()
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, say("The file “{name}” could not be used: {reason}.", name=path, reason=error.strerror or error),
            say("Check the folder."),
        ) from error
