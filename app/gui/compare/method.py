"""A speculation method with all of its parameters, as the method itself declares them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from app.gui.look import layout
from app.gui.words.methods import choice_title, method_title, option_words
from app.gui.words.translation import marked
from app.methods import METHODS, Method, Option, Value, parse_method
from app.settings.scopes import speculation_from
from app.settings.settings import Speculation

_translate = QCoreApplication.translate
_FIELD_WIDTH = 132
_LABELS = {
    "max": marked("MethodBox", "Max draft tokens"),
    "min": marked("MethodBox", "Min draft tokens"),
    "p_min": marked("MethodBox", "Draft probability"),
    "sampling": marked("MethodBox", "Draft tokens"),
    "first": marked("MethodBox", "Asked first"),
    "n": marked("MethodBox", "Phrase length"),
    "m": marked("MethodBox", "Max draft tokens"),
    "min_hits": marked("MethodBox", "Min hits"),
    "file": marked("MethodBox", "Statistics file"),
    "factor": marked("MethodBox", "Length factor"),
    "history": marked("MethodBox", "Earlier answers"),
    "window": marked("MethodBox", "Guesses"),
    "free": marked("MethodBox", "Without a draft"),
}
"""By the name of the parameter; one that is not here goes by its own name."""

Field = QSpinBox | QDoubleSpinBox | QComboBox | QLineEdit


class MethodBox(QWidget):
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.method = QComboBox(self)
        self.method.setAccessibleName(self.tr("Method"))
        self.method.setToolTip(self.tr("What guesses the next tokens, which the target then checks"))
        self.method.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.method.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for name in METHODS:
            self.method.addItem(method_title(name), name)
        self.fields: dict[str, Field] = {}
        """By the name of the parameter, of the method that is shown."""
        self._box = QWidget(self)
        self._column = column = layout.column(self, margins=(0, 0, 0, 0), spacing=8)
        row = QGridLayout()
        row.setHorizontalSpacing(12)
        caption = QLabel(self.tr("Method"), self)
        caption.setBuddy(self.method)
        row.addWidget(caption, 0, 0)
        row.addWidget(self.method, 0, 1)
        row.setColumnStretch(1, 1)
        self.caption = caption
        column.addLayout(row)
        column.addWidget(self._box)
        self.method.activated.connect(self._take_method)
        self.show_value(Speculation())

    @property
    def value(self) -> Speculation:
        return speculation_from(str(Method(self._shown, self._options())))

    def show_value(self, value: Speculation) -> None:
        """Show ``value`` without telling anyone."""
        parsed = parse_method(value.method())
        self.method.setCurrentIndex(self.method.findData(parsed.name))
        self._show_fields(parsed)

    def choose(self, name: str) -> None:
        """As a person does it who picks ``name`` from the list."""
        self.method.setCurrentIndex(self.method.findData(name))
        self._take_method()

    def _options(self) -> dict[str, Value]:
        return {key: _read(field) for key, field in self.fields.items()}

    def _take_method(self) -> None:
        self._show_fields(parse_method(self.method.currentData()))
        self.changed.emit()

    def _show_fields(self, method: Method) -> None:
        if method.name != self._shown:
            self._make_fields(method.name)
        for key, field in self.fields.items():
            _show(field, method.options[key])

    def _make_fields(self, name: str) -> None:
        self._shown = name
        old, self._box = self._box, QWidget(self)
        self._column.replaceWidget(old, self._box)
        old.hide()
        old.deleteLater()
        grid = QGridLayout(self._box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        self.fields = {}
        for row, (key, option) in enumerate(METHODS[name].options.items()):
            field = self._make_field(option)
            label = _translate("MethodBox", _LABELS.get(key, key))
            caption = QLabel(label, self._box)
            caption.setBuddy(field)
            field.setAccessibleName(label)
            field.setToolTip(option_words(METHODS[name], key))
            field.setFixedWidth(_FIELD_WIDTH if isinstance(field, QComboBox | QLineEdit) else 84)
            grid.addWidget(caption, row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignRight)
            self.fields[key] = field
        self._box.setVisible(bool(self.fields))

    def _make_field(self, option: Option) -> Field:
        if option.choices:
            combo = QComboBox(self._box)
            for word in option.choices:
                combo.addItem(choice_title(word), word)
            combo.activated.connect(self.changed)
            return combo
        if isinstance(option.default, str):
            line = QLineEdit(self._box)
            line.editingFinished.connect(self.changed)
            return line
        if isinstance(option.default, int):
            spin = QSpinBox(self._box)
            spin.setRange(int(option.low), int(option.high))
            spin.setAlignment(Qt.AlignmentFlag.AlignRight)
            spin.valueChanged.connect(self.changed)
            return spin
        number = QDoubleSpinBox(self._box)
        number.setRange(option.low, option.high)
        number.setSingleStep(0.05 if option.high <= 1 else 0.5)
        number.setAlignment(Qt.AlignmentFlag.AlignRight)
        number.valueChanged.connect(self.changed)
        return number


def _read(field: Field) -> Value:
    if isinstance(field, QComboBox):
        return str(field.currentData())
    if isinstance(field, QLineEdit):
        # A comma would begin the next parameter.
        return field.text().strip().replace(",", "")
    return field.value() if isinstance(field, QSpinBox) else round(field.value(), 4)


def _show(field: Field, value: Value) -> None:
    field.blockSignals(True)
    if isinstance(field, QComboBox):
        field.setCurrentIndex(max(0, field.findData(value)))
    elif isinstance(field, QLineEdit):
        field.setText(str(value))
    elif isinstance(field, QSpinBox):
        field.setValue(int(value))
    else:
        field.setValue(float(value))
    field.blockSignals(False)
