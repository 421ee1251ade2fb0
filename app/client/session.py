"""The client's end of the protocol as a pure state machine: bytes in, events out.

It does no input or output and has no clock: callers pass the time, in seconds of any steady clock. The window drives it
from ``QProcess``, everything else from ``subprocess``. Whatever the worker does, every started command ends in exactly
one ending event.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

import msgspec

from app import protocol
from app.client.worker_exit import WorkerExit, describe_exit, fail, is_fault, native_words
from app.errors import Code
from app.protocol import AnyCommand, AnyEvent, Failed
from app.sentences import say

_log = logging.getLogger("slipstream.client")
_MOST_GARBAGE_LOGGED = 20

HANDSHAKE_S = 90.0
STOP_S = 15.0
WRITING_STOP_S = 900.0
"""The same for a command that may be writing a model file, which cannot be interrupted."""

_SILENCE_S: dict[type[protocol.Command], float] = {
    protocol.Load: 600.0,
    protocol.LoadDraft: 600.0,
    protocol.Unload: 60.0,
    protocol.UnloadDraft: 60.0,
    protocol.Generate: 900.0,
    protocol.Stop: STOP_S,
    protocol.Skip: 60.0,
    protocol.SetSpeculation: 60.0,
    protocol.Tokenize: 60.0,
    protocol.RenderTemplate: 30.0,
    protocol.Score: 900.0,
    protocol.MeasureExactness: 900.0,
    protocol.Devices: 60.0,
    protocol.Estimate: 60.0,
    protocol.SaveState: 300.0,
    protocol.RestoreState: 300.0,
    protocol.Prepare: 1800.0,
}
_SCORE_TOKEN_S = 2.0

_ENDINGS: dict[type[protocol.Command], type[protocol.Event]] = {
    protocol.Load: protocol.Loaded,
    protocol.LoadDraft: protocol.Loaded,
    protocol.Unload: protocol.Unloaded,
    protocol.UnloadDraft: protocol.Unloaded,
    protocol.Generate: protocol.Done,
    protocol.Stop: protocol.Stopping,
    protocol.Skip: protocol.Skipping,
    protocol.SetSpeculation: protocol.SpeculationSet,
    protocol.Tokenize: protocol.Tokens,
    protocol.RenderTemplate: protocol.Rendered,
    protocol.Score: protocol.Scores,
    protocol.MeasureExactness: protocol.Exactness,
    protocol.Devices: protocol.DeviceList,
    protocol.Estimate: protocol.Estimated,
    protocol.SaveState: protocol.StateSaved,
    protocol.RestoreState: protocol.StateRestored,
    protocol.Prepare: protocol.Prepared,
}


@dataclass(frozen=True)
class KillWorker:
    """The worker can no longer be trusted: kill it. Its commands have been failed already."""

    reason: str


Outcome = AnyEvent | KillWorker


class Started(NamedTuple):
    """The id a command got, and the line to write to the worker's stdin (empty when there is no worker to tell)."""

    request_id: int
    line: bytes


class _State(Enum):
    DOWN = auto()
    STARTING = auto()
    READY = auto()
    DOOMED = auto()


class _Waiting:
    """A command that has not ended. ``must_end_at`` is a deadline that signs of life do not push on."""

    def __init__(self, command: AnyCommand, must_end_at: float | None = None) -> None:
        self.command = command
        self.must_end_at = must_end_at


