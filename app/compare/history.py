"""Kept comparisons: one JSON file each, readable by its owner alone."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from app.compare.report import Report
from app.compare.verdict import Verdict, give_verdicts
from app.errors import Code, SlipstreamError
from app.files import write_whole
from app.paths import private_dir
from app.records import Record
from app.sentences import as_text, read, say

_ID = re.compile(r"[0-9a-f]{32}")
T = TypeVar("T")


class KeptSummary(Record, frozen=True, kw_only=True):
    """What a list of kept comparisons shows. ``created_at`` is in seconds since 1970."""

    id: str
    title: str
    created_at: float
    sides: list[str]
    prompts: int
    verdicts: list[Verdict]


class _Kept(Record, frozen=True, kw_only=True):
    summary: KeptSummary
    report: Report


def _encode(kept: _Kept) -> bytes:
    return msgspec.json.encode(kept, enc_hook=as_text)


def _with_templates(kept: list[Verdict], judged: list[Verdict]) -> list[Verdict]:
    """Files hold English texts. Where judging says the same today, its sentences have templates for the window."""
    known = {verdict.sentence: verdict for verdict in judged}
    return [known.get(verdict.sentence, verdict) for verdict in kept]


class ComparisonHistory:
    """The comparisons in ``folder``. A damaged file is passed over, and stays until it is deleted by hand."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, report: Report, title: str, created_at: float) -> KeptSummary:
        """Raises ``SlipstreamError`` (``FILE``)."""
        summary = KeptSummary(
            id=uuid.uuid4().hex, title=title, created_at=created_at, sides=[side.name for side in report.sides],
            prompts=len(report.prompts), verdicts=give_verdicts(report.result),
        )
        data = _encode(_Kept(summary=summary, report=report))
        self._on_disk(lambda: self._write(self._path(summary.id), data))
        return summary

    def update(self, id_: str, report: Report) -> None:
        """Keep ``report`` in the place of what is kept as ``id_``; nothing where that is gone.

        Raises ``SlipstreamError`` (``FILE``).
        """
        path = self._path(id_)
        if path.exists():
            kept = _Kept(summary=self._read(id_).summary, report=report)
            self._on_disk(lambda: self._write(path, _encode(kept)))

    def list(self) -> list[KeptSummary]:
        """The newest first."""
        summaries = []
        for path in self._folder.glob("*.json") if self._folder.is_dir() else ():
            if _ID.fullmatch(path.stem):
                try:
                    summaries.append(self._read(path.stem).summary)
                except SlipstreamError:
                    continue
        return sorted(summaries, key=lambda summary: -summary.created_at)

    def load(self, id_: str) -> Report:
        """Raises ``SlipstreamError`` (``FILE``)."""
        return self._read(id_).report

    def delete(self, id_: str) -> bytes:
        """What ``restore`` brings back; b"" where there was nothing, which is no failure.

        Raises ``SlipstreamError`` (``FILE``).
        """
        path = self._path(id_)

        def take() -> bytes:
            data = path.read_bytes() if path.exists() else b""
            path.unlink(missing_ok=True)
            return data

        return self._on_disk(take)

    def restore(self, id_: str, data: bytes) -> None:
        """Undo ``delete``. Raises ``SlipstreamError`` (``FILE``)."""
        self._on_disk(lambda: self._write(self._path(id_), data))

    def _path(self, id_: str) -> Path:
        if not _ID.fullmatch(id_):
            raise SlipstreamError(Code.FILE, say("There is no such comparison."), say("Choose one from the list."))
        return self._folder / f"{id_}.json"

    def _read(self, id_: str) -> _Kept:
        data = self._on_disk(self._path(id_).read_bytes)
        try:
            kept = msgspec.json.decode(data, type=_Kept, dec_hook=read)
        except msgspec.DecodeError as error:
            raise SlipstreamError(
                Code.FILE, say("This comparison could not be read: its file is damaged or of another version."),
                say("Delete it."),
            ) from error
        summary, report = kept.summary, kept.report
        return _Kept(
            summary=msgspec.structs.replace(
                summary, verdicts=_with_templates(summary.verdicts, give_verdicts(report.result))
            ),
            report=msgspec.structs.replace(
                report, verdicts=_with_templates(report.verdicts, give_verdicts(report.result, report.hint))
            ),
        )

    def _write(self, path: Path, data: bytes) -> None:
        private_dir(self._folder)
        write_whole(path, data, mode=0o600)

    def _on_disk(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except OSError as error:
            raise SlipstreamError(
                Code.FILE,
                say(
                    "Kept comparisons in “{path}” could not be used: {reason}.",
                    path=self._folder, reason=error.strerror or error,
                ),
                say("Check the folder."),
            ) from error
