"""Turns away what should not reach the application: strange hosts, other sites' pages, strangers, oversized heads."""

from __future__ import annotations

import asyncio
import logging

from starlette.types import ASGIApp, Receive, Scope, Send

from app.server.access import Access, Limits, bearer, is_same_origin
from app.server.refusal import RefusedError

OPEN_PATHS = frozenset({"/health"})
"""What is told to anybody who reaches the address; it says nothing of models or people."""
_log = logging.getLogger("slipstream.server")


class Guard:
    """ASGI middleware. A refused request is answered at once and its connection closed, its body unread."""

    def __init__(self, app: ASGIApp, access: Access, limits: Limits) -> None:
        self._app = app
        self._access = access
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            self._check(scope)
        except RefusedError as refusal:
            _log.info("refused: %d %s", refusal.status, refusal.code)
            await refuse(refusal, send)
            return
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        size = sum(len(name) + len(value) for name, value in headers) + len(scope["raw_path"])
        if len(headers) > self._limits.headers or size > self._limits.header_bytes:
            raise RefusedError(431, "The request's head is too large.", "headers_too_large", closes=True)
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        if len(hosts) != 1 or not self._access.answers_to(hosts[0]):
            raise RefusedError(
                403, "This server does not answer to that host name. Use its address, or start it with --allow-host.",
                "wrong_host", closes=True,
            )
        self._check_site(headers, hosts[0])
        if any(part in (".", "..") for part in scope["path"].replace("\\", "/").split("/")):
            raise RefusedError(400, "The path is not one of this server.", "bad_path", closes=True)
        if self._access.keys and scope["path"] not in OPEN_PATHS and not self._access.knows_key(bearer(headers)):
            raise RefusedError(401, "The key is missing or wrong. Send it as “Authorization: Bearer …”.",
                          "invalid_api_key", closes=True)

    def _check_site(self, headers: list[tuple[bytes, bytes]], host: str) -> None:
        """A page of another site can make a browser send requests whose answers it may not read: those count, too."""
        for name, value in headers:
            text = value.decode("latin-1")
            if (name == b"origin" and not is_same_origin(text, host)) or (
                name == b"sec-fetch-site" and text.strip().lower() in ("cross-site", "same-site")
            ):
                raise RefusedError(403, "Pages of other sites may not use this server.", "cross_site", closes=True)


async def refuse(refusal: RefusedError, send: Send) -> None:
    await send({"type": "http.response.start", "status": refusal.status, "headers": refusal.headers()})
    await send({"type": "http.response.body", "body": refusal.body()})


async def read_body(scope: Scope, receive: Receive, limits: Limits) -> bytes:
    """The whole body. Raises ``RefusedError``: 413 when it is or says it is too large, 408 when it comes too slowly."""
    too_large = RefusedError(
        413, f"The body is larger than {limits.body_bytes // 1024} KiB.", "body_too_large", closes=True
    )
    for name, value in scope["headers"]:
        if name == b"content-length" and (not value.isdigit() or int(value) > limits.body_bytes):
            raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(limits.body_s):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RefusedError(400, "The client went away.", "disconnected", closes=True)
                body += message.get("body", b"")
                if len(body) > limits.body_bytes:
                    raise too_large
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise RefusedError(408, "The body came too slowly.", "body_too_slow", closes=True) from None
