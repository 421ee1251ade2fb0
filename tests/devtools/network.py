"""A network that exists only in the tests: addresses, their bytes, and what goes wrong on the way."""

from __future__ import annotations

import io
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.message import Message


class FakeResponse:
    def __init__(self, status: int, body: bytes, length: int, cut_after: int | None) -> None:
        self.status = status
        self.headers = Message()
        self.headers["Content-Length"] = str(length)
        self._body = io.BytesIO(body if cut_after is None else body[:cut_after])

    def read(self, amount: int, /) -> bytes:
        return self._body.read(min(amount, 1000))

    def __enter__(self) -> FakeResponse:
        return self

    def __exit__(self, *details: object) -> None:
        self._body.close()


@dataclass
class FakeNetwork:
    """Answers requests from ``pages``; ``cuts`` ends the next answers after so many bytes; ``asked`` is the history."""

    pages: dict[str, bytes] = field(default_factory=dict)
    silent_hosts: set[str] = field(default_factory=set)
    cuts: list[int] = field(default_factory=list)
    ranges: bool = True
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)

    def open(self, request: urllib.request.Request, timeout_s: float) -> FakeResponse:
        assert timeout_s > 0
        wanted = request.get_header("Range")
        self.asked.append((request.get_method(), request.full_url, wanted))
        if request.host in self.silent_hosts:
            raise urllib.error.URLError("no such host")
        body = self.pages.get(request.full_url)
        if body is None:
            raise urllib.error.HTTPError(request.full_url, 404, "Not Found", Message(), None)
        if request.get_method() == "HEAD":
            return FakeResponse(200, b"", len(body), None)
        cut = self.cuts.pop(0) if self.cuts else None
        if wanted and self.ranges:
            rest = body[int(wanted.removeprefix("bytes=").removesuffix("-")) :]
            return FakeResponse(206, rest, len(rest), cut)
        return FakeResponse(200, body, len(body), cut)
