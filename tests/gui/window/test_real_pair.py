"""The real window, the real worker and real models."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.client.process import worker_command
from app.gui.controllers.engine import EngineState
from app.gui.models.picker import ModelPicker
from app.records import LoadSettings, Sampling
from app.settings.settings import Settings
from tests.gui.conftest import MakeProgram

WAIT_MS = 300_000

pytestmark = [pytest.mark.model, pytest.mark.timeout(1500)]


def test_chat_with_the_real_pair(make_program: MakeProgram, qtbot: QtBot, target_q4: Path, draft_q4_0: Path) -> None:
    settings = Settings(sampling=Sampling(temperature=0.0, seed=1), max_tokens=160, load=LoadSettings(ctx_tokens=1024))
    program = make_program(settings=settings, load=False, command=worker_command())
    page = program.window.page
    program.pairs.use(str(target_q4), str(draft_q4_0))
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    assert program.engine.target is not None
    assert program.engine.draft is not None
    program.chat.set_speculation(msgspec.structs.replace(program.chat.speculation, mode="fixed"))

    qtbot.keyClicks(page.composer.edit, "Write a Python function that adds two numbers.")
    qtbot.keyClick(page.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(page.transcript.answers[-1].body.toPlainText()) > 20, timeout=WAIT_MS)
    early = len(page.transcript.answers[-1].body.toPlainText())
    qtbot.waitUntil(lambda: len(page.transcript.answers[-1].body.toPlainText()) > early + 20, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(page.panel.plot.series.times_s) > 3, timeout=WAIT_MS)
    qtbot.mouseClick(page.composer.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=10_000)
    first = program.chat.turns[0].answer
    assert first.reason == "aborted"
    assert first.num_accepted_draft_tokens > 0

    qtbot.keyClicks(page.composer.edit, "Say hello.")
    qtbot.keyClick(page.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(page.transcript.answers[-1].body.toPlainText()) > 3, timeout=WAIT_MS)
    os.kill(program.worker.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=10_000)
    view = page.transcript.answers[-1]
    assert view.problem.isVisible()
    assert len(view.body.toPlainText()) > 3

    qtbot.keyClicks(page.composer.edit, "Say goodbye.")
    qtbot.keyClick(page.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=WAIT_MS)
    last = program.chat.turns[-1].answer
    assert last.reason in ("eos", "length")
    assert last.text


def test_the_picker_refuses_another_family_with_the_reason(
    make_program: MakeProgram, qtbot: QtBot, tmp_path: Path, target_q4: Path, draft_q4_0: Path, gemma: Path
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    for path in (target_q4, draft_q4_0, gemma):
        (folder / path.name).symlink_to(path)
    program = make_program("--chunks", "3", load=False)
    program.models.rescan()
    qtbot.waitUntil(lambda: program.models.scanned, timeout=WAIT_MS)
    target = str(folder / target_q4.name)
    program.window.open_picker()
    picker = next(d for d in program.window.findChildren(ModelPicker) if d.isVisible())
    picker.choose(target, "")
    qtbot.waitUntil(lambda: picker.chooser.drafts.count() == 3, timeout=WAIT_MS)
    none, draft, refused = picker.chooser.drafts.rows()
    assert none.path == ""
    assert draft.enabled
    assert draft.badge == "recommended"
    assert draft.title == draft_q4_0.stem
    assert refused.title == gemma.stem
    assert not refused.enabled
    assert "tokenizer" in refused.detail or "vocabulary" in refused.detail or "Token" in refused.detail
    picker.close()
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
