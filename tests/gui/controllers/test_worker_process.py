"""What the worker says is taken in bursts, and nothing of it is lost or late."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from pytestqt.qtbot import QtBot

from app import protocol
from app.client.session import Outcome
from app.gui.controllers.worker_process import WorkerProcess
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
        worker.event_arrived.connect(events.append)
        worker.send(Load(request_id=0, path="/models/a.gguf", settings=LoadSettings()))
        qtbot.waitUntil(lambda: any(isinstance(event, Loaded) for event in events), timeout=WAIT_MS)
        return worker, events

    yield make
    for worker in made:
        worker.close()
        worker.deleteLater()


def ask(worker: WorkerProcess) -> int:
    return worker.send(Generate(request_id=0, messages=[Message(role="user", content="Hello")]))


def hold_up(worker: WorkerProcess) -> None:
    """As if the last burst had been dear and a moment ago."""
    worker._interval_ms, worker._read_at = 60_000.0, worker._clock.now()


def test_a_stream_comes_in_bursts(make_worker: MakeWorker, qtbot: QtBot) -> None:
    worker, events = make_worker("--chunks", "120", "--delay-s", "0.008")
    bursts: list[int] = []
    take = worker._take

    def count(outcomes: Sequence[Outcome]) -> None:
        bursts.append(sum(isinstance(each, Chunk) for each in outcomes))
        take(outcomes)

    worker._take = count  # type: ignore[method-assign]
    ask(worker)
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
    request_id = ask(worker)
    qtbot.waitUntil(lambda: any(isinstance(event, protocol.Failed) for event in events), timeout=WAIT_MS)
    mine = [event for event in events if event.request_id == request_id]
    assert sum(isinstance(event, Chunk) for event in mine) == 4
    assert isinstance(mine[-1], protocol.Failed)


def test_what_is_held_up_comes_while_the_program_ends(make_worker: MakeWorker) -> None:
    worker, events = make_worker()
    hold_up(worker)
    worker.send(protocol.Tokenize(request_id=0, text="abc"))
    worker.close(WAIT_MS)
    assert isinstance(events[-1], Tokens)
