from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.controllers.settings_keeper import SettingsKeeper
from app.settings.settings import Settings, SettingsFile, TargetSettings

DARK = Settings(theme="dark")


@pytest.fixture
def file(qapp: QApplication, tmp_path: Path) -> SettingsFile:
    return SettingsFile(tmp_path / "folder" / "settings.json")


def test_a_change_is_told_at_once_and_saved_soon(file: SettingsFile, qtbot: QtBot) -> None:
    keeper = SettingsKeeper(file)
    told: list[Settings] = []
    keeper.changed.connect(told.append)
    keeper.replace(DARK)
    assert (keeper.settings, told) == (DARK, [DARK])
    assert not file.path.exists()
    qtbot.waitUntil(file.path.exists)
    assert file.load() == (DARK, "")


def test_what_is_no_change_is_neither_told_nor_saved(file: SettingsFile) -> None:
    keeper = SettingsKeeper(file)
    told: list[Settings] = []
    keeper.changed.connect(told.append)
    keeper.replace(Settings())
    keeper.save()
    assert told == []
    assert not file.path.exists()


def test_it_can_be_saved_at_once(file: SettingsFile) -> None:
    keeper = SettingsKeeper(file)
    keeper.replace_target("/t", TargetSettings(draft_path="/d"))
    keeper.save()
    assert file.load()[0].for_target("/t").draft_path == "/d"
    assert SettingsKeeper(file).settings == keeper.settings


def test_trouble_with_the_file_is_said(file: SettingsFile) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(b"{broken")
    keeper = SettingsKeeper(file)
    assert "damaged" in keeper.trouble
    assert keeper.settings == Settings()


def test_what_cannot_be_saved_is_said_in_words(file: SettingsFile) -> None:
    file.path.parent.write_bytes(b"a file where the folder should be")
    keeper = SettingsKeeper(file)
    said: list[str] = []
    keeper.save_failed.connect(said.append)
    keeper.replace(msgspec.structs.replace(DARK, max_tokens=5))
    keeper.save()
    assert len(said) == 1
    assert "could not be saved" in said[0]
