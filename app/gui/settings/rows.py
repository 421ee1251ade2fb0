"""Controls that show and set one value of the scope that is looked at, and say where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLineEdit, QPlainTextEdit, QSpinBox, QWidget

from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.settings.form import Row, SettingsGroup
from app.gui.words.settings import words_of
from app.settings.draft import Family, Scope, SettingsDraft, Valued
from app.settings.scopes import RANDOM_SEED
from app.settings.table import Setting

Refresh = Callable[[], None]
Show = Callable[[Valued], None]


def number_field(setting: Setting) -> QSpinBox | QDoubleSpinBox:
    """A field that takes what ``setting`` can be."""
    control: QSpinBox | QDoubleSpinBox
    if setting.kind == "whole":
        control = QSpinBox()
        control.setRange(int(setting.low), int(setting.high))
        control.setSingleStep(int(setting.step))
        control.setGroupSeparatorShown(True)
    else:
        control = QDoubleSpinBox()
        control.setRange(setting.low, setting.high)
        control.setSingleStep(setting.step)
        control.setDecimals(2)
    control.setSpecialValueText(words_of(setting.lowest) if setting.lowest else "")
    control.setKeyboardTracking(False)
    return control


class ScopedRows(QObject):
    changed = Signal()
    """A person has changed a value of ``draft``."""

    def __init__(self, draft: SettingsDraft, colours: Colours, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.draft = draft
        self.scope: Scope = "all"
        self._colours = colours
        self._refreshes: list[Refresh] = []

    def look_at(self, scope: Scope) -> None:
        self.scope = scope
        self.refresh()

    def refresh(self) -> None:
        """Show every value as it holds in the scope."""
        for refresh in self._refreshes:
            refresh()

    def on_refresh(self, refresh: Refresh) -> None:
        self._refreshes.append(refresh)

    def add(self, group: SettingsGroup, family: Family, setting: Setting, more: str = "") -> Row:
        """The row of ``setting``, with ``more`` behind its explanation."""
        label, words = words_of(setting.label), words_of(setting.help) + more
        if setting.kind == "text":
            return self._add_text(group, family, setting, label, words)
        control, show = {
            "choice": self._choice, "seed": self._seed, "whole": self._number, "decimal": self._number,
        }[setting.kind](family, setting)
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.setObjectName(f"{family}-{setting.key}")
        row = group.add(label, words, control, scoped=True)
        self._watch(row, family, setting.key, show)
        return row

    def _number(self, family: Family, setting: Setting) -> tuple[QWidget, Show]:
        control = number_field(setting)
        control.valueChanged.connect(lambda number: self._take(family, setting.key, number))

        def show(valued: Valued) -> None:
            control.blockSignals(True)
            control.setValue(valued.value)
            control.blockSignals(False)

        return control, show

    def _choice(self, family: Family, setting: Setting) -> tuple[QWidget, Show]:
        control = QComboBox()
        for value, title in setting.choices:
            control.addItem(words_of(title), value)
        control.activated.connect(lambda _: self._take(family, setting.key, control.currentData()))
        return control, lambda valued: control.setCurrentIndex(max(0, control.findData(valued.value)))

    def _seed(self, family: Family, setting: Setting) -> tuple[QWidget, Show]:
        control = QLineEdit()
        control.setPlaceholderText(words_of(setting.placeholder))
        control.setAlignment(Qt.AlignmentFlag.AlignRight)

        def read() -> None:
            text = control.text().strip()
            seed = int(text) if text.isascii() and text.isdecimal() and setting.holds(int(text)) else RANDOM_SEED
            control.setText("" if seed == RANDOM_SEED else str(seed))
            if seed != self.draft.look(self.scope, family, setting.key).value:
                self._take(family, setting.key, seed)

        control.editingFinished.connect(read)
        return control, lambda valued: control.setText(
            "" if valued.value in (None, RANDOM_SEED) else str(valued.value))

    def _add_text(self, group: SettingsGroup, family: Family, setting: Setting, label: str, words: str) -> Row:
        control = QPlainTextEdit()
        control.setFixedHeight(88)
        control.setTabChangesFocus(True)
        control.setPlaceholderText(words_of(setting.placeholder))
        control.setObjectName(f"{family}-{setting.key}")
        control.textChanged.connect(lambda: self._take(family, setting.key, control.toPlainText()))
        row = group.add_wide(label, words, control, scoped=True)

        def show(valued: Valued) -> None:
            if control.toPlainText() != valued.value:
                control.blockSignals(True)
                control.setPlainText(valued.value or "")
                control.blockSignals(False)

        self._watch(row, family, setting.key, show)
        return row

    def _watch(self, row: Row, family: Family, key: str, show: Callable[[Valued], None]) -> None:
        def refresh() -> None:
            valued = self.draft.look(self.scope, family, key)
            show(valued)
            self._show_origin(row, family, valued)

        def reset() -> None:
            self._take(family, key, None)
            refresh()

        assert row.reset is not None
        row.reset.setIcon(icon("arrow-counter-clockwise", self._colours))
        row.reset.clicked.connect(reset)
        self._refreshes.append(refresh)

    def _show_origin(self, row: Row, family: Family, valued: Valued) -> None:
        assert row.reset is not None
        assert row.origin is not None
        words = {
            "all": self.tr("as for every model"), "file": self.tr("from the model file"),
            "model": self.tr("as this model"), "target": self.tr("as the target"), "chat": "",
        }[valued.origin]
        follows = not valued.own and (self.scope != "all" or family == "draft_load")
        row.origin.setText(words if follows else "")
        row.origin.setVisible(bool(row.origin.text()))
        row.reset.setVisible(valued.own)
        row.reset.setToolTip(self.tr("Back to what holds elsewhere"))

    def _take(self, family: Family, key: str, value: Any) -> None:
        self.draft.set(self.scope, family, key, value)
        self.refresh()
        self.changed.emit()
