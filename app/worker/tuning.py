"""What ``auto`` learned, on disk: one small file per target, draft, engine, settings and processor."""

from __future__ import annotations

import hashlib
import math
import os
import platform
from collections.abc import Iterator
from pathlib import Path

import msgspec

from app.engine.auto.acceptance import Counts
from app.engine.auto.learned import Learned
from app.files import try_to_write
from app.records import LoadSettings, ModelFacts

SAMPLES = 9
SAMPLE_BYTES = 65_536
"""Of a model file, from its start to its end, to know it by."""


def tuning_file(
    folder: Path, engine: str, target: ModelFacts, draft: ModelFacts | None, settings: LoadSettings,
    draft_settings: LoadSettings | None = None,
) -> Path:
    """The file for this pair under these settings on this machine. Models are told apart by content, not by name."""
    identity = [engine, platform.processor() or platform.machine(), str(os.cpu_count()), repr(settings)]
    if draft is not None:
        identity.append(repr(draft_settings))
    for facts in filter(None, (target, draft)):
        identity += [facts.description, str(facts.parameters), str(facts.size_bytes), str(facts.vocab_size)]
        identity.append(_content(facts.path))
    digest = hashlib.sha256("\n".join(identity).encode()).hexdigest()
    return folder / f"{digest[:24]}.json"


def _content(path: str) -> str:
    """A digest of some places of a model file: fine-tunes of one model have the same size, and often the same header.

    "" where the file cannot be read (it may be gone while it is loaded).
    """
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            digest = hashlib.blake2b(str(size).encode())
            for place in range(SAMPLES):
                file.seek(max(0, size - SAMPLE_BYTES) * place // (SAMPLES - 1))
                digest.update(file.read(SAMPLE_BYTES))
    except OSError:
        return ""
    return digest.hexdigest()


def read_tuning(path: Path) -> Learned:
    """What was learned before, or nothing: a damaged file is no reason to fail, it is measured again."""
    try:
        learned = msgspec.json.decode(path.read_bytes(), type=Learned)
    except (OSError, msgspec.DecodeError):
        return Learned()
    return learned if _makes_sense(learned) else Learned()


def _makes_sense(learned: Learned) -> bool:
    """Whether the numbers can be what was measured: a file is data, and a cost of 0 would be divided by."""
    costs = learned.costs
    return (
        all(length >= 1 and 0 < seconds < math.inf for length, seconds in costs.verify_s.items())
        and 0 <= costs.draft_s < math.inf
        and 0 <= costs.draft_second_s < math.inf
        and all(math.isfinite(value) for value in msgspec.structs.astuple(learned) if isinstance(value, float))
        and all(0 <= counts.stood <= counts.judged < math.inf for counts in _all_counts(learned))
    )


def _all_counts(learned: Learned) -> Iterator[Counts]:
    yield from learned.draft
    yield from learned.foreseen
    for record in learned.free.values():
        yield from record.counts


def write_tuning(path: Path, learned: Learned) -> None:
    """Best effort: on a disk that takes nothing, the next start measures again."""
    try_to_write(path, msgspec.json.encode(learned))
