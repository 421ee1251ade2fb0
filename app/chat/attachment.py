"""Files that go with a message: their text, and the form in which a model reads it."""

from __future__ import annotations

import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from app.errors import Code, SlipstreamError
from app.records import Record
from app.sentences import say

MOST_TEXT_BYTES = 4 * 1024 * 1024
MOST_PDF_BYTES = 100 * 1024 * 1024
MOST_CHARACTERS = 2_000_000
MOST_ATTACHMENTS = 20
_SNIFFED = 64 * 1024
_FENCE = re.compile(r"`{3,}")
_TEXT_CONTROLS = set("\t\n\r\f\x0b\x1b")


class Attachment(Record, frozen=True, kw_only=True):
    """``name`` is the file's own, without folders. ``tokens`` is 0 while not counted."""

    name: str
    text: str
    tokens: int = 0


def with_attachments(content: str, attachments: Sequence[Attachment]) -> str:
    """Each file by its name in a fence that its own text cannot close, then ``content``."""
    parts = []
    for each in attachments:
        fence = "`" * max(3, 1 + max((len(run) for run in _FENCE.findall(each.text)), default=0))
        parts.append(f"File: {each.name}\n{fence}\n{each.text.rstrip()}\n{fence}")
    return "\n\n".join([*parts, content] if content else parts)


def is_pdf(path: Path) -> bool:
    """By the file's first bytes. Raises ``SlipstreamError`` (``FILE``) for what cannot be attached at all."""
    size = _check(path)
    with _open(path) as file:
        found = file.read(1024).lstrip()[:5] == b"%PDF-"
    if size > (MOST_PDF_BYTES if found else MOST_TEXT_BYTES):
        limit = (MOST_PDF_BYTES if found else MOST_TEXT_BYTES) // 1024**2
        raise _refusal(path, f"it is larger than {limit} MB", say("Attach a part of it."))
    return found


def read_text(path: Path) -> Attachment:
    """A text or code file, in UTF-8, UTF-16 with its mark, or a Western code page.

    Raises:
        SlipstreamError: ``FILE``, in words, when it cannot be read or is no text.
    """
    _check(path)
    with _open(path) as file:
        data = file.read(MOST_TEXT_BYTES + 1)
    if len(data) > MOST_TEXT_BYTES:
        raise _refusal(path, f"it is larger than {MOST_TEXT_BYTES // 1024**2} MB", say("Attach a part of it."))
    text = _decode(data).replace("\r\n", "\n").replace("\r", "\n")
    begin = text[:_SNIFFED]
    controls = sum((c < " " and c not in _TEXT_CONTROLS) or c == "\x7f" for c in begin)
    if "\x00" in text or controls > len(begin) / 100:
        raise _refusal(path, "it is not a text file", say("Text, code and PDF files can be attached."))
    if not text.strip():
        raise _refusal(path, "it is empty", say("Attach another one."))
    return Attachment(name=safe_name(path.name), text=text[:MOST_CHARACTERS])


def safe_name(name: str) -> str:
    """A file's name as one line of what can be shown."""
    return "".join(c for c in name if c.isprintable())[:120] or "file"


def refuse(name: str, reason: str) -> SlipstreamError:
    return _refusal(Path(name), reason, say("Text, code and PDF files can be attached."))


def _decode(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _check(path: Path) -> int:
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise _refusal(path, f"it could not be read ({reason or 'no such file'})", say("Check the file.")) from error
    if stat.S_ISDIR(found.st_mode):
        raise _refusal(path, "it is a folder", say("Attach the files in it."))
    if not stat.S_ISREG(found.st_mode):
        raise _refusal(path, "it is no ordinary file", say("Text, code and PDF files can be attached."))
    return found.st_size


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise _refusal(path, f"it could not be read ({error.strerror})", say("Check the file.")) from error


def _refusal(path: Path, reason: str, hint: str) -> SlipstreamError:
    return SlipstreamError(
        Code.FILE, say("{name} was not attached: {reason}.", name=safe_name(path.name), reason=reason), hint
    )
