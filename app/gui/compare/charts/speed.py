"""Tokens per second over the time of an answer, or over the answers of a comparison."""

from __future__ import annotations

import numpy
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.chat.speed_series import SpeedSeries
from app.compare.side import LETTERS
from app.compare.trial import Trial
from app.gui.compare.charts.chart import Chart
from app.gui.compare.look import SYMBOLS, side_pen_style
from app.gui.look.theme import Colours
from app.gui.speed.plot import axis_span, axis_top


class SpeedChart(Chart):
    """Within the last answer of each side where that is known, else over all answers."""

    def __init__(self, title: str, colours: Colours, parent: QWidget | None = None) -> None:
        self._lines: list[tuple[list[float], list[float]]] = []
        self._is_course = True
        super().__init__(title, colours, parent)

    def show_course(self, series: list[SpeedSeries | None]) -> None:
        self._is_course = True
        self.title.setText(self.tr("Speed within the last answer, tokens/s"))
        self._lines = [(list(s.times_s), list(s.rates)) if s is not None else ([], []) for s in series]
        self._draw()

    def show_answers(self, trials: list[Trial], names: list[str]) -> None:
        """One point per answer, in the order they were made."""
        self._is_course = False
        self.title.setText(self.tr("Speed of every answer, tokens/s"))
        ordered = sorted(trials, key=lambda trial: trial.started_at)
        self._lines = []
        for name in names:
            points = [(n + 1.0, t.tokens_per_second) for n, t in enumerate(ordered) if t.side == name]
            self._lines.append(([x for x, _ in points], [y for _, y in points]))
        self._draw()

    @property
    def lines(self) -> list[tuple[list[float], list[float]]]:
        """Times (or numbers of answers) and speeds of A and of B."""
        return self._lines

    def _draw(self) -> None:
        self.plot.clear()
        latest = max((xs[-1] for xs, _ in self._lines if xs), default=0.0)
        top = axis_top(max((y for _, ys in self._lines for y in ys), default=0.0))
        span = axis_span(latest) if self._is_course else max(latest + 1, 4.0)
        for side, (xs, ys) in enumerate(self._lines):
            if not xs:
                continue
            style = side_pen_style(side)
            self.plot.plot(
                numpy.asarray(xs), numpy.asarray(ys), pen=pyqtgraph.mkPen(self.side_colour(side), width=2, style=style),
                symbol=None if self._is_course else SYMBOLS[side], symbolSize=6,
                symbolBrush=QColor(self.side_colour(side)), symbolPen=None,
            )
            self.add_label(LETTERS[side], xs[-1], ys[-1], self.side_colour(side), (-0.4, 0.5))
        self.plot.setXRange(0, span, padding=0.02)
        self.plot.setYRange(0, top, padding=0)
        self.plot.getAxis("left").setTicks([[(top * i / 2, f"{top * i / 2:g}") for i in range(3)]])
        ticks = [(span * i / 4, f"{span * i / 4:g}") for i in range(5)]
        if self._is_course:
            ticks[-1] = (span, self.tr("{n} s").format(n=f"{span:g}"))
        else:
            step = max(1, round(span / 4))
            ticks = [(float(n), str(n)) for n in range(step, int(span) + 1, step)]
        self.plot.getAxis("bottom").setTicks([ticks])

    def _value_at(self, point: QPointF) -> str:
        parts = []
        for side, (xs, ys) in enumerate(self._lines):
            if xs:
                nearest = int(numpy.argmin(numpy.abs(numpy.asarray(xs) - point.x())))
                parts.append(f"{LETTERS[side]} {ys[nearest]:.1f}")
        where = f"{max(0.0, point.x()):.1f} s" if self._is_course else f"{max(1, round(point.x()))}."
        return f"{where}:  " + "  ·  ".join(parts) if parts else ""
