"""A model hub on the loopback interface: what huggingface-hub and our downloader call, with faults to order.

Two servers, as in the real one: the hub answers questions and redirects downloads to a second host, which holds the
bytes behind addresses that expire.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from huggingface_hub import close_session

COMMIT = "c" * 40


@dataclass
class Repository:
    files: dict[str, bytes] = field(default_factory=dict)
    gated: bool = False
    licence: str = "apache-2.0"
    downloads: int = 10


@dataclass
class Fault:
    """What the storage host does to one request: ``status`` instead of bytes, the connection closed after ``cut_after``
    bytes, a flipped byte, a range that is ignored, or a pause between blocks."""

    status: int = 0
    retry_after: str = ""
    cut_after: int = -1
    corrupt: bool = False
    ignore_range: bool = False
    other_bytes: bytes = b""
    block_pause_s: float = 0.0


class HubImitation:
    """``faults`` are used up in order, one a request to the storage host; ``always`` applies when none is left."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.faults: list[Fault] = []
        self.always = Fault()
        self.token = ""
        self.storage_requests: list[dict[str, str]] = []
        self.hub_requests: list[tuple[str, dict[str, str]]] = []
        self.before_block: Callable[[int], None] = lambda sent: None
        self._hub = _Server(self._answer_hub)
        self._storage = _Server(self._answer_storage)

    @property
    def endpoint(self) -> str:
        return self._hub.address

    def close(self) -> None:
        self._hub.close()
        self._storage.close()

    def _answer_hub(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        self.hub_requests.append((request.path, dict(request.headers.items())))
        if parts.path == "/api/models":
            words = parse_qs(parts.query).get("search", [""])[0].lower()
            _send_json(request, [self._describe(name, repository, False) for name, repository in
                                 self.repositories.items() if words in name.lower()])
            return
        if parts.path.startswith("/api/models/"):
            name = unquote(parts.path.removeprefix("/api/models/")).split("/revision/")[0]
            repository = self.repositories.get(name)
            if repository is None:
                _send_json(request, {"error": "Repository not found"}, 404, {"X-Error-Code": "RepoNotFound"})
            else:
                _send_json(request, self._describe(name, repository, True))
            return
        self._redirect(request, parts.path)

    def _redirect(self, request: BaseHTTPRequestHandler, path: str) -> None:
        name, _, rest = path.strip("/").partition("/resolve/")
        file = unquote(rest.partition("/")[2])
        repository = self.repositories.get(name)
        allowed = self.token and request.headers.get("authorization") == f"Bearer {self.token}"
        if repository is not None and repository.gated and not allowed:
            _send_json(request, {"error": "gated"}, 403, {"X-Error-Code": "GatedRepo"})
        elif repository is None or file not in repository.files:
            _send_json(request, {"error": "Entry not found"}, 404, {"X-Error-Code": "EntryNotFound"})
        else:
            request.send_response(302)
            request.send_header("location", f"{self._storage.address}/{name}/{file}?signature=ok")
            request.send_header("content-length", "0")
            request.end_headers()

    def _answer_storage(self, request: BaseHTTPRequestHandler) -> None:
        parts = unquote(urlsplit(request.path).path).strip("/").split("/", 2)
        self.storage_requests.append({key.lower(): value for key, value in request.headers.items()})
        fault = self.faults.pop(0) if self.faults else self.always
        if fault.status:
            request.send_response(fault.status)
            if fault.retry_after:
                request.send_header("retry-after", fault.retry_after)
            request.send_header("content-length", "0")
            request.end_headers()
            return
        content = fault.other_bytes or self.repositories["/".join(parts[:2])].files[parts[2]]
        if fault.corrupt:
            content = content[:-1] + bytes([content[-1] ^ 0xFF])
        self._send_bytes(request, content, fault)

    def _send_bytes(self, request: BaseHTTPRequestHandler, content: bytes, fault: Fault) -> None:
        start, end = 0, len(content)
        wanted = request.headers.get("range")
        if wanted and not fault.ignore_range:
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            start = int(first)
            end = min(int(last) + 1, end) if last else end
            if start >= len(content):
                request.send_response(416)
                request.send_header("content-length", "0")
                request.end_headers()
                return
            request.send_response(206)
            request.send_header("content-range", f"bytes {start}-{end - 1}/{len(content)}")
        else:
            request.send_response(200)
        request.send_header("content-length", str(end - start))
        request.end_headers()
        stop = end if fault.cut_after < 0 else min(end, start + fault.cut_after)
        for offset in range(start, stop, 65_536):
            self.before_block(offset - start)
            if fault.block_pause_s:
                time.sleep(fault.block_pause_s)
            request.wfile.write(content[offset : min(offset + 65_536, stop)])
        if stop < end:
            request.close_connection = True

    def _describe(self, name: str, repository: Repository, with_files: bool) -> dict[str, Any]:
        described: dict[str, Any] = {
            "id": name, "modelId": name, "sha": COMMIT, "gated": "auto" if repository.gated else False,
            "downloads": repository.downloads, "likes": 1, "lastModified": "2026-05-01T00:00:00.000Z",
            "private": False, "tags": ["gguf", f"license:{repository.licence}"],
        }
        if with_files:
            described["siblings"] = [
                {"rfilename": file, "size": len(content), "blobId": "0" * 40,
                 "lfs": {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}}
                for file, content in repository.files.items()
            ]
        return described


PROXIED = "http://hub.test"
"""A host that is nowhere: only through a proxy does an answer come."""


@contextmanager
def behind_a_proxy(imitation: HubImitation, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of the hub for programs that reach it through the proxy of their environment, as which the imitation
    serves; its storage host is reached without (``NO_PROXY``)."""
    for name in ("HTTP_PROXY", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", imitation.endpoint)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    close_session()  # the library's client has read the environment that was before
    try:
        yield PROXIED
    finally:
        close_session()


@contextmanager
def running_hub() -> Iterator[HubImitation]:
    hub = HubImitation()
    try:
        yield hub
    finally:
        hub.close()


class _Server:
    def __init__(self, answer: Callable[[BaseHTTPRequestHandler], None]) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                try:
                    answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *arguments: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _send_json(request: BaseHTTPRequestHandler, value: object, status: int = 200,
               headers: dict[str, str] | None = None) -> None:
    body = json.dumps(value).encode()
    request.send_response(status)
    for key, text in (headers or {}).items():
        request.send_header(key, text)
    request.send_header("content-type", "application/json")
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
