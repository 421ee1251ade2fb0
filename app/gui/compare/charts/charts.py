"""The pictures of a comparison or of a sweep: two a row, one where there is no room."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from app.chat.speed_series import SpeedSeries
from app.compare.report import Report
from app.compare.side import LETTERS
from app.gui.compare.charts.chart import Chart
from app.gui.compare.charts.rows import MemoryChart, PhaseChart
from app.gui.compare.charts.shares import ShareChart
from app.gui.compare.charts.speed import SpeedChart
from app.gui.compare.charts.sweep import LengthChart, MethodChart
from app.gui.compare.look import LEGEND, breakable, side_colour
from app.gui.look import layout
from app.gui.look.theme import Colours
from app.models.memory_check import MemoryPart

_NARROW = 700


class CompareCharts(QWidget):
    save_requested = Signal(object, str)
    """The ``Chart`` to be saved, as ``png`` or ``svg``."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.legend = layout.label(self, wraps=True)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.speed = SpeedChart(self.tr("Speed, tokens/s"), colours, self)
        self.positions = ShareChart(self.tr("Accepted, by place in the draft"), 1, self.tr("place"), colours, self)
        self.lengths = ShareChart(self.tr("Drafts, by accepted tokens"), 0, self.tr("accepted"), colours, self)
        self.phases = PhaseChart(self.tr("Time per token, ms"), colours, self)
        self.memory = MemoryChart(self.tr("Memory, GB"), colours, self)
        self.sweep_lengths = LengthChart(self.tr("Speed-up by draft length K"), colours, self)
        self.sweep_methods = MethodChart(self.tr("Speed-up by method"), colours, self)
        self._names: list[str] = []
        self._colours = colours
        self._columns = 2
        self._shown: list[Chart] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        self._grid.addWidget(self.legend, 0, 0, 1, 2)
        for chart in self.charts:
            chart.save_requested.connect(lambda form, chart=chart: self.save_requested.emit(chart, form))
        self._arrange([self.speed])

    @property
    def charts(self) -> list[Chart]:
        return [self.speed, self.phases, self.positions, self.lengths, self.memory, self.sweep_lengths,
                self.sweep_methods]

    def fit(self, width: int) -> None:
        columns = 1 if width < _NARROW else 2
        if columns != self._columns:
            self._columns = columns
            self._arrange(self._shown)

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        for chart in self.charts:
            chart.set_colours(colours)
        self._show_legend()

    def show_names(self, names: list[str]) -> None:
        self._names = names
        self._show_legend()

    def show_report(self, report: Report, series: dict[str, SpeedSeries], parts: Sequence[Sequence[MemoryPart]] = (),
                    plain_rate: float = 0.0) -> None:
        """``parts``: what the memory of each side is taken by, as far as known; ``plain_rate``: tokens/s without
        speculation, as remembered."""
        if report.sweep is not None:
            self.show_names([])
            self.sweep_lengths.show_sweep(report.sweep)
            self.sweep_methods.show_sweep(report.sweep)
            self._arrange([self.sweep_lengths, self.sweep_methods])
            return
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
        self.phases.show_sides(sides, plain_rate)
        self.memory.show_sides(sides, parts)
        self._arrange([self.speed, self.phases, self.positions, self.lengths, self.memory])

    def show_live(self, series: dict[str, SpeedSeries], latest: str = "") -> None:
        """While it runs there is nothing else to show. ``latest`` is the side that answered last, for a sweep, which
        has too many sides for a line each."""
        names = self._names or [latest]
        self.speed.show_course([series.get(name) for name in names])
        self._arrange([self.speed])

    def _show_legend(self) -> None:
        parts = [
            f"<span style='color:{side_colour(self._colours, side)}'>{LEGEND[side]}</span>&nbsp;<b>{letter}</b> "
            f"{_escaped(breakable(name))}"
            for side, (letter, name) in enumerate(zip(LETTERS, self._names, strict=False))
        ]
        self.legend.setText("&nbsp;&nbsp;&nbsp; ".join(parts))
        self.legend.setVisible(bool(parts))

    def _arrange(self, charts: list[Chart]) -> None:
        self._shown = charts
        for chart in self.charts:
            self._grid.removeWidget(chart)
            chart.setVisible(chart in charts)
        for index, chart in enumerate(charts):
            last = index == len(charts) - 1 and index % self._columns == 0
            span = self._columns if last else 1
            self._grid.addWidget(chart, 1 + index // self._columns, index % self._columns, 1, span)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, self._columns - 1)


def _shares(histogram: list[int]) -> list[float]:
    total = sum(histogram)
    return [count / total for count in histogram] if total else []


def _escaped(name: str) -> str:
    return name.replace("&", "&amp;").replace("<", "&lt;")
