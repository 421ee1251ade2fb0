"""Downloads of models: several at once, paused and resumed, over a restart of the program as well."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from app.errors import Code, SlipstreamError
from app.files import write_whole
from app.models.gguf import read_header
from app.models.hub import Hub, HubFile
from app.models.hub_cache import register_file
from app.models.memory import format_bytes
from app.models.transfer import PART_SUFFIX, Control, Pace, Progress, RemoteFile, StoppedError, Transfer
from app.records import Record
from app.safe_text import one_line
from app.sentences import say

Status = Literal["waiting", "checking", "running", "retrying", "paused", "done", "failed"]

NOTES_FOLDER = ".downloads"
RESERVE_BYTES = 256 * 1024 * 1024
"""Disk that a download leaves free."""
_SPEED_WINDOW_S = 5.0
_CLOSE_S = 3.0
_BUSY = frozenset({"waiting", "checking", "running", "retrying"})
_NAME = re.compile(r"^[^\x00-\x1f<>:\"|?*\\/]{1,255}$")


class DownloadState(Record, frozen=True, kw_only=True):
    """What a person sees of one download. ``seconds_left`` None is unknown; ``message`` and ``hint`` say why it failed
    or what it waits for; ``path`` is the model's file, there once ``status`` is ``done``."""

    id: str
    repo: str
    file: str
    path: str
    status: Status
    done_bytes: int
    total_bytes: int
    bytes_per_second: float = 0.0
    seconds_left: float | None = None
    message: str = ""
    hint: str = ""
    code: str = ""


@dataclass
class _Job:
    id: str
    file: HubFile
    status: Status = "waiting"
    control: Control = field(default_factory=Control)
    thread: threading.Thread | None = None
    finished_bytes: int = 0
    current_bytes: int = 0
    message: str = ""
    hint: str = ""
    code: str = ""
    cancelled: bool = False
    again: bool = False
    """Resumed while its thread still stops: it goes on once that has ended."""
    samples: deque[tuple[float, int]] = field(default_factory=deque)

    def queue(self) -> None:
        """Ready to be started (again)."""
        self.status, self.control, self.again = "waiting", Control(), False
        self.message = self.hint = self.code = ""
        self.samples.clear()

    @property
    def done_bytes(self) -> int:
        return min(self.finished_bytes + self.current_bytes, self.file.bytes)


