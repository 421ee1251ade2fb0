"""One side of a comparison as a card: target, draft, and how it drafts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.gui import figures
from app.gui.compare_choice import SideChoice, uses_draft
from app.gui.speculation_controls import SpeculationControls
from app.models.library import LibraryEntry
from app.models.pairing import check_facts


class SideCard(QFrame):
    changed = Signal()

    def __init__(self, letter: str, role: str, parent: QWidget | None = None) -> None:
        """``role`` says in a few words what this side is for."""
        super().__init__(parent)
        self.setObjectName("card")
        self._entries: list[LibraryEntry] = []
        self._letter = letter
        self.setAccessibleName(self.tr("Side {letter}").format(letter=letter))
        title = QLabel(letter, self)
        title.setProperty("role", "heading")
        words = QLabel(role, self)
        words.setProperty("role", "secondary")
        self.target = self._combo(self.tr("Target"), self.tr("The model that decides every token"))
        self.draft = self._combo(self.tr("Draft"), self.tr("The small model that guesses tokens"))
        self.controls = SpeculationControls(self)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        for row, (label, combo) in enumerate(((self.tr("Target"), self.target), (self.tr("Draft"), self.draft))):
            caption = QLabel(label, self)
            caption.setBuddy(combo)
            grid.addWidget(caption, row, 0)
            grid.addWidget(combo, row, 1)
        grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(8)
        column.addWidget(title)
        column.addWidget(words)
        column.addLayout(grid)
        column.addWidget(self.controls)
        column.addStretch(1)
        self.target.activated.connect(self._take_target)
        self.draft.activated.connect(self._changed)
        self.controls.changed.connect(self._changed)

    @property
    def value(self) -> SideChoice:
        return SideChoice(self.target.currentData() or "", self.draft.currentData() or "", self.controls.value)

    def show_value(self, value: SideChoice, entries: list[LibraryEntry]) -> None:
        """Show ``value`` among ``entries``; a model in use that is no entry is offered too."""
        self._entries = entries
        self.target.clear()
        for entry in entries:
            if entry.offered:
                self.target.addItem(_label(entry), str(entry.path))
        self._choose(self.target, value.target_path)
        self._fill_drafts(value.draft_path)
        self.controls.show_value(value.speculation)
        self._show_state()

    def _fill_drafts(self, chosen: str) -> None:
        target = self._find(self.target.currentData() or "")
        self.draft.clear()
        self.draft.addItem(self.tr("None"), "")
        for entry in self._entries:
            if entry.offered and entry.facts is not None and entry is not target:
                fits = target is None or target.facts is None or check_facts(target.facts, entry.facts) is None
                if fits and (target is None or entry.file_bytes < target.file_bytes):
                    self.draft.addItem(_label(entry), str(entry.path))
        self._choose(self.draft, chosen)

    def _choose(self, combo: QComboBox, path: str) -> None:
        if path and combo.findData(path) < 0:
            combo.addItem(figures.short_name(path), path)
        combo.setCurrentIndex(combo.findData(path))

    def _find(self, path: str) -> LibraryEntry | None:
        return next((entry for entry in self._entries if str(entry.path) == path), None)

    def _take_target(self) -> None:
        kept = self.draft.currentData() or ""
        self._fill_drafts("")
        if self.draft.findData(kept) >= 0:
            self.draft.setCurrentIndex(self.draft.findData(kept))
        self._changed()

    def _changed(self) -> None:
        self._show_state()
        self.changed.emit()

    def _show_state(self) -> None:
        asked = uses_draft(self.controls.value)
        self.draft.setEnabled(asked)
        self.draft.setToolTip(
            self.tr("The small model that guesses tokens") if asked else self.tr("This side asks no draft model")
        )

    def _combo(self, name: str, words: str) -> QComboBox:
        combo = QComboBox(self)
        combo.setAccessibleName(self.tr("{name} of side {letter}").format(name=name, letter=self._letter))
        combo.setToolTip(words)
        combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.view().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        return combo


def _label(entry: LibraryEntry) -> str:
    form = entry.facts.quantisation if entry.facts is not None else ""
    return " · ".join(filter(None, (entry.name, form, figures.size(entry.file_bytes))))
