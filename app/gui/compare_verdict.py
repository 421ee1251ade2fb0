"""The verdict: which side won, by how much, how sure that is, and the button that uses it."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.compare.interval import Estimate
from app.compare.report import Report
from app.compare.result import SideResult
from app.compare.verdict import find_winner, format_factor
from app.gui import figures, theme
from app.gui.compare_choice import LETTERS
from app.gui.theme import Colours

_HEIGHT = 64


class IntervalBar(QWidget):
    """The speed-up on a line: 1× is as fast, the bar its 95% interval, the dot the best estimate."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._estimate: Estimate | None = None
        self.setFixedHeight(_HEIGHT)
        self.setFont(theme.tabular_font(theme.SMALL_PX))

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.update()

    def show_estimate(self, estimate: Estimate | None) -> None:
        self._estimate = estimate
        self.setVisible(estimate is not None)
        if estimate is not None:
            low, high = estimate.low or estimate.factor, estimate.high or estimate.factor
            words = self.tr("Speed-up {factor}, 95% interval {low} to {high}")
            self.setToolTip(words.format(factor=format_factor(estimate.factor), low=format_factor(low),
                                         high=format_factor(high)))
            self.setAccessibleName(self.toolTip())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        estimate = self._estimate
        if estimate is None:
            return
        low, high = estimate.low or estimate.factor, estimate.high or estimate.factor
        # A logarithmic scale: half as fast and twice as fast are equally far from 1.
        reach = max(2.0, *(max(v, 1 / max(v, 0.01)) * 1.15 for v in (low, high)))
        margin, middle = 28.0, 22.0
        span = self.width() - 2 * margin

        def at(factor: float) -> float:
            return margin + span * (0.5 + math.log(min(max(factor, 1 / reach), reach)) / math.log(reach) / 2)

        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._colours
        painter.setPen(QPen(QColor(colours.border_strong), 1))
        painter.drawLine(QPointF(margin, middle), QPointF(margin + span, middle))
        painter.drawLine(QPointF(at(1), middle - 14), QPointF(at(1), middle + 14))
        painter.setPen(QColor(colours.secondary))
        left, right = self.tr("A faster"), self.tr("B faster")
        painter.drawText(QRectF(0, 40, span / 3, 20), Qt.AlignmentFlag.AlignLeft, f"← {left}")
        painter.drawText(QRectF(self.width() - span / 3, 40, span / 3, 20), Qt.AlignmentFlag.AlignRight, f"{right} →")
        painter.drawText(QRectF(at(1) - 80, 40, 160, 20), Qt.AlignmentFlag.AlignHCenter, self.tr("1×, as fast"))
        colour = QColor(colours.plot_b if estimate.factor >= 1 else colours.plot_a)
        painter.setPen(QPen(colour, 8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        if at(high) - at(low) > 1:
            painter.drawLine(QPointF(at(low), middle), QPointF(at(high), middle))
        painter.setPen(QPen(QColor(colours.surface), 2))
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(at(estimate.factor), middle), 8, 8)
        painter.end()


class VerdictCard(QFrame):
    apply_pressed = Signal()

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._colours = colours
        self.headline = QLabel(self)
        self.headline.setFont(theme.tabular_font(24, bold=True))
        self.sentence = QLabel(self)
        for label in (self.headline, self.sentence):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.basis = QLabel(self)
        self.basis.setProperty("role", "secondary")
        self.basis.setWordWrap(True)
        self.bar = IntervalBar(colours, self)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self.rows: list[list[QLabel]] = []
        for row in range(3):
            labels = [QLabel(self) for _ in range(6)]
            for place, label in enumerate(labels):
                label.setTextFormat(Qt.TextFormat.PlainText)
                if place >= 2:
                    label.setAlignment(Qt.AlignmentFlag.AlignRight)
                    label.setFont(theme.tabular_font())
                self._grid.addWidget(label, row, place)
            labels[1].setWordWrap(True)
            self.rows.append(labels)
        heads = ("", "", self.tr("tokens/s"), self.tr("first token"), self.tr("accepted"), self.tr("memory"))
        for label, text in zip(self.rows[0], heads, strict=True):
            label.setText(text)
            label.setProperty("role", "secondary")
        self.apply = QPushButton(self)
        self.apply.setProperty("kind", "primary")
        self.apply.clicked.connect(self.apply_pressed)
        self.applied = QLabel(self)
        self.applied.setProperty("role", "good")
        foot = QHBoxLayout()
        foot.addWidget(self.apply)
        foot.addWidget(self.applied, 1)
        foot.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(self.headline)
        column.addWidget(self.sentence)
        column.addWidget(self.bar)
        column.addLayout(self._grid)
        column.addWidget(self.basis)
        column.addLayout(foot)

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.bar.set_colours(colours)
        self._colour_letters()

    def show_report(self, report: Report, stopped: bool) -> None:
        sides = report.result.overall.sides
        verdict = report.verdicts[0]
        estimate = sides[1].speedup
        self.headline.setText(self._headline(verdict.kind, estimate))
        rest = verdict.sentence.removeprefix(verdict.headline).lstrip(", ")
        self.sentence.setText(rest)
        self.bar.show_estimate(estimate)
        winner = find_winner(report.result)
        for letter, labels, side in zip(LETTERS, self.rows[1:], sides, strict=True):
            self._show_side(letter, labels, side, side.side == winner and verdict.kind in ("faster", "slower"))
        self._colour_letters()
        self.basis.setText(self._basis(report, estimate, stopped))
        letter = LETTERS[[side.side for side in sides].index(winner)]
        sure = verdict.kind in ("faster", "slower")
        words = self.tr("Use {letter}: {name}") if sure else self.tr("Stay with {letter}: {name}")
        self.apply.setText(words.format(letter=letter, name=winner))
        self.apply.setProperty("kind", "primary" if sure else "")
        self.apply.style().unpolish(self.apply)
        self.apply.style().polish(self.apply)
        self.apply.setEnabled(True)
        self.apply.setToolTip(self.tr("This model’s chats use it from now on"))
        self.applied.clear()

    def show_applied(self, name: str) -> None:
        self.applied.setText(self.tr("In use now: {name}").format(name=name))
        self.apply.setEnabled(False)

    def _basis(self, report: Report, estimate: Estimate | None, stopped: bool) -> str:
        """What was measured, and how much."""
        words = self.tr("{answers} answers to {prompts}, in {rounds} rounds by turns; up to {tokens} tokens each.")
        count = len(report.prompts)
        prompts = self.tr("one prompt") if count == 1 else self.tr("{n} prompts").format(n=count)
        basis = words.format(answers=len(report.trials), prompts=prompts, rounds=report.rounds,
                             tokens=report.sides[0].max_tokens)
        targets = {side.setup.target for side in report.sides}
        if len(targets) == 1:
            basis = f"{figures.short_name(targets.pop())}: {basis}"
        if stopped:
            basis = self.tr("Stopped early; this is what was finished.") + " " + basis
        if estimate is not None and estimate.low is not None:
            basis += " " + self.tr("Brackets and bar are the 95% interval.")
        return basis

    def _show_side(self, letter: str, labels: list[QLabel], side: SideResult, won: bool) -> None:
        accepted = side.draft_acceptance_rate
        peak = side.worker_peak_rss_bytes
        texts = (
            letter, side.side + ("\u00a0·\u00a0" + self.tr("faster") if won else ""),
            figures.rate_number(side.tokens_per_second),
            figures.duration(side.time_to_first_token_s) if side.trials else "—",
            figures.share(accepted) if accepted is not None else "—", figures.size(peak) if peak else "—",
        )
        for label, text in zip(labels, texts, strict=True):
            label.setText(text)
        for label in labels[1:]:
            label.setProperty("role", "strong" if won else "")
            label.style().unpolish(label)
            label.style().polish(label)

    def _colour_letters(self) -> None:
        for labels, colour in zip(self.rows[1:], (self._colours.plot_a, self._colours.plot_b), strict=True):
            labels[0].setStyleSheet(f"color: {colour}; font-weight: 600; font-size: 16px;")

    def _headline(self, kind: str, estimate: Estimate | None) -> str:
        if estimate is None:
            return self.tr("Nothing to compare yet: no pair of answers was finished.")
        words = {
            "faster": self.tr("B is {factor} times as fast as A"),
            "slower": self.tr("B is slower: {factor} times as fast as A"),
            "same": self.tr("B is no faster: {factor} times as fast as A"),
            "undecided": self.tr("Not sure: B is about {factor} times as fast as A"),
        }[kind].format(factor=format_factor(estimate.factor))
        if estimate.low is None or estimate.high is None:
            return words
        return words + self.tr(" ({low} to {high})").format(low=format_factor(estimate.low),
                                                            high=format_factor(estimate.high))
