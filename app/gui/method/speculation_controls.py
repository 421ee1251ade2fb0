"""The *Speculative decoding* switch: Off, Auto, or Fixed with a method and its parameters."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QSpinBox, QVBoxLayout, QWidget

from app.gui.look.segments import Segments
from app.gui.method.form import MethodForm
from app.gui.words.methods import method_title, method_words
from app.methods import METHODS, Value
from app.settings.scopes import DRAFT_FIELDS, FIXED_METHODS
from app.settings.settings import Speculation


class SpeculationControls(QWidget):
    changed = Signal(object)
    """The ``Speculation`` that a person has set."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value = Speculation()
        self.mode = Segments(
            [
                ("off", self.tr("Off"), self.tr("The target writes alone")),
                ("auto", self.tr("Auto"), self.tr("Drafts while that is faster, measured in every answer")),
                ("fixed", self.tr("Fixed"), self.tr("Always drafts with the method and numbers below")),
            ],
            self.tr("Speculative decoding"), self,
        )
        self.words = QLabel(self)
        self.words.setProperty("role", "secondary")
        self.words.setWordWrap(True)
        self._fixed = QWidget(self)
        self.drafter = QComboBox(self._fixed)
        self.drafter.setAccessibleName(self.tr("Guess with"))
        self.drafter.setToolTip(self.tr("What guesses the next tokens"))
        for name in FIXED_METHODS:
            self.drafter.addItem(method_title(name), name)
        caption = QLabel(self.tr("Guess with"), self._fixed)
        caption.setBuddy(self.drafter)
        self.method_words = QLabel(self._fixed)
        self.method_words.setProperty("role", "secondary")
        self.method_words.setWordWrap(True)
        self._form_column = QVBoxLayout()
        self._forms: dict[str, MethodForm] = {}
        column = QVBoxLayout(self._fixed)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for widget in (caption, self.drafter, self.method_words):
            column.addWidget(widget)
        column.addLayout(self._form_column)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(8)
        for part in (self.mode, self.words, self._fixed):
            whole.addWidget(part)
        self.mode.chosen.connect(self._read)
        self.drafter.activated.connect(self._read)
        self.form("draft")
        self.show_value(self._value)

    @property
    def value(self) -> Speculation:
        return self._value

    @property
    def max_draft(self) -> QSpinBox:
        """Of the draft model."""
        field = self.form("draft").fields["max"]
        assert isinstance(field, QSpinBox)
        return field

    @property
    def min_draft(self) -> QSpinBox:
        """Of the draft model."""
        field = self.form("draft").fields["min"]
        assert isinstance(field, QSpinBox)
        return field

    @property
    def p_min(self) -> QDoubleSpinBox:
        """Of the draft model."""
        field = self.form("draft").fields["p_min"]
        assert isinstance(field, QDoubleSpinBox)
        return field

    def form(self, name: str) -> MethodForm:
        """The fields of a method, made when they are first needed."""
        if name not in self._forms:
            form = MethodForm(name, self._fixed)
            form.changed.connect(self._read)
            self._form_column.addWidget(form)
            self._forms[name] = form
        return self._forms[name]

    def show_value(self, value: Speculation) -> None:
        """Show ``value`` without telling anyone."""
        self._value = value
        self.mode.choose(value.mode)
        self.drafter.setCurrentIndex(max(0, self.drafter.findData(value.drafter)))
        defaults = {key: option.default for key, option in METHODS[value.drafter].options.items()}
        own: dict[str, Value] = {}
        if value.drafter == "draft":
            own = {key: getattr(value, name) for key, name in DRAFT_FIELDS.items()}
        self.form(value.drafter).show_values({**defaults, **own, **value.options})
        self._show_state()

    def _read(self) -> None:
        drafter = str(self.drafter.currentData())
        given = self.form(drafter).values()
        options = METHODS[drafter].options
        own: dict[str, Value] = {
            key: value for key, value in given.items()
            if value != options[key].default and not (drafter == "draft" and key in DRAFT_FIELDS)
        }
        values: dict[str, object] = {"mode": self.mode.key, "drafter": drafter, "options": own}
        draft = given if drafter == "draft" else self.form("draft").values()
        values |= {name: draft[key] for key, name in DRAFT_FIELDS.items()}
        value = msgspec.convert(values, Speculation)
        if value != self._value:
            self._value = value
            self._show_state()
            self.changed.emit(value)

    def _show_state(self) -> None:
        mode, drafter = self._value.mode, self._value.drafter
        self._fixed.setVisible(mode == "fixed")
        for name, form in self._forms.items():
            form.setVisible(name == drafter)
        self.method_words.setText(method_words(drafter))
        self.words.setText({
            "off": self.tr("The target writes alone, one token at a time."),
            "auto": self.tr("Drafts while that makes the answer faster, and stops when it does not."),
            "fixed": self.tr("Always drafts this way, faster or not."),
        }[mode])
