"""The window as a person uses it, with a scripted worker as a real process."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.answer import AnswerState
from app.gui.controllers.engine import EngineState
from app.gui.program import Program
from app.models.memory_check import MemoryJudgement
from app.settings.settings import Settings, Speculation, TargetSettings
from tests.gui.conftest import DRAFT, TARGET, MakeProgram

WAIT_MS = 15_000


def ask(program: Program, qtbot: QtBot, text: str) -> None:
    edit = program.window.page.composer.edit
    edit.setFocus()
    qtbot.keyClicks(edit, text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)


def shown_text(program: Program) -> str:
    return program.window.page.transcript.answers[-1].body.toPlainText()


def wait_for_text(program: Program, qtbot: QtBot, text: str) -> None:
    qtbot.waitUntil(lambda: text in shown_text(program), timeout=WAIT_MS)


def wait_until_idle(program: Program, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=WAIT_MS)


def test_what_loading_waits_for_is_said(make_program: MakeProgram, qtbot: QtBot) -> None:
    notice = "Measuring llama.cpp and ik_llama.cpp with this model on this machine, once."
    program = make_program("--chunks", "3", "--load-s", "3", "--load-notice", notice, load=False)
    header, transcript = program.window.page.header, program.window.page.transcript
    program.pairs.use(TARGET, DRAFT)
    ask(program, qtbot, "Hello")
    qtbot.waitUntil(lambda: header.state.text() == "Comparing two engines…", timeout=WAIT_MS)
    assert header.state.toolTip() == notice
    assert transcript.answers[-1].figures.text() == notice
    wait_for_text(program, qtbot, "word")
    wait_until_idle(program, qtbot)
    assert (header.state.text(), header.state.toolTip()) == ("Ready", "")
    assert notice not in transcript.answers[-1].figures.text()


def test_what_is_measured_while_loading_can_be_skipped(make_program: MakeProgram, qtbot: QtBot) -> None:
    notice = "Measuring llama.cpp and ik_llama.cpp with this model on this machine, once."
    program = make_program("--chunks", "3", "--load-s", "600", "--load-notice", notice, load=False)
    header, transcript = program.window.page.header, program.window.page.transcript
    assert not header.skip.isVisible()
    program.pairs.use(TARGET, "")
    ask(program, qtbot, "Hello")
    qtbot.waitUntil(lambda: header.skip.isVisible() and transcript.answers[-1].skip.isVisible(), timeout=WAIT_MS)
    qtbot.mouseClick(transcript.answers[-1].skip, Qt.MouseButton.LeftButton)
    wait_for_text(program, qtbot, "word")
    wait_until_idle(program, qtbot)
    assert not header.skip.isVisible()
    assert not transcript.answers[-1].skip.isVisible()
    program.engine.measure_engines()
    qtbot.waitUntil(lambda: header.skip.isVisible(), timeout=WAIT_MS)
    qtbot.mouseClick(header.skip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: header.state.text() == "Ready", timeout=WAIT_MS)
    assert not header.skip.isVisible()


def test_what_is_measured_before_an_answer_can_be_skipped(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3", "--measure-s", "600")
    transcript = program.window.page.transcript
    ask(program, qtbot, "Hello")
    qtbot.waitUntil(lambda: len(transcript.answers) == 1 and transcript.answers[0].skip.isVisible(), timeout=WAIT_MS)
    assert transcript.answers[0].figures.text() == "Measuring this model on this machine, once."
    qtbot.mouseClick(transcript.answers[0].skip, Qt.MouseButton.LeftButton)
    wait_for_text(program, qtbot, "word")
    assert not transcript.answers[0].skip.isVisible()
    wait_until_idle(program, qtbot)


def test_other_programs_are_named_where_they_explain_a_slow_answer(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3", "--others", "1.3")
    page = program.window.page
    page.header.panel.setChecked(True)
    ask(program, qtbot, "Hello")
    wait_until_idle(program, qtbot)
    words = "Other programs are using 1.3 of 2 cores, so answers come slower."
    assert page.panel.others.isVisible()
    assert page.panel.others.text() == words
    figures = page.transcript.answers[0].figures
    assert "other programs: 1.3 of 2 cores" in figures.text()
    assert words in figures.toolTip()


def test_ask_stream_stop_and_ask_again(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "400", "--delay-s", "0.02")
    page = program.window.page
    ask(program, qtbot, "Hello")
    assert page.composer.edit.toPlainText() == ""
    assert page.composer.button.text() == "Stop"
    wait_for_text(program, qtbot, "word3")
    early = len(shown_text(program))
    wait_for_text(program, qtbot, "word20")
    assert len(shown_text(program)) > early
    qtbot.waitUntil(lambda: len(page.panel.plot.series.times_s) > 3, timeout=WAIT_MS)
    assert max(page.panel.plot.series.rates) > 0
    qtbot.mouseClick(page.composer.button, Qt.MouseButton.LeftButton)
    wait_until_idle(program, qtbot)
    first = page.transcript.answers[0]
    assert first.answer.reason == "aborted"
    assert "stopped" in first.figures.text()
    assert "tokens/s" in first.figures.text()
    assert "word3" in first.body.toPlainText()
    assert page.composer.button.text() == "Send"
    assert page.composer.edit.hasFocus()
    ask(program, qtbot, "Again")
    wait_for_text(program, qtbot, "word3")
    assert len(page.transcript.answers) == 2
    program.chat.stop()
    wait_until_idle(program, qtbot)


def test_kill_mid_answer_keeps_the_text_and_the_next_message_works(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "60", "--delay-s", "0.03")
    page = program.window.page
    ask(program, qtbot, "Hello")
    wait_for_text(program, qtbot, "word5")
    os.kill(program.worker.pid, signal.SIGKILL)
    wait_until_idle(program, qtbot)
    view = page.transcript.answers[0]
    assert view.answer.state is AnswerState.FAILED
    assert "word5" in view.body.toPlainText()
    assert view.problem.isVisible()
    assert "killed" in view.problem.text.text()
    assert view.problem.button.text() == "Start again"
    assert program.engine.state is EngineState.DOWN
    ask(program, qtbot, "Go on")
    wait_for_text(program, qtbot, "word119")
    wait_until_idle(program, qtbot)
    assert page.transcript.answers[1].answer.state is AnswerState.DONE


def test_the_error_button_starts_the_engine_again(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "60", "--delay-s", "0.03")
    ask(program, qtbot, "Hello")
    wait_for_text(program, qtbot, "word5")
    os.kill(program.worker.pid, signal.SIGKILL)
    wait_until_idle(program, qtbot)
    button = program.window.page.transcript.answers[0].problem.button
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    assert program.engine.draft is not None


def test_death_while_idle_is_shown_and_mended_by_the_next_message(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "5")
    os.kill(program.worker.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.DOWN, timeout=WAIT_MS)
    assert program.window.page.header.state.text() == "Not loaded"
    ask(program, qtbot, "Hello")
    wait_for_text(program, qtbot, "word9")
    wait_until_idle(program, qtbot)


def test_enter_in_a_composition_does_not_send(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    edit = program.window.page.composer.edit
    edit.setFocus()
    QApplication.sendEvent(edit, QInputMethodEvent("tiếng", []))
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert program.chat.turns == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("tiếng Việt")
    QApplication.sendEvent(edit, commit)
    assert program.chat.turns == []
    assert edit.toPlainText() == "tiếng Việt"
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert program.chat.turns[0].question == "tiếng Việt"
    wait_until_idle(program, qtbot)


def test_shift_enter_breaks_the_line(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    edit = program.window.page.composer.edit
    qtbot.keyClicks(edit, "one")
    qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(edit, "two")
    assert edit.toPlainText() == "one\ntwo"
    assert program.chat.turns == []


def test_following_stops_when_the_reader_scrolls_up(make_program: MakeProgram, qtbot: QtBot) -> None:
    text = "Some words that fill a line of the answer so that it grows.\n\n" * 60
    program = make_program("--text", text, "--delay-s", "0.01", "--chunk-tokens", "6")
    transcript = program.window.page.transcript
    bar = transcript.verticalScrollBar()
    ask(program, qtbot, "Hello")
    qtbot.waitUntil(lambda: bar.maximum() > 300, timeout=WAIT_MS)
    assert bar.value() == bar.maximum()
    bar.setValue(50)
    here = bar.maximum()
    qtbot.waitUntil(lambda: bar.maximum() > here + 100, timeout=WAIT_MS)
    assert bar.value() == 50
    assert not transcript.follows
    transcript.follow()
    now = bar.maximum()
    qtbot.waitUntil(lambda: bar.maximum() > now or not program.chat.is_answering, timeout=WAIT_MS)
    assert bar.value() == bar.maximum()
    program.chat.stop()
    wait_until_idle(program, qtbot)


def test_stop_while_loading_and_then_ask(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--load-s", "3", "--chunks", "4", load=False)
    program.pairs.use(TARGET, "")
    qtbot.waitUntil(lambda: program.window.page.header.progress.value() > 0, timeout=WAIT_MS)
    assert program.window.page.header.cancel.isVisible()
    qtbot.mouseClick(program.window.page.header.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.DOWN, timeout=2_000)
    assert not program.window.page.problem_banner.isVisible()
    ask(program, qtbot, "Hello")
    wait_for_text(program, qtbot, "word7")
    wait_until_idle(program, qtbot)


def test_choosing_another_pair_mid_answer_stops_and_loads_it(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "400", "--delay-s", "0.02")
    ask(program, qtbot, "Hello")
    wait_for_text(program, qtbot, "word3")
    program.pairs.use("/models/other.gguf", "")
    qtbot.waitUntil(
        lambda: program.engine.target is not None and program.engine.target.path == "/models/other.gguf",
        timeout=WAIT_MS,
    )
    assert program.engine.draft is None
    assert not program.chat.is_answering


def test_a_draft_that_fails_is_said_and_the_target_answers(make_program: MakeProgram, qtbot: QtBot) -> None:
    """C06 and C20."""
    program = make_program("--fail-draft", "draft_load_failed", "--chunks", "4")
    page = program.window.page
    assert page.problem_banner.isVisible()
    assert "target answers alone" in page.problem_banner.text.text()
    ask(program, qtbot, "Hello")
    wait_for_text(program, qtbot, "word")
    wait_until_idle(program, qtbot)
    assert page.transcript.answers[0].answer.state is AnswerState.DONE


def test_a_target_that_fails_is_said_where_the_answer_would_be(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--fail-load", "model_unreadable", load=False)
    program.pairs.use(TARGET, "")
    page = program.window.page
    qtbot.waitUntil(page.problem_banner.isVisible, timeout=WAIT_MS)
    assert "Scripted failure" in page.problem_banner.text.text()
    ask(program, qtbot, "Hello")
    wait_until_idle(program, qtbot)
    assert "Scripted failure" in page.transcript.answers[0].problem.text.text()


def test_the_memory_banner_offers_ngram(make_program: MakeProgram, qtbot: QtBot) -> None:
    """C18 and C20."""
    program = make_program()
    program.pairs.memory_tight.emit(MemoryJudgement(23_400_000_000, 21_000_000_000, 22_000_000_000))
    banner = program.window.page.memory_banner
    assert banner.isVisible()
    assert "23.4 GB" in banner.text.text()
    assert "22.0 GB" in banner.text.text()
    qtbot.mouseClick(banner.button, Qt.MouseButton.LeftButton)
    assert not banner.isVisible()
    assert program.chat.speculation == Speculation(mode="fixed", drafter="ngram-simple")
    assert program.window.page.panel.controls.mode.key == "fixed"


def test_the_panels_switch_is_this_chats_and_the_dialogs_the_default(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    window = program.window
    controls = window.page.panel.controls
    qtbot.mouseClick(controls.mode.button("off"), Qt.MouseButton.LeftButton)
    assert program.chat.speculation.mode == "off"
    assert program.keeper.settings.for_target(TARGET).speculation.mode == "auto"
    window.new_chat()
    assert program.chat.speculation.mode == "auto"
    window.open_settings()
    dialog = next(d for d in window.findChildren(type_of_dialog()) if d.isVisible())
    qtbot.mouseClick(dialog.speculation.mode.button("fixed"), Qt.MouseButton.LeftButton)
    dialog.speculation.max_draft.setValue(7)
    dialog.close()
    assert program.chat.speculation.method() == "draft:max=7,min=0,p_min=0"
    assert program.keeper.settings.for_target(TARGET).speculation.max_draft == 7
    window.new_chat()
    assert program.chat.speculation.max_draft == 7


def type_of_dialog() -> type:
    from app.gui.settings.dialog import SettingsDialog

    return SettingsDialog


def test_a_target_keeps_its_own_draft_and_switch(make_program: MakeProgram, qtbot: QtBot) -> None:
    """C21."""
    program = make_program()
    program.pairs.remember_speculation(Speculation(mode="fixed", max_draft=5))
    program.pairs.use("/models/other.gguf", "")
    assert program.chat.speculation == Speculation()
    program.pairs.use(TARGET, DRAFT)
    assert program.chat.speculation.max_draft == 5
    assert program.keeper.settings.for_target("/models/other.gguf").draft_path == ""
    assert program.keeper.settings.for_target(TARGET).draft_path == DRAFT
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)


def test_the_last_pair_comes_back(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    """C21 and C28: after a restart, under paths with spaces."""
    target, draft = tmp_path / "a target.gguf", tmp_path / "ein Entwurf.gguf"
    target.touch()
    draft.touch()
    settings = Settings(target_path=str(target), targets={str(target): TargetSettings(draft_path=str(draft))})
    program = make_program(settings=settings, load=False)
    program.models.rescan()
    qtbot.waitUntil(lambda: program.engine.draft is not None, timeout=WAIT_MS)
    assert program.engine.draft is not None
    assert program.engine.draft.path == str(draft)


def test_without_any_model_the_window_says_how_to_get_one(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    program.models.rescan()
    qtbot.waitUntil(lambda: program.models.scanned, timeout=WAIT_MS)
    assert "dev.py models" in program.window.page.welcome.words.text()
    ask(program, qtbot, "Hello")
    assert program.chat.turns == []


def test_narrow_windows_fold_the_speed_panel(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    window = program.window
    window.resize(1280, 800)
    assert window.page.panel.isVisible()
    window.resize(800, 600)
    assert not window.page.panel.isVisible()
    window.resize(1280, 800)
    assert window.page.panel.isVisible()
    qtbot.mouseClick(window.page.header.panel, Qt.MouseButton.LeftButton)
    assert not window.page.panel.isVisible()


def test_tint_marks_drafted_words(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--chunks", "3")
    ask(program, qtbot, "Hello")
    wait_for_text(program, qtbot, "word5")
    wait_until_idle(program, qtbot)
    body = program.window.page.transcript.answers[0].body
    assert program.theme.colours.drafted.lower() not in body.toHtml().lower()
    qtbot.mouseClick(program.window.page.panel.tint, Qt.MouseButton.LeftButton)
    assert program.theme.colours.drafted.lower() in body.toHtml().lower()
    assert program.keeper.settings.tint_drafted


def test_settings_survive_a_restart(make_program: MakeProgram, qtbot: QtBot) -> None:
    first = make_program(load=False)
    first.window.open_settings()
    dialog = next(d for d in first.window.findChildren(type_of_dialog()) if d.isVisible())
    qtbot.mouseClick(dialog.themes.button("dark"), Qt.MouseButton.LeftButton)
    dialog.close()
    assert first.theme.colours.name == "dark"
    first.window.close()
    second = make_program(load=False)
    assert second.keeper.settings.theme == "dark"
    assert second.theme.colours.name == "dark"
