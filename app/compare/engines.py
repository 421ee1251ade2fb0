"""The engines of a comparison: one worker for all setups, or one for each where memory allows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from app import protocol
from app.client.interface import EngineClient
from app.compare.side import ModelSetup
from app.errors import Code, SlipstreamError
from app.sentences import say


class WorkerClient(EngineClient, Protocol):
    """An ``EngineClient`` whose engine is a process of its own, such as ``ProcessClient``."""

    @property
    def pid(self) -> int | None: ...

    @property
    def ready(self) -> protocol.Ready | None: ...

    def kill(self) -> None: ...


class EnginePool:
    """Loads setups as they are asked for and ends all workers with ``close``.

    ``side_by_side`` keeps every setup loaded in a worker of its own; otherwise one worker holds one setup at a time and
    a change of setup is a reload. ``on_loading`` hears of every load before it begins. ``stop`` and ``kill`` may come
    from any thread and from signal handlers.
    """

    def __init__(
        self, make_client: Callable[[], WorkerClient], side_by_side: bool,
        on_loading: Callable[[ModelSetup], None] = lambda setup: None,
    ) -> None:
        self._make_client = make_client
        self._side_by_side = side_by_side
        self._on_loading = on_loading
        self._clients: dict[ModelSetup | None, WorkerClient] = {}
        self._loaded: dict[ModelSetup | None, ModelSetup] = {}
        self._stopped = threading.Event()
        self._engines: list[str] = []
        self.loads = 0
        """How many loads there were; another number means another, cold engine."""

    @property
    def engine(self) -> str:
        """What ran the models, or else what the workers say of themselves; "" before the first load."""
        own = next((client.ready.engine for client in self._clients.values() if client.ready), "")
        return ", ".join(self._engines) or own

    def pids(self) -> list[int]:
        return [pid for client in self._clients.values() if (pid := client.pid) is not None]

    def get(self, setup: ModelSetup) -> EngineClient:
        """The engine with ``setup`` loaded. Raises ``SlipstreamError`` where it cannot be loaded, ``ABORTED`` after
        ``stop``."""
        slot = setup if self._side_by_side else None
        client = self._clients.get(slot)
        if client is None:
            client = self._clients[slot] = self._make_client()
        if self._loaded.get(slot) != setup:
            self._loaded.pop(slot, None)
            self._check()
            self._on_loading(setup)
            self.loads += 1
            engine = client.load(setup.target, setup.load).engine
            if engine and engine not in self._engines:
                self._engines.append(engine)
            if setup.draft is not None:
                self._check()
                client.load_draft(setup.draft, setup.draft_load or setup.load)
            self._loaded[slot] = setup
        return client

    def lost(self, setup: ModelSetup) -> None:
        """The engine of ``setup`` died: the next ``get`` loads it again."""
        self._loaded.pop(setup if self._side_by_side else None, None)

    def _check(self) -> None:
        if self.stopped:
            raise SlipstreamError(Code.ABORTED, say("Stopped before the models were loaded."))

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """End what is running and begin nothing more."""
        self._stopped.set()
        for client in list(self._clients.values()):
            client.stop()

    def kill(self) -> None:
        for client in list(self._clients.values()):
            client.kill()

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
