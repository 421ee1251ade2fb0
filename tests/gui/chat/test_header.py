from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.chat import header as header_module
from app.gui.chat.header import ChatHeader
from app.gui.look.theme import read_colours
from app.protocol import Skip, Stop
from devtools.window.quiet_worker import QuietWorker
from tests.gui.conftest import MakeProgram


class Clock:
    """Stands for ``time`` in the header."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def worker() -> QuietWorker:
    return QuietWorker()


@pytest.fixture
def header(make_program: MakeProgram, worker: QuietWorker, qtbot: QtBot) -> ChatHeader:
    """While a target is being loaded."""
    program = make_program(load=False, worker=worker)
    program.pairs.use("/models/a.gguf", "")
    made = ChatHeader(program.engine, program.models, program.chat, program.pairs, read_colours("light"))
    qtbot.addWidget(made)
    made.resize(1000, 48)
    made.show()
    return made


def test_the_pair_and_its_state_are_said_to_all(header: ChatHeader) -> None:
    header.show_pair("Qwen with a draft", "loading")
    assert header.pair.accessibleName() == "Qwen with a draft. loading"
    assert header.state.text() == "loading"
    header.show_pair("Qwen", "")
    assert header.state.isHidden()


def test_a_long_name_keeps_its_ends(header: ChatHeader) -> None:
    header.show_pair("Begin " + "x" * 400 + " end", "")
    shown = header.pair.text().strip()
    assert shown.startswith("Begin")
    assert shown.endswith("end")
    assert len(shown) < 300


def test_progress_takes_the_place_of_the_memory_bar(header: ChatHeader) -> None:
    header.show_progress(0.5)
    assert (header.progress.value(), header.cancel.isHidden(), header.memory.isHidden()) == (500, False, True)
    header.show_progress(None)
    assert (header.progress.isHidden(), header.cancel.isHidden(), header.memory.isHidden()) == (True, True, False)


def test_what_is_measured_can_be_skipped_and_says_how_long_it_takes(
    header: ChatHeader, worker: QuietWorker, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(header_module, "time", clock)
    header.show_pair("Qwen", "loading")
    header.show_notice("Measuring.", skippable=True)
    assert header.state.text() == "Comparing two engines…"
    qtbot.mouseClick(header.skip, Qt.MouseButton.LeftButton)
    assert isinstance(worker.commands[-1], Skip)
    header.show_progress(0.25)
    clock.now += 5
    header.show_progress(0.3)
    assert "left" not in header.state.text(), "too little was seen"
    clock.now += 5
    header.show_progress(0.5)
    assert header.state.text() == "Comparing two engines: 20 s left"
    header.show_notice("", skippable=False)
    assert (header.state.text(), header.skip.isHidden()) == ("loading", True)


def test_buttons_ask_for_what_they_say(header: ChatHeader, worker: QuietWorker, qtbot: QtBot) -> None:
    asked: list[str] = []
    header.pick_requested.connect(lambda: asked.append("pick"))
    header.new_chat_requested.connect(lambda: asked.append("new"))
    header.list_toggled.connect(lambda on: asked.append(f"list {on}"))
    header.show_progress(0.1)
    for button in (header.pair, header.new_chat, header.cancel, header.listing):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked == ["pick", "new", "list True"]
    assert isinstance(worker.commands[-1], Stop)


def test_a_narrow_header_says_less(header: ChatHeader, qtbot: QtBot) -> None:
    assert header.new_chat.text() == "New chat"
    header.resize(600, 48)
    qtbot.waitUntil(lambda: header.new_chat.text() == "")
