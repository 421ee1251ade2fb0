"""One clock for all that a stream makes the window draw."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.gui.controllers.pacer import Pacer
from app.protocol import Chunk
from app.records import Piece
from devtools.window.quiet_worker import QuietWorker
from tests.gui.conftest import MakeProgram

WAIT_MS = 15_000


def test_what_comes_first_is_taken_at_once_and_a_stream_is_held_up(qtbot: QtBot) -> None:
    pacer = Pacer()
    due: list[bool] = []
    pacer.due.connect(lambda: due.append(True))
    pacer.ask()
    assert len(due) == 1
    pacer.begin()
    for _ in range(5):
        pacer.ask()
    qtbot.waitUntil(lambda: len(due) > 1, timeout=WAIT_MS)
    assert len(due) == 2


def test_nothing_is_due_once_it_is_stopped(qtbot: QtBot) -> None:
    pacer = Pacer()
    due: list[bool] = []
    pacer.due.connect(lambda: due.append(True))
    pacer.begin()
    pacer.ask()
    pacer.stop()
    qtbot.wait(300)
    assert due == []


def test_a_burst_of_chunks_is_drawn_once(make_program: MakeProgram, qtbot: QtBot) -> None:
    worker = QuietWorker()
    program = make_program(load=False, worker=worker)
    program.pairs.use("/models/a.gguf", "")
    worker.finish_load()
    program.chat.send("Hello")
    drawn: list[str] = []
    program.chat.answer_changed.connect(lambda answer: drawn.append(answer.text))
    answer = program.window.page.transcript.answers[-1]
    renders = answer.body.renders
    worker._take([Chunk(request_id=worker.last_id, pieces=[Piece(text=f"word{n} ")], emitted_tokens=n + 1)
                  for n in range(20)])
    assert len(drawn) == 1
    assert answer.body.renders == renders + 1
    assert "word19" in answer.body.toPlainText()
