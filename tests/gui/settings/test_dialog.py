"""The settings as a person uses them: scopes, presets, search, reset, files, and what the engine gets of it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QPlainTextEdit, QSpinBox
from pytestqt.qtbot import QtBot

from app.gui.controllers.engine import EngineState
from app.gui.program import Program
from app.gui.settings.dialog import SettingsDialog
from app.methods import METHODS, parse_method
from app.protocol import Device
from app.records import Sampling
from app.settings.draft import SettingsDraft
from app.settings.scopes import FIXED_METHODS, AnswerChoice, LoadChoice
from app.settings.settings import Settings, Speculation, TargetSettings
from app.settings.table import GIB
from tests.gui.conftest import DRAFT, TARGET, MakeProgram

WAIT_MS = 15_000


def number(dialog: SettingsDialog, name: str) -> QSpinBox | QDoubleSpinBox:
    found = dialog.findChild(QSpinBox, name) or dialog.findChild(QDoubleSpinBox, name)
    assert found is not None, name
    return found


def row_of(dialog: SettingsDialog, name: str):  # type: ignore[no-untyped-def]
    control = dialog.findChild((QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit)[0], name) or number(dialog, name)
    return next(row for group in dialog.form.groups for row in group.rows if row.widget.isAncestorOf(control))


def choose(dialog: SettingsDialog, name: str, value: str) -> None:
    box = dialog.findChild(QComboBox, name)
    assert box is not None
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def ask(program: Program, qtbot: QtBot, text: str) -> None:
    program.chat.send(text)
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=WAIT_MS)


def diary(path: Path, word: str) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line for line in lines if line.split(" ")[0] == word]


def test_chat_over_model_over_all(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    notes = tmp_path / "diary"
    program = make_program("--chunks", "2", "--diary", str(notes))
    dialog = program.window.settings.open()
    number(dialog, "answers-temperature").setValue(0.7)
    qtbot.mouseClick(dialog.scopes.button("model"), Qt.MouseButton.LeftButton)
    row = row_of(dialog, "answers-temperature")
    assert number(dialog, "answers-temperature").value() == 0.7
    assert "every model" in row.origin.text()
    assert row.reset.isHidden()
    number(dialog, "answers-temperature").setValue(0.5)
    assert not row.reset.isHidden()
    qtbot.mouseClick(dialog.scopes.button("chat"), Qt.MouseButton.LeftButton)
    assert number(dialog, "answers-temperature").value() == 0.5
    assert "this model" in row.origin.text()
    ask(program, qtbot, "One")
    number(dialog, "answers-temperature").setValue(0.1)
    choose(dialog, "answers-thinking", "off")
    ask(program, qtbot, "Two")
    qtbot.mouseClick(row.reset, Qt.MouseButton.LeftButton)
    ask(program, qtbot, "Three")
    assert diary(notes, "generate") == ["generate None 0.5 auto", "generate False 0.1 auto", "generate False 0.5 auto"]
    dialog.close()
    assert program.keeper.settings.sampling.temperature == 0.7
    program.window.new_chat()
    ask(program, qtbot, "Four")
    assert diary(notes, "generate")[-1] == "generate None 0.5 auto"


def test_what_a_chat_says_survives_a_restart(make_program: MakeProgram, qtbot: QtBot) -> None:
    first = make_program("--chunks", "2")
    ask(first, qtbot, "Hello")
    dialog = first.window.settings.open("chat")
    number(dialog, "answers-top_k").setValue(7)
    dialog.close()
    qtbot.mouseClick(first.window.page.panel.controls.mode.button("off"), Qt.MouseButton.LeftButton)
    identity = first.chat.conversation.id
    first.window.close()
    second = make_program("--chunks", "2")
    assert second.chat.speculation.mode == "auto"
    second.window.page.chats.open(identity)
    qtbot.waitUntil(lambda: second.chat.conversation.id == identity, timeout=WAIT_MS)
    assert second.chat.conversation.choice.top_k == 7
    assert second.chat.answering.sampling.top_k == 7
    assert second.chat.speculation.mode == "off"
    assert second.window.page.panel.controls.mode.key == "off"


def test_the_model_files_own_sampling(qtbot: QtBot) -> None:
    draft = SettingsDraft(Settings(sampling=Sampling(temperature=0.8)), "t", AnswerChoice(temperature=0.6))
    assert draft.look("all", "answers", "temperature").value == 0.8
    valued = draft.look("model", "answers", "temperature")
    assert (valued.value, valued.origin, valued.own) == (0.6, "file", False)
    draft.set("model", "answers", "temperature", 0.3)
    assert draft.look("chat", "answers", "temperature").value == 0.3
    assert draft.says_anything("model")
    draft.reset("model")
    assert draft.look("chat", "answers", "temperature").value == 0.6
    assert not draft.says_anything("model")


def test_loading_of_target_and_draft_apart(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    notes = tmp_path / "diary"
    program = make_program("--diary", str(notes))
    assert diary(notes, "load") == ["load 4096 -1"]
    dialog = program.window.settings.open("model")
    number(dialog, "load-ctx_tokens").setValue(8192)
    assert number(dialog, "draft_load-gpu_layers").text() == "Auto"
    number(dialog, "draft_load-gpu_layers").setValue(5)
    dialog.close()
    qtbot.waitUntil(lambda: len(diary(notes, "load_draft")) == 2, timeout=WAIT_MS)
    assert diary(notes, "load")[-1] == "load 8192 -1"
    assert diary(notes, "load_draft")[-1] == "load_draft 8192 5"
    target = program.keeper.settings.for_target(TARGET)
    assert (target.load, target.draft_load) == (LoadChoice(ctx_tokens=8192), LoadChoice(gpu_layers=5))
    assert program.keeper.settings.load == Settings().load
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)


def test_a_chat_has_no_settings_of_loading(make_program: MakeProgram) -> None:
    program = make_program(load=False)
    dialog = program.window.settings.open("chat")
    assert not number(dialog, "load-ctx_tokens").isVisible()
    assert number(dialog, "answers-top_k").isVisible()
    dialog.search.setText("flash attention")
    assert dialog.form.nothing.isVisible()
    dialog.search.setText("context")
    assert not dialog.form.nothing.isVisible(), "what to do with a full one is a chat's own affair"
    dialog.look_at("all")
    assert number(dialog, "load-ctx_tokens").isVisible()
    assert not number(dialog, "answers-top_k").isVisible()
    dialog.close()


def test_presets(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    dialog = program.window.settings.open()
    presets = dialog.presets
    assert presets.current_name == "Balanced"
    presets.box.setCurrentIndex(presets.box.findText("Precise"))
    presets.box.activated.emit(presets.box.currentIndex())
    assert program.keeper.settings.sampling.temperature == 0.2
    number(dialog, "answers-temperature").setValue(0.33)
    assert presets.box.currentText() == "Own values"
    assert presets.drop.isHidden()
    presets.keep_as("  My \n own ")
    assert presets.current_name == "My own"
    number(dialog, "answers-temperature").setValue(0.9)
    dialog.look_at("chat")
    presets.box.setCurrentIndex(presets.box.findText("My own"))
    presets.box.activated.emit(presets.box.currentIndex())
    assert program.chat.conversation.choice.temperature == 0.33
    assert program.keeper.settings.sampling.temperature == 0.9
    assert presets.current_name == "My own"
    qtbot.mouseClick(presets.drop, Qt.MouseButton.LeftButton)
    assert program.keeper.settings.presets == []
    presets.keep_as(" \n ")
    assert program.keeper.settings.presets == []
    dialog.close()


@pytest.mark.parametrize("name", FIXED_METHODS)
def test_every_method_has_its_fields(make_program: MakeProgram, qtbot: QtBot, name: str) -> None:
    program = make_program(load=False)
    controls = program.window.page.panel.controls
    qtbot.mouseClick(controls.mode.button("fixed"), Qt.MouseButton.LeftButton)
    controls.drafter.setCurrentIndex(controls.drafter.findData(name))
    controls.drafter.activated.emit(controls.drafter.currentIndex())
    form = controls.form(name)
    assert set(form.fields) == set(METHODS[name].options)
    expected = {}
    for key, field in form.fields.items():
        assert not field.isHidden()
        assert field.toolTip()
        if isinstance(field, QSpinBox | QDoubleSpinBox):
            field.setValue(field.maximum())
            expected[key] = field.maximum()
    parsed = parse_method(program.chat.speculation.method())
    assert parsed.name == name
    assert {key: parsed.options[key] for key in expected} == expected
    controls.show_value(Speculation())
    controls.show_value(program.chat.speculation)
    assert controls.form(name).values().items() >= expected.items()


def test_settings_go_out_and_come_back(make_program: MakeProgram, tmp_path: Path) -> None:
    kept = Settings(
        sampling=Sampling(temperature=0.25), system_prompt="Kurz.", states_limit_bytes=5 * GIB, theme="dark",
        targets={TARGET: TargetSettings(speculation=Speculation(mode="off"), load=LoadChoice(ctx_tokens=2048))},
    )
    program = make_program(settings=kept, load=False)
    dialog = program.window.settings.open()
    file = tmp_path / "out.json"
    dialog.give_out(file)
    assert "out.json" in dialog.banner.text.text()
    dialog.reset.click()
    assert program.keeper.settings.sampling == Sampling()
    dialog.bring_in(file)
    assert msgspec.structs.replace(program.keeper.settings, window=kept.window) == kept
    assert number(dialog, "answers-temperature").value() == 0.25
    dialog.bring_in(tmp_path / "none.json")
    assert dialog.banner.property("level") == "error"
    assert program.keeper.settings.sampling.temperature == 0.25
    dialog.close()


def test_devices_and_places_are_shown(make_program: MakeProgram) -> None:
    program = make_program(load=False)
    program.models.devices = [
        Device(name="CUDA0", description="Big Card", kind="gpu", free_bytes=9 * 10**9, total_bytes=12 * 10**9)]
    dialog = program.window.settings.open()
    words = " ".join(label.text() for label in dialog.devices.labels)
    assert "Big Card" in words
    assert "9.0 GB of 12.0 GB free" in words
    dialog.search.setText("vulkan")
    assert not dialog.form.nothing.isVisible()
    dialog.close()


def test_leaving_a_chat_keeps_its_state_and_coming_back_restores_it(
    make_program: MakeProgram, qtbot: QtBot, tmp_path: Path
) -> None:
    notes = tmp_path / "diary"
    program = make_program("--chunks", "2", "--diary", str(notes))
    ask(program, qtbot, "One")
    first = program.chat.conversation.id
    program.window.new_chat()
    ask(program, qtbot, "Two")
    second = program.chat.conversation.id
    program.window.page.chats.open(first)
    qtbot.waitUntil(lambda: program.chat.conversation.id == first, timeout=WAIT_MS)
    ask(program, qtbot, "Three")
    kept = [line for line in notes.read_text().splitlines() if line.split()[0] in ("save", "restore")]
    limit = 2 * GIB
    assert kept == [f"restore {first}", f"save {first} {limit}", f"restore {second}", f"save {second} {limit}",
                    f"restore {first}"]
    program.engine.close()
    assert notes.read_text().splitlines()[-1] == f"save {first} {limit}"


def test_a_deleted_chat_leaves_no_state(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    notes = tmp_path / "diary"
    program = make_program("--chunks", "2", "--diary", str(notes))
    ask(program, qtbot, "One")
    program.engine.states.forget(program.chat.conversation.id)
    program.engine.close()
    assert diary(notes, "save") == []


def test_no_space_for_states_means_none(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    notes = tmp_path / "diary"
    program = make_program("--chunks", "2", "--diary", str(notes), settings=Settings(states_limit_bytes=0))
    ask(program, qtbot, "One")
    program.engine.close()
    assert diary(notes, "save") == diary(notes, "restore") == []
    assert program.pairs.draft_path == DRAFT


def test_which_engine_is_faster_can_be_measured_again(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program("--load-s", "0.2")
    dialog = program.window.settings.open()
    row = dialog.engine
    assert (row.words.text(), row.button.isEnabled()) == ("llama.cpp, as was asked for.", True)
    qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert (row.words.text(), row.button.isEnabled()) == ("Measuring…", False)
    qtbot.waitUntil(lambda: row.words.text() == "ik_llama.cpp, as was asked for.", timeout=WAIT_MS)
    assert row.button.isEnabled()
    assert program.engine.state is EngineState.READY


def test_without_a_model_there_is_no_engine_to_measure(make_program: MakeProgram) -> None:
    row = make_program(load=False).window.settings.open().engine
    assert "Load a model" in row.words.text()
    assert not row.button.isEnabled()
