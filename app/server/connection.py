"""One connection: uvicorn's, with an eye on those who are slow on purpose."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from app.client.clock import AwakeClock
from app.server.access import Limits

_LOOK_S = 1.0
_LONGEST_GAP_S = 2.0
"""Whoever did not look for longer than this was asleep or stopped: that is not the other side's slowness."""


def watched_connection(limits: Limits) -> type[asyncio.Protocol]:
    """A connection class for uvicorn that ends what dawdles.

    uvicorn itself waits for ever for the head of a request, and for a reader that takes nothing more (also after it has
    closed the connection on its side).
    """

    class WatchedConnection(H11Protocol):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._look: asyncio.TimerHandle | None = None
            self._clock = AwakeClock(self.loop.time, _LONGEST_GAP_S)
            self._head_since: float | None = None
            self._stuck_since: float | None = None
            self._stuck_bytes = 0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._head_since = self._clock.now()
            self._look = self.loop.call_later(_LOOK_S, self._look_after)

        def connection_lost(self, exc: Exception | None) -> None:
            if self._look is not None:
                self._look.cancel()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._is_answering():
                self._head_since = None
            elif self._head_since is None:
                self._head_since = self._clock.now()

        def _is_answering(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _look_after(self) -> None:
            now, waiting = self._clock.now(), self.transport.get_write_buffer_size()
            if self._is_answering():
                self._head_since = None
            if waiting == 0 or waiting < self._stuck_bytes:
                self._stuck_since = None
            elif self._stuck_since is None:
                self._stuck_since = now
            self._stuck_bytes = waiting
            late = self._head_since is not None and now > self._head_since + limits.header_s
            stuck = self._stuck_since is not None and now > self._stuck_since + limits.write_s
            if late or stuck:
                self.transport.abort()
            else:
                self._look = self.loop.call_later(_LOOK_S, self._look_after)

    return WatchedConnection
