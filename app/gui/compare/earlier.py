"""An earlier result beside the one that is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from app.compare.history import KeptSummary
from app.compare.report_diff import Beside, BesideRow
from app.compare.verdict import format_estimate
from app.gui.compare.look import breakable
from app.gui.look import layout, theme
from app.gui.words import figures
from app.gui.words.translation import short_moment

_MOST_ROWS = 8


class EarlierCard(QFrame):
    chosen = Signal(object)
    """The ``KeptSummary`` to be set beside."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        title = layout.label(self, self.tr("Beside an earlier result"), role="heading")
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(title.text())
        self.choice.setToolTip(self.tr("An earlier result whose figures are shown beside these"))
        self.choice.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(16)
        self.choice.activated.connect(self._choose)
        self._box = QWidget(self)
        self.cells: list[list[QLabel]] = []
        self.words = layout.label(self, role="secondary", wraps=True, plain=True)
        head = layout.row(None, title, (self.choice, 1), spacing=12)
        self._column = layout.column(self, head, self._box, self.words, margins=(16, 12, 16, 12), spacing=8)
        self.clear()

    def offer(self, kept: list[KeptSummary], shown_id: str) -> None:
        """All kept results but the shown one; what was chosen stays so."""
        before = self.choice.currentData()
        self.choice.clear()
        self.choice.addItem(self.tr("None"), None)
        for summary in kept:
            if summary.id != shown_id:
                when = short_moment(summary.created_at)
                self.choice.addItem(f"{when}  ·  {summary.title}", summary)
        places = [i for i in range(1, self.choice.count())
                  if before is not None and self.choice.itemData(i).id == before.id]
        self.choice.setCurrentIndex(places[0] if places else 0)
        if before is not None and not places:
            self.clear()
        self.setEnabled(self.choice.count() > 1)

    def clear(self) -> None:
        self.choice.setCurrentIndex(0 if self.choice.count() else -1)
        self._fill([])
        self.words.hide()

    def show_beside(self, beside: Beside) -> None:
        self._fill(beside.rows[:_MOST_ROWS])
        words = list(beside.differences)
        if any(row.change is not None for row in beside.rows):
            words.insert(0, self.tr("“Now/then” holds for the prompts that both have. The two were not measured in "
                                    "turns, so the machine’s own ups and downs are in it."))
        self.words.setText(breakable(" ".join(words)))
        self.words.setVisible(bool(words))

    def _choose(self) -> None:
        summary = self.choice.currentData()
        if summary is None:
            self.clear()
        else:
            self.chosen.emit(summary)

    def _fill(self, rows: list[BesideRow]) -> None:
        old, self._box = self._box, QWidget(self)
        self._column.replaceWidget(old, self._box)
        old.hide()
        old.deleteLater()
        grid = QGridLayout(self._box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        heads = ("", self.tr("now, tokens/s"), self.tr("then"), self.tr("now/then"), self.tr("speed-up now"),
                 self.tr("speed-up then"))
        texts = [heads, *(self._texts(row) for row in rows)] if rows else []
        self.cells = []
        for number, line in enumerate(texts):
            labels = []
            for place, text in enumerate(line):
                label = layout.label(self._box, text, plain=True)
                if place:
                    label.setAlignment(Qt.AlignmentFlag.AlignRight)
                    label.setFont(theme.tabular_font())
                else:
                    label.setWordWrap(True)
                if number == 0:
                    label.setProperty("role", "secondary")
                grid.addWidget(label, number, place)
                labels.append(label)
            self.cells.append(labels)
        self._box.setVisible(bool(rows))

    def _texts(self, row: BesideRow) -> tuple[str, ...]:
        return (breakable(row.name), figures.rate_number(row.now), figures.rate_number(row.then),
                f"{row.change:.2f}×" if row.change is not None else "—", format_estimate(row.speedup_now),
                format_estimate(row.speedup_then))
