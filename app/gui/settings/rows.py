"""Controls that show and set one value of the scope that is looked at, and say where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLineEdit, QPlainTextEdit, QSpinBox

from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.settings.form import Row, SettingsGroup
from app.settings.draft import Family, Scope, SettingsDraft, Valued
from app.settings.scopes import RANDOM_SEED

Refresh = Callable[[], None]


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

    def add_number(self, group: SettingsGroup, family: Family, key: str, label: str, words: str, low: float,
                   high: float, step: float = 1, whole: bool = True, lowest: str = "") -> Row:
        """``lowest`` is what the lowest number means, in a word."""
        control: QSpinBox | QDoubleSpinBox
        if whole:
            control = QSpinBox()
            control.setRange(int(low), int(high))
            control.setSingleStep(int(step))
            control.setGroupSeparatorShown(True)
        else:
            control = QDoubleSpinBox()
            control.setRange(low, high)
            control.setSingleStep(step)
            control.setDecimals(2)
        if lowest:
            control.setSpecialValueText(lowest)
        control.setKeyboardTracking(False)
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.setObjectName(f"{family}-{key}")
        control.valueChanged.connect(lambda number: self._take(family, key, number))
        row = group.add(label, words, control, scoped=True)

        def show(valued: Valued) -> None:
            control.blockSignals(True)
            control.setValue(valued.value)
            control.blockSignals(False)

        self._watch(row, family, key, show)
        return row

    def add_choice(self, group: SettingsGroup, family: Family, key: str, label: str, words: str,
                   choices: list[tuple[str, str]]) -> Row:
        """``choices`` are (value, what is shown)."""
        control = QComboBox()
        for value, shown in choices:
            control.addItem(shown, value)
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.setObjectName(f"{family}-{key}")
        control.activated.connect(lambda _: self._take(family, key, control.currentData()))
        row = group.add(label, words, control, scoped=True)
        self._watch(row, family, key, lambda valued: control.setCurrentIndex(max(0, control.findData(valued.value))))
        return row

    def add_seed(self, group: SettingsGroup) -> Row:
        control = QLineEdit()
        control.setPlaceholderText(self.tr("random"))
        control.setAlignment(Qt.AlignmentFlag.AlignRight)
        control.setObjectName("answers-seed")

        def read() -> None:
            text = control.text().strip()
            seed = int(text) if text.isascii() and text.isdecimal() and int(text) < 2**32 else RANDOM_SEED
            control.setText("" if seed == RANDOM_SEED else str(seed))
            if seed != self.draft.look(self.scope, "answers", "seed").value:
                self._take("answers", "seed", seed)

        control.editingFinished.connect(read)
        row = group.add(self.tr("Seed"), self.tr("The same seed gives the same answer; empty draws a new one"), control,
                        scoped=True)
        self._watch(row, "answers", "seed", lambda valued: control.setText(
            "" if valued.value in (None, RANDOM_SEED) else str(valued.value)))
        return row

    def add_text(self, group: SettingsGroup, key: str, label: str, words: str, placeholder: str) -> Row:
        control = QPlainTextEdit()
        control.setFixedHeight(88)
        control.setTabChangesFocus(True)
        control.setPlaceholderText(placeholder)
        control.setObjectName(f"answers-{key}")
        control.textChanged.connect(lambda: self._take("answers", key, control.toPlainText()))
        row = group.add_wide(label, words, control, scoped=True)

        def show(valued: Valued) -> None:
            if control.toPlainText() != valued.value:
                control.blockSignals(True)
                control.setPlainText(valued.value or "")
                control.blockSignals(False)

        self._watch(row, "answers", key, show)
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
