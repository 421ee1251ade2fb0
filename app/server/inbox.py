"""Events of the engine's thread for a task of the server's loop."""

from __future__ import annotations

import asyncio
from collections import deque

from app.protocol import AnyEvent, Chunk, Done, Failed


class Inbox:
    """``put`` from the engine's thread, ``take`` in the loop, which is woken only while it waits.

    Lighter than a queue with a time-out, which makes a task for each event: what the server takes of the processor, the
    engine lacks.
    """

    def __init__(self, only_ending: bool = False) -> None:
        """``only_ending``: nobody reads along, so what comes before the end is not kept."""
        self._loop = asyncio.get_running_loop()
        self._only_ending = only_ending
        self._events: deque[AnyEvent] = deque()
        self._woken = asyncio.Event()
        self._is_awaited = False
        self.has_heard = False
        """Whether the engine has said anything, progress included."""

    def put(self, event: AnyEvent) -> None:
        """From one other thread; nothing may follow an ending."""
        self.has_heard = True
        ends = isinstance(event, Done | Failed)
        if not ends and (self._only_ending or not isinstance(event, Chunk)):
            return
        self._events.append(event)
        if self._is_awaited:
            self._is_awaited = False
            self._loop.call_soon_threadsafe(self._woken.set)

    async def take(self, seconds: float) -> list[AnyEvent]:
        """All chunks, and the ending, that have come; an empty list where there were none for ``seconds``."""
        if not self._events:
            self._woken.clear()
            self._is_awaited = True
            if not self._events:  # else one came before it could know that it is awaited
                await self._wait(seconds)
            self._is_awaited = False
        return [self._events.popleft() for _ in range(len(self._events))]

    async def _wait(self, seconds: float) -> None:
        """Until it is woken or ``seconds`` are over."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return
