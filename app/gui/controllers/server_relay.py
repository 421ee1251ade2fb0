"""Between the server's process and the window's worker: one engine, one copy of the weights, two that ask it.

The server speaks the worker's protocol with us as if we were a worker. Its answers wait their turn behind the chat's,
and the chat's behind its.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QObject

from app import __version__, protocol
from app.client.worker_exit import fail
from app.errors import Code, SlipstreamError
from app.gui.controllers.engine import EngineController, EngineState
from app.gui.controllers.worker_process import WorkerProcess
from app.methods import parse_method
from app.records import MemoryFigures


class ServerRelay(QObject):
    """``write`` sends a line to the server, ``method`` says how its answers are to speculate. Takes the server's lines
    by ``feed``."""

    def __init__(self, worker: WorkerProcess, engine: EngineController, write: Callable[[bytes], None],
                 method: Callable[[], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._engine, self._write, self._method = worker, engine, write, method
        self._buffer = bytearray()
        self._ids: dict[int, int] = {}
        """The worker's ids of commands that run → the server's."""
        self._asking: list[int] = []
        """Commands of the server that wait for a model."""
        engine.state_changed.connect(self._tell_waiting)

    def greet(self) -> None:
        """What a worker says first."""
        self._send(protocol.Ready(
            request_id=0, protocol_version=protocol.PROTOCOL_VERSION, program_version=__version__,
            engine="the window's", pid=0,
        ))

    def feed(self, data: bytes) -> None:
        """What the server wrote; lines that are no commands are dropped."""
        self._buffer += data
        *lines, rest = self._buffer.split(b"\n")
        self._buffer = bytearray(rest)
        for line in lines:
            try:
                command = protocol.decode_command(bytes(line))
            except protocol.ProtocolError:
                continue
            self._obey(command)

    def close(self) -> None:
        """The server is gone: end what runs for it."""
        for worker_id in list(self._ids):
            self._worker.send(protocol.Stop(request_id=0, target_id=worker_id))
        self._ids.clear()
        self._asking.clear()
        self._buffer.clear()

    def _obey(self, command: protocol.AnyCommand) -> None:
        if isinstance(command, protocol.Load):
            self._asking.append(command.request_id)
            if self._engine.state is EngineState.DOWN:
                self._engine.start_again()
            self._tell_waiting()
        elif isinstance(command, protocol.Generate):
            self._generate(command)
        elif isinstance(command, protocol.Stop):
            self._stop(command)
        else:
            self._send(fail(command.request_id, Code.PROTOCOL, "The window does not do that for the server."))

    def _generate(self, command: protocol.Generate) -> None:
        if self._engine.target is None or not self._worker.is_running:
            self._send(_no_model(command.request_id))
            return
        if self._engine.draft is None and _needs_draft(command.method):
            command = msgspec.structs.replace(command, method="auto")
        self._ids[self._worker.send(command, self._pass_on)] = command.request_id

    def _stop(self, command: protocol.Stop) -> None:
        for worker_id, server_id in self._ids.items():
            if server_id == command.target_id:
                self._worker.send(protocol.Stop(request_id=0, target_id=worker_id))
        self._send(protocol.Stopping(request_id=command.request_id, target_id=command.target_id))

    def _tell_waiting(self) -> None:
        """Answer the server's question what is loaded, once that is decided."""
        if self._engine.is_loading or not self._asking:
            return
        asking, self._asking = self._asking, []
        for request_id in asking:
            target = self._engine.target
            self._send(
                _no_model(request_id) if target is None
                else protocol.Loaded(request_id=request_id, facts=target, memory=MemoryFigures(), load_s=0.0,
                                     method=self._method())
            )

    def _pass_on(self, event: protocol.AnyEvent) -> None:
        find = self._ids.pop if protocol.is_ending(event) else self._ids.get
        server_id = find(event.request_id, None)
        if server_id is not None:  # else the server it was for is gone
            self._send(msgspec.structs.replace(event, request_id=server_id))

    def _send(self, event: protocol.Event) -> None:
        self._write(protocol.encode(event))


def _needs_draft(method: str) -> bool:
    try:
        return parse_method(method).needs_draft
    except SlipstreamError:
        return False


def _no_model(request_id: int) -> protocol.Failed:
    return fail(request_id, Code.NO_MODEL_LOADED, "No model is loaded in the window.", "Choose a model there.")
