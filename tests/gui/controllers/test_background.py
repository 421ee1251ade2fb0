from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.errors import Code, SlipstreamError
from app.gui.controllers.background import Background


@pytest.fixture
def background(qapp: QApplication) -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


def raise_failure() -> None:
    raise SlipstreamError(Code.FILE, "It is gone.")


def raise_refusal() -> None:
    raise PermissionError(13, "Permission denied")


def test_work_is_done_elsewhere_in_order_and_told_here(background: Background, qtbot: QtBot) -> None:
    threads: list[threading.Thread] = []
    told: list[tuple[object, bool]] = []

    def work(number: int) -> int:
        threads.append(threading.current_thread())
        return number

    for number in range(5):
        background.run(lambda number=number: work(number), lambda result: told.append(
            (result, threading.current_thread() is threading.main_thread())))
    qtbot.waitUntil(lambda: len(told) == 5)
    assert told == [(number, True) for number in range(5)]
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(("work", "words"), [(raise_failure, "It is gone."), (raise_refusal, "Permission denied")])
def test_a_failure_is_told_and_the_next_task_runs(background: Background, qtbot: QtBot, work: object, words: str
                                                  ) -> None:
    failures: list[SlipstreamError] = []
    done: list[object] = []
    background.run(work, done.append, failures.append)  # type: ignore[arg-type]
    background.run(lambda: 1, done.append)
    qtbot.waitUntil(lambda: done == [1])
    assert words in failures[0].message


def test_drained_work_is_done_and_closed_work_is_not(background: Background, qtbot: QtBot) -> None:
    told: list[object] = []
    done: list[int] = []
    background.run(lambda: done.append(1), told.append)
    background.run(lambda: done.append(2), told.append)
    background.drain()
    assert done == [1, 2]
    background.run(lambda: done.append(3), told.append)
    qtbot.wait(20)
    assert (done, told) == ([1, 2], []), "no handler is called any more"


def test_closing_forgets_what_waits(background: Background) -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def first() -> None:
        begun.set()
        go_on.wait(10)

    background.run(first, lambda _: None)
    background.run(lambda: done.append(1), lambda _: None)
    begun.wait(10)
    timer = threading.Timer(0.1, go_on.set)
    timer.start()
    background.close()
    timer.join()
    assert done == []