class Downloads:
    """All downloads into one folder. Threads inside; every method may be called from any thread.

    A model appears under its name only when all its files have arrived, with the right hashes.

    Args:
        folder: where models go, as ``<publisher>/<repository>/<file>``.
        cache_dir: huggingface-hub's cache, which is told of every finished file; None leaves it alone.
        on_change: called from a download's thread after a change of status, not of mere progress.
    """

    def __init__(self, folder: Path, hub: Hub, *, pace: Pace | None = None, at_once: int = 3,
                 cache_dir: Path | None = None, reserve_bytes: int = RESERVE_BYTES,
                 on_change: Callable[[], None] | None = None) -> None:
        self._folder, self._hub, self._pace, self._at_once = folder, hub, pace or Pace(), at_once
        self._cache_dir, self._reserve_bytes, self._on_change = cache_dir, reserve_bytes, on_change
        self._lock = threading.RLock()
        self._jobs: dict[str, _Job] = {}
        self._closed = False

    def use_hub(self, hub: Hub) -> None:
        """Fetch from ``hub`` from now on; what is running goes on as it began."""
        with self._lock:
            self._hub = hub

    def restore(self) -> None:
        """Take up the downloads that an earlier run of the program left unfinished; they are paused."""
        for note in sorted((self._folder / NOTES_FOLDER).glob("*.json")):
            try:
                file = msgspec.json.decode(note.read_bytes(), type=HubFile)
                job = _Job(_job_id(file), file, status="paused")
                job.finished_bytes = sum(_size(self._part(path)) or _size(self._final(path))
                                         for path in self._places(file))
            except (OSError, msgspec.DecodeError, SlipstreamError):
                # A note that cannot be read describes nothing that could be resumed.
                continue
            with self._lock:
                self._jobs.setdefault(job.id, job)

    def start(self, file: HubFile) -> str:
        """Begin a download, or resume the one of the same file, and return its id.

        Raises:
            SlipstreamError: ``DISK_FULL`` when it will not fit, ``FILE`` when the folder cannot be written or the file
                name is not acceptable, ``MODEL_NOT_FOUND`` when the repository lacks a part.
        """
        if file.missing_parts:
            raise SlipstreamError(
                Code.MODEL_NOT_FOUND,
                say("“{name}” is incomplete on the hub: {names} is missing.",
                    name=file.file, names=", ".join(file.missing_parts[:3])),
                say("Choose another quantisation or repository."),
            )
        self._places(file)
        job_id = _job_id(file)
        with self._lock:
            job = self._jobs.get(job_id)
            if job is not None and job.thread is not None and not job.cancelled and job.status in _BUSY:
                return job_id
            self._require_space(file)
            self._write_note(job_id, file)
            if job is not None and job.thread is not None:
                job.cancelled = False
            elif job is None or job.status == "done" or job.file != file:
                self._jobs[job_id] = _Job(job_id, file)
        self.resume(job_id)
        return job_id

    def pause(self, job_id: str) -> None:
        """Stop receiving; what has arrived stays on disk."""
        with self._lock:
            job = self._jobs[job_id]
            job.again = False
            job.control.stop()
            if job.thread is None and job.status == "waiting":
                job.status = "paused"
        self._changed()

    def resume(self, job_id: str) -> None:
        """Go on with a paused or failed download as soon as there is a place for it."""
        with self._lock:
            job = self._jobs[job_id]
            if job.thread is not None:
                job.again = job.control.stopped
            elif job.status != "done":
                job.queue()
        self._pump()
        self._changed()

    def cancel(self, job_id: str) -> None:
        """Stop and forget a download and remove what has arrived of it; a finished model stays."""
        with self._lock:
            job = self._jobs[job_id]
            job.cancelled, job.again = True, False
            job.control.stop()
            if job.thread is None:
                self._forget(job)
        self._pump()
        self._changed()

    def states(self) -> list[DownloadState]:
        """A picture of every download, in the order in which they were begun."""
        with self._lock:
            return [self._picture(job) for job in self._jobs.values() if not job.cancelled]

    def close(self) -> None:
        """Pause everything, at the end of the program; nothing is lost."""
        with self._lock:
            self._closed = True
            threads = [job.thread for job in self._jobs.values() if job.thread is not None]
            for job in self._jobs.values():
                job.control.stop()
        deadline = time.monotonic() + _CLOSE_S
        for thread in threads:
            # A thread that waits on a silent connection ends with the program: the part on disk is sound at any moment.
            thread.join(max(deadline - time.monotonic(), 0.0))

    def _picture(self, job: _Job) -> DownloadState:
        status = job.status
        if status in _BUSY and job.control.stopped:
            # Its thread is about to notice.
            status = "waiting" if job.again else "paused"
        speed = _measure_speed(job.samples, time.monotonic()) if status == "running" else 0.0
        left = job.file.bytes - job.done_bytes
        return DownloadState(
            id=job.id, repo=job.file.repo, file=job.file.file, path=str(self._final(self._places(job.file)[0])),
            status=status, done_bytes=job.done_bytes, total_bytes=job.file.bytes, bytes_per_second=speed,
            seconds_left=left / speed if speed > 0 else None, message=job.message, hint=job.hint, code=job.code,
        )

    def _pump(self) -> None:
        """Start waiting downloads while there are places."""
        with self._lock:
            busy = sum(job.thread is not None for job in self._jobs.values())
            for job in self._jobs.values():
                if busy >= self._at_once or self._closed:
                    return
                if job.status == "waiting" and job.thread is None:
                    job.thread = threading.Thread(target=self._run, args=(job,), name=f"download-{job.id}", daemon=True)
                    job.status = "checking"
                    job.thread.start()
                    busy += 1

    def _run(self, job: _Job) -> None:
        """Body of a download's thread."""
        outcome: Status = "paused"
        try:
            self._require_space(job.file, except_id=job.id)
            self._fetch_all(job)
            self._publish(job.file)
            outcome = "done"
        except StoppedError:
            outcome = "paused"
        except SlipstreamError as error:
            outcome = "failed"
            job.message, job.hint, job.code = error.message, error.hint, str(error.code)
        finally:
            with self._lock:
                job.thread = None
                job.status = outcome
                if outcome == "done":
                    self._note(job.id).unlink(missing_ok=True)
                if job.cancelled:
                    self._forget(job)
                elif job.again and outcome != "done":
                    job.queue()
            self._pump()
            self._changed()

    def _forget(self, job: _Job) -> None:
        self._jobs.pop(job.id, None)
        if job.status != "done":
            self._remove_parts(job.file)
            self._note(job.id).unlink(missing_ok=True)

    def _fetch_all(self, job: _Job) -> None:
        job.finished_bytes = job.current_bytes = 0
        for (path, size, sha256), place in zip(job.file.part_files, self._places(job.file), strict=True):
            final = self._final(place)
            if not (final.is_file() and final.stat().st_size == size):
                remote = RemoteFile(job.file.repo, job.file.revision, path, size, sha256)
                Transfer(self._hub, remote, self._part(place), job.control, self._pace,
                         lambda progress: self._take_progress(job, progress)).run()
            job.finished_bytes += size
            job.current_bytes = 0

    def _take_progress(self, job: _Job, progress: Progress) -> None:
        now = time.monotonic()
        with self._lock:
            job.current_bytes = progress.done_bytes
            job.message = progress.message
            changed = job.status != progress.phase
            if progress.phase in ("checking", "running", "retrying"):
                job.status = progress.phase  # type: ignore[assignment]
            if changed:
                job.samples.clear()
            job.samples.append((now, job.done_bytes))
            while job.samples and now - job.samples[0][0] > _SPEED_WINDOW_S:
                job.samples.popleft()
        if changed:
            self._changed()

    def _publish(self, file: HubFile) -> None:
        """Give every file its name, the first part last: until then the model does not exist."""
        places = self._places(file)
        for place in places:
            part = self._part(place)
            if part.exists():
                _check_header(part, place)
        for (path, _, sha256), place in reversed(list(zip(file.part_files, places, strict=True))):
            final = self._final(place)
            try:
                if self._part(place).exists():
                    self._part(place).replace(final)
            except OSError as error:
                raise SlipstreamError(
                    Code.FILE,
                    say("“{name}” cannot be put in its place: {reason}.",
                        name=final.name, reason=error.strerror or error),
                    say("Check that you may write into the folder, then resume the download."),
                ) from error
            if self._cache_dir is not None:
                register_file(self._cache_dir, file.repo, file.revision, path, sha256, final)

    def _require_space(self, file: HubFile, except_id: str = "") -> None:
        """Raises ``DISK_FULL`` when what is missing of this and of the running downloads exceeds the free disk."""
        present = sum(_size(self._part(place)) or _size(self._final(place)) for place in self._places(file))
        with self._lock:
            others = sum(job.file.bytes - job.done_bytes for job in self._jobs.values()
                         if job.thread is not None and job.id not in (except_id, _job_id(file)))
        needed = max(file.bytes - present, 0) + others + self._reserve_bytes
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self._folder).free
        except OSError as error:
            raise SlipstreamError(
                Code.FILE,
                say("The folder “{path}” cannot be used: {reason}.", path=self._folder, reason=error.strerror or error),
                say("Choose another folder for models."),
            ) from error
        if needed > free:
            raise SlipstreamError(
                Code.DISK_FULL,
                say(
                    "“{name}” needs {needed} on the disk of {folder}, and {free} are free.",
                    name=file.file, needed=format_bytes(needed), folder=self._folder, free=format_bytes(free),
                ),
                say("Free some space, or choose a smaller quantisation."),
            )

    def _places(self, file: HubFile) -> list[Path]:
        """Paths below the folder for every file. Raises ``FILE`` for names that lead out of it."""
        return [_safe_place(file.repo, path) for path, _, _ in file.part_files]

    def _final(self, place: Path) -> Path:
        return self._folder / place

    def _part(self, place: Path) -> Path:
        return self._folder / place.with_name(place.name + PART_SUFFIX)

    def _note(self, job_id: str) -> Path:
        return self._folder / NOTES_FOLDER / f"{job_id}.json"

    def _write_note(self, job_id: str, file: HubFile) -> None:
        note = self._note(job_id)
        try:
            note.parent.mkdir(parents=True, exist_ok=True)
            write_whole(note, msgspec.json.encode(file))
        except OSError as error:
            raise SlipstreamError(
                Code.FILE,
                say(
                    "The folder “{path}” cannot be written: {reason}.",
                    path=self._folder, reason=error.strerror or error,
                ),
                say("Choose another folder for models."),
            ) from error

    def _remove_parts(self, file: HubFile) -> None:
        for place in self._places(file):
            self._part(place).unlink(missing_ok=True)
            for folder in (self._final(place).parent, self._final(place).parent.parent):
                if folder != self._folder and folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change()


