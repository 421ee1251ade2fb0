"""Which prompts are compared on, and how: the lower card of the setup."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from app.errors import SlipstreamError
from app.gui.controllers.compare_choice import (
    LIMIT_MINUTES,
    SWEEP_MINUTES,
    SWEEP_TOKENS,
    TOKENS,
    OwnPrompts,
    PromptChoice,
    Source,
    read_own_prompts,
)
from app.gui.look import layout
from app.gui.look.segments import Segments
from app.gui.words.messages import words_of
from app.records import Message

_PROMPT_HEIGHT = 76
_KINDS_PER_ROW = 4
_MOST_PER_KIND = 1000


class PromptCard(QFrame):
    changed = Signal()

    def __init__(self, kinds: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._messages: tuple[Message, ...] = ()
        self._own: OwnPrompts | None = None
        self.ask_file: Callable[[], str] = self._ask_file
        """The path of the file that a person chose, "" for none."""
        sources = [
            ("typed", self.tr("My prompt"), self.tr("One prompt, typed in")),
            ("shipped", self.tr("Shipped prompts"), self.tr("Prompts of eight kinds that come with Slipstream")),
            ("chat", self.tr("Open chat"), self.tr("The open chat up to its last question")),
            ("file", self.tr("My file"), self.tr("Prompts of a file: JSON lines, or plain text")),
        ]
        self.source = Segments(sources, self.tr("Prompts"), self)
        for key, _, _ in sources:
            # The chosen one is in bold, which its layout does not ask for.
            button = self.source.button(key)
            button.setMinimumWidth(button.sizeHint().width() + 16)
        self.prompt = QPlainTextEdit(self)
        self.prompt.setPlaceholderText(self.tr("Ask what you would ask in a chat, such as: Write a function that "
                                               "merges overlapping intervals."))
        self.prompt.setAccessibleName(self.tr("Prompt"))
        self.prompt.setFixedHeight(_PROMPT_HEIGHT)
        self.prompt.setTabChangesFocus(True)
        self.question = layout.label(self, wraps=True, plain=True)
        self.kinds = [QCheckBox(kind.capitalize(), self) for kind in kinds]
        self._kinds = self._kinds_box(kinds)
        self._file_row = self._make_file_row()
        self._per_kind = self._make_per_kind()
        self._make_numbers()
        self._lay_out()
        self.source.chosen.connect(self._show_source)
        self.prompt.textChanged.connect(self.changed)
        for spin in (self.tokens, self.minutes, self.limit, self.per_kind):
            spin.valueChanged.connect(self.changed)
        for combo in (self.rounds, self.choosing):
            combo.activated.connect(self.changed)
        self.source.choose("typed")
        self._show_source()
        self.set_sweep(False)

    @property
    def value(self) -> PromptChoice:
        kinds = tuple(box.property("kind") for box in self.kinds if box.isChecked())
        source: Source = next(key for key in get_args(Source) if key == self.source.key)
        return PromptChoice(source, self.prompt.toPlainText(), kinds, self.per_kind.value(), self._messages, self._own)

    def show_question(self, messages: tuple[Message, ...]) -> None:
        self._messages = messages
        words = messages[-1].content.strip() if messages else self.tr("The open chat has no question yet.")
        self.question.setText(words if len(words) <= 240 else words[:239] + "…")

    def set_sweep(self, sweep: bool) -> None:
        for widget in self._only_sides:
            widget.setVisible(not sweep)
        for widget in self._only_sweep:
            widget.setVisible(sweep)
        usual, other = (SWEEP_TOKENS, TOKENS) if sweep else (TOKENS, SWEEP_TOKENS)
        if self.tokens.value() == other:
            self.tokens.setValue(usual)

    def open_file(self, path: Path) -> None:
        """Take the prompts of ``path``, or say why they cannot be used."""
        try:
            self._own = own = read_own_prompts(path)
        except SlipstreamError as error:
            self._own = None
            self.file_words.setText(words_of(error))
        else:
            kinds = list(dict.fromkeys(prompt.kind for prompt in own.prompts))
            words = self.tr("{file}: {n} prompts") if len(own.prompts) > 1 else self.tr("{file}: one prompt")
            text = words.format(file=own.file.name, n=len(own.prompts))
            if len(kinds) > 1:
                text += self.tr(" of the kinds {kinds}").format(kinds=", ".join(kinds))
            self.file_words.setText(text)
        self.file_words.setToolTip(str(path))
        self.changed.emit()

    def _lay_out(self) -> None:
        title = layout.label(self, self.tr("Prompts"), role="heading")
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        rows = ((self.tr("Token limit"), self.tokens), (self.tr("Measure"), self.rounds),
                (self.tr("Minutes at most"), self.limit), (self.tr("Minutes at most"), self.minutes),
                (self.tr("Sampling"), self.choosing))
        captions = {}
        for row, (label, field) in enumerate(rows):
            caption = QLabel(label, self)
            caption.setBuddy(field)
            captions[field] = caption
            grid.addWidget(caption, row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignLeft)
        self._only_sides = [self.rounds, captions[self.rounds], self.limit, captions[self.limit]]
        self._only_sweep = [self.minutes, captions[self.minutes]]
        grid.setColumnStretch(1, 1)
        layout.column(self, title, (self.source, 0, Qt.AlignmentFlag.AlignLeft), self.prompt, self.question,
                      self._kinds, self._file_row, self._per_kind, grid, margins=(16, 12, 16, 16), spacing=12)

    def _make_numbers(self) -> None:
        self.tokens = self._number(8, 4096, TOKENS, self.tr("Answers end after this many tokens"))
        self.minutes = self._number(1, 600, SWEEP_MINUTES, self.tr("Prompts for which there is no time are left out"))
        self.limit = self._number(1, 600, LIMIT_MINUTES, self.tr(
            "Behind the first six pairs no round begins that would take longer"))
        self.rounds = QComboBox(self)
        self.rounds.addItem(self.tr("Until the speed-up is known to ±5%"), False)
        self.rounds.addItem(self.tr("Two rounds, for a quick look"), True)
        self.rounds.setAccessibleName(self.tr("How long to measure"))
        self.choosing = QComboBox(self)
        self.choosing.addItem(self.tr("Most likely token"), "greedy")
        self.choosing.addItem(self.tr("As in chats"), "chat")
        self.choosing.setToolTip(self.tr("How the target chooses tokens; all sides use the same random numbers"))
        self.choosing.setAccessibleName(self.tr("Sampling"))

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
        grid.setColumnStretch(_KINDS_PER_ROW, 1)
        return box

    def _make_file_row(self) -> QWidget:
        box = QWidget(self)
        self.file_button = layout.button(box, self.tr("Choose a file…"), self._choose_file)
        self.file_words = layout.label(
            box,
            self.tr("JSON lines of {id, kind, messages}, or plain text whose prompts stand apart "
                    "by an empty line or by “---”."),
            role="secondary", wraps=True, plain=True)
        layout.row(box, self.file_button, (self.file_words, 1), margins=(0, 0, 0, 0), spacing=12)
        return box

    def _make_per_kind(self) -> QWidget:
        box = QWidget(self)
        self.per_kind = self._number(1, _MOST_PER_KIND, 1, self.tr("The first so many prompts of each kind"))
        caption = QLabel(self.tr("Prompts of each kind"), box)
        caption.setBuddy(self.per_kind)
        layout.row(box, caption, self.per_kind, 1, margins=(0, 0, 0, 0), spacing=12)
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
        self._file_row.setVisible(source == "file")
        self._per_kind.setVisible(source in ("shipped", "file"))
        self.question.setVisible(source == "chat")
        self.changed.emit()

    def _choose_file(self) -> None:
        path = self.ask_file()
        if path:
            self.open_file(Path(path))

    def _ask_file(self) -> str:
        kinds = self.tr("Prompts (*.jsonl *.json *.txt *.md);;All files (*)")
        return QFileDialog.getOpenFileName(self, self.tr("Choose a file of prompts"), "", kinds)[0]
