"""A worker that is no process: what it is sent stands in a list, and it says what a test has it say.

The one place that knows how controllers hear of events: by the listener that came with the command.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import msgspec
from PySide6.QtCore import QObject, Signal

from app import protocol
from app.errors import Code
from app.gui.controllers.engine import EngineController, EngineState, Wanted
from app.gui.controllers.worker_process import WorkerProcess
from app.protocol import AnyCommand, AnyEvent, Event, Generate, Load, LoadDraft
from app.records import LoadSettings, MemoryFigures, ModelFacts
from tests.fakes import make_done

CommandT = TypeVar("CommandT", bound=AnyCommand)
TARGET, DRAFT = "/models/target.gguf", "/models/draft.gguf"
CTX_TOKENS = 4096


class FakeWorker(QObject):
    burst_over = Signal()
    died = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[AnyCommand] = []
        """Every command, with the id that it was given."""
        self.is_running = True
        self.pid = 1
        self.closed_ms = -1
        self.ends = 0
        self._listeners: dict[int, Callable[[AnyEvent], None]] = {}

    def send(self, command: AnyCommand, on_event: Callable[[AnyEvent], None] | None = None) -> int:
        number = len(self.sent) + 1
        self.sent.append(msgspec.structs.replace(command, request_id=number))
        if on_event is not None:
            self._listeners[number] = on_event
        return number

    def end(self) -> None:
        self.ends += 1

    def close(self, patience_ms: int = 0) -> None:
        self.closed_ms = patience_ms

    def last(self, kind: type[CommandT]) -> CommandT:
        """The newest command of this kind."""
        return [command for command in self.sent if isinstance(command, kind)][-1]

    def count(self, kind: type[AnyCommand]) -> int:
        return sum(isinstance(command, kind) for command in self.sent)

    def say(self, to: AnyCommand, event: Event) -> None:
        """Have ``event`` arrive, a burst by itself, as what follows from the command ``to``."""
        told = msgspec.structs.replace(event, request_id=to.request_id)
        listener = self._listeners.get(to.request_id)
        if protocol.is_ending(cast(AnyEvent, told)):
            self._listeners.pop(to.request_id, None)
        if listener is not None:
            listener(cast(AnyEvent, told))
        self.burst_over.emit()

    def say_loaded(self, ctx_tokens: int = CTX_TOKENS) -> None:
        """The load that was asked for last has ended well."""
        command = [each for each in self.sent if isinstance(each, Load | LoadDraft)][-1]
        facts = ModelFacts(
            path="/elsewhere", name=command.path.rpartition("/")[2], architecture="fake", description="fake",
            parameters=1, size_bytes=1, ctx_tokens=ctx_tokens, ctx_train_tokens=ctx_tokens, vocab_size=1000,
            has_chat_template=True,
        )
        loaded = protocol.Loaded(request_id=0, facts=facts, memory=MemoryFigures(), load_s=0.0,
                                 engine_sentence="llama.cpp, the only one.")
        self.say(command, loaded)

    def say_done(self, tokens: int = 4, **changed: object) -> None:
        """The answer that was asked for last is whole."""
        self.say(self.last(Generate), msgspec.structs.replace(make_done(list(range(tokens)), 20.0), **changed))

    def say_failed(self, to: AnyCommand, code: Code = Code.DECODE_FAILED, message: str = "It broke.") -> None:
        self.say(to, protocol.Failed(request_id=0, code=str(code), message=message, hint="Try again."))

    def die(self) -> None:
        self.is_running = False
        self.died.emit()


def as_worker(fake: FakeWorker) -> WorkerProcess:
    """Controllers need no more of a worker than the fake has."""
    return cast(WorkerProcess, fake)


def make_engine(fake: FakeWorker) -> EngineController:
    return EngineController(as_worker(fake))


def wanted(target: str = TARGET, draft: str = "", **settings: int) -> Wanted:
    return Wanted(target, draft, LoadSettings(**settings))  # type: ignore[arg-type]


def make_ready(fake: FakeWorker, engine: EngineController, draft: str = "") -> None:
    """Have the pair loaded."""
    engine.select(wanted(draft=draft))
    fake.say_loaded()
    if draft:
        fake.say_loaded()
    assert engine.state is EngineState.READY


def ask(engine: EngineController, request: Generate | None = None, chat: str = "") -> list[AnyEvent]:
    """Have something answered; what is heard of it comes into the list."""
    heard: list[AnyEvent] = []
    question = request or Generate(request_id=0, prompt="Hello")
    engine.generate(question, heard.append, chat)
    return heard
