"""One side of a comparison as a card: target, draft, how it drafts, and whatever else it sets for itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.gui.compare.look import side_colour
from app.gui.compare.method import MethodBox
from app.gui.compare.more import MoreBox
from app.gui.controllers.compare_choice import SideChoice
from app.gui.controllers.compare_names import uses_draft
from app.gui.look import layout
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.models.library import LibraryEntry
from app.models.pairing import check_facts
from app.records import REMOTE


class SideCard(QFrame):
    changed = Signal()
    remove_pressed = Signal()

    def __init__(self, letter: str, role: str, colours: Colours, parent: QWidget | None = None) -> None:
        """``role`` says in a few words what this side is for."""
        super().__init__(parent)
        self.setObjectName("card")
        self._entries: list[LibraryEntry] = []
        self._letter = letter
        self._in_sweep = False
        self.setAccessibleName(self.tr("Side {letter}").format(letter=letter))
        self._title = QLabel(letter, self)
        self.words = layout.label(self, role, role="secondary")
        self.remove = QToolButton(self)
        self.remove.setIconSize(QSize(16, 16))
        self.remove.setToolTip(self.tr("Take side {letter} away").format(letter=letter))
        self.remove.setAccessibleName(self.remove.toolTip())
        self.remove.clicked.connect(self.remove_pressed)
        self.target = self._combo(self.tr("Target"), self.tr("The model that decides every token"))
        self.draft = self._combo(self.tr("Draft"), self.tr("The small model that guesses tokens"))
        self.controls = MethodBox(self)
        self.more = MoreBox(self)
        self.more_button = layout.button(self, kind="plain",
                                         tip=self.tr("Engine, context, caches, sampling and length of this side alone"))
        self.more_button.setCheckable(True)
        self._lay_out()
        self.target.activated.connect(self._take_target)
        self.draft.activated.connect(self._changed)
        self.controls.changed.connect(self._changed)
        self.more.changed.connect(self._changed)
        self.more_button.toggled.connect(self._show_more)
        self.set_removable(False)
        self._show_more(False)
        self.set_colours(colours)

    @property
    def value(self) -> SideChoice:
        return SideChoice(self.target.currentData() or "", self.draft.currentData() or "", self.controls.value,
                          self.more.load, self.more.draft_load, self.more.answers, self.more.engine)

    def show_value(self, value: SideChoice, entries: list[LibraryEntry], remotes: Sequence[str] = ()) -> None:
        """Show ``value`` among ``entries`` and the models of servers elsewhere; a model in use that is neither is
        offered too."""
        self._entries = entries
        self.target.clear()
        for entry in entries:
            if entry.offered:
                self.target.addItem(_label(entry), str(entry.path))
        for path in remotes:
            self.target.addItem(figures.short_name(path), path)
        self._choose(self.target, value.target_path)
        self._fill_drafts(value.draft_path)
        self.controls.show_value(value.speculation)
        self.more.show_value(value.load, value.draft_load, value.answers, value.engine)
        self._show_state()

    def set_colours(self, colours: Colours) -> None:
        colour = side_colour(colours, "ABCD".index(self._letter))
        self._title.setStyleSheet(f"color: {colour}; font-weight: 600; font-size: 16px;")
        self.remove.setIcon(icon("x", colours))

    def set_removable(self, removable: bool) -> None:
        self.remove.setVisible(removable)

    def set_sweep(self, sweep: bool) -> None:
        """A sweep tries every method, so none is chosen."""
        self._in_sweep = sweep
        self.controls.setVisible(not sweep)
        self._title.setVisible(not sweep)
        self._show_state()

    def _lay_out(self) -> None:
        head = layout.row(None, self._title, (self.words, 1), self.remove, spacing=8)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        captions = [self.controls.caption]
        for row, (label, combo) in enumerate(((self.tr("Target"), self.target), (self.tr("Draft"), self.draft))):
            caption = QLabel(label, self)
            caption.setBuddy(combo)
            captions.append(caption)
            grid.addWidget(caption, row, 0)
            grid.addWidget(combo, row, 1)
        width = max(caption.sizeHint().width() for caption in captions)
        for caption in captions:
            caption.setMinimumWidth(width)
        grid.setColumnStretch(1, 1)
        layout.column(self, head, grid, self.controls, (self.more_button, 0, Qt.AlignmentFlag.AlignLeft), self.more, 1,
                      margins=(16, 12, 16, 12), spacing=8)

    def _show_more(self, shown: bool) -> None:
        self.more.setVisible(shown)
        self._show_count()

    def _show_count(self) -> None:
        mark = "▾" if self.more_button.isChecked() else "▸"
        words = self.tr("More settings")
        if self.more.count:
            words = self.tr("More settings ({n} set)").format(n=self.more.count)
        self.more_button.setText(f"{mark} {words}")

    def _fill_drafts(self, chosen: str) -> None:
        target = self._find(self.target.currentData() or "")
        self.draft.clear()
        if self._is_remote:
            self.draft.addItem(self.tr("The server’s own, if any"), "")
            return
        self.draft.addItem(self.tr("None"), "")
        for entry in self._entries:
            if entry.offered and entry.facts is not None and entry is not target:
                fits = target is None or target.facts is None or check_facts(target.facts, entry.facts) is None
                if fits and (target is None or entry.file_bytes < target.file_bytes):
                    self.draft.addItem(_label(entry), str(entry.path))
        self._choose(self.draft, chosen)

    @property
    def _is_remote(self) -> bool:
        return str(self.target.currentData() or "").startswith(REMOTE)

    def _choose(self, combo: QComboBox, path: str) -> None:
        if path and combo.findData(path) < 0:
            combo.addItem(figures.short_name(path), path)
        combo.setCurrentIndex(combo.findData(path))
        combo.setToolTip(combo.currentText())

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
        asked = (self._in_sweep or uses_draft(self.controls.value)) and not self._is_remote
        self.draft.setEnabled(asked)
        words = self.tr("This side asks no draft model")
        if self._is_remote:
            words = self.tr("A draft is chosen where the server is started")
        self.draft.setToolTip(self.draft.currentText() if asked else words)
        self.target.setToolTip(self.target.currentText())
        self._show_count()

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
