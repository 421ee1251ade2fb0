"""Where a prepared draft is written: refusals in words, a working folder beside it, and whose file it is."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import psutil

from app.errors import Code, SlipstreamError
from app.files import try_to_write
from app.paths import cache_dir
from app.sentences import say

SPARE_BYTES = 32 * 1024 * 1024
_PART_OF_SEVERAL = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)


class _Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What was written, and of what it was made. Kept apart from the file, whose format has no place for it."""

    draft: str
    target: str
    size_bytes: int
    modified_ns: int


def check_destination(destination: Path, draft: Path, target: Path) -> None:
    """Whether the file may be made: nothing is there, or what was made there of the same draft and target.

    Raises:
        SlipstreamError: ``FILE``.
    """
    if _PART_OF_SEVERAL.search(draft.name):
        raise SlipstreamError(
            Code.FILE, say("“{name}” is one of several parts of a model.", name=draft.name),
            say("Join the parts, or take a smaller draft."),
        )
    if destination.is_dir():
        raise SlipstreamError(
            Code.FILE, say("“{name}” is a folder.", name=destination), say("Name a file in it.")
        )
    if os.path.lexists(destination) and _origin(destination, draft, target) != _read_origin(destination):
        raise SlipstreamError(
            Code.FILE, say("“{name}” is there already, and was not made by this command.", name=destination.name),
            say("Name another file, or remove that one."),
        )
    if not destination.parent.is_dir():
        raise SlipstreamError(
            Code.FILE, say("There is no folder “{path}”.", path=destination.parent),
            say("Make it, or name another one."),
        )


@contextmanager
def working_folder(destination: Path) -> Iterator[Path]:
    """A folder on the same disk for files that may become ``destination``; it is gone afterwards.

    Those that a killed process left are removed too. Raises ``SlipstreamError`` (``FILE``, ``DISK_FULL``).
    """
    prefix = f".{destination.name[:100]}.preparing-"
    for left in destination.parent.glob(f"{_literally(prefix)}*"):
        number = left.name.removeprefix(prefix).partition("-")[0]
        if number.isdecimal() and not psutil.pid_exists(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-", dir=destination.parent))
    except OSError as error:
        raise explain(error, destination) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def require_space(destination: Path, wanted_bytes: int) -> None:
    """Raises ``SlipstreamError`` (``DISK_FULL``)."""
    free = shutil.disk_usage(destination.parent).free
    if free < wanted_bytes + SPARE_BYTES:
        raise SlipstreamError(
            Code.DISK_FULL,
            say(
                "The disk of “{path}” has {free} MB left, and {needed} MB are needed.",
                path=destination.parent, free=f"{free / 1e6:,.0f}", needed=f"{wanted_bytes / 1e6:,.0f}",
            ),
            say("Make room, or name a file on another disk."),
        )


def put_in_place(made: Path, destination: Path, draft: Path, target: Path) -> None:
    """Give a finished file its name. Raises ``SlipstreamError`` (``FILE``, ``DISK_FULL``)."""
    check_destination(destination, draft, target)  # much may have happened since the first look
    try:
        made.replace(destination)
    except OSError as error:
        raise explain(error, destination) from error
    with suppress(OSError):  # without the record, making the file again is refused; nothing is lost
        try_to_write(_record(destination), msgspec.json.encode(_origin(destination, draft, target)))


def explain(error: OSError, destination: Path) -> SlipstreamError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SlipstreamError(
            Code.DISK_FULL, say("The disk is full, so “{path}” was not written.", path=destination.name),
            say("Make room, or name a file on another disk."),
        )
    return SlipstreamError(
        Code.FILE, say("“{name}” cannot be written: {reason}.", name=destination, reason=error.strerror or error),
        say("Name a file in another folder."),
    )


def _origin(destination: Path, draft: Path, target: Path) -> _Origin | None:
    try:
        status = destination.lstat()
    except OSError:
        return None
    return _Origin(
        draft=str(draft.resolve()), target=str(target.resolve()), size_bytes=status.st_size,
        modified_ns=status.st_mtime_ns,
    )


def _read_origin(destination: Path) -> _Origin | None:
    try:
        return msgspec.json.decode(_record(destination).read_bytes(), type=_Origin)
    except (OSError, msgspec.DecodeError):
        return None


def _record(destination: Path) -> Path:
    place = str(destination.parent.resolve() / destination.name)
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()
    return cache_dir() / "prepared" / f"{digest[:24]}.json"


def _literally(text: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", text)
