"""What one side may set apart from what holds for all: engine, context, caches, sampling, length."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QLabel, QSpinBox, QWidget

from app.records import CacheType, FlashAttention, LoadSettings
from app.settings.scopes import AnswerChoice, LoadChoice

_WIDTH = 132
Field = QComboBox | QSpinBox | QDoubleSpinBox


class MoreBox(QWidget):
    """Every field begins with “as set”: the settings hold. ``engines`` are the kinds of engine there are to choose."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(0, 1)
        self.fields: dict[str, Field] = {}
        caches = get_args(CacheType)
        engines = engine_kinds()
        if engines:
            self._add_combo("engine", self.tr("Engine"), engines)
        self._add_number("ctx_tokens", self.tr("Context"), 256, 1_048_576, 1024, self.tr("tokens"))
        self._add_number("threads", self.tr("Threads"), 1, 1024, 1, "")
        self._add_number("gpu_layers", self.tr("GPU layers"), 0, 1000, 1, "")
        self._add_combo("cache_type_k", self.tr("K cache"), caches)
        self._add_combo("cache_type_v", self.tr("V cache"), caches)
        self._add_combo("flash_attn", self.tr("Flash attention"), get_args(FlashAttention))
        self._add_combo("draft.cache_type_k", self.tr("Draft’s K cache"), caches)
        self._add_combo("draft.cache_type_v", self.tr("Draft’s V cache"), caches)
        self._add_temperature()
        self._add_number("max_tokens", self.tr("Token limit"), 8, 4096, 16, self.tr("tokens"))

    @property
    def load(self) -> LoadChoice:
        names = ("ctx_tokens", "threads", "gpu_layers", "cache_type_k", "cache_type_v", "flash_attn")
        return msgspec.convert(self._given(names), LoadChoice)

    @property
    def draft_load(self) -> LoadChoice:
        given = self._given(("draft.cache_type_k", "draft.cache_type_v"))
        return msgspec.convert({name.removeprefix("draft."): value for name, value in given.items()}, LoadChoice)

    @property
    def answers(self) -> AnswerChoice:
        return msgspec.convert(self._given(("temperature", "max_tokens")), AnswerChoice)

    @property
    def engine(self) -> str:
        return str(self._value("engine") or "")

    @property
    def count(self) -> int:
        """How many fields are set."""
        return sum(self._value(name) is not None for name in self.fields)

    def show_value(self, load: LoadChoice, draft_load: LoadChoice, answers: AnswerChoice, engine: str) -> None:
        """Show values without telling anyone."""
        drafts = {f"draft.{name}": value for name, value in msgspec.structs.asdict(draft_load).items()}
        values: dict[str, Any] = {**msgspec.structs.asdict(answers), **msgspec.structs.asdict(load), **drafts,
                                  "engine": engine or None}
        for name, field in self.fields.items():
            value = values.get(name)
            field.blockSignals(True)
            if isinstance(field, QComboBox):
                field.setCurrentIndex(max(0, field.findData(value)))
            elif isinstance(field, QSpinBox):
                field.setValue(field.minimum() if value is None else int(value))
            else:
                field.setValue(field.minimum() if value is None else float(value))
            field.blockSignals(False)

    def _value(self, name: str) -> Any:
        field = self.fields.get(name)
        if field is None:
            return None
        if isinstance(field, QComboBox):
            return field.currentData()
        return None if field.value() == field.minimum() else field.value()

    def _given(self, names: tuple[str, ...]) -> dict[str, Any]:
        return {name: value for name in names if (value := self._value(name)) is not None}

    def _add_combo(self, name: str, label: str, values: tuple[str, ...]) -> None:
        combo = QComboBox(self)
        combo.addItem(self.tr("As set"), None)
        for value in values:
            combo.addItem(value, value)
        combo.activated.connect(self.changed)
        self._add(name, label, combo)

    def _add_number(self, name: str, label: str, low: int, high: int, step: int, unit: str) -> None:
        spin = QSpinBox(self)
        # The lowest value stands for none.
        spin.setRange(low - 1, high)
        spin.setSpecialValueText(self.tr("As set"))
        spin.setSingleStep(step)
        spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        spin.setSuffix(f" {unit}" if unit else "")
        spin.valueChanged.connect(self.changed)
        self._add(name, label, spin)

    def _add_temperature(self) -> None:
        spin = QDoubleSpinBox(self)
        spin.setRange(-0.1, 5.0)
        spin.setSingleStep(0.1)
        spin.setDecimals(1)
        spin.setSpecialValueText(self.tr("As set"))
        spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        spin.setValue(-0.1)
        spin.valueChanged.connect(self.changed)
        self._add("temperature", self.tr("Temperature"), spin)

    def _add(self, name: str, label: str, field: Field) -> None:
        row = self._grid.rowCount()
        caption = QLabel(label, self)
        caption.setBuddy(field)
        field.setAccessibleName(label)
        field.setFixedWidth(_WIDTH)
        self._grid.addWidget(caption, row, 0)
        self._grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignRight)
        self.fields[name] = field


def engine_kinds() -> tuple[str, ...]:
    """The engines that a load may ask for."""
    return tuple(get_args(get_type_hints(LoadSettings).get("engine")))
