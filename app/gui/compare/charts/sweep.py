"""A sweep: speed-up by draft length, measured and as theory expects it, and of every other method."""

from __future__ import annotations

import numpy
import pyqtgraph
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.compare.sweep import Sweep, SweepPoint
from app.compare.verdict import format_estimate
from app.gui.compare.charts.chart import Chart, round_ticks
from app.gui.controllers.compare_choice import speculation_of
from app.gui.controllers.compare_names import describe_speculation
from app.gui.look.theme import Colours

_HEIGHT = 230


class LengthChart(Chart):
    """Draft lengths: a point with its interval for each, the curve of the theory, the best one marked."""

    def __init__(self, title: str, colours: Colours, parent: QWidget | None = None) -> None:
        self.points: list[SweepPoint] = []
        self.best = ""
        super().__init__(title, colours, parent)
        self.set_height(_HEIGHT)

    def show_sweep(self, sweep: Sweep) -> None:
        self.points = [p for p in sweep.points if p.draft_length is not None and p.measured is not None]
        self.best = sweep.best
        self.say_empty("" if len(self.points) > 1 else self.tr("There was no draft model to try lengths with."))
        self._draw()

    @property
    def curve(self) -> list[tuple[int, float]]:
        """The theory's points, in order of the draft length."""
        return sorted((p.draft_length, p.expected) for p in self.points
                      if p.draft_length is not None and p.expected is not None)

    def _draw(self) -> None:
        self.plot.clear()
        if not self.points:
            return
        lengths = numpy.asarray([float(p.draft_length or 0) for p in self.points])
        factors = numpy.asarray([p.measured.factor for p in self.points if p.measured is not None])
        ends = numpy.asarray([_span(point) for point in self.points])
        ours, theirs = self.side_colour(1), self._colours.secondary
        self.plot.addItem(pyqtgraph.InfiniteLine(1.0, angle=0, pen=pyqtgraph.mkPen(self._colours.border_strong)))
        self.plot.addItem(pyqtgraph.ErrorBarItem(
            x=lengths, y=factors, top=ends[:, 1] - factors, bottom=factors - ends[:, 0], beam=0.25,
            pen=pyqtgraph.mkPen(ours, width=1.5),
        ))
        self.plot.plot(lengths, factors, pen=pyqtgraph.mkPen(ours, width=2), symbol="o", symbolSize=7,
                       symbolBrush=QColor(ours), symbolPen=None)
        curve = self.curve
        if curve:
            pen = pyqtgraph.mkPen(theirs, width=2, style=Qt.PenStyle.DashLine)
            self.plot.plot([float(x) for x, _ in curve], [y for _, y in curve], pen=pen)
        values = [*ends.ravel(), 1.0, *(y for _, y in curve)]
        low, high = min(values), max(values)
        room = 0.08 * (high - low or 1.0)
        last = max(16.0, float(lengths[-1]))
        self._label_lines(lengths, factors, curve, ours, theirs)
        self._mark_best(ours)
        self.plot.setXRange(-0.5, last + 4.2, padding=0)
        self.plot.setYRange(low - room, high + 2.5 * room, padding=0)
        self.plot.getAxis("bottom").setTicks([[(n, str(n)) for n in range(0, int(last) + 1, 4)]])
        self.plot.getAxis("left").setTicks([[(t, f"{t:g}×") for t in round_ticks(low - room, high + room)]])

    def _label_lines(self, lengths: numpy.ndarray, factors: numpy.ndarray, curve: list[tuple[int, float]], ours: str,
                     theirs: str) -> None:
        """By their ends; where both end at one place, one above the other."""
        above = not curve or factors[-1] >= curve[-1][1]
        self.add_label(self.tr("measured"), lengths[-1] + 0.2, factors[-1], ours, (0.0, 0.9 if above else 0.1))
        if curve:
            self.add_label(self.tr("theory"), curve[-1][0] + 0.2, curve[-1][1], theirs, (0.0, 0.1 if above else 0.9))

    def _mark_best(self, colour: str) -> None:
        best = next((p for p in self.points if p.side == self.best and p.measured is not None), None)
        if best is None or best.measured is None:
            return
        x, y = float(best.draft_length or 0), best.measured.factor
        self.plot.plot([x], [y], pen=None, symbol="star", symbolSize=18, symbolBrush=QColor(colour),
                       symbolPen=pyqtgraph.mkPen(self._colours.surface, width=1))
        words = self.tr("best: K={n}, {factor}×").format(n=best.draft_length, factor=f"{y:.2f}")
        self.add_label(words, x, _span(best)[1], self._colours.text, (0.5 if 2 < x < 14 else 0.0, 1.1))

    def _value_at(self, point: QPointF) -> str:
        if not self.points:
            return ""
        nearest = min(self.points, key=lambda p: abs((p.draft_length or 0) - point.x()))
        words = f"K={nearest.draft_length}:  {format_estimate(nearest.measured)}"
        return words + (self.tr("  ·  theory {n}×").format(n=f"{nearest.expected:.2f}") if nearest.expected else "")


