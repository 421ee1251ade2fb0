"""The answers of all sides to one prompt, side by side, and where they part."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QPlainTextEdit, QWidget

from app.compare.report import Report, describe_divergence_in_words
from app.compare.side import LETTERS
from app.compare.trial import Trial
from app.gui.compare.look import breakable
from app.gui.look import layout
from app.gui.look.theme import Colours
from app.gui.words import figures

_HEIGHT = 200


class CompareAnswers(QFrame):
    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._colours = colours
        self._report: Report | None = None
        title = layout.label(self, self.tr("Answers"), role="heading")
        self.prompts = QComboBox(self)
        self.prompts.setAccessibleName(self.tr("Prompt"))
        self.prompts.setToolTip(self.tr("The prompt whose answers are shown"))
        self.prompts.activated.connect(self._show_prompt)
        head = layout.row(None, title, 1, self.prompts)
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        self._boxes: list[QWidget] = []
        self.heads: list[QLabel] = []
        self.texts: list[QPlainTextEdit] = []
        for letter in LETTERS:
            caption = layout.label(self, letter, role="secondary", wraps=True, plain=True)
            text = QPlainTextEdit(self)
            text.setReadOnly(True)
            text.setFixedHeight(_HEIGHT)
            text.setAccessibleName(self.tr("Answer of {letter}").format(letter=letter))
            box = layout.column(None, caption, text, spacing=4)
            widget = QWidget(self)
            widget.setLayout(box)
            box.setContentsMargins(0, 0, 0, 0)
            self._boxes.append(widget)
            self.heads.append(caption)
            self.texts.append(text)
        self.partings = layout.label(self, role="secondary", wraps=True, plain=True)
        self.partings.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.column(self, head, self._grid, self.partings, margins=(16, 12, 16, 16), spacing=8)
        self.set_narrow(False)

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        if self._report is not None:
            self._show_prompt()

    def set_narrow(self, narrow: bool) -> None:
        columns = 1 if narrow else 2
        for index, box in enumerate(self._boxes):
            self._grid.addWidget(box, index // columns, index % columns)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)

    def show_report(self, report: Report) -> None:
        self._report = report
        self.prompts.clear()
        for prompt in report.prompts:
            if any(trial.prompt_id == prompt.id for trial in report.trials):
                self.prompts.addItem(prompt.id, prompt.id)
        self.prompts.setVisible(self.prompts.count() > 1)
        self._show_prompt()

    def _show_prompt(self) -> None:
        report = self._report
        if report is None:
            return
        prompt_id = self.prompts.currentData()
        trials = [self._first_trial(report, prompt_id, side.name) for side in report.sides]
        shared = _shared_length([trial.text for trial in trials if trial is not None])
        for index, box in enumerate(self._boxes):
            box.setVisible(index < len(trials))
        for letter, head, text, side, trial in zip(LETTERS, self.heads, self.texts, report.sides, trials, strict=False):
            words = f"{letter}  {breakable(side.name)}"
            if trial is None:
                head.setText(words)
                text.setPlainText("")
                text.setPlaceholderText(self.tr("No answer was finished."))
                continue
            head.setText(f"{words}  ·  {figures.rate(trial.tokens_per_second)}")
            text.setPlainText(trial.text)
            self._mark_rest(text, shared)
        self.partings.setText(breakable(self._parting_words(report, prompt_id, trials)))

    def _first_trial(self, report: Report, prompt_id: str, side: str) -> Trial | None:
        found = [t for t in report.trials if t.prompt_id == prompt_id and t.side == side]
        return min(found, key=lambda trial: trial.run, default=None)

    def _mark_rest(self, edit: QPlainTextEdit, start: int) -> None:
        """A ground behind what is not the same in all."""
        text = edit.toPlainText()
        if start >= len(text):
            return
        cursor = QTextCursor(edit.document())
        cursor.setPosition(len(text[:start].encode("utf-16-le")) // 2)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        look = QTextCharFormat()
        look.setBackground(QColor(self._colours.warning_ground))
        cursor.mergeCharFormat(look)

    def _parting_words(self, report: Report, prompt_id: str, trials: list[Trial | None]) -> str:
        partings = [p for p in report.result.partings if p.prompt_id == prompt_id]
        if partings:
            lines = "\n".join(describe_divergence_in_words(parting) for parting in partings[:3])
            return self.tr("Where they part (the target’s own scores): {lines}").format(lines=lines)
        if all(trial is not None for trial in trials):
            texts = {tuple(trial.token_ids) for trial in trials if trial is not None}
            if len(texts) > 1:
                return self.tr("They wrote different texts.")
            return self.tr("Both wrote the same text.") if len(trials) == 2 else self.tr("All wrote the same text.")
        return ""


def _shared_length(texts: list[str]) -> int:
    """How many characters all begin with."""
    if not texts:
        return 0
    # What comes first and last in order differ the earliest.
    first, last = min(texts), max(texts)
    return next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
