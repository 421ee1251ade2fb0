"""Rows of settings in groups, which a search can narrow down."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

FIELD_WIDTH = 168


@dataclass
class _Row:
    widget: QWidget
    words: str


@dataclass
class SettingsGroup:
    """A card of rows. ``words`` are what a search looks at, in lower case."""

    title: str
    card: QFrame
    column: QVBoxLayout
    rows: list[_Row] = field(default_factory=list)

    def add(self, label: str, explanation: str, control: QWidget) -> None:
        """A row: what it is called, what it does, and its control at the right."""
        row = QWidget(self.card)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 4, 0, 4)
        line.setSpacing(16)
        words = QVBoxLayout()
        words.setSpacing(0)
        caption = QLabel(label, row)
        caption.setBuddy(control)
        small = QLabel(explanation, row)
        small.setProperty("role", "secondary")
        small.setWordWrap(True)
        words.addWidget(caption)
        words.addWidget(small)
        control.setAccessibleName(label)
        control.setToolTip(explanation)
        control.setFixedWidth(FIELD_WIDTH)
        if isinstance(control, QAbstractSpinBox):
            control.setAlignment(Qt.AlignmentFlag.AlignRight)
        line.addLayout(words, 1)
        line.addWidget(control, 0, Qt.AlignmentFlag.AlignTop)
        self.column.addWidget(row)
        self.rows.append(_Row(row, f"{self.title} {label} {explanation}".lower()))

    def add_wide(self, label: str, explanation: str, control: QWidget) -> None:
        """A control as wide as the group, under its explanation."""
        row = QWidget(self.card)
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(8)
        if explanation:
            small = QLabel(explanation, row)
            small.setProperty("role", "secondary")
            small.setWordWrap(True)
            column.addWidget(small)
        control.setAccessibleName(label)
        column.addWidget(control)
        self.column.addWidget(row)
        self.rows.append(_Row(row, f"{self.title} {label} {explanation}".lower()))

    def narrow(self, words: list[str]) -> bool:
        """Show the rows that hold all ``words``; whether any does."""
        for row in self.rows:
            row.widget.setVisible(all(word in row.words for word in words))
        found = any(all(word in row.words for word in words) for row in self.rows)
        self.card.setVisible(found)
        return found


class SettingsForm(QWidget):
    """Groups under each other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.groups: list[SettingsGroup] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 12, 0)
        self._column.setSpacing(12)
        self.nothing = QLabel(self.tr("No setting matches. Try another word, such as “context” or “theme”."), self)
        self.nothing.setProperty("role", "secondary")
        self.nothing.setWordWrap(True)
        self.nothing.hide()
        self._column.addWidget(self.nothing)
        self._column.addStretch(1)

    def add_group(self, title: str) -> SettingsGroup:
        card = QFrame(self)
        card.setObjectName("card")
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(4)
        heading = QLabel(title, card)
        heading.setProperty("role", "heading")
        column.addWidget(heading)
        group = SettingsGroup(title, card, column)
        self.groups.append(group)
        self._column.insertWidget(self._column.count() - 1, card)
        return group

    def narrow(self, text: str) -> None:
        words = text.lower().split()
        found = [group.narrow(words) for group in self.groups]
        self.nothing.setVisible(not any(found))
