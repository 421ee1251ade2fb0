"""A speculation method of one side: which one, and its parameters in the form that the chat has."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSizePolicy, QWidget

from app.gui.look import layout
from app.gui.method.form import MethodForm
from app.gui.words.methods import method_title
from app.methods import METHODS, Method, parse_method
from app.settings.scopes import speculation_from
from app.settings.settings import Speculation


class MethodBox(QWidget):
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.method = QComboBox(self)
        self.method.setAccessibleName(self.tr("Method"))
        self.method.setToolTip(self.tr("What guesses the next tokens, which the target then checks"))
        self.method.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.method.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for name in METHODS:
            self.method.addItem(method_title(name), name)
        self.caption = QLabel(self.tr("Method"), self)
        self.caption.setBuddy(self.method)
        row = QGridLayout()
        row.setHorizontalSpacing(12)
        row.addWidget(self.caption, 0, 0)
        row.addWidget(self.method, 0, 1)
        row.setColumnStretch(1, 1)
        self._name = Speculation().method().partition(":")[0]
        self.form = self._make_form(self._name)
        """Of the method that is shown."""
        self._column = layout.column(self, row, self.form, margins=(0, 0, 0, 0), spacing=8)
        self.method.activated.connect(self._take_method)
        self.show_value(Speculation())

    @property
    def value(self) -> Speculation:
        return speculation_from(str(Method(self._name, self.form.values())))

    def show_value(self, value: Speculation) -> None:
        """Show ``value`` without telling anyone."""
        parsed = parse_method(value.method())
        self.method.setCurrentIndex(self.method.findData(parsed.name))
        self._show_method(parsed)

    def choose(self, name: str) -> None:
        """As a person does it who picks ``name`` from the list."""
        self.method.setCurrentIndex(self.method.findData(name))
        self._take_method()

    def _take_method(self) -> None:
        self._show_method(parse_method(self.method.currentData()))
        self.changed.emit()

    def _show_method(self, method: Method) -> None:
        if method.name != self._name:
            old, self._name = self.form, method.name
            self.form = self._make_form(method.name)
            self._column.replaceWidget(old, self.form)
            old.hide()
            old.deleteLater()
        self.form.show_values(method.options)
        self.form.setVisible(bool(self.form.fields))

    def _make_form(self, name: str) -> MethodForm:
        form = MethodForm(name, self)
        form.changed.connect(self.changed)
        return form
