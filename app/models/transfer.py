"""One file from the hub onto the disk: resumed where it stopped, retried, checked, and only then under its name."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import random
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx2

from app.errors import Code, SlipstreamError
from app.models.hub import Hub
from app.sentences import say

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PART_SUFFIX = ".part"
_HASH_BLOCK_BYTES = 4 * 1024 * 1024
_TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_LOCK_OFFSET = 2**62
_MAX_RETRY_AFTER_S = 600.0


@dataclass(frozen=True)
class RemoteFile:
    """What is to be fetched. ``sha256`` "" is unknown: then only the size can be checked."""

    repo: str
    revision: str
    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Pace:
    """How patient a transfer is. Delays double from ``first_s`` to ``longest_s``; it ends after ``attempts`` in a row
    without progress. ``timeout_s`` bounds the silence on a connection."""

    first_s: float = 1.0
    longest_s: float = 60.0
    attempts: int = 8
    timeout_s: float = 20.0

    def delay_s(self, failures: int, asked_s: float) -> float:
        """Seconds to wait after ``failures`` in a row; ``asked_s`` is what the server asked for, 0 if nothing. A part
        of chance keeps many programs from coming back at the same moment."""
        backed_off = min(self.first_s * 2.0 ** (failures - 1), self.longest_s)
        return max(min(asked_s, _MAX_RETRY_AFTER_S), backed_off * random.uniform(0.75, 1.25))


class StoppedError(Exception):
    """A person paused or cancelled the transfer; what has arrived is kept."""


class Control:
    """Told from any thread to stop; asked by the transfer."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._wake: Callable[[], None] | None = None

    def stop(self) -> None:
        with self._lock:
            self._stop.set()
            if self._wake is not None:
                self._wake()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Call ``wake`` when stopped inside this block, to end a wait that would not notice by itself."""
        with self._lock:
            self.check()
            self._wake = wake
        try:
            yield
        finally:
            with self._lock:
                self._wake = None

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def check(self) -> None:
        """Raises ``StoppedError`` once stopped."""
        if self._stop.is_set():
            raise StoppedError

    def sleep(self, seconds: float) -> None:
        """Raises ``StoppedError`` as soon as stopped."""
        if self._stop.wait(seconds):
            raise StoppedError


@dataclass(frozen=True)
class Progress:
    """``phase``: ``checking`` reads what is there, ``running`` receives, ``retrying`` waits until the next attempt."""

    phase: str
    done_bytes: int
    message: str = ""


class _TransientError(Exception):
    """Worth another attempt. ``wait_s`` is what the server asks for, 0 if nothing."""

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class Transfer:
    """Fetches ``remote`` into ``part``. Blocks; run it in a thread of its own.

    Raises:
        StoppedError: ``control`` was stopped; the part stays.
        SlipstreamError: ``NETWORK``, ``GATED``, ``MODEL_NOT_FOUND``, ``DISK_FULL``, ``FILE``, ``BUSY`` (the part stays)
            or ``CHECKSUM`` (the part is gone, for nothing in it can be trusted).
    """

    def __init__(self, hub: Hub, remote: RemoteFile, part: Path, control: Control, pace: Pace,
                 report: Callable[[Progress], None]) -> None:
        self._hub, self._remote, self._part = hub, remote, part
        self._control, self._pace, self._report = control, pace, report
        self._digest = hashlib.sha256()
        self._position = 0

    def run(self) -> None:
        self._hub.check_online()
        try:
            self._part.parent.mkdir(parents=True, exist_ok=True)
            with self._part.open("ab+") as file:
                _lock(file, self._part)
                self._read_present(file)
                self._receive_all(file)
                file.flush()
                os.fsync(file.fileno())
            self._verify()
        except OSError as error:
            raise self._explain_disk(error) from error

    def _read_present(self, file: IO[bytes]) -> None:
        """Take up the part that is there: its bytes go into the hash, so that the end can vouch for all of them."""
        file.seek(0)
        while block := file.read(_HASH_BLOCK_BYTES):
            self._control.check()
            self._digest.update(block)
            self._position += len(block)
            self._report(Progress("checking", self._position))
        if self._position > self._remote.bytes:
            self._start_over(file)

    def _start_over(self, file: IO[bytes]) -> None:
        file.truncate(0)
        self._digest = hashlib.sha256()
        self._position = 0

    def _receive_all(self, file: IO[bytes]) -> None:
        failures = 0
        timeout = httpx2.Timeout(self._pace.timeout_s, connect=min(self._pace.timeout_s, 10.0))
        with httpx2.Client(follow_redirects=True, timeout=timeout) as client:
            while self._position < self._remote.bytes:
                before = self._position
                try:
                    self._receive(client, file)
                except _TransientError as error:
                    failures = 1 if self._position > before else failures + 1
                    if failures >= self._pace.attempts:
                        raise self._give_up(error) from error
                    self._wait(error, failures)

    def _give_up(self, error: _TransientError) -> SlipstreamError:
        where = f"{self._position:,} of {self._remote.bytes:,} bytes"
        return SlipstreamError(
            Code.NETWORK,
            say("“{name}” stopped at {done}: {reason}.", name=self._remote.file, done=where, reason=error),
            say("Resume it when the connection is better; what has arrived is kept."),
        )

    def _wait(self, error: _TransientError, failures: int) -> None:
        seconds = self._pace.delay_s(failures, error.wait_s)
        self._report(Progress("retrying", self._position, f"{error}; next attempt in {max(round(seconds), 1)} s"))
        self._control.sleep(seconds)

    def _receive(self, client: httpx2.Client, file: IO[bytes]) -> None:
        """One request, from where we are to the end. The address is the hub's own each time, so a redirect that has
        expired is replaced by a fresh one."""
        self._control.check()
        self._report(Progress("running", self._position))
        headers = {**self._hub.headers(), "accept-encoding": "identity"}
        if self._position:
            headers["range"] = f"bytes={self._position}-"
        url = self._hub.url(self._remote.repo, self._remote.revision, self._remote.file)
        try:
            with client.stream("GET", url, headers=headers) as response:
                self._take_status(response, file)
                self._check_announcement(response)
                with self._control.waking(lambda: _wake(response)):
                    # As they come, for a fixed size would hold back, and at a cut lose, what has arrived.
                    for block in response.iter_raw():
                        self._control.check()
                        self._write(file, block)
        except httpx2.TransportError as error:
            self._control.check()
            raise _TransientError(str(error) or type(error).__name__) from error
        except httpx2.InvalidURL as error:
            raise self._hub.explain_silence(str(error)) from error
        if self._position < self._remote.bytes:
            raise _TransientError("The connection ended early")

    def _take_status(self, response: httpx2.Response, file: IO[bytes]) -> None:
        status = response.status_code
        if status == 206 or (status == 200 and self._position == 0):
            return
        if status in (200, 416):
            # The server cannot go on where we stopped.
            self._start_over(file)
            if status == 416:
                raise _TransientError("The server refuses the range")
            return
        redirected = response.url.netloc != httpx2.URL(self._hub.endpoint).netloc
        if status in _TRANSIENT_STATUS:
            raise _TransientError(f"The server answered with status {status}", _read_retry_after(response))
        if redirected and status in (400, 401, 403, 404, 410):
            raise _TransientError("The address for the download has expired")
        raise self._hub.explain_status(status, self._remote.repo if status in (401, 403) else self._remote.file)

    def _check_announcement(self, response: httpx2.Response) -> None:
        """Refuse an answer that is not the rest of the very file that the hub described."""
        start, total = 0, response.headers.get("content-length", "")
        if response.status_code == 206:
            unit, _, rest = response.headers.get("content-range", "").partition(" ")
            span, _, total = rest.partition("/")
            first = span.partition("-")[0]
            start = int(first) if unit == "bytes" and first.isdigit() else -1
        if start != self._position:
            raise _TransientError("The server sent another range than asked for")
        if total.isdigit() and int(total) != self._remote.bytes:
            raise SlipstreamError(
                Code.CHECKSUM,
                say(
                    "“{name}” is not the file that the hub described: it has {count} bytes instead of {expected}.",
                    name=self._remote.file, count=f"{int(total):,}", expected=f"{self._remote.bytes:,}",
                ),
                say("Look the repository up again and download it anew."),
            )

    def _write(self, file: IO[bytes], block: bytes) -> None:
        if self._position + len(block) > self._remote.bytes:
            raise _TransientError("The server sent more than the file holds")
        file.write(block)
        self._digest.update(block)
        self._position += len(block)
        self._report(Progress("running", self._position))

    def _verify(self) -> None:
        if self._remote.sha256 and self._digest.hexdigest() != self._remote.sha256.lower():
            self._part.unlink(missing_ok=True)
            raise SlipstreamError(
                Code.CHECKSUM,
                say("“{name}” arrived damaged: its SHA-256 is not what the hub states.", name=self._remote.file),
                say("Start the download again; if it fails again, the file on the hub or the connection is at fault."),
            )

    def _explain_disk(self, error: OSError) -> SlipstreamError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return SlipstreamError(
                Code.DISK_FULL,
                say(
                    "The disk is full; “{name}” stopped at {done} of {total} bytes.",
                    name=self._remote.file, done=f"{self._position:,}", total=f"{self._remote.bytes:,}",
                ),
                say("Free some space, then resume the download."),
            )
        return SlipstreamError(
            Code.FILE,
            say("“{name}” cannot be written: {reason}.", name=self._part.name, reason=error.strerror or error),
            say("Check that you may write into the folder, or choose another one."),
        )


def _wake(response: httpx2.Response) -> None:
    """End a read that waits on a silent connection, from another thread."""
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if isinstance(connection, socket.socket):
        with contextlib.suppress(OSError):
            # The plain method: that of a TLS socket would take the connection apart under the reading thread.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _read_retry_after(response: httpx2.Response) -> float:
    given = response.headers.get("retry-after", "")
    return float(given) if given.isdigit() else 0.0


def _lock(file: IO[bytes], part: Path) -> None:
    """Keep a second program from writing the same part; the lock goes with the file handle, also when we are killed."""
    try:
        if sys.platform == "win32":
            file.seek(_LOCK_OFFSET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise SlipstreamError(
            Code.BUSY, say("“{name}” is being downloaded by another window already.", name=part.name),
            say("Wait until it is done."),
        ) from error
