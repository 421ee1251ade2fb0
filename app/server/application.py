"""The endpoints: one ASGI application over one engine."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Code
from app.sentences import as_text
from app.server.access import Access, Limits, bearer
from app.server.answering import Answerer
from app.server.answers import AnswerForm
from app.server.guard import Guard, read_body, refuse
from app.server.host import EngineHost
from app.server.metrics import CONTENT_TYPE
from app.server.queue import Client
from app.server.refusal import RefusedError, refusal_of
from app.server.requests import Wish, read_chat, read_completion

_NO_CONTEXT_KNOWN = 4096
Log = Callable[[str], None]
"""Takes a line about a request."""


class Service:
    """The endpoints' shared state."""

    def __init__(self, host: EngineHost, access: Access, limits: Limits, log: Log) -> None:
        self._host = host
        self._log = log
        self._access = access
        self._limits = limits
        self._started = int(time.time())

    def application(self) -> ASGIApp:
        """The whole server, to be run by any ASGI server; ``/health`` answers while the model still loads."""
        routes = [
            Route("/health", self.health, methods=["GET"]),
            Route("/metrics", self.metrics, methods=["GET"]),
            Route("/v1/models", self.models, methods=["GET"]),
            Route("/v1/chat/completions", _Endpoint(self._chat), methods=["POST"]),
            Route("/v1/completions", _Endpoint(self._completion), methods=["POST"]),
        ]
        inner = Starlette(routes=routes, exception_handlers={404: _not_found, 405: _not_found})
        return _Counted(Guard(inner, self._access, self._limits), self._host.metrics.count_response, self._log)

    async def health(self, request: Request) -> Response:
        trouble = self._host.trouble
        if self._host.facts is not None:
            return _json({"status": "ok"})
        if trouble is not None:
            return _json({"status": "error", "message": trouble.words}, 503)
        return _json({"status": "loading model"}, 503)

    async def metrics(self, request: Request) -> Response:
        return Response(self._host.metrics.as_text(), media_type=CONTENT_TYPE)

    async def models(self, request: Request) -> Response:
        """Also what is still being loaded, without its figures: editors list the models before they ask."""
        facts, target = self._host.facts, self._host.target
        model = {"id": model_id(target), "object": "model", "created": self._started, "owned_by": "slipstream"}
        meta = {} if facts is None else {"meta": {
            "name": facts.name, "description": facts.description, "n_params": facts.parameters,
            "size": facts.size_bytes, "n_ctx": facts.ctx_tokens, "n_ctx_train": facts.ctx_train_tokens,
            "n_vocab": facts.vocab_size,
        }}
        is_there = bool(target) and (facts is not None or self._host.trouble is None)
        return _json({"object": "list", "data": [model | meta] if is_there else []})

    async def _chat(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await read_body(scope, receive, self._limits)
        facts = self._host.facts
        wish = read_chat(body, facts.ctx_tokens if facts is not None else _NO_CONTEXT_KNOWN)
        await self._answer(wish, "chatcmpl", scope, receive, send)

    async def _completion(self, scope: Scope, receive: Receive, send: Send) -> None:
        wish = read_completion(await read_body(scope, receive, self._limits))
        await self._answer(wish, "cmpl", scope, receive, send)

    async def _answer(self, wish: Wish, prefix: str, scope: Scope, receive: Receive, send: Send) -> None:
        facts, trouble = self._host.facts, self._host.trouble
        if facts is None and trouble is not None and trouble.code not in (Code.NO_MODEL_LOADED, Code.WORKER_DIED):
            raise refusal_of(trouble)
        form = AnswerForm(
            id=f"{prefix}-{secrets.token_hex(12)}", model=model_id(self._host.target),
            is_chat=prefix == "chatcmpl", shows_token_ids=wish.wants_token_ids,
        )
        answering = Answerer(self._host, wish, form, _client_of(scope, wish.user), self._limits)
        await answering.run(receive, send)


class _Endpoint:
    """A route that gets ASGI itself: streams need to hear of the client's going while they send."""

    def __init__(self, handle: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._handle = handle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._handle(scope, receive, send)
        except RefusedError as refused:
            await refuse(refused, send)


class _Counted:
    """Counts responses and logs them, refused ones too: who, what for, how long; never what was said."""

    def __init__(self, app: ASGIApp, count: Callable[[int], None], log: Log) -> None:
        self._app = app
        self._count = count
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, started = 0, time.monotonic()

        async def counting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._count(status)
            await send(message)

        try:
            await self._app(scope, receive, counting)
        finally:
            if scope["type"] == "http":
                address = scope["client"][0] if scope.get("client") else "?"
                path = "".join(c for c in scope["path"][:100] if c.isprintable())
                ending = str(status) if status else "gone before it was answered"
                self._log(f"{time.strftime('%H:%M:%S')} {address} {scope['method']} {path} {ending} "
                          f"{time.monotonic() - started:.1f} s")


def model_id(path: str) -> str:
    return Path(path).stem


def _client_of(scope: Scope, user: str) -> Client:
    """Requests come from the same client when key, address, program and user are the same."""
    headers = scope["headers"]
    agent = next((value.decode("latin-1")[:100] for name, value in headers if name == b"user-agent"), "")
    address = scope["client"][0] if scope.get("client") else ""
    return Client(origin=f"{address} {hash(bearer(headers))}", program=f"{agent}\n{user}")


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value, enc_hook=as_text), status, media_type="application/json")


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    refused = RefusedError(status, "There is no such endpoint." if status == 404 else "Not with this method.")
    return Response(refused.body(), status, media_type="application/json")



