"""The groups of settings that follow scopes: answers, and how target and draft are loaded."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.gui.settings.form import SettingsForm, SettingsGroup
from app.gui.settings.preset_row import PresetRow
from app.gui.settings.rows import ScopedRows
from app.settings.table import settings_of

_translate = QCoreApplication.translate


def fill_answers(form: SettingsForm, rows: ScopedRows, presets: PresetRow, knows_thinking: bool | None
                 ) -> SettingsGroup:
    """``knows_thinking`` is None where the model is not known."""
    group = form.add_group(_translate("SettingsGroups", "Answers"))
    group.add_wide(
        _translate("SettingsGroups", "Preset"),
        _translate("SettingsGroups", "Preset: sets the values below at once, in the scope chosen above"), presets,
    )
    no_switch = ". " + _translate("SettingsGroups", "The model in use has no switch for it.")
    for setting in (*settings_of("sampling"), *settings_of("answers")):
        rows.add(group, "answers", setting, no_switch if setting.key == "thinking" and knows_thinking is False else "")
    return group


def fill_loading(form: SettingsForm, rows: ScopedRows) -> list[SettingsGroup]:
    """Target and draft."""
    target = form.add_group(_translate("SettingsGroups", "Loading"))
    for setting in settings_of("load"):
        rows.add(target, "load", setting)
    draft = form.add_group(_translate("SettingsGroups", "Loading of the draft"))
    for setting in settings_of("load"):
        if setting.for_draft:
            rows.add(draft, "draft_load", setting)
    return [target, draft]
