"""What the worker says is taken in bursts, nothing of it is lost or late, and each request's listener hears its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app import protocol
from app.client.session import Outcome
from app.gui.controllers.worker_process import OnEvent, WorkerProcess
from app.protocol import AnyEvent, Chunk, Done, Generate, Load, Loaded, Tokens
from app.records import LoadSettings, Message
from tests.scripted_worker import scripted_worker_command

WAIT_MS = 15_000
MakeWorker = Callable[..., tuple[WorkerProcess, list[AnyEvent]]]


@pytest.fixture
def make_worker(qtbot: QtBot) -> Iterator[MakeWorker]:
    made: list[WorkerProcess] = []

    def make(*script: str) -> tuple[WorkerProcess, list[AnyEvent]]:
        worker = WorkerProcess(scripted_worker_command(*script))
        made.append(worker)
        events: list[AnyEvent] = []
        worker.send(Load(request_id=0, path="/models/a.gguf", settings=LoadSettings()), events.append)
        qtbot.waitUntil(lambda: any(isinstance(event, Loaded) for event in events), timeout=WAIT_MS)
        return worker, events

    yield make
    for worker in made:
        worker.close()
        worker.deleteLater()


class Owner(QObject):
    """Hears events as one who can be deleted."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[AnyEvent] = []

    def hear(self, event: AnyEvent) -> None:
        self.heard.append(event)


def ask(worker: WorkerProcess, on_event: OnEvent) -> int:
    return worker.send(Generate(request_id=0, messages=[Message(role="user", content="Hello")]), on_event)


def hold_up(worker: WorkerProcess) -> None:
    """As if the last burst had been dear and a moment ago."""
    worker._pacer._interval_ms, worker._pacer._begun_at = 60_000.0, worker._clock.now()


def test_a_stream_comes_in_bursts(make_worker: MakeWorker, qtbot: QtBot) -> None:
    worker, events = make_worker("--chunks", "120", "--delay-s", "0.008")
    bursts: list[int] = []
    take = worker._take

    def count(outcomes: Sequence[Outcome]) -> None:
        bursts.append(sum(isinstance(each, Chunk) for each in outcomes))
        take(outcomes)

    worker._take = count  # type: ignore[method-assign]
    ask(worker, events.append)
    qtbot.waitUntil(lambda: isinstance(events[-1], Done), timeout=WAIT_MS)
    chunks = [event for event in events if isinstance(event, Chunk)]
    assert len(chunks) == 120
    text = "".join(piece.text for chunk in chunks for piece in chunk.pieces)
    assert text.split() == [f"word{n}" for n in range(240)]
    assert sum(bursts) == 120
    # They are at least 34 ms apart, four chunks or more.
    assert sum(1 for burst in bursts if burst) <= 60


def test_what_is_held_up_comes_before_the_end_of_the_worker(make_worker: MakeWorker, qtbot: QtBot) -> None:
    worker, events = make_worker("--chunks", "5", "--die-after", "4", "--signal", "9")
    hold_up(worker)
    request_id = ask(worker, events.append)
    qtbot.waitUntil(lambda: any(isinstance(event, protocol.Failed) for event in events), timeout=WAIT_MS)
    mine = [event for event in events if event.request_id == request_id]
    assert sum(isinstance(event, Chunk) for event in mine) == 4
    assert isinstance(mine[-1], protocol.Failed)


def test_what_is_held_up_comes_while_the_program_ends(make_worker: MakeWorker) -> None:
    worker, events = make_worker()
    hold_up(worker)
    worker.send(protocol.Tokenize(request_id=0, text="abc"), events.append)
    worker.close(WAIT_MS)
    assert isinstance(events[-1], Tokens)


def test_each_request_is_heard_by_its_own_listener(make_worker: MakeWorker, qtbot: QtBot) -> None:
    worker, _ = make_worker("--chunks", "5")
    answer: list[AnyEvent] = []
    count: list[AnyEvent] = []
    ids = (ask(worker, answer.append), worker.send(protocol.Tokenize(request_id=0, text="abc"), count.append))
    worker.send(protocol.Devices(request_id=0))
    qtbot.waitUntil(lambda: bool(count), timeout=WAIT_MS)
    assert {event.request_id for event in answer} == {ids[0]}
    assert [type(event) for event in count] == [Tokens]
    assert count[0].request_id == ids[1]
    assert sum(isinstance(event, Chunk) for event in answer) == 5
    assert isinstance(answer[-1], Done)


def test_when_the_worker_dies_every_listener_hears_one_failure(make_worker: MakeWorker, qtbot: QtBot) -> None:
    worker, _ = make_worker("--chunks", "5", "--die-after", "2", "--signal", "9")
    first: list[AnyEvent] = []
    second: list[AnyEvent] = []
    ask(worker, first.append)
    worker.send(protocol.Tokenize(request_id=0, text="abc"), second.append)
    with qtbot.waitSignal(worker.died, timeout=WAIT_MS):
        pass
    assert [type(event) for event in first if protocol.is_ending(event)] == [protocol.Failed]
    assert sum(isinstance(event, Chunk) for event in first) == 2
    assert [type(event) for event in second] == [protocol.Failed]
    assert not worker._listeners


def test_who_is_gone_is_not_called_and_the_others_are(make_worker: MakeWorker, qtbot: QtBot) -> None:
    worker, _ = make_worker("--chunks", "5")
    gone, there = Owner(), Owner()
    ask(worker, gone.hear)
    worker.send(protocol.Tokenize(request_id=0, text="abc"), there.hear)
    shiboken6.delete(gone)
    qtbot.waitUntil(lambda: bool(there.heard), timeout=WAIT_MS)
    assert gone.heard == []


def test_a_mistake_of_one_listener_keeps_nothing_from_the_others(make_worker: MakeWorker, qtbot: QtBot) -> None:
    worker, _ = make_worker("--chunks", "1")
    hold_up(worker)
    count: list[AnyEvent] = []

    def stumble(event: AnyEvent) -> None:
        raise ZeroDivisionError(type(event).__name__)

    with qtbot.captureExceptions() as mistakes:
        ask(worker, stumble)
        worker.send(protocol.Tokenize(request_id=0, text="abc"), count.append)
        worker.close(WAIT_MS)
    assert [str(mistake[1]) for mistake in mistakes][-2:] == ["Chunk", "Done"]
    assert isinstance(count[-1], Tokens)
