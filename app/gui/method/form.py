"""The parameters of one speculation method as fields, made from the method's own description."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression, Qt, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QLabel, QLineEdit, QSpinBox, QWidget

from app.gui.words.methods import choice_title, option_label, option_words
from app.methods import METHODS, Option, Value

_NUMBER_WIDTH = 76
_WORD_WIDTH = 124
_DECIMALS = 4

Field = QSpinBox | QDoubleSpinBox | QComboBox | QLineEdit


class MethodForm(QWidget):
    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        kind = METHODS[name]
        self.fields: dict[str, Field] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        for index, (key, option) in enumerate(kind.options.items()):
            field = self._make_field(option)
            caption = QLabel(option_label(key), self)
            caption.setBuddy(field)
            words = option_words(kind, key)
            for widget in (caption, field):
                widget.setToolTip(words)
            field.setAccessibleName(option_label(key))
            field.setAccessibleDescription(words)
            field.setObjectName(f"{name}-{key}")
            field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            grid.addWidget(caption, index, 0)
            grid.addWidget(field, index, 1, Qt.AlignmentFlag.AlignRight)
            self.fields[key] = field

    def values(self) -> dict[str, Value]:
        """Every parameter."""
        return {key: _read(field) for key, field in self.fields.items()}

    def show_values(self, values: dict[str, Value]) -> None:
        """Show ``values`` without telling anyone; a parameter that is not among them stays."""
        for key, value in values.items():
            field = self.fields.get(key)
            if field is None:
                continue
            field.blockSignals(True)
            _show(field, value)
            field.blockSignals(False)

    def _make_field(self, option: Option) -> Field:
        if option.choices:
            box = QComboBox(self)
            for word in option.choices:
                box.addItem(choice_title(word), word)
            box.setFixedWidth(_WORD_WIDTH)
            box.activated.connect(self.changed)
            field: Field = box
        elif isinstance(option.default, str):
            text = QLineEdit(self)
            # A comma would end the parameter in the method's text.
            text.setValidator(QRegularExpressionValidator(QRegularExpression("[^,]*"), text))
            text.setFixedWidth(_WORD_WIDTH)
            text.editingFinished.connect(self.changed)
            field = text
        elif isinstance(option.default, float):
            number = QDoubleSpinBox(self)
            number.setRange(option.low, option.high)
            number.setSingleStep(0.05 if option.high <= 1 else 0.5)
            number.setFixedWidth(_NUMBER_WIDTH)
            number.setAlignment(Qt.AlignmentFlag.AlignRight)
            number.valueChanged.connect(self.changed)
            field = number
        else:
            whole = QSpinBox(self)
            whole.setRange(int(option.low), int(option.high))
            whole.setFixedWidth(_NUMBER_WIDTH)
            whole.setAlignment(Qt.AlignmentFlag.AlignRight)
            whole.valueChanged.connect(self.changed)
            field = whole
        _show(field, option.default)
        return field


def _read(field: Field) -> Value:
    if isinstance(field, QComboBox):
        return str(field.currentData())
    if isinstance(field, QLineEdit):
        return field.text().strip()
    if isinstance(field, QDoubleSpinBox):
        return round(field.value(), _DECIMALS)
    return field.value()


def _show(field: Field, value: Value) -> None:
    if isinstance(field, QComboBox):
        field.setCurrentIndex(max(0, field.findData(value)))
    elif isinstance(field, QLineEdit):
        field.setText(str(value))
    elif isinstance(field, QDoubleSpinBox):
        field.setValue(float(value))
    else:
        field.setValue(int(value))
