"""The server as it runs: uvicorn around the application, the engine's thread beside it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable

import uvicorn

from app.errors import Code, SlipstreamError
from app.sentences import say
from app.server.access import Access, Limits
from app.server.application import Log, Service
from app.server.connection import watched_connection
from app.server.host import EngineHost

_END_S = 3
_log = logging.getLogger("slipstream.server")


def listen(access: Access) -> socket.socket:
    """A listening socket. Raises ``SlipstreamError`` (``NETWORK``) where the address cannot be had."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            access.host or None, access.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise _cannot_listen(access, error) from error
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise _cannot_listen(access, error) from error
    return listener


def _cannot_listen(access: Access, error: OSError) -> SlipstreamError:
    return SlipstreamError(
        Code.NETWORK,
        say(
            "The server cannot listen on {host} port {port}: {reason}.",
            host=access.host, port=access.port, reason=error.strerror or error,
        ),
        say("Another program may use that port: choose another one."),
    )


class RunningServer:
    """Serves on a listening socket until ``stop``."""

    def __init__(
        self, host: EngineHost, access: Access, limits: Limits, listener: socket.socket,
        log: Log = lambda line: None,
    ) -> None:
        self._host = host
        self._listener = listener
        config = uvicorn.Config(
            Service(host, access, limits, log).application(), http=watched_connection(limits), ws="none",
            lifespan="off", log_config=None, access_log=False, server_header=False, proxy_headers=False, loop="asyncio",
            limit_concurrency=limits.connections, h11_max_incomplete_event_size=limits.header_bytes,
            timeout_keep_alive=int(limits.header_s), timeout_graceful_shutdown=_END_S,
        )
        self._server = _Uvicorn(config)

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def stop(self) -> None:
        """From any thread, also in a signal handler: take nothing more, end what runs."""
        self._server.should_exit = True

    def run(self, on_listening: Callable[[], None] = lambda: None) -> None:
        """Serve until ``stop`` is called. The engine's thread is gone when this returns."""
        self._host.start()
        try:
            on_listening()
            asyncio.run(self._serve())
        finally:
            self._host.close()
            self._listener.close()

    async def _serve(self) -> None:
        ending = asyncio.ensure_future(self._end_answers())
        try:
            await self._server.serve(sockets=[self._listener])
        finally:
            ending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ending

    async def _end_answers(self) -> None:
        """On ``stop``, running answers end too; uvicorn would wait for them."""
        while not self._server.should_exit:
            await asyncio.sleep(0.1)
        self._host.close_queue()


class _Uvicorn(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        """Signals are the command's business; ours may run in any thread."""
        yield


def end_by_signals(stop: Callable[[], None]) -> None:
    """SIGINT and SIGTERM end the server. Main thread only."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop())
