"""The groups of settings that follow scopes: answers, and how target and draft are loaded."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.gui.settings.form import SettingsForm, SettingsGroup
from app.gui.settings.preset_row import PresetRow
from app.gui.settings.rows import ScopedRows
from app.settings.draft import Family
from app.settings.scopes import SAMPLING_RANGES
from app.settings.settings import MOST_CTX, MOST_LAYERS, MOST_THREADS

_CACHE_TYPES = ("f16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "bf16", "f32")


_translate = QCoreApplication.translate


def fill_answers(form: SettingsForm, rows: ScopedRows, presets: PresetRow, knows_thinking: bool | None
                 ) -> SettingsGroup:
    """``knows_thinking`` is None where the model is not known."""
    group = form.add_group(_translate("SettingsGroups", "Answers"))
    group.add_wide(
        _translate("SettingsGroups", "Preset"),
        _translate("SettingsGroups", "Preset: sets the values below at once, in the scope chosen above"), presets,
    )
    numbers = [
        ("temperature", _translate("SettingsGroups", "Temperature"),
         _translate("SettingsGroups", "0 always takes the likeliest word"), 0.1, False),
        ("top_k", _translate("SettingsGroups", "Top-k"),
         _translate("SettingsGroups", "Choose among the k likeliest; 0 is off"), 1, True),
        ("top_p", _translate("SettingsGroups", "Top-p"),
         _translate("SettingsGroups", "Choose among the likeliest with this share; 1 is off"), 0.05, False),
        ("min_p", _translate("SettingsGroups", "Min-p"),
         _translate("SettingsGroups", "Leave out what is less likely than this share of the best"), 0.01, False),
        ("repeat_penalty", _translate("SettingsGroups", "Repeat penalty"),
         _translate("SettingsGroups", "Above 1 makes repetition less likely; 1 is off"), 0.05, False),
    ]
    for key, label, words, step, whole in numbers:
        rows.add_number(group, "answers", key, label, words, *SAMPLING_RANGES[key], step, whole)
    rows.add_seed(group)
    rows.add_number(group, "answers", "max_tokens", _translate("SettingsGroups", "Answer length"),
                    _translate("SettingsGroups", "An answer is cut after this many tokens"), 1, 1_000_000, 128)
    words = _translate("SettingsGroups", "Whether models that can think do so before they answer")
    if knows_thinking is False:
        words += ". " + _translate("SettingsGroups", "The model in use has no switch for it.")
    rows.add_choice(group, "answers", "thinking", _translate("SettingsGroups", "Thinking"), words, [
        ("model", _translate("SettingsGroups", "Model's own way")), ("on", _translate("SettingsGroups", "On")),
        ("off", _translate("SettingsGroups", "Off")),
    ])
    rows.add_choice(group, "answers", "on_full", _translate("SettingsGroups", "When the context is full"),
                    _translate("SettingsGroups", "End the answer, or forget the oldest part of the chat and go on"), [
                        ("trim", _translate("SettingsGroups", "End the answer")),
                        ("shift", _translate("SettingsGroups", "Forget the oldest"))])
    rows.add_text(group, "system_prompt", _translate("SettingsGroups", "System prompt"),
                  _translate("SettingsGroups", "System prompt: said to the model before every chat"),
                  _translate("SettingsGroups", "Instructions that every chat begins with"))
    return group


def fill_loading(form: SettingsForm, rows: ScopedRows) -> list[SettingsGroup]:
    """Target and draft."""
    target = form.add_group(_translate("SettingsGroups", "Loading"))
    rows.add_number(target, "load", "ctx_tokens", _translate("SettingsGroups", "Context"),
                    _translate("SettingsGroups", "Tokens that target and draft see at once"), 0, MOST_CTX,
                    1024, lowest=_translate("SettingsGroups", "the longest"))
    _fill_model(target, rows, "load")
    rows.add_choice(target, "load", "flash_attn", _translate("SettingsGroups", "Flash attention"),
                    _translate("SettingsGroups", "Faster with long contexts, where supported"), [
                        ("auto", _translate("SettingsGroups", "Auto")), ("on", _translate("SettingsGroups", "On")),
                        ("off", _translate("SettingsGroups", "Off"))])
    rows.add_choice(target, "load", "engine", _translate("SettingsGroups", "Engine"),
                    _translate("SettingsGroups", "What runs the models; Auto takes the faster one that is installed"), [
                        ("auto", _translate("SettingsGroups", "Auto")), ("llama", "llama.cpp"),
                        ("ik", "ik_llama.cpp")])
    draft = form.add_group(_translate("SettingsGroups", "Loading of the draft"))
    _fill_model(draft, rows, "draft_load")
    return [target, draft]


def _fill_model(group: SettingsGroup, rows: ScopedRows, family: Family) -> None:
    rows.add_number(group, family, "gpu_layers", _translate("SettingsGroups", "GPU layers"),
                    _translate("SettingsGroups", "Layers on the graphics card; Auto takes as many as fit"), -1,
                    MOST_LAYERS, lowest=_translate("SettingsGroups", "Auto"))
    rows.add_number(group, family, "threads", _translate("SettingsGroups", "Threads"),
                    _translate("SettingsGroups", "Processor cores to use; Auto takes all physical ones"), 0,
                    MOST_THREADS, lowest=_translate("SettingsGroups", "Auto"))
    caches = [(kind, kind) for kind in _CACHE_TYPES]
    rows.add_choice(group, family, "cache_type_k", _translate("SettingsGroups", "Key cache"),
                    _translate("SettingsGroups", "Smaller types save memory on long chats"), caches)
    rows.add_choice(group, family, "cache_type_v", _translate("SettingsGroups", "Value cache"),
                    _translate("SettingsGroups", "Smaller types need flash attention"), caches)
