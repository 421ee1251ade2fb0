"""The pictures of a comparison: speed over time, acceptance by position, accepted lengths, time by phase."""

from __future__ import annotations

import numpy
import pyqtgraph
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.compare.report import Report
from app.compare.result import SideResult
from app.compare.trial import Trial
from app.gui.compare_chart import Chart
from app.gui.compare_choice import LETTERS
from app.gui.speed_plot import axis_span, axis_top
from app.gui.speed_series import SpeedSeries
from app.gui.theme import Colours

_MOST_TICKS = 5
_NARROW = 640


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
            style = Qt.PenStyle.SolidLine if side == 0 else Qt.PenStyle.DashLine
            self.plot.plot(
                numpy.asarray(xs), numpy.asarray(ys), pen=pyqtgraph.mkPen(self.side_colour(side), width=2, style=style),
                symbol=None if self._is_course else "os"[side], symbolSize=6,
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


class ShareChart(Chart):
    """Bars of shares for each side that drafted."""

    def __init__(self, title: str, first: int, unit: str, colours: Colours, parent: QWidget | None = None) -> None:
        """``first`` is the number under the first bar, ``unit`` what the numbers count."""
        self._first, self._unit = first, unit
        self.shares: list[list[float]] = []
        super().__init__(title, colours, parent)

    def show_shares(self, shares: list[list[float]], nothing: str) -> None:
        """Of A and of B, 0 to 1 by place; ``nothing`` is said where there are none."""
        self.shares = shares
        self.say_empty("" if any(any(side) for side in shares) else nothing)
        self._draw()

    def _draw(self) -> None:
        self.plot.clear()
        count = max((len(side) for side in self.shares), default=0)
        present = [index for index, side in enumerate(self.shares) if side]
        width = 0.7 / max(1, len(present))
        for order, side in enumerate(present):
            shift = (order - (len(present) - 1) / 2) * width
            xs = [self._first + i + shift for i in range(len(self.shares[side]))]
            self.add_bars(side, xs, [share * 100 for share in self.shares[side]], width * 0.9)
        self.plot.setXRange(self._first - 0.6, self._first + max(count, 2) - 0.4, padding=0)
        self.plot.setYRange(0, 105, padding=0)
        self.plot.getAxis("left").setTicks([[(0, "0"), (50, "50"), (100, "100%")]])
        step = max(1, -(-count // _MOST_TICKS))
        places = range(self._first, self._first + count, step)
        self.plot.getAxis("bottom").setTicks([[(n, str(n)) for n in places]])

    def _value_at(self, point: QPointF) -> str:
        place = round(point.x()) - self._first
        parts = [f"{LETTERS[side]} {shares[place]:.0%}" for side, shares in enumerate(self.shares)
                 if 0 <= place < len(shares)]
        return f"{self._unit} {place + self._first}:  " + "  ·  ".join(parts) if parts else ""


class PhaseChart(Chart):
    """Milliseconds per token, by what they went into; A without speculation is what plain decoding takes."""

    def __init__(self, title: str, colours: Colours, parent: QWidget | None = None) -> None:
        self.phases: list[list[tuple[str, float]]] = []
        super().__init__(title, colours, parent)
        self.legend = QLabel(self)
        self.legend.setProperty("role", "secondary")
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.column.insertWidget(self.column.count() - 1, self.legend)

    def show_sides(self, sides: list[SideResult]) -> None:
        self.phases = [self._phases(side) for side in sides]
        self._draw()
        self._show_legend()

    def set_colours(self, colours: Colours) -> None:
        super().set_colours(colours)
        if self.phases:
            self._show_legend()

    def _show_legend(self) -> None:
        fills = self._fills()
        names = [name for name, _ in self.phases[0]]
        shown = [i for i in range(len(names)) if any(side[i][1] > 0 for side in self.phases)]
        self.legend.setText("&nbsp;&nbsp; ".join(
            f"<span style='color:{fills[i].color().name()}'>{'■■■■▒'[i]}</span>&nbsp;{names[i]}" for i in shown
        ))

    def _fills(self) -> list[QBrush]:
        colours = self._colours
        solid = [QBrush(QColor(c)) for c in
                 (colours.plot_acceptance, colours.border_strong, colours.code_keyword, colours.text)]
        return [*solid, QBrush(QColor(colours.border_strong), Qt.BrushStyle.Dense5Pattern)]

    def _phases(self, side: SideResult) -> list[tuple[str, float]]:
        phases, tokens = side.phases, max(1, side.phases.tokens)
        parts = ((self.tr("draft"), phases.draft_s), (self.tr("target"), phases.verify_s),
                 (self.tr("sampling"), phases.sample_s), (self.tr("other"), phases.other_s),
                 (self.tr("prompt"), phases.prefill_s))
        return [(name, 1000 * seconds / tokens) for name, seconds in parts]

    def _draw(self) -> None:
        self.plot.clear()
        colours = self._colours
        fills = self._fills()
        longest = max((sum(ms for _, ms in side) for side in self.phases), default=1.0) or 1.0
        for row, side in enumerate(self.phases):
            start = 0.0
            for (name, ms), fill in zip(side, fills, strict=True):
                if ms <= 0:
                    continue
                self.plot.addItem(pyqtgraph.BarGraphItem(
                    x0=[start], width=[ms], y=[1 - row], height=0.46, brush=fill,
                    pen=pyqtgraph.mkPen(colours.surface, width=1),
                ))
                if ms > 0.11 * longest:
                    self.add_label(f"{name} {ms:.1f}", start + ms / 2, 1 - row + 0.23, colours.text, (0.5, 1.0))
                start += ms
        self.plot.setXRange(0, longest * 1.02, padding=0)
        self.plot.setYRange(-0.45, 1.7, padding=0)
        self.plot.getAxis("left").setTicks([[(1 - row, LETTERS[row]) for row in range(len(self.phases))]])
        top = axis_top(longest / 1.1)
        marks = [top * i / 4 for i in range(5) if top * i / 4 <= longest * 1.02]
        self.plot.getAxis("bottom").setTicks([[(mark, f"{mark:g}") for mark in marks]])

    def _value_at(self, point: QPointF) -> str:
        row = 1 - round(point.y())
        if not 0 <= row < len(self.phases):
            return ""
        return f"{LETTERS[row]}:  " + "  ·  ".join(f"{name} {ms:.1f}" for name, ms in self.phases[row] if ms >= 0.05)


class CompareCharts(QWidget):
    """Two charts a row, one where there is no room."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.legend = QLabel(self)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.speed = SpeedChart(self.tr("Speed, tokens/s"), colours, self)
        self.positions = ShareChart(self.tr("Accepted, by place in the draft"), 1, self.tr("place"), colours, self)
        self.lengths = ShareChart(self.tr("Drafts, by accepted tokens"), 0, self.tr("accepted"), colours, self)
        self.phases = PhaseChart(self.tr("Time per token, ms"), colours, self)
        self._names: list[str] = []
        self._colours = colours
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        self._arrange(2)

    @property
    def charts(self) -> list[Chart]:
        return [self.speed, self.phases, self.positions, self.lengths]

    def fit(self, width: int) -> None:
        self._arrange(1 if width < _NARROW else 2)

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        for chart in self.charts:
            chart.set_colours(colours)
        self._show_legend()

    def show_names(self, names: list[str]) -> None:
        self._names = names
        self._show_legend()

    def show_report(self, report: Report, series: dict[str, SpeedSeries]) -> None:
        sides = report.result.overall.sides
        names = [side.side for side in sides]
        self.show_names(names)
        if any(name in series for name in names):
            self.speed.show_course([series.get(name) for name in names])
        else:
            self.speed.show_answers(report.trials, names)
        nothing = self.tr("Nothing was drafted.")
        self.positions.show_shares([side.per_position_acceptance for side in sides], nothing)
        self.lengths.show_shares([_shares(side.acceptance_histogram) for side in sides], nothing)
        self.phases.show_sides(sides)

    def show_live(self, series: dict[str, SpeedSeries]) -> None:
        self.speed.show_course([series.get(name) for name in self._names])

    def show_only_speed(self, only: bool) -> None:
        """While it runs there is nothing else to show."""
        for chart in self.charts[1:]:
            chart.setVisible(not only)
        self._grid.addWidget(self.speed, 1, 0, 1, self._columns if only else 1)

    def _show_legend(self) -> None:
        marks = (f"<span style='color:{self._colours.plot_a}'>━━ ■</span>",
                 f"<span style='color:{self._colours.plot_b}'>╍╍ ▒</span>")
        parts = [f"{mark} <b>{letter}</b> {_escaped(name)}"
                 for mark, letter, name in zip(marks, LETTERS, self._names, strict=False)]
        self.legend.setText("&nbsp;&nbsp;&nbsp;&nbsp;".join(parts))

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        self._grid.addWidget(self.legend, 0, 0, 1, 2)
        for index, chart in enumerate(self.charts):
            self._grid.addWidget(chart, 1 + index // columns, index % columns)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)


def _shares(histogram: list[int]) -> list[float]:
    total = sum(histogram)
    return [count / total for count in histogram] if total else []


def _escaped(name: str) -> str:
    return name.replace("&", "&amp;").replace("<", "&lt;")

