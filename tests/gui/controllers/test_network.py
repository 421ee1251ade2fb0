from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.errors import Code, SlipstreamError
from app.gui.controllers.network import Network


@pytest.fixture
def network(qapp: QApplication) -> Iterator[Network]:
    made = Network()
    yield made
    made.close()


def fail_in_words() -> None:
    raise SlipstreamError(Code.NETWORK, "The hub is away.")


def fail_by_the_system() -> None:
    raise OSError(5, "Input/output error")


def test_an_answer_is_told_on_the_windows_thread(network: Network, qtbot: QtBot) -> None:
    told: list[tuple[object, bool]] = []
    busy: list[bool] = []
    network.busy_changed.connect(lambda: busy.append(network.is_busy))
    network.run(lambda: 7, lambda found: told.append((found, threading.current_thread() is threading.main_thread())),
                lambda _: None)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(7, True)]
    assert busy == [True, False]


@pytest.mark.parametrize(("work", "words"), [(fail_in_words, "The hub is away."), (fail_by_the_system, "Input/output")])
def test_a_failure_is_told_in_words(network: Network, qtbot: QtBot, work: object, words: str) -> None:
    failures: list[SlipstreamError] = []
    network.run(work, lambda _: None, failures.append)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: bool(failures))
    assert words in failures[0].message


def test_a_slow_request_holds_up_no_other_and_can_be_forgotten(network: Network, qtbot: QtBot) -> None:
    go_on = threading.Event()
    told: list[str] = []
    slow = network.run(lambda: go_on.wait(10), lambda _: told.append("slow"), lambda _: None)
    network.run(lambda: 1, lambda _: told.append("quick"), lambda _: None)
    qtbot.waitUntil(lambda: told == ["quick"])
    network.forget(slow)
    assert not network.is_busy
    go_on.set()
    qtbot.wait(100)
    assert told == ["quick"]


def test_nothing_is_told_after_the_end(network: Network, qtbot: QtBot) -> None:
    told: list[object] = []
    network.run(lambda: 1, told.append, told.append)
    network.close()
    assert not network.is_busy
    network.run(lambda: 2, told.append, told.append)
    qtbot.wait(100)
    assert told == []
