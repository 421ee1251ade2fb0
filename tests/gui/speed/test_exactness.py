"""The speed panel says how exact drafting is, once the person had it measured."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.gui.controllers.engine import EngineState
from tests.gui.conftest import MakeProgram
from tests.gui.window.test_main_window import WAIT_MS


def test_it_is_measured_on_request_and_forgotten_with_the_model(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program()
    panel = program.window.page.panel
    assert panel.measure_exactness.isEnabled()
    assert panel.exactness.text() == ""
    panel.measure_exactness.click()
    assert "Measuring" in panel.exactness.text()
    assert not panel.measure_exactness.isEnabled()
    qtbot.waitUntil(lambda: program.exactness.found is not None, timeout=WAIT_MS)
    assert "logits within 0.5 of each other" in panel.exactness.text()
    assert program.engine.state is EngineState.READY
    program.pairs.use(program.engine.target.path, "")  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    program.engine.select(type(program.engine.wanted)("other.gguf", "", program.engine.wanted.settings))  # type: ignore[union-attr,misc]
    qtbot.waitUntil(lambda: program.exactness.found is None, timeout=WAIT_MS)
    assert panel.exactness.text() == ""


def test_a_question_does_not_wait_for_it(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program()
    panel = program.window.page.panel
    panel.measure_exactness.click()
    program.chat.send("Hello")
    qtbot.waitUntil(lambda: not program.exactness.is_measuring, timeout=WAIT_MS)
    assert program.exactness.found is None
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    assert program.chat.last_answer is not None
    assert program.chat.last_answer.is_over
    assert panel.measure_exactness.isEnabled()


def test_without_a_model_there_is_nothing_to_measure(make_program: MakeProgram) -> None:
    program = make_program(load=False)
    assert not program.window.page.panel.measure_exactness.isEnabled()
