"""The window in another language, changed while it runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.gui.program import Program
from app.gui.settings.dialog import SettingsDialog
from app.gui.words import translation
from devtools import translations as tool
from tests.gui.conftest import MakeProgram

ROOT = Path(__file__).resolve().parents[3]
WAIT_MS = 15_000


def write_ts(path: Path, texts: dict[tuple[str, str], str]) -> None:
    contexts = "".join(
        f"<context><name>{context}</name><message><source>{source}</source><translation>{text}</translation></message>"
        "</context>" for (context, source), text in texts.items()
    )
    head = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE TS><TS version="2.1" language="vi">'
    path.write_text(f"{head}{contexts}</TS>", encoding="utf-8")


@pytest.fixture
def vietnamese(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A translation of three texts."""
    source = tmp_path / "vi.ts"
    write_ts(source, {("Rail", "Compare"): "So sánh", ("SettingsDialog", "Appearance"): "Giao diện",
                      ("Composer", "Send"): "Gửi"})
    made = tmp_path / "slipstream_vi.qm"
    subprocess.run([ROOT / ".venv" / "bin" / "pyside6-lrelease", "-silent", source, "-qm", made], check=True)
    monkeypatch.setattr(translation, "translation_file", lambda _code: made)
    return made


def rail_words(program: Program) -> str:
    return program.window.rail._pages.button(1).text()


def test_the_language_changes_while_an_answer_is_written(
    make_program: MakeProgram, qtbot: QtBot, vietnamese: Path
) -> None:
    program = make_program("--chunks", "1500", "--delay-s", "0.03")
    first = program.window
    assert rail_words(program) == "Compare"
    program.chat.send("Hello")
    qtbot.waitUntil(lambda: "word3" in first.page.transcript.answers[0].body.toPlainText(), timeout=WAIT_MS)
    first.page.composer.show_text("half a thought")
    dialog = first.settings.open("model")
    dialog.language.setCurrentIndex(dialog.language.findData("vi"))
    dialog.language.activated.emit(dialog.language.currentIndex())
    qtbot.waitUntil(lambda: program.window is not first, timeout=WAIT_MS)
    window = program.window
    assert rail_words(program) == "So sánh"
    assert window.isVisible()
    again = next(d for d in window.findChildren(SettingsDialog) if d.isVisible())
    assert again.scope == "model"
    assert any(group.title == "Giao diện" for group in again.form.groups)
    assert window.page.composer.edit.toPlainText() == "half a thought"
    assert program.chat.is_answering
    qtbot.waitUntil(lambda: "word60" in window.page.transcript.answers[0].body.toPlainText(), timeout=WAIT_MS)
    program.chat.stop()
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not isValid(first), timeout=WAIT_MS)
    again.language.setCurrentIndex(again.language.findData("en"))
    again.language.activated.emit(again.language.currentIndex())
    qtbot.waitUntil(lambda: rail_words(program) == "Compare", timeout=WAIT_MS)
    assert program.keeper.settings.language == "en"


def test_closing_the_new_window_ends_the_program(make_program: MakeProgram, qtbot: QtBot, vietnamese: Path) -> None:
    program = make_program(load=False)
    first = program.window
    program.translations.choose("vi")
    qtbot.waitUntil(lambda: program.window is not first, timeout=WAIT_MS)
    assert not program._closed
    program.window.close()
    assert program._closed


def test_a_language_without_a_file_is_english(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(translation, "translation_file", lambda code: tmp_path / f"{code}.qm")
    made = translation.Translations(qapp, "vi")
    assert qapp.translate("Rail", "Compare") == "Compare"
    made.close()


@pytest.mark.parametrize(("languages", "code"), [
    (["vi-VN", "en-US"], "vi"), (["fr-FR", "vi"], "vi"), (["de-DE"], "en"), (["en-GB", "vi"], "en"), ([], "en"),
])
def test_the_systems_language(monkeypatch: pytest.MonkeyPatch, languages: list[str], code: str) -> None:
    class System:
        @staticmethod
        def system() -> System:
            return System()

        @staticmethod
        def uiLanguages() -> list[str]:
            return languages

    monkeypatch.setattr(translation, "QLocale", System)
    assert translation.system_language() == code


def test_faults_of_translations_are_found(tmp_path: Path) -> None:
    tools = tool.Tools(*(ROOT / ".venv" / "bin" / f"pyside6-{name}" for name in ("lupdate", "lrelease")))
    gui = tmp_path / "app" / "gui"
    gui.mkdir(parents=True)
    begin = "class A(QWidget):\n    def f(self):\n"
    (gui / "a.py").write_text(f"{begin}        self.tr('One')\n        _translate('B', 'Two')\n")
    assert tool.find_faults(tmp_path, tools, ("vi",)) == ["slipstream_vi.ts is missing"]
    assert tool.update(tmp_path, tools)["vi"] == tool.Count(2, 2)
    file = tool.source_file(tmp_path, "vi")
    assert tool.texts_of(file) == {("A", "One"), ("B", "Two")}
    assert tool.find_faults(tmp_path, tools, ("vi",)) == ["slipstream_vi.ts lacks 2 of 2 translations"]
    write_ts(file, {("A", "One"): "Một", ("B", "Two"): "Hai"})
    assert "is not what" in tool.find_faults(tmp_path, tools, ("vi",))[0]
    tool.update(tmp_path, tools)
    assert tool.find_faults(tmp_path, tools, ("vi",)) == []
    (gui / "a.py").write_text(f"{begin}        self.tr('Another')\n")
    faults = tool.find_faults(tmp_path, tools, ("vi",))
    assert len(faults) == 2
    assert "does not hold the texts" in faults[0]
    assert tool.find_faults(tmp_path, tools, ()) == []
