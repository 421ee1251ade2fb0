"""Facts of files that were read before, so that a library of hundreds opens at once."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import msgspec

from app.errors import SlipstreamError
from app.files import try_to_write
from app.models.facts import ModelFile, read_facts
from app.models.gguf import read_header
from app.models.pairing import PairVerdict, check_pair
from app.models.vocabulary import Vocabulary, read_vocabulary
from app.records import Record
from app.sentences import Text, as_record, read, say

CACHE_VERSION = 4
_KEPT_VOCABULARIES = 3
_KEPT_VERDICTS = 20_000
_MAX_CACHE_BYTES = 64 * 1024 * 1024


class _Known(Record, frozen=True, kw_only=True):
    """What was found in a file that had this stamp (size, times and place on the disk)."""

    stamp: tuple[int, int, int, int]
    facts: ModelFile | None = None
    trouble: Text = ""


class _Judged(Record, frozen=True, kw_only=True):
    """What was found when two contents were compared."""

    target: tuple[int, int, int, int]
    draft: tuple[int, int, int, int]
    verdict: PairVerdict


class _Store(Record, frozen=True, kw_only=True):
    version: int
    files: dict[str, _Known]
    judged: list[_Judged]


_EMPTY = _Store(version=CACHE_VERSION, files={}, judged=[])


class HeaderCache:
    """Reads headers, remembering them in memory and, if ``path`` is given, in a file. Not for several threads."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        store = _load(path) if path else _EMPTY
        self._known: dict[str, _Known] = dict(store.files)
        self._judged = {(judged.target, judged.draft): judged.verdict for judged in store.judged}
        self._used: set[str] = set()
        self._changed = False
        self._vocabularies: OrderedDict[tuple[str, tuple[int, int, int, int]], Vocabulary] = OrderedDict()

    def read(self, file: Path) -> tuple[ModelFile | None, str]:
        """Facts of a file and "", or None and why it cannot be read."""
        key = str(file)
        if not _is_text(key):
            # Neither the protocol between the processes nor our own notes can carry such a name.
            return None, say("The name of the file, or of a folder above it, is not valid text; rename it.")
        try:
            stamp = _stamp(file)
        except OSError as error:
            return None, say("The file cannot be read: {reason}.", reason=error.strerror or error)
        self._used.add(key)
        known = self._known.get(key)
        if known is None or known.stamp != stamp:
            known = self._read_now(file, stamp)
            self._known[key] = known
            self._changed = True
        return known.facts, known.trouble

    def vocabulary(self, file: Path) -> Vocabulary:
        """The vocabulary of a file; the last few are kept. Raises as ``read_header`` and ``read_vocabulary`` do."""
        try:
            key = (str(file), _stamp(file))
        except OSError:
            return read_vocabulary(read_header(file))
        kept = self._vocabularies.get(key)
        if kept is None:
            kept = read_vocabulary(read_header(file))
            self._vocabularies[key] = kept
            if len(self._vocabularies) > _KEPT_VOCABULARIES:
                self._vocabularies.popitem(last=False)
        self._vocabularies.move_to_end(key)
        return kept

    def verdict(self, target: Path, draft: Path) -> PairVerdict:
        """Whether ``draft`` may draft for ``target``; known pairs are not read again. A vocabulary that cannot be read
        is a refusal."""
        try:
            key = (_stamp(target), _stamp(draft))
        except OSError as error:
            return PairVerdict(False, say("The file cannot be read: {reason}.", reason=error.strerror or error))
        known = self._judged.get(key)
        if known is None:
            try:
                known = check_pair(self.vocabulary(target), self.vocabulary(draft))
            except SlipstreamError as error:
                return PairVerdict(False, error.message)
            self._judged[key] = known
            self._changed = True
        return known

    def known_verdict(self, target: Path, draft: Path) -> PairVerdict | None:
        """What ``verdict`` found before; None when these contents were not compared yet. Reads no
        file, and may be asked from any thread."""
        try:
            return self._judged.get((_stamp(target), _stamp(draft)))
        except OSError:
            return None

    def save(self) -> None:
        """Write what is known to the cache file, whole or not at all; a cache that cannot be written is no failure."""
        if self._path is None or not self._changed:
            return
        files = {key: known for key, known in self._known.items() if key in self._used or Path(key).exists()}
        judged = [_Judged(target=target, draft=draft, verdict=verdict)
                  for (target, draft), verdict in list(self._judged.items())[-_KEPT_VERDICTS:]]
        store = _Store(version=CACHE_VERSION, files=files, judged=judged)
        self._changed = not try_to_write(self._path, msgspec.msgpack.encode(store, enc_hook=as_record))

    def _read_now(self, file: Path, stamp: tuple[int, int, int, int]) -> _Known:
        try:
            return _Known(stamp=stamp, facts=read_facts(read_header(file, with_tokens=False)))
        except SlipstreamError as error:
            return _Known(stamp=stamp, trouble=error.message)


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _stamp(file: Path) -> tuple[int, int, int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _load(path: Path) -> _Store:
    try:
        if path.stat().st_size > _MAX_CACHE_BYTES:
            return _EMPTY
        store = msgspec.msgpack.decode(path.read_bytes(), type=_Store, dec_hook=read)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return _EMPTY
    return store if store.version == CACHE_VERSION else _EMPTY
