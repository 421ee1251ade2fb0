"""The speed-up of every side over the first on one line: 1× is as fast, the bar its interval, the dot the estimate."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.compare.interval import Estimate
from app.compare.side import LETTERS
from app.compare.verdict import format_factor
from app.gui.compare.look import side_colour
from app.gui.look import theme
from app.gui.look.theme import Colours

_ROW = 30
_FOOT = 24
_MARGIN = 28.0


class IntervalBars(QWidget):
    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self.estimates: list[Estimate | None] = []
        self.setFont(theme.tabular_font(theme.SMALL_PX))

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.update()

    def show_estimates(self, estimates: list[Estimate | None]) -> None:
        """Of B, C and D against A."""
        self.estimates = estimates
        self.setVisible(any(estimates))
        self.setFixedHeight(_ROW * len(estimates) + _FOOT + 8)
        words = self.tr("{letter}: {factor} times as fast as A, 95% interval {low} to {high}")
        lines = []
        for letter, estimate in zip(LETTERS[1:], estimates, strict=False):
            if estimate is not None:
                low, high = _span(estimate)
                lines.append(words.format(letter=letter, factor=format_factor(estimate.factor),
                                          low=format_factor(low), high=format_factor(high)))
        self.setToolTip("\n".join(lines))
        self.setAccessibleName(". ".join(lines))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        known = [estimate for estimate in self.estimates if estimate is not None]
        if not known:
            return
        # A logarithmic scale: half as fast and twice as fast are equally far from 1.
        reach = max(2.0, *(max(v, 1 / max(v, 0.01)) * 1.15 for estimate in known for v in _span(estimate)))
        span = self.width() - 2 * _MARGIN
        several = len(self.estimates) > 1

        def at(factor: float) -> float:
            return _MARGIN + span * (0.5 + math.log(min(max(factor, 1 / reach), reach)) / math.log(reach) / 2)

        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bottom = _ROW * len(self.estimates) + 4
        painter.setPen(QPen(QColor(self._colours.border_strong), 1))
        painter.drawLine(QPointF(at(1), 4), QPointF(at(1), bottom))
        for row, estimate in enumerate(self.estimates):
            if estimate is not None:
                self._paint_row(painter, row, at(estimate.factor), [at(value) for value in _span(estimate)],
                                estimate.factor >= 1)
        painter.setPen(QColor(self._colours.secondary))
        right = self.tr("faster than A") if several else self.tr("B faster")
        foot = QRectF(0, bottom, self.width(), 20)
        left = self.tr("A faster")
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, f"← {left}")
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, f"{right} →")
        painter.drawText(QRectF(at(1) - 80, bottom, 160, 20), Qt.AlignmentFlag.AlignHCenter, self.tr("1×, as fast"))
        painter.end()

    def _paint_row(self, painter: QPainter, row: int, centre: float, ends: list[float], faster: bool) -> None:
        colours, several = self._colours, len(self.estimates) > 1
        middle = _ROW * row + _ROW / 2 + 2
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawLine(QPointF(_MARGIN, middle), QPointF(self.width() - _MARGIN, middle))
        # With two sides the colour is that of the faster one.
        side = row + 1 if several or faster else 0
        colour = QColor(side_colour(colours, side))
        if several:
            painter.setPen(colour)
            painter.drawText(QRectF(4, middle - 10, 20, 20), Qt.AlignmentFlag.AlignVCenter, LETTERS[row + 1])
        painter.setPen(QPen(colour, 8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        if ends[1] - ends[0] > 1:
            painter.drawLine(QPointF(ends[0], middle), QPointF(ends[1], middle))
        painter.setPen(QPen(QColor(colours.surface), 2))
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(centre, middle), 8, 8)


def _span(estimate: Estimate) -> tuple[float, float]:
    return estimate.low or estimate.factor, estimate.high or estimate.factor
