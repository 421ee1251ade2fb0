"""One answer: from the queue through the engine to the client, and its end when the client goes."""

from __future__ import annotations

import asyncio
import math

import msgspec
from starlette.types import Receive, Send

from app.client.clock import AwakeClock
from app.protocol import AnyEvent, Chunk, Done, Failed
from app.server.access import Limits
from app.server.answers import WAITING_LINE, AnswerForm
from app.server.host import EngineHost, Job
from app.server.inbox import Inbox
from app.server.queue import Client
from app.server.refusal import RefusedError, refusal_of
from app.server.requests import Wish
from app.server.tools import CallReader

QUIET_S = 10.0
"""After so long without a word a stream begins all the same, so that clients and proxies do not give up."""
GATHER_S, WHOLE_GATHER_S = 0.05, 0.2
"""Tokens that come within this time travel together, in streams and where nobody reads along. What a piece costs on its
way, processor time of half a millisecond, the engine lacks; a small model takes ten for a token."""
_LOOK_S = 2.0
"""So often the clock is looked at, which takes longer gaps for sleep."""


class Answerer:
    """Sends one answer, whole or as a stream. Leaves the engine free, however it ends."""

    def __init__(self, host: EngineHost, wish: Wish, form: AnswerForm, client: Client, limits: Limits) -> None:
        self._host = host
        self._wish = wish
        self._form = form
        self._limits = limits
        self._inbox = Inbox(only_ending=not wish.streams)
        gather_s = GATHER_S if wish.streams else WHOLE_GATHER_S
        generate = msgspec.structs.replace(wish.generate, gather_s=gather_s)
        self._job = Job(client, generate, self._inbox.put, chooses_method=wish.chooses_method)
        self._reader = CallReader(wish.tools) if wish.tools is not None else None
        self._ended = False
        self._clock = AwakeClock()
        self._queued_at = self._clock.now()
        self._heard_at: float | None = None

    async def run(self, receive: Receive, send: Send) -> None:
        """Raises ``RefusedError`` where nothing was sent yet."""
        self._host.submit(self._job)
        work = asyncio.ensure_future(self._stream(send) if self._wish.streams else self._whole(send))
        gone = asyncio.ensure_future(_wait_for_going(receive))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                return
            work.result()
        finally:
            if not self._ended:
                self._host.cancel(self._job)
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    async def _next(self, patience_s: float = math.inf) -> list[AnyEvent]:
        """Chunks and the ending, as far as they have come; an empty list when nothing came within ``patience_s``.

        Raises ``RefusedError`` when the time for waiting or answering is over; a computer that slept meanwhile takes
        nothing from it.
        """
        asked_at = self._clock.now()
        while True:
            patience_left_s = asked_at + patience_s - self._clock.now()
            events = await self._inbox.take(max(0.0, min(self._left_s(), patience_left_s, _LOOK_S)))
            if self._heard_at is None and self._inbox.has_heard:
                self._heard_at = self._clock.now()
            if events:
                self._ended = not isinstance(events[-1], Chunk)
                return events
            if self._clock.now() >= asked_at + patience_s:
                return []

    def _left_s(self) -> float:
        """Seconds until the time for waiting or answering is over. Raises ``RefusedError`` when it is."""
        heard_at, now = self._heard_at, self._clock.now()
        limits = self._limits
        left = (self._queued_at + limits.wait_s if heard_at is None else heard_at + limits.answer_s) - now
        if left <= 0:
            words = "The request waited too long." if heard_at is None else "The answer took too long."
            raise RefusedError(503, f"{words} Try again later.", "timeout", retry_after_s=30)
        return left

    async def _whole(self, send: Send) -> None:
        [done] = await self._next()
        if isinstance(done, Failed):
            raise refusal_of(done)
        if not isinstance(done, Done):
            raise TypeError(type(done).__name__)
        content = done.text
        if self._reader is not None:
            content = self._reader.push(content) + self._reader.finish()
        body = self._form.whole(content, done, self._reader.calls if self._reader is not None else ())
        head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": body})

    async def _stream(self, send: Send) -> None:
        events = await self._next(QUIET_S)
        if events and isinstance(events[0], Failed):
            raise refusal_of(events[0])
        await send({"type": "http.response.start", "status": 200, "headers": [
            (b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache"),
        ]})
        lines = self._form.start()
        try:
            while not self._ended:
                lines += self._lines(events) if events else WAITING_LINE
                if lines:
                    await send({"type": "http.response.body", "body": lines, "more_body": True})
                lines = b""
                events = await self._next(QUIET_S)
            lines += self._lines(events) + self._last_lines(events[-1])
        except RefusedError as refused:
            lines = b"data: " + refused.body() + b"\n\n"
        await send({"type": "http.response.body", "body": lines, "more_body": False})

    def _lines(self, events: list[AnyEvent]) -> bytes:
        text = "".join(event.text for event in events if isinstance(event, Chunk))
        if self._reader is not None:
            text = self._reader.push(text)
        return self._form.piece(text) if text else b""

    def _last_lines(self, event: AnyEvent) -> bytes:
        if isinstance(event, Failed):
            return b"data: " + refusal_of(event).body() + b"\n\n"
        if not isinstance(event, Done):
            raise TypeError(type(event).__name__)
        calls = []
        lines = b""
        if self._reader is not None:
            rest = self._reader.finish()
            calls = self._reader.calls
            lines += self._form.piece(rest) if rest else b""
            lines += self._form.tool_calls(calls) if calls else b""
        return lines + self._form.end(event, calls, self._wish.wants_usage)


async def _wait_for_going(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