class MethodChart(Chart):
    """Every other method, and the best draft length, one row each, the fastest on top."""

    def __init__(self, title: str, colours: Colours, parent: QWidget | None = None) -> None:
        self.points: list[SweepPoint] = []
        self.best = ""
        super().__init__(title, colours, parent)
        self.set_height(_HEIGHT)

    def show_sweep(self, sweep: Sweep) -> None:
        others = [p for p in sweep.points if p.measured is not None and p.draft_length is None]
        drafted = [p for p in sweep.points if p.measured is not None and p.draft_length]
        plain = [p for p in sweep.points if p.draft_length == 0]
        best = max(drafted, key=_factor, default=None)
        self.points = sorted([*others, *plain, *([best] if best is not None else [])], key=_factor)
        self.best = sweep.best
        self._draw()

    @property
    def names(self) -> list[str]:
        """From the slowest to the fastest."""
        return [describe_speculation(speculation_of(point.method or "off")) for point in self.points]

    def _draw(self) -> None:
        self.plot.clear()
        if not self.points:
            return
        ours = self.side_colour(1)
        values = [1.0]
        self.plot.addItem(pyqtgraph.InfiniteLine(1.0, angle=90, pen=pyqtgraph.mkPen(self._colours.border_strong)))
        for row, point in enumerate(self.points):
            low, high = _span(point)
            values += [low, high]
            self.plot.plot([low, high], [row, row], pen=pyqtgraph.mkPen(ours, width=4))
            best = point.side == self.best
            self.plot.plot([_factor(point)], [row], pen=None, symbol="star" if best else "o",
                           symbolSize=18 if best else 9, symbolBrush=QColor(ours),
                           symbolPen=pyqtgraph.mkPen(self._colours.surface, width=1))
        low, high = min(values), max(values)
        room = 0.08 * (high - low or 1.0)
        self.plot.setXRange(low - room, high + room, padding=0)
        self.plot.setYRange(-0.7, len(self.points) - 0.3, padding=0)
        self.plot.getAxis("left").setTicks([list(enumerate(self.names))])
        self.plot.getAxis("bottom").setTicks([[(t, f"{t:g}×") for t in round_ticks(low - room, high + room)]])

    def _value_at(self, point: QPointF) -> str:
        row = round(point.y())
        if not 0 <= row < len(self.points):
            return ""
        return f"{self.names[row]}:  {format_estimate(self.points[row].measured)}"


def _factor(point: SweepPoint) -> float:
    return point.measured.factor if point.measured is not None else 0.0


def _span(point: SweepPoint) -> tuple[float, float]:
    measured = point.measured
    if measured is None:
        return 1.0, 1.0
    if measured.low is None or measured.high is None:
        return measured.factor, measured.factor
    return max(measured.low, measured.factor / 2), min(measured.high, measured.factor * 2)
