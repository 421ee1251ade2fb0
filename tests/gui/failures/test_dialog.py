"""The dialog for failures, and who leads to it."""

from __future__ import annotations

import faulthandler
import sys
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.gui.failures.crash_record import KEPT, CrashRecord
from app.gui.start import open_desk
from tests.gui.conftest import MakeProgram


def test_the_report_of_a_crash_is_copied_as_shown(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    program = make_program()
    record = CrashRecord(tmp_path, program)
    record.last_crash = "Fatal Python error: Segmentation fault"
    desk = open_desk(program, record)
    desk.greet()
    dialog = desk.dialog
    assert dialog is not None
    assert dialog.report.isHidden()
    dialog.look.click()
    assert not dialog.report.isHidden()
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == dialog.report.toPlainText()
    assert "Segmentation fault" in dialog.report.toPlainText()
    assert "Device CPU" in dialog.report.toPlainText() or program.worker.is_running
    dialog.accept()
    assert desk.dialog is None


def test_an_error_strip_leads_to_a_report(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    program = make_program()
    desk = open_desk(program, CrashRecord(tmp_path, program))
    banner = program.window.page.problem_banner
    banner.say("warning", "Something to know.")
    assert banner.report.isHidden()
    banner.say("error", "The model could not be loaded.")
    assert not banner.report.isHidden()
    banner.report.click()
    assert desk.dialog is not None
    assert desk.dialog.message.text() == "The model could not be loaded."
    desk.dialog.accept()


def test_the_same_mistake_is_shown_once(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    program = make_program()
    record = CrashRecord(tmp_path, program)
    desk = open_desk(program, record)
    for _ in range(3):
        record.error_noticed.emit("somewhere, line 3")
    qtbot.waitUntil(lambda: desk.dialog is not None)
    assert desk.dialog is not None
    desk.dialog.accept()
    record.error_noticed.emit("somewhere, line 3")
    qtbot.wait(50)
    assert desk.dialog is None


def test_nothing_is_left_of_a_run_that_ended_well(tmp_path: Path) -> None:
    first = CrashRecord(tmp_path)
    first.start()
    first._write("noticed and shown")
    first.close()
    assert [path.name for path in tmp_path.iterdir()] == [KEPT]
    second = CrashRecord(tmp_path)
    second.start()
    assert second.last_crash == ""
    second.close()
    faulthandler.enable(sys.__stderr__)
