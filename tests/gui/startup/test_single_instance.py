from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.startup.single_instance import SingleInstance


def test_the_second_start_calls_the_first(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first, second = SingleInstance(), SingleInstance()
    assert first.is_first()
    with qtbot.waitSignal(first.shown, timeout=5000):
        assert not second.is_first()
    first.close()
    assert second.is_first()
    second.close()


def test_the_second_start_hands_its_model_over(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first, second = SingleInstance(), SingleInstance()
    assert first.is_first()
    with qtbot.waitSignal(first.shown, timeout=5000) as heard:
        assert not second.is_first("/models/Mô hình.gguf")
    assert heard.args == ["/models/Mô hình.gguf"]
    first.close()


def test_other_data_is_another_program(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "a"))
    first = SingleInstance()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "b"))
    second = SingleInstance()
    assert first.is_first()
    assert second.is_first()
    first.close()
    second.close()
