"""What command line, comparison and server see of an engine, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from app import protocol
from app.records import LoadSettings

EventSink = Callable[[protocol.AnyEvent], None]
"""Receives progress events (``LoadProgress``, ``PrefillProgress``, ``Chunk``, ``Notice`` …) as they arrive."""

EndingT = TypeVar("EndingT", bound=protocol.Event)


def ignore_progress(event: protocol.AnyEvent) -> None:
    """An ``EventSink`` for callers that want the ending alone."""


class EngineClient(Protocol):
    """A running engine. Calls block until the command has ended.

    Every method raises ``SlipstreamError`` with the worker's code, message and hint when the command fails, also when
    the worker dies (``WORKER_DIED``) or misses the command's deadline (``WORKER_HUNG``); after a death the next
    ``load`` starts a new worker.
    """

    def load(self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress) -> protocol.Loaded: ...

    def load_draft(
        self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress
    ) -> protocol.Loaded: ...

    def unload_draft(self) -> None: ...

    def generate(
        self, request: protocol.Generate, on_progress: EventSink = ignore_progress
    ) -> protocol.Done:
        """``request.request_id`` is replaced by the client's own."""
        ...

    def score(self, request: protocol.Score, on_progress: EventSink = ignore_progress) -> protocol.Scores: ...

    def measure_exactness(self, on_progress: EventSink = ignore_progress) -> protocol.Exactness: ...

    def tokenize(self, text: str, add_special: bool = False) -> list[int]: ...

    def devices(self) -> list[protocol.Device]: ...

    def stop(self) -> None:
        """From any thread: end the running command."""
        ...

    def close(self) -> None:
        """End the worker; it is gone when this returns."""
        ...
