"""What one side may set apart from what holds for all: engine, context, caches, sampling, length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QLabel, QSpinBox, QWidget

from app.gui.words.settings import words_of
from app.settings.scopes import AnswerChoice, LoadChoice
from app.settings.table import TABLE, Setting, settings_of

_WIDTH = 132
Field = QComboBox | QSpinBox | QDoubleSpinBox


class MoreBox(QWidget):
    """Every field begins with “as set”: the settings hold."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(0, 1)
        self.fields: dict[str, Field] = {}
        for setting in (*settings_of("load"), *settings_of("sampling"), *settings_of("answers")):
            if setting.in_compare:
                self._add(setting.key, words_of(setting.label), self._field(setting))
            if setting.in_compare and setting.for_draft and setting.kind == "choice":
                label = self.tr("{name} of the draft").format(name=words_of(setting.label))
                self._add(f"draft.{setting.key}", label, self._field(setting))

    @property
    def load(self) -> LoadChoice:
        return msgspec.convert(self._given(row.key for row in settings_of("load") if row.key != "engine"), LoadChoice)

    @property
    def draft_load(self) -> LoadChoice:
        given = self._given(f"draft.{row.key}" for row in settings_of("load"))
        return msgspec.convert({name.removeprefix("draft."): value for name, value in given.items()}, LoadChoice)

    @property
    def answers(self) -> AnswerChoice:
        return msgspec.convert(self._given(row.key for row in TABLE if row.part in ("sampling", "answers")),
                               AnswerChoice)

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

    def _given(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: value for name in names if (value := self._value(name)) is not None}

    def _field(self, setting: Setting) -> Field:
        if setting.kind == "choice":
            combo = QComboBox(self)
            combo.addItem(self.tr("As set"), None)
            for value, title in setting.choices:
                combo.addItem(words_of(title), value)
            combo.activated.connect(self.changed)
            return combo
        spin: QSpinBox | QDoubleSpinBox = QSpinBox(self) if setting.kind == "whole" else QDoubleSpinBox(self)
        # The lowest value stands for “as set”; where the setting's own lowest one does so, that is left out.
        step = 1 if setting.kind == "whole" else setting.step
        low = setting.low if setting.lowest else setting.low - step
        if isinstance(spin, QSpinBox):
            spin.setRange(int(low), int(setting.high))
            spin.setSingleStep(int(setting.step))
            spin.setValue(int(low))
        else:
            spin.setRange(low, setting.high)
            spin.setSingleStep(setting.step)
            spin.setValue(low)
        spin.setSpecialValueText(self.tr("As set"))
        spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        spin.setSuffix(f" {words_of(setting.unit)}" if setting.unit else "")
        spin.valueChanged.connect(self.changed)
        return spin

    def _add(self, name: str, label: str, field: Field) -> None:
        row = self._grid.rowCount()
        caption = QLabel(label, self)
        caption.setBuddy(field)
        field.setAccessibleName(label)
        field.setFixedWidth(_WIDTH)
        self._grid.addWidget(caption, row, 0)
        self._grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignRight)
        self.fields[name] = field
