"""A worker without an engine: it speaks the worker's protocol and asks a server elsewhere.

So chat, comparison and command line do not know where the engine is: a target whose path begins with ``remote:`` is
loaded by a process of this kind instead of one that runs models.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from typing import BinaryIO

import msgspec

from app import __version__, protocol
from app.client.keys import KeyStore
from app.client.relay import take_over_stdio
from app.client.remote import RemoteClient
from app.client.remote_kinds import KINDS
from app.client.remote_paths import split_path
from app.client.worker_exit import fail
from app.errors import Code, SlipstreamError
from app.records import MemoryFigures
from app.sentences import say

KEY_VARIABLE = "SLIPSTREAM_REMOTE_KEY"
_EXIT_GRACE_S = 2.0


class RemoteSession:
    """Carries out commands one at a time; ``stop`` may come from another thread meanwhile."""

    def __init__(self, events: BinaryIO) -> None:
        self._events = events
        self._lock = threading.Lock()
        self._client: RemoteClient | None = None
        self._running = 0
        self._waiting: set[int] = set()
        self._stopped: set[int] = set()

    def send(self, event: protocol.Event) -> None:
        with self._lock:
            try:
                self._events.write(protocol.encode(event))
            except (BrokenPipeError, ValueError):
                return

    def announce(self, command: protocol.Command) -> None:
        self._waiting.add(command.request_id)

    def stop(self, command: protocol.Stop) -> None:
        client = self._client
        if command.target_id == self._running and client is not None:
            client.stop()
        elif command.target_id in self._waiting:
            self._stopped.add(command.target_id)
        self.send(protocol.Stopping(request_id=command.request_id, target_id=command.target_id))

    def carry_out(self, command: protocol.AnyCommand) -> None:
        """Exactly one ending event follows, whatever happens."""
        identity = command.request_id
        self._waiting.discard(identity)
        self._running = identity
        try:
            if identity in self._stopped:
                raise SlipstreamError(Code.ABORTED, say("It was stopped."), say("Start it again if you like."))
            ending = self._dispatch(command)
        except SlipstreamError as error:
            ending = fail(identity, error.code, error.message, error.hint)
        self._running = 0
        self.send(ending)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _dispatch(self, command: protocol.AnyCommand) -> protocol.Event:
        match command:
            case protocol.Load():
                return self._load(command)
            case protocol.Generate():
                return self._generate(command)
            case protocol.Unload() | protocol.UnloadDraft():
                return protocol.Unloaded(request_id=command.request_id, memory=MemoryFigures())
            case protocol.SetSpeculation():
                return protocol.SpeculationSet(request_id=command.request_id, method=command.method)
            case protocol.LoadDraft():
                raise SlipstreamError(
                    Code.DRAFT_LOAD_FAILED, say("A server elsewhere has its own draft, if any."),
                    say("Choose the draft where the server is started."),
                )
        raise SlipstreamError(
            Code.SETTINGS_INVALID, say("A server elsewhere cannot be asked that."),
            say("Use a model on this computer for it."),
        )

    def _load(self, command: protocol.Load) -> protocol.Loaded:
        self.close()
        kind, url, model = split_path(command.path)
        self._client = RemoteClient(url, _key_for(url), KINDS.get(kind, KINDS["openai"]), model)
        loaded = self._client.load(command.path, command.settings)
        return msgspec.structs.replace(loaded, request_id=command.request_id)

    def _generate(self, command: protocol.Generate) -> protocol.Done:
        if self._client is None:
            raise SlipstreamError(Code.NO_MODEL_LOADED, say("No model is loaded."), say("Choose a model first."))
        identity = command.request_id

        def pass_on(event: protocol.AnyEvent) -> None:
            self.send(msgspec.structs.replace(event, request_id=identity))

        return msgspec.structs.replace(self._client.generate(command, pass_on), request_id=identity)


def _key_for(url: str) -> str:
    """From the environment, else from the system's keyring; without either the server is asked without a key."""
    given = os.environ.get(KEY_VARIABLE, "")
    if given:
        return given
    try:
        return KeyStore().read(url)
    except SlipstreamError:
        return ""


def main() -> int:
    """Run until stdin closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    events_out, commands_in = take_over_stdio()
    session = RemoteSession(events_out)
    session.send(protocol.Ready(
        request_id=0, protocol_version=protocol.PROTOCOL_VERSION, program_version=__version__,
        engine="a server elsewhere", pid=os.getpid(),
    ))
    todo: queue.SimpleQueue[protocol.AnyCommand | None] = queue.SimpleQueue()
    threading.Thread(target=_read_commands, args=(commands_in, session, todo), daemon=True).start()
    while (command := todo.get()) is not None:
        session.carry_out(command)
    session.close()
    return 0


def _read_commands(
    stream: BinaryIO, session: RemoteSession, todo: queue.SimpleQueue[protocol.AnyCommand | None]
) -> None:
    buffer = bytearray()
    while data := stream.read(65536):
        buffer += data
        *lines, rest = buffer.split(b"\n")
        buffer = bytearray(rest)
        for line in lines:
            try:
                command = protocol.decode_command(bytes(line))
            except protocol.ProtocolError as error:
                sys.stderr.write(f"ignored a line that is no command: {error}\n")
                continue
            if isinstance(command, protocol.Stop):
                session.stop(command)
            else:
                session.announce(command)
                todo.put(command)
    session.close()
    todo.put(None)
    timer = threading.Timer(_EXIT_GRACE_S, os._exit, args=(0,))
    timer.daemon = True
    timer.start()