class ClientSession:
    """Commands to lines, lines to events, silence and death to ``Failed``.

    Use: ``worker_started`` when a process was launched, ``start_command`` for each command, ``feed`` with all that
    arrives on its stdout, ``tick`` a few times a second, ``exited`` when it is gone. Request ids go on over restarts.

    Deadlines: the worker answers commands one after the other, so while it is silent it is given the longest patience
    that any waiting command asks for; every event is a sign of life and starts that anew. ``Stop`` and the command it
    stops have a deadline of their own that only their end can meet.
    """

    def __init__(self, max_line_bytes: int = protocol.MAX_LINE_BYTES) -> None:
        self._state = _State.DOWN
        self._max_line_bytes = max_line_bytes
        self._buffer = bytearray()
        self._searched = 0
        self._waiting: dict[int, _Waiting] = {}
        self._undelivered: list[AnyEvent] = []
        self._last_id = 0
        self._last_sign_of_life = 0.0
        self._garbage = 0
        self._doom = (Code.WORKER_DIED, "", "")
        self._second_engine_path = ""
        """What the worker runs in the second engine."""
        self._crashed_path = ""

    @property
    def is_running(self) -> bool:
        """Whether commands reach a worker: it was started and has neither ended nor been given up."""
        return self._state in (_State.STARTING, _State.READY)

    @property
    def is_ready(self) -> bool:
        """Whether the worker has said ``Ready`` in a version we speak."""
        return self._state is _State.READY

    @property
    def outstanding(self) -> list[int]:
        """Ids of commands whose ending has not been delivered yet, oldest first."""
        return sorted([*self._waiting, *(event.request_id for event in self._undelivered)])

    def worker_started(self, now: float) -> None:
        """A new process was launched; it has ``HANDSHAKE_S`` to say ``Ready``. Only after ``exited`` or at first."""
        if self._state is not _State.DOWN:
            raise RuntimeError("the last worker has not been reported as exited")
        self._state = _State.STARTING
        self._buffer.clear()
        self._searched = 0
        self._garbage = 0
        self._last_sign_of_life = now

    def start_command(self, command: AnyCommand, now: float) -> Started:
        """Give ``command`` an id (whatever it had) and make its line.

        With no worker to tell, the line is empty and the ``Failed`` comes with the next ``feed``, ``tick`` or
        ``exited``.
        """
        self._last_id += 1
        request_id = self._last_id
        command = msgspec.structs.replace(command, request_id=request_id)
        if isinstance(command, protocol.Load) and command.path == self._crashed_path:
            command = msgspec.structs.replace(command, engine_failed=True)
        if self._state is _State.DOWN:
            self._undelivered.append(
                fail(request_id, Code.WORKER_DIED, say("The engine is not running."), say("Load the model again."))
            )
            return Started(request_id, b"")
        if self._state is _State.DOOMED:
            self._undelivered.append(fail(request_id, *self._doom))
            return Started(request_id, b"")
        line = protocol.encode(command)
        if len(line) > self._max_line_bytes:
            self._undelivered.append(
                fail(
                    request_id, Code.PROTOCOL, say("The text is too long to be sent to the engine."),
                    say("Send less at once."),
                )
            )
            return Started(request_id, b"")
        if self.is_ready and not self._waiting:
            # Silence before anything was asked is no sign of trouble.
            self._last_sign_of_life = now
        waiting = _Waiting(command)
        if isinstance(command, protocol.Stop):
            waiting.must_end_at = now + STOP_S
            stopped = self._waiting.get(command.target_id)
            if stopped is not None and stopped.must_end_at is None:
                stopped.must_end_at = now + _stop_s(stopped.command)
        self._waiting[request_id] = waiting
        return Started(request_id, line)

    def feed(self, data: bytes, now: float) -> list[Outcome]:
        """All events whose lines are complete with ``data``; lines that are no events are logged and dropped."""
        outcomes: list[Outcome] = [*self._take_undelivered()]
        if not self.is_running:
            return outcomes
        self._buffer += data
        while self.is_running:
            end = self._buffer.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._buffer)
                break
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._searched = 0
            if len(line) > self._max_line_bytes:
                outcomes += self._doom_overlong()
            elif line.strip():
                outcomes += self._read_line(line, now)
        if self.is_running and len(self._buffer) > self._max_line_bytes:
            outcomes += self._doom_overlong()
        return outcomes

    def tick(self, now: float) -> list[Outcome]:
        """What time alone brings: the end of patience with a silent worker."""
        outcomes: list[Outcome] = [*self._take_undelivered()]
        if self._state is _State.STARTING and now >= self._last_sign_of_life + HANDSHAKE_S:
            outcomes += self._give_up(
                Code.WORKER_HUNG, say("The engine did not come up in time, so it was ended."),
                say("Try again; restart the computer if it stays so."),
            )
        elif self._state is _State.READY and self._waiting:
            outcomes += self._check_patience(now)
        return outcomes

    def exited(self, exit_: WorkerExit, now: float) -> list[AnyEvent]:
        """The process is gone (feed what it had written first): every waiting command fails, in words."""
        events = self._take_undelivered()
        was_ready = self._state in (_State.READY, _State.DOOMED)
        code, message, hint = describe_exit(exit_, was_ready)
        if is_fault(exit_):
            self._crashed_path = self._second_engine_path
        self._second_engine_path = ""
        if self._state is not _State.DOOMED and (exit_.status != 0 or self._waiting):
            words = "".join(f"\n    {line}" for line in native_words(exit_.stderr_tail))
            _log.warning("worker ended (%s): %s%s", code, message, words)
        events += self._fail_all(code, message, hint)
        self._go_down()
        return events

    def start_failed(self, reason: str, now: float) -> list[AnyEvent]:
        """The process could not even be launched; ``reason`` is the system's own sentence."""
        events = self._take_undelivered()
        events += self._fail_all(
            Code.WORKER_START_FAILED, say("The engine could not be started: {reason}.", reason=reason),
            say("Install the program again."),
        )
        self._go_down()
        return events

    def _go_down(self) -> None:
        self._state = _State.DOWN
        self._buffer.clear()
        self._searched = 0

    def _read_line(self, line: bytes, now: float) -> list[Outcome]:
        try:
            event = protocol.decode_event(line)
        except protocol.ProtocolError as error:
            self._drop(line, str(error))
            return []
        if self._state is _State.STARTING:
            if isinstance(event, protocol.Ready):
                return self._shake_hands(event, now)
            self._drop(line, "came before the handshake")
            return []
        self._last_sign_of_life = now
        waiting = self._waiting.get(event.request_id)
        if waiting is None:
            _log.debug("dropped %s for unknown command %d", type(event).__name__, event.request_id)
            return []
        if not protocol.is_ending(event):
            return [event]
        del self._waiting[event.request_id]
        if isinstance(waiting.command, protocol.Load):
            in_second = isinstance(event, protocol.Loaded) and event.engine.startswith("ik-")
            self._second_engine_path = waiting.command.path if in_second else ""
        if isinstance(event, Failed | _ENDINGS[type(waiting.command)]):
            return [event]
        return [
            fail(
                event.request_id, Code.PROTOCOL,
                say(
                    "The engine answered with “{name}”, which is no answer to this command.", name=type(event).__name__
                ),
                say("Install the program again: its parts do not fit each other."),
            )
        ]

    def _shake_hands(self, ready: protocol.Ready, now: float) -> list[Outcome]:
        if ready.protocol_version != protocol.PROTOCOL_VERSION:
            return self._give_up(
                Code.PROTOCOL,
                say(
                    "The engine speaks version {theirs} of the protocol and this program speaks version {ours}.",
                    theirs=ready.protocol_version, ours=protocol.PROTOCOL_VERSION,
                ),
                say("Install the program again: its parts do not fit each other."),
            )
        self._state = _State.READY
        self._last_sign_of_life = now
        for waiting in self._waiting.values():
            if waiting.must_end_at is not None:
                waiting.must_end_at = now + _stop_s(waiting.command)
        return [ready]

    def _check_patience(self, now: float) -> list[Outcome]:
        fixed = [w.must_end_at for w in self._waiting.values() if w.must_end_at is not None]
        if fixed and now >= min(fixed):
            return self._give_up(
                Code.WORKER_HUNG, say("The engine did not stop when it was told to, so it was ended."),
                say("Load the model again."),
            )
        patience = [_patience_s(w.command) for w in self._waiting.values() if w.must_end_at is None]
        if patience and now >= self._last_sign_of_life + max(patience):
            return self._give_up(
                Code.WORKER_HUNG,
                say(
                    "The engine gave no sign of life for {seconds} seconds, so it was ended.",
                    seconds=f"{max(patience):.0f}",
                ),
                say("Load the model again."),
            )
        return []

    def _doom_overlong(self) -> list[Outcome]:
        return self._give_up(
            Code.PROTOCOL, say("The engine sent a line that is too long to be an answer, so it was ended."),
            say("Load the model again."),
        )

    def _give_up(self, code: Code, message: str, hint: str) -> list[Outcome]:
        self._state = _State.DOOMED
        self._doom = (code, message, hint)
        self._buffer.clear()
        self._searched = 0
        _log.warning("worker given up: %s", message)
        return [*self._fail_all(code, message, hint), KillWorker(message)]

    def _fail_all(self, code: Code, message: str, hint: str) -> list[AnyEvent]:
        failed: list[AnyEvent] = [fail(request_id, code, message, hint) for request_id in self._waiting]
        self._waiting.clear()
        return failed

    def _take_undelivered(self) -> list[AnyEvent]:
        taken, self._undelivered = self._undelivered, []
        return taken

    def _drop(self, line: bytes, reason: str) -> None:
        self._garbage += 1
        if self._garbage <= _MOST_GARBAGE_LOGGED:
            # What it says may be a piece of an answer, which no log may hold.
            _log.warning("dropped a line of %d bytes from the worker (%s)", len(line), reason[:200])


def _stop_s(command: AnyCommand) -> float:
    return WRITING_STOP_S if isinstance(command, protocol.Prepare) else STOP_S


def _patience_s(command: AnyCommand) -> float:
    patience = _SILENCE_S[type(command)]
    if isinstance(command, protocol.Score):
        # Scores come one token at a time and without progress events.
        patience += _SCORE_TOKEN_S * len(command.token_ids)
    return patience
