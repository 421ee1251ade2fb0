"""A whole program per test: real window, real process, settings and models in a folder of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.controllers.engine import EngineState
from app.gui.controllers.worker_process import WorkerProcess
from app.gui.program import Program
from app.gui.words.translation import Translations
from app.settings.settings import Settings, SettingsFile
from tests.scripted_worker import scripted_worker_command

MakeProgram = Callable[..., Program]
TARGET, DRAFT = "/models/big-chat-7b.gguf", "/models/big-chat-1b.gguf"


@pytest.fixture
def make_program(qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                 ) -> Iterator[MakeProgram]:
    """``make_program("--chunks", "40")`` starts a program whose worker follows that script, with a pair loaded."""
    monkeypatch.setenv("SLIPSTREAM_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    made: list[Program] = []

    def make(*script: str, settings: Settings | None = None, load: bool = True,
             command: list[str] | None = None, worker: WorkerProcess | None = None) -> Program:
        file = SettingsFile(tmp_path / "settings.json")
        if settings is not None:
            file.save(settings)
        program = Program(qapp, file, worker or WorkerProcess(command or scripted_worker_command(*script)))
        made.append(program)
        program.window.show()
        program.archive.open()
        program.window.restore_chat()
        if load:
            program.pairs.use(TARGET, DRAFT)
            qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=15_000)
        return program

    yield make
    for program in made:
        program.window.close()
        program.close()
        program.window.deleteLater()
        program.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def vietnamese(qapp: QApplication) -> Iterator[None]:
    """All is said in Vietnamese."""
    made = Translations(qapp, "vi")
    yield
    made.close()
