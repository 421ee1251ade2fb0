"""Whoever moves by keyboard sees where they are, in both themes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.gui.program import Program
from app.settings.settings import Settings, ThemeChoice
from tests.gui.chat.test_conversations import say
from tests.gui.conftest import MakeProgram
from tests.gui.window.test_main_window import WAIT_MS

_AROUND_PX = 6


def look(program: Program, widget: QWidget) -> QImage:
    """The widget with what is around it, since a box may show the focus of what it holds."""
    window = program.window
    place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    return window.grab(place.adjusted(-_AROUND_PX, -_AROUND_PX, _AROUND_PX, _AROUND_PX)).toImage()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_focus_is_seen(make_program: MakeProgram, qtbot: QtBot, theme: ThemeChoice) -> None:
    program = make_program("--chunks", "3", settings=Settings(theme=theme))
    say(program, qtbot, "Hello")
    qtbot.waitUntil(program.window.isActiveWindow, timeout=WAIT_MS)
    page = program.window.page
    # Pictures taken a moment apart would differ by the cursor alone.
    flash_ms = QApplication.cursorFlashTime()
    QApplication.setCursorFlashTime(0)
    reached: list[QWidget] = []
    page.composer.edit.setFocus()
    unseen: list[str] = []
    for _ in range(60):
        here = program.window.focusWidget()
        qtbot.keyClick(here, Qt.Key.Key_Tab)
        there = program.window.focusWidget()
        if there in reached:
            break
        reached.append(there)
        with_focus = look(program, there)
        there.clearFocus()
        without = look(program, there)
        there.setFocus(Qt.FocusReason.TabFocusReason)
        if with_focus == without:
            unseen.append(f"{type(there).__name__} {there.objectName()} {there.accessibleName()}")
    QApplication.setCursorFlashTime(flash_ms)
    assert len(reached) >= 12
    assert unseen == []
