"""How often which token followed each phrase of 1 to 4 tokens, in memory and in a file."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from app.engine.drafters.interface import Keeps
from app.errors import Code, SlipstreamError
from app.files import write_whole
from app.sentences import say

SHORTEST = 1
LONGEST = 4
MOST_PHRASES = 200_000
"""The phrases seen first are forgotten beyond this many (about 50 MB)."""

Phrase = tuple[int, ...]

_MAGIC = b"slipstream n-grams 1\n"
_CHECK_BYTES = 4
_Count = dict[int, int]
_Rows = list[tuple[list[int], _Count]]


@dataclass(slots=True)
class Followers:
    """What followed a phrase: ``total`` times something, ``count`` times ``token``, the first to get so far."""

    total: int = 0
    token: int = -1
    count: int = 0
    _all: _Count | None = None  # made for the second token: most phrases have one, and dictionaries are large

    @property
    def counts(self) -> _Count:
        return {self.token: self.count} if self._all is None else self._all

    def add(self, token: int, times: int = 1) -> None:
        self.total += times
        if self._all is None and self.token in (token, -1):
            self.token, self.count = token, self.total
            return
        if self._all is None:
            self._all = self.counts
        count = self._all.get(token, 0) + times
        self._all[token] = count
        if count > self.count:
            self.token, self.count = token, count


class NgramStatistics:
    def __init__(self, most_phrases: int = MOST_PHRASES) -> None:
        self._phrases: dict[Phrase, Followers] = {}
        self._most_phrases = most_phrases

    def __len__(self) -> int:
        return len(self._phrases)

    def clear(self) -> None:
        self._phrases.clear()

    def get(self, phrase: Phrase) -> Followers | None:
        return self._phrases.get(phrase)

    def add(self, text: Sequence[int], start: int) -> None:
        """Count the tokens of ``text`` from index ``start`` on as followers of what stands before them."""
        phrases = self._phrases
        for end in range(max(start, SHORTEST), len(text)):
            token = text[end]
            for length in range(SHORTEST, min(LONGEST, end) + 1):
                phrase = tuple(text[end - length : end])
                followers = phrases.get(phrase)
                if followers is None:
                    followers = phrases[phrase] = Followers()
                followers.add(token)
        while len(phrases) > self._most_phrases:
            del phrases[next(iter(phrases))]

    def save(self, path: Path) -> None:
        """Write all counts; a file that was there is replaced whole or not at all.

        Raises ``SlipstreamError`` (``FILE``).
        """
        rows: _Rows = [(list(phrase), followers.counts) for phrase, followers in self._phrases.items()]
        payload = msgspec.msgpack.encode(rows)
        data = _MAGIC + zlib.crc32(payload).to_bytes(_CHECK_BYTES, "big") + payload
        try:
            write_whole(path, data, mode=0o600)
        except OSError as error:
            raise SlipstreamError(
                Code.FILE,
                say("The n-gram statistics could not be saved as {path} ({reason}).", path=path, reason=error.strerror),
                say("Name a file in a folder that can be written."),
            ) from error

    @classmethod
    def load(cls, path: Path, vocab_size: int, most_phrases: int = MOST_PHRASES) -> NgramStatistics:
        """Read what ``save`` wrote. A file that is not there yet holds nothing.

        Raises ``SlipstreamError`` (``FILE``) for a file that cannot be read, is damaged, is none of ours, or holds
        tokens that this model does not have: it may be anything, so it must not be written over.
        """
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return cls(most_phrases)
        except OSError as error:
            raise SlipstreamError(
                Code.FILE,
                say("The n-gram statistics {path} could not be read ({reason}).", path=path, reason=error.strerror),
                say("Check the file, or name another one."),
            ) from error
        statistics = cls(most_phrases)
        for phrase, counts in _read_rows(path, data):
            tokens_known = all(0 <= token < vocab_size for token in (*phrase, *counts))
            if not (SHORTEST <= len(phrase) <= LONGEST and counts and tokens_known and min(counts.values()) > 0):
                raise _unusable(say("The file {path} holds n-grams that cannot be from this model.", path=path))
            followers = statistics._phrases[tuple(phrase)] = Followers()
            for token, count in counts.items():
                followers.add(token, count)
        while len(statistics) > most_phrases:
            del statistics._phrases[next(iter(statistics._phrases))]
        return statistics


def _read_rows(path: Path, data: bytes) -> _Rows:
    start = len(_MAGIC) + _CHECK_BYTES
    if not data.startswith(_MAGIC):
        raise _unusable(say("The file {path} is no file of n-gram statistics.", path=path))
    payload = data[start:]
    if zlib.crc32(payload) != int.from_bytes(data[len(_MAGIC) : start], "big"):
        raise _unusable(say("The file {path} is damaged.", path=path))
    try:
        return msgspec.msgpack.decode(payload, type=_Rows)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unusable(say("The file {path} is damaged.", path=path)) from error


def _unusable(why: str) -> SlipstreamError:
    return SlipstreamError(Code.FILE, why, say("Name another file, or delete this one."))


class EarlierAnswers(Keeps):
    """Statistics in files, each read once and written where it came from."""

    def __init__(self) -> None:
        self._files: dict[Path, NgramStatistics] = {}

    def open(self, file: str, vocab_size: int) -> NgramStatistics:
        """Raises ``SlipstreamError`` (``FILE``) for a file that cannot be read or written."""
        path = Path(file).expanduser().absolute()
        if path not in self._files:
            statistics = NgramStatistics.load(path, vocab_size)
            statistics.save(path)  # told now rather than after the answer, if it cannot be
            self._files[path] = statistics
        return self._files[path]

    def save(self) -> None:
        for path, statistics in self._files.items():
            with suppress(SlipstreamError):  # it could be written when it was named, and the answer is there
                statistics.save(path)