def _job_id(file: HubFile) -> str:
    return hashlib.sha256(f"{file.repo}/{file.file}".encode()).hexdigest()[:16]


def _safe_place(repo: str, path: str) -> Path:
    names = PurePosixPath(path).parts
    parts = [*PurePosixPath(repo).parts, *names]
    if not names or not all(map(_is_harmless, parts)):
        raise SlipstreamError(
            Code.FILE, say("“{name}” is not a file name that can be used here.", name=one_line(f"{repo}/{path}")),
            say("Choose another file."),
        )
    return Path(*parts)


def _is_harmless(part: str) -> bool:
    """Whether a piece of a path stays in its folder on every system, and reads as what it is."""
    leads_away = part in ("", ".", "..") or part.endswith((".", " "))
    return not leads_away and _NAME.match(part) is not None and one_line(part, 255) == part


def _check_header(part: Path, place: Path) -> None:
    """Raises ``MODEL_UNREADABLE`` when what arrived is no GGUF file, whatever its name and hash say."""
    if place.suffix.lower() == ".gguf":
        read_header(part, with_tokens=False)


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _measure_speed(samples: deque[tuple[float, int]], now: float) -> float:
    if len(samples) < 2:
        return 0.0
    elapsed = now - samples[0][0]
    return (samples[-1][1] - samples[0][1]) / elapsed if elapsed > 0.2 else 0.0
