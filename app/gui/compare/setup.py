"""What is to be compared: two to four sides or a sweep, the prompts, the length, how long to measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from app.compare.side import LETTERS, MOST_SIDES
from app.gui.compare.prompts import PromptCard
from app.gui.compare.side_card import SideCard
from app.gui.controllers.compare_choice import PromptChoice, SideChoice
from app.gui.look import layout
from app.gui.look.segments import Segments
from app.gui.look.theme import Colours
from app.models.library import LibraryEntry
from app.records import Message
from app.settings.settings import Speculation

_LEAST_SIDES = 2


class CompareSetup(QWidget):
    changed = Signal()
    start_requested = Signal()

    def __init__(self, kinds: list[str], colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = 2
        self._count = _LEAST_SIDES
        self._entries: list[LibraryEntry] = []
        self._remotes: Sequence[str] = ()
        self.mode = Segments(
            [
                ("sides", self.tr("Side by side"), self.tr("Two to four configurations against each other")),
                ("sweep", self.tr("Sweep"), self.tr("Every draft length and method of one pair, to find the best")),
            ],
            self.tr("What to compare"), self,
        )
        for key in ("sides", "sweep"):
            self.mode.button(key).setMinimumWidth(110)
        self.mode.choose("sides")
        roles = (self.tr("What is compared with"), self.tr("What may be faster"), self.tr("Another one"),
                 self.tr("Another one"))
        self.all_sides = [SideCard(letter, role, colours, self) for letter, role in zip(LETTERS, roles, strict=True)]
        self._roles = roles
        self.add = QPushButton(self.tr("Add a side"), self)
        self.add.setToolTip(self.tr("Up to four configurations can be compared at once"))
        self.prompts_card = PromptCard(kinds, self)
        self.start = layout.button(self, self.tr("Start"), tip=self.tr("Measure all sides in turns (Ctrl+Return)"))
        self.start.setProperty("kind", "primary")
        self.start.setShortcut("Ctrl+Return")
        self.trouble = layout.label(self, role="secondary", wraps=True)
        self._lay_out()
        self.mode.chosen.connect(self._show_mode)
        for index, card in enumerate(self.all_sides):
            card.changed.connect(self.changed)
            card.remove_pressed.connect(lambda index=index: self._remove(index))
        self.add.clicked.connect(self._add)
        self.prompts_card.changed.connect(self.changed)
        self.start.clicked.connect(self.start_requested)
        self._show_mode()

    @property
    def is_sweep(self) -> bool:
        return self.mode.key == "sweep"

    @property
    def sides(self) -> list[SideCard]:
        """The cards that count."""
        return self.all_sides[: self._count]

    @property
    def choices(self) -> list[SideChoice]:
        return [card.value for card in self.sides]

    @property
    def prompts(self) -> PromptChoice:
        return self.prompts_card.value

    def set_colours(self, colours: Colours) -> None:
        for card in self.all_sides:
            card.set_colours(colours)

    def show_sides(self, current: SideChoice, entries: list[LibraryEntry], remotes: Sequence[str] = ()) -> None:
        """A is ``current`` without speculation, B as it is; where that is without, B is Auto. ``remotes`` are models of
        servers elsewhere."""
        plain = replace(current, speculation=Speculation(mode="off"))
        if current.speculation.mode == "off":
            current = replace(current, speculation=Speculation(mode="auto"))
        self._entries, self._remotes = entries, remotes
        for card, value in zip(self.sides, (plain, current), strict=False):
            card.show_value(value, entries, remotes)
        self.changed.emit()

    def show_entries(self, entries: list[LibraryEntry], remotes: Sequence[str] = ()) -> None:
        """There are other models than before."""
        self._entries, self._remotes = entries, remotes
        for card in self.sides:
            card.show_value(card.value, entries, remotes)

    def show_question(self, messages: tuple[Message, ...]) -> None:
        self.prompts_card.show_question(messages)
        self.changed.emit()

    def show_trouble(self, words: str, ready: bool) -> None:
        """What stands in the way, or what will happen; ``ready`` lets it start."""
        self.trouble.setText(words)
        self.start.setEnabled(ready)

    def set_narrow(self, narrow: bool) -> None:
        """Cards one below the other."""
        columns = 1 if narrow else 2
        if columns != self._columns:
            self._columns = columns
            self._arrange()

    def _lay_out(self) -> None:
        head = layout.row(None, self.mode, 1, self.add)
        self._cards = QGridLayout()
        self._cards.setSpacing(12)
        foot = layout.row(None, (self.trouble, 1), (self.start, 0, Qt.AlignmentFlag.AlignBottom), spacing=12)
        layout.column(self, head, self._cards, self.prompts_card, foot, margins=(0, 0, 0, 0), spacing=12)

    def _arrange(self) -> None:
        for index, card in enumerate(self.all_sides):
            columns = 1 if self.is_sweep else self._columns
            self._cards.addWidget(card, index // columns, index % columns)
            card.setVisible(index < (1 if self.is_sweep else self._count))
            card.set_removable(not self.is_sweep and self._count > _LEAST_SIDES)
        for column in range(2):
            self._cards.setColumnStretch(column, 1 if column < self._columns else 0)
        self.add.setVisible(not self.is_sweep and self._count < MOST_SIDES)

    def _show_mode(self) -> None:
        sweep = self.is_sweep
        self.all_sides[0].set_sweep(sweep)
        self.all_sides[0].words.setText(
            self.tr("The pair whose draft lengths and methods are tried") if sweep else self._roles[0])
        self.prompts_card.set_sweep(sweep)
        self._arrange()
        self.changed.emit()

    def _add(self) -> None:
        """One more side, as the last is, to be changed."""
        value = self.sides[-1].value
        self._count += 1
        self.sides[-1].show_value(value, self._entries, self._remotes)
        self._arrange()
        self.changed.emit()

    def _remove(self, index: int) -> None:
        """Take a side away; those behind it move up."""
        values = [value for place, value in enumerate(self.choices) if place != index]
        self._count -= 1
        for card, value in zip(self.sides, values, strict=True):
            card.show_value(value, self._entries, self._remotes)
        self._arrange()
        self.changed.emit()
