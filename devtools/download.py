"""One file from the network: resumable, checked, and under its name only when it is whole."""

from __future__ import annotations

import errno
import hashlib
import http.client
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Protocol

from app.errors import Code, SlipstreamError
from app.sentences import say
from devtools.console import Progress

CHUNK_BYTES = 1 << 20
READ_TIMEOUT_S = 30.0
TRIES = 4
SHOWN_BYTES = 300 << 20
"""From this size on, reading a file through to check it takes so long that it is shown."""


class Response(Protocol):
    """The part of ``http.client.HTTPResponse`` that is used."""

    status: int
    headers: Message

    def read(self, amount: int, /) -> bytes: ...

    def __enter__(self) -> Response: ...

    def __exit__(self, *details: object) -> object: ...


Opener = Callable[[urllib.request.Request, float], Response]


@dataclass(frozen=True)
class Download:
    """What to fetch: ``size`` in bytes; ``sha256`` in hexadecimal, None where nobody knows it."""

    label: str
    url: str
    target: Path
    size: int
    sha256: str | None

    @property
    def partial(self) -> Path:
        return self.target.with_name(self.target.name + ".part")


def certificates() -> ssl.SSLContext:
    """The system's store; where Python finds none (macOS), the one that came with pip."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if sys.platform != "win32" and not (paths.cafile or paths.capath):
        for bundle in Path(sys.prefix).glob("lib/python*/site-packages/**/cacert.pem"):
            context.load_verify_locations(cafile=bundle)
    return context


def open_url(request: urllib.request.Request, timeout_s: float) -> Response:
    answer: Response = urllib.request.urlopen(request, timeout=timeout_s, context=certificates())
    return answer


def hash_file(path: Path, progress: Progress | None = None) -> str:
    """SHA-256 of a file in hexadecimal."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while block := file.read(4 * CHUNK_BYTES):
            digest.update(block)
            done += len(block)
            if progress is not None:
                progress.update(done)
    return digest.hexdigest()


def fetch(
    download: Download, opener: Opener = open_url, report: Callable[[int], None] | None = None, pause_s: float = 1.0,
    watch: Callable[[float, float | None], None] = lambda share, left_s: None,
) -> None:
    """Bring ``download.target`` onto the disk, going on where an earlier try stopped.

    ``report`` is given the bytes that are there; without it a line of progress is shown, and ``watch`` is told the
    share that is there and the seconds left.
    Raises ``SlipstreamError``: NETWORK after several tries, CHECKSUM when other bytes arrived, DISK_FULL.
    """
    if download.target.exists():
        return
    download.target.parent.mkdir(parents=True, exist_ok=True)
    progress = None if report else Progress(download.label, download.size, watch=watch)
    try:
        for attempt in range(1, TRIES + 1):
            try:
                _receive(download, opener, report or (progress.update if progress else lambda _: None))
                break
            except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
                # A refusal will not change by asking again.
                if attempt == TRIES or (isinstance(error, urllib.error.HTTPError) and 400 <= error.code < 500):
                    raise SlipstreamError(
                        Code.NETWORK,
                        say("{name} could not be downloaded: {reason}.",
                            name=download.label, reason=getattr(error, "reason", error)),
                        say("What has arrived is kept; start again when the network is there."),
                    ) from error
                time.sleep(pause_s * attempt)
    finally:
        if progress is not None:
            progress.end()
    _accept(download)


def _accept(download: Download) -> None:
    """Check the whole file and give it its name."""
    if download.sha256 is not None and not _is_right(download, download.sha256):
        download.partial.unlink()
        raise SlipstreamError(
            Code.CHECKSUM,
            say("{name} arrived with other content than expected, so it was thrown away.", name=download.label),
            say("Start again; if it happens twice, the source has changed."),
        )
    download.partial.replace(download.target)


def _is_right(download: Download, sha256: str) -> bool:
    if download.size < SHOWN_BYTES:
        return hash_file(download.partial) == sha256
    progress = Progress(f"checking {download.label}", download.size)
    try:
        return hash_file(download.partial, progress) == sha256
    finally:
        progress.end()


def _receive(download: Download, opener: Opener, report: Callable[[int], None]) -> None:
    offset = download.partial.stat().st_size if download.partial.exists() else 0
    if offset > download.size:
        download.partial.unlink()
        offset = 0
    if offset == download.size:
        return
    request = urllib.request.Request(download.url, headers={"User-Agent": "slipstream-dev"})
    if offset:
        request.add_header("Range", f"bytes={offset}-")
    with opener(request, READ_TIMEOUT_S) as response:
        if offset and response.status != 206:
            offset = 0
        with download.partial.open("ab" if offset else "wb") as file:
            while block := response.read(CHUNK_BYTES):
                _write(file.write, block)
                offset += len(block)
                report(offset)
    if offset < download.size:
        raise ConnectionError("the connection ended early")


def _write(write: Callable[[bytes], int], block: bytes) -> None:
    try:
        write(block)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise SlipstreamError(
                Code.DISK_FULL, say("The disk is full."),
                say("Free some space and start again; what has arrived is kept."),
            ) from error
        raise
