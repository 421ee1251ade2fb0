"""Events of the engine's thread for a task of the server's loop, a handful at a time."""

from __future__ import annotations

import asyncio
from collections import deque

from app.protocol import AnyEvent, Chunk, Done, Failed

GATHER_S = 0.04
"""What comes within this time travels together. Waking the loop, sending and reading a piece of an answer cost
processor time that the engine lacks: half a millisecond for each token, where a small model takes ten."""


class Inbox:
    """``put`` from the engine's thread, ``take`` in the loop. The first event and the ending never wait."""

    def __init__(self, only_ending: bool = False, gather_s: float = GATHER_S) -> None:
        """``only_ending``: nobody reads along, so what comes before the end is not kept."""
        self._loop = asyncio.get_running_loop()
        self._only_ending = only_ending
        self._gather_s = gather_s
        self._events: deque[AnyEvent] = deque()
        self._woken = asyncio.Event()
        self._is_awaited = False
        self._taken_at = self._loop.time() - gather_s
        self.has_heard = False
        """Whether the engine has said anything, progress included."""
        self._has_ended = False

    def put(self, event: AnyEvent) -> None:
        """From one other thread; nothing may follow an ending."""
        self.has_heard = True
        ends = isinstance(event, Done | Failed)
        if not ends and (self._only_ending or not isinstance(event, Chunk)):
            return
        self._events.append(event)
        if ends:
            self._has_ended = True
        if ends or self._is_awaited:
            self._is_awaited = False
            self._loop.call_soon_threadsafe(self._woken.set)

    async def take(self, seconds: float) -> list[AnyEvent]:
        """All chunks, and the ending, that have come; an empty list where there were none for ``seconds``."""
        left = self._taken_at + self._gather_s - self._loop.time()
        if left > 0:
            await self._wait(left)
        if not self._events:
            self._woken.clear()
            self._is_awaited = True
            if not self._events:  # else one came before it could know that it is awaited
                await self._wait(seconds, clears=False)
            self._is_awaited = False
        self._taken_at = self._loop.time()
        return [self._events.popleft() for _ in range(len(self._events))]

    async def _wait(self, seconds: float, clears: bool = True) -> None:
        """Until it is woken or ``seconds`` are over."""
        if clears:
            self._woken.clear()
        if self._has_ended:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return
