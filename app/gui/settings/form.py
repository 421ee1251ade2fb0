"""Rows of settings in groups, which a search can narrow down."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QFrame, QLabel, QToolButton, QVBoxLayout, QWidget

from app.gui.look import layout

FIELD_WIDTH = 168


@dataclass
class Row:
    """``reset`` and ``origin`` are only there where a row can follow a wider scope."""

    widget: QWidget
    words: str
    explanation: QLabel
    reset: QToolButton | None = None
    origin: QLabel | None = None
    is_offered: bool = True
    """Whether the row means anything in the scope that is looked at."""


@dataclass
class SettingsGroup:
    """A card of rows. ``words`` are what a search looks at, in lower case."""

    title: str
    card: QFrame
    column: QVBoxLayout
    rows: list[Row] = field(default_factory=list)
    is_offered: bool = True

    def add(self, label: str, explanation: str, control: QWidget, scoped: bool = False) -> Row:
        """A row: what it is called, what it does, and its control at the right. ``scoped``: it can follow a wider
        scope, and says so under the control."""
        row = QWidget(self.card)
        caption = QLabel(label, row)
        caption.setBuddy(control)
        small = _small(row, explanation)
        words = layout.column(None, caption, small, 1, spacing=0)
        control.setAccessibleName(label)
        control.setAccessibleDescription(explanation)
        control.setToolTip(explanation)
        control.setFixedWidth(FIELD_WIDTH)
        if isinstance(control, QAbstractSpinBox):
            control.setAlignment(Qt.AlignmentFlag.AlignRight)
        line = layout.row(row, (words, 1), margins=(0, 4, 0, 4), spacing=8)
        made = Row(row, f"{self.title} {label} {explanation}".lower(), small)
        if scoped:
            made.reset = _reset_button(row, label)
            line.addWidget(made.reset, 0, Qt.AlignmentFlag.AlignTop)
        side = layout.column(None, (control, 0, Qt.AlignmentFlag.AlignRight), spacing=2)
        if scoped:
            made.origin = _small(row, "")
            made.origin.setAlignment(Qt.AlignmentFlag.AlignRight)
            made.origin.setFixedWidth(FIELD_WIDTH)
            made.origin.hide()
            side.addWidget(made.origin)
        line.addLayout(side)
        self.column.addWidget(row)
        self.rows.append(made)
        return made

    def add_wide(self, label: str, explanation: str, control: QWidget, scoped: bool = False) -> Row:
        """A control as wide as the group, under its explanation. ``label`` names it and is searched."""
        row = QWidget(self.card)
        column = layout.column(row, margins=(0, 4, 0, 4), spacing=8)
        small = _small(row, explanation)
        small.setVisible(bool(explanation))
        made = Row(row, f"{self.title} {label} {explanation}".lower(), small)
        if scoped:
            made.reset, made.origin = _reset_button(row, label), _small(row, "")
            head = layout.row(None, (small, 1), made.origin, made.reset, spacing=8)
            column.addLayout(head)
        else:
            column.addWidget(small)
        control.setAccessibleName(label)
        column.addWidget(control)
        self.column.addWidget(row)
        self.rows.append(made)
        return made

    def narrow(self, words: list[str]) -> bool:
        """Show the rows that hold all ``words``; whether any does."""
        found = False
        for row in self.rows:
            fits = self.is_offered and row.is_offered and all(word in row.words for word in words)
            row.widget.setVisible(fits)
            found = found or fits
        self.card.setVisible(found)
        return found


class SettingsForm(QWidget):
    """Groups under each other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.groups: list[SettingsGroup] = []
        self._words: list[str] = []
        self._column = layout.column(self, margins=(0, 0, 12, 0), spacing=12)
        self.nothing = _small(self, self.tr("No setting matches. Try another word, such as “context” or “theme”."))
        self.nothing.hide()
        self._column.addWidget(self.nothing)
        self._column.addStretch(1)

    def add_group(self, title: str) -> SettingsGroup:
        card = QFrame(self)
        card.setObjectName("card")
        heading = QLabel(title, card)
        heading.setProperty("role", "heading")
        column = layout.column(card, heading, margins=(16, 12, 16, 12), spacing=4)
        group = SettingsGroup(title, card, column)
        self.groups.append(group)
        self._column.insertWidget(self._column.count() - 1, card)
        return group

    def narrow(self, text: str) -> None:
        """Show what holds every word of ``text``."""
        self._words = text.lower().split()
        self.refresh()

    def refresh(self) -> None:
        """Show what is searched for and means something in the scope that is looked at."""
        found = [group.narrow(self._words) for group in self.groups]
        self.nothing.setVisible(not any(found))


def _small(parent: QWidget, text: str) -> QLabel:
    return layout.label(parent, text, role="secondary", wraps=True)


def _reset_button(parent: QWidget, label: str) -> QToolButton:
    button = QToolButton(parent)
    button.setAccessibleName(label)
    policy = button.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    button.setSizePolicy(policy)
    button.hide()
    return button
