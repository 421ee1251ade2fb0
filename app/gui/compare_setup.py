"""What is to be compared: two sides, the prompts, the length, how long to measure."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.gui.compare_choice import TOKENS, PromptChoice, SideChoice
from app.gui.compare_side_card import SideCard
from app.gui.segments import Segments
from app.models.library import LibraryEntry
from app.settings import Speculation
from app.terms import Message

_PROMPT_HEIGHT = 76
_KINDS_PER_ROW = 4


class CompareSetup(QWidget):
    changed = Signal()
    start_requested = Signal()

    def __init__(self, kinds: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._messages: tuple[Message, ...] = ()
        self.sides = [SideCard("A", self.tr("What is compared with"), self),
                      SideCard("B", self.tr("What may be faster"), self)]
        self._cards = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._cards.setSpacing(12)
        for card in self.sides:
            self._cards.addWidget(card, 1)
            card.changed.connect(self.changed)
        self.source = Segments(
            [
                ("typed", self.tr("My prompt"), self.tr("One prompt, typed in")),
                ("shipped", self.tr("Shipped prompts"), self.tr("Prompts of eight kinds that come with Slipstream")),
                ("chat", self.tr("Chat’s last question"), self.tr("The open chat up to its last question")),
            ],
            self.tr("Prompts"), self,
        )
        for key in ("typed", "shipped", "chat"):
            # The chosen one is in bold, which its layout does not ask for.
            button = self.source.button(key)
            button.setMinimumWidth(button.sizeHint().width() + 24)
        self.prompt = QPlainTextEdit(self)
        self.prompt.setPlaceholderText(self.tr("Ask what you would ask in a chat, such as: Write a function that "
                                               "merges overlapping intervals."))
        self.prompt.setAccessibleName(self.tr("Prompt"))
        self.prompt.setFixedHeight(_PROMPT_HEIGHT)
        self.prompt.setTabChangesFocus(True)
        self.question = QLabel(self)
        self.question.setTextFormat(Qt.TextFormat.PlainText)
        self.question.setWordWrap(True)
        self.kinds = [QCheckBox(kind.capitalize(), self) for kind in kinds]
        self._kinds = self._kinds_box(kinds)
        self.tokens = self._number(8, 4096, TOKENS, self.tr("Answers end after this many tokens"))
        self.rounds = QComboBox(self)
        self.rounds.addItem(self.tr("Until the speed-up is known to ±5%"), False)
        self.rounds.addItem(self.tr("Two rounds, for a quick look"), True)
        self.rounds.setAccessibleName(self.tr("How long to measure"))
        self.choosing = QComboBox(self)
        self.choosing.addItem(self.tr("Most likely token"), "greedy")
        self.choosing.addItem(self.tr("As in chats"), "chat")
        self.choosing.setToolTip(self.tr("How the target chooses tokens; both sides use the same random numbers"))
        self.choosing.setAccessibleName(self.tr("Sampling"))
        self.start = QPushButton(self.tr("Start"), self)
        self.start.setProperty("kind", "primary")
        self.start.setToolTip(self.tr("Measure both sides in turns (Ctrl+Return)"))
        self.start.setShortcut("Ctrl+Return")
        self.trouble = QLabel(self)
        self.trouble.setProperty("role", "secondary")
        self.trouble.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(self._cards)
        column.addWidget(self._prompt_card())
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.trouble, 1)
        foot.addWidget(self.start)
        column.addLayout(foot)
        self.source.chosen.connect(self._show_source)
        self.prompt.textChanged.connect(self.changed)
        self.tokens.valueChanged.connect(self.changed)
        self.rounds.activated.connect(self.changed)
        self.choosing.activated.connect(self.changed)
        self.start.clicked.connect(self.start_requested)
        self.source.choose("typed")
        self._show_source()

    @property
    def choices(self) -> list[SideChoice]:
        return [card.value for card in self.sides]

    @property
    def prompts(self) -> PromptChoice:
        kinds = tuple(box.property("kind") for box in self.kinds if box.isChecked())
        source = self.source.key
        return PromptChoice(
            "shipped" if source == "shipped" else "chat" if source == "chat" else "typed",
            self.prompt.toPlainText(), kinds, self.per_kind.value(), self._messages,
        )

    def show_sides(self, current: SideChoice, entries: list[LibraryEntry]) -> None:
        """A is ``current`` without speculation, B as it is; where that is without, B is Auto."""
        plain = SideChoice(current.target_path, current.draft_path, Speculation(mode="off"))
        if current.speculation.mode == "off":
            current = SideChoice(current.target_path, current.draft_path, Speculation(mode="auto"))
        for card, value in zip(self.sides, (plain, current), strict=True):
            card.show_value(value, entries)
        self.changed.emit()

    def show_question(self, messages: tuple[Message, ...]) -> None:
        self._messages = messages
        words = messages[-1].content.strip() if messages else self.tr("The open chat has no question yet.")
        self.question.setText(words if len(words) <= 240 else words[:239] + "…")
        self.changed.emit()

    def show_trouble(self, words: str, ready: bool) -> None:
        """What stands in the way, or what will happen; ``ready`` lets it start."""
        self.trouble.setText(words)
        self.start.setEnabled(ready)

    def set_narrow(self, narrow: bool) -> None:
        """Cards one below the other."""
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._cards.setDirection(direction)

    def _prompt_card(self) -> QFrame:
        card = QFrame(self)
        card.setObjectName("card")
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(12)
        title = QLabel(self.tr("Prompts"), card)
        title.setProperty("role", "heading")
        column.addWidget(title)
        column.addWidget(self.source, 0, Qt.AlignmentFlag.AlignLeft)
        for widget in (self.prompt, self.question, self._kinds):
            column.addWidget(widget)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        rows = ((self.tr("Token limit"), self.tokens), (self.tr("Measure"), self.rounds),
                (self.tr("Sampling"), self.choosing))
        for row, (label, field) in enumerate(rows):
            caption = QLabel(label, card)
            caption.setBuddy(field)
            grid.addWidget(caption, row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignLeft)
        grid.setColumnStretch(1, 1)
        column.addLayout(grid)
        return card

    def _kinds_box(self, kinds: list[str]) -> QWidget:
        box = QWidget(self)
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        for index, (check, kind) in enumerate(zip(self.kinds, kinds, strict=True)):
            check.setProperty("kind", kind)
            check.setChecked(True)
            check.toggled.connect(self.changed)
            grid.addWidget(check, index // _KINDS_PER_ROW, index % _KINDS_PER_ROW)
        self.per_kind = self._number(1, 5, 1, self.tr("The first so many prompts of each kind"))
        row = QHBoxLayout()
        caption = QLabel(self.tr("Prompts of each kind"), box)
        caption.setBuddy(self.per_kind)
        row.addWidget(caption)
        row.addWidget(self.per_kind)
        row.addStretch(1)
        grid.addLayout(row, 1 + len(kinds) // _KINDS_PER_ROW, 0, 1, _KINDS_PER_ROW)
        grid.setColumnStretch(_KINDS_PER_ROW, 1)
        self.per_kind.valueChanged.connect(self.changed)
        return box

    def _number(self, low: int, high: int, value: int, words: str) -> QSpinBox:
        spin = QSpinBox(self)
        spin.setRange(low, high)
        spin.setValue(value)
        spin.setFixedWidth(76)
        spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        spin.setToolTip(words)
        spin.setAccessibleName(words)
        return spin

    def _show_source(self) -> None:
        source = self.source.key
        self.prompt.setVisible(source == "typed")
        self._kinds.setVisible(source == "shipped")
        self.question.setVisible(source == "chat")
        self.changed.emit()
