"""The *Speculative decoding* switch: Off, Auto, or Fixed with its parameters."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from app.gui.segments import Segments
from app.settings import Speculation


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
                ("fixed", self.tr("Fixed"), self.tr("Always drafts with the numbers below")),
            ],
            self.tr("Speculative decoding"), self,
        )
        self.words = QLabel(self)
        self.words.setProperty("role", "secondary")
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.drafter = QComboBox(self)
        self.drafter.addItem(self.tr("Draft model"), "draft")
        self.drafter.addItem(self.tr("N-gram lookup"), "ngram-simple")
        self.max_draft = QSpinBox(self)
        self.max_draft.setRange(1, 64)
        self.min_draft = QSpinBox(self)
        self.min_draft.setRange(0, 64)
        self.p_min = QDoubleSpinBox(self)
        self.p_min.setRange(0.0, 1.0)
        self.p_min.setSingleStep(0.05)
        for spin in (self.max_draft, self.min_draft, self.p_min):
            spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._fields = QWidget(self)
        grid = QGridLayout(self._fields)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self._draft_rows: list[QWidget] = []
        rows: list[tuple[str, QWidget, str]] = [
            (self.tr("Guess with"), self.drafter, self.tr("What guesses the next tokens")),
            (self.tr("Max draft tokens"), self.max_draft, self.tr("At most this many guessed tokens per step")),
            (self.tr("Min draft tokens"), self.min_draft, self.tr("Shorter drafts are not used")),
            (self.tr("Draft probability"), self.p_min,
             self.tr("Guessing stops when the draft is less sure than this")),
        ]
        for index, (label, field, words) in enumerate(rows):
            caption = QLabel(label, self._fields)
            caption.setBuddy(field)
            field.setToolTip(words)
            field.setAccessibleName(label)
            field.setFixedWidth(132 if field is self.drafter else 76)
            grid.addWidget(caption, index, 0)
            grid.addWidget(field, index, 1, Qt.AlignmentFlag.AlignRight)
            if field is not self.drafter:
                self._draft_rows += [caption, field]
        grid.setColumnStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.mode)
        column.addWidget(self.words)
        column.addWidget(self._fields)
        self.mode.chosen.connect(self._read)
        self.drafter.activated.connect(self._read)
        for number in (self.max_draft, self.min_draft):
            number.valueChanged.connect(self._read)
        self.p_min.valueChanged.connect(self._read)
        self.show_value(self._value)

    @property
    def value(self) -> Speculation:
        return self._value

    def show_value(self, value: Speculation) -> None:
        """Show ``value`` without telling anyone."""
        self._value = value
        self.mode.choose(value.mode)
        widgets = (self.drafter, self.max_draft, self.min_draft, self.p_min)
        for widget in widgets:
            widget.blockSignals(True)
        self.drafter.setCurrentIndex(max(0, self.drafter.findData(value.drafter)))
        self.max_draft.setValue(value.max_draft)
        self.min_draft.setValue(value.min_draft)
        self.p_min.setValue(value.p_min)
        for widget in widgets:
            widget.blockSignals(False)
        self._show_state()

    def _read(self) -> None:
        value = msgspec.convert(
            {
                "mode": self.mode.key, "drafter": self.drafter.currentData(), "max_draft": self.max_draft.value(),
                "min_draft": self.min_draft.value(), "p_min": round(self.p_min.value(), 4),
            },
            Speculation,
        )
        if value != self._value:
            self._value = value
            self._show_state()
            self.changed.emit(value)

    def _show_state(self) -> None:
        mode = self._value.mode
        self._fields.setVisible(mode == "fixed")
        for widget in self._draft_rows:
            widget.setVisible(self._value.drafter == "draft")
        self.words.setText({
            "off": self.tr("The target writes alone, one token at a time."),
            "auto": self.tr("Drafts while that makes the answer faster, and stops when it does not."),
            "fixed": self.tr("Always drafts with these numbers, faster or not."),
        }[mode])
