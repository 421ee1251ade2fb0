"""Stacked bars, a row for each side: where the time of a token went, and what the memory is taken by."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QWidget

from app.compare.result import SideResult
from app.compare.side import LETTERS
from app.gui.compare.charts.chart import Chart, round_ticks
from app.gui.look import layout
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.models.memory_check import MemoryPart

_GLYPHS = "■■■■▒▨▩"
_LEAST_LABELLED = 0.11
Row = list[tuple[str, float]]
"""(what, how much), from left to right."""


class RowChart(Chart):
    """``mark`` draws a line across all rows, such as what plain decoding takes."""

    def __init__(self, title: str, colours: Colours, parent: QWidget | None = None) -> None:
        self.rows: list[Row] = []
        self._mark: tuple[float, str] | None = None
        super().__init__(title, colours, parent)
        self.legend = layout.label(self, role="secondary", wraps=True)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.column.insertWidget(self.column.count() - 1, self.legend)

    @property
    def mark(self) -> tuple[float, str] | None:
        return self._mark

    def show_rows(self, rows: list[Row], mark: tuple[float, str] | None = None) -> None:
        """Every row has the same parts; ``mark`` is where the line is, and what it says."""
        self.rows, self._mark = rows, mark
        self._draw()
        self._show_legend()

    def set_colours(self, colours: Colours) -> None:
        super().set_colours(colours)
        if self.rows:
            self._show_legend()

    def _number(self, value: float) -> str:
        return f"{value:.1f}"

    def _show_legend(self) -> None:
        fills = self._fills()
        names = [name.replace(" ", "&nbsp;") for name, _ in self.rows[0]] if self.rows else []
        shown = [i for i in range(len(names)) if any(row[i][1] > 0 for row in self.rows)]
        parts = [f"<span style='color:{fills[i].color().name()}'>{_GLYPHS[i]}</span>&nbsp;{names[i]}" for i in shown]
        if self._mark is not None:
            parts.append(f"┊&nbsp;{self._mark[1].replace(' ', '&nbsp;')}")
        self.legend.setText("&nbsp;&nbsp; ".join(parts))

    def _fills(self) -> list[QBrush]:
        colours = self._colours
        solid = [QBrush(QColor(c)) for c in
                 (colours.plot_acceptance, colours.border_strong, colours.code_keyword, colours.text)]
        patterns = ((colours.border_strong, Qt.BrushStyle.Dense5Pattern),
                    (colours.plot_acceptance, Qt.BrushStyle.BDiagPattern),
                    (colours.code_keyword, Qt.BrushStyle.DiagCrossPattern))
        return [*solid, *(QBrush(QColor(colour), pattern) for colour, pattern in patterns)]

    def _draw(self) -> None:
        self.plot.clear()
        colours, last = self._colours, len(self.rows) - 1
        fills = self._fills()
        longest = max((sum(value for _, value in row) for row in self.rows), default=1.0) or 1.0
        if self._mark is not None:
            longest = max(longest, self._mark[0])
        for place, row in enumerate(self.rows):
            start = 0.0
            for (name, value), fill in zip(row, fills, strict=False):
                if value <= 0:
                    continue
                self.plot.addItem(pyqtgraph.BarGraphItem(
                    x0=[start], width=[value], y=[last - place], height=0.46, brush=fill,
                    pen=pyqtgraph.mkPen(colours.surface, width=1),
                ))
                if value > _LEAST_LABELLED * longest and len(self.rows) <= 3:
                    words = f"{name} {self._number(value)}"
                    self.add_label(words, start + value / 2, last - place + 0.23, colours.text, (0.5, 1.0))
                start += value
        if self._mark is not None:
            pen = pyqtgraph.mkPen(colours.text, width=1.5, style=Qt.PenStyle.DashLine)
            self.plot.addItem(pyqtgraph.InfiniteLine(self._mark[0], angle=90, pen=pen))
        self.plot.setXRange(0, longest * 1.02, padding=0)
        self.plot.setYRange(-0.45, max(last, 1) + 0.7, padding=0)
        self.plot.getAxis("left").setTicks([[(last - row, LETTERS[row]) for row in range(len(self.rows))]])
        self.plot.getAxis("bottom").setTicks([[(mark, f"{mark:g}") for mark in round_ticks(0, longest * 1.02)]])

    def _value_at(self, point: QPointF) -> str:
        row = len(self.rows) - 1 - round(point.y())
        if not 0 <= row < len(self.rows):
            return ""
        shown = [(name, value) for name, value in self.rows[row] if value >= 0.05]
        total = sum(value for _, value in self.rows[row])
        return f"{LETTERS[row]} {self._number(total)}:  " + "  ·  ".join(
            f"{name} {self._number(value)}" for name, value in shown)


class PhaseChart(RowChart):
    """Milliseconds per token, by what they went into; the line is what plain decoding takes."""

    def show_sides(self, sides: Sequence[SideResult], plain_rate: float = 0.0) -> None:
        """``plain_rate`` is this model's remembered tokens/s without speculation, for where no side decodes plainly."""
        off = next((side for side in sides if side.method == "off" and side.phases.tokens), None)
        mark = None
        if off is not None:
            mark = (1000 * off.phases.decode_s / off.phases.tokens, self.tr("plain decoding"))
        elif plain_rate > 0:
            mark = (1000 / plain_rate, self.tr("plain decoding, as measured earlier"))
        self.show_rows([self._phases(side) for side in sides], mark)

    def _phases(self, side: SideResult) -> Row:
        phases, tokens = side.phases, max(1, side.phases.tokens)
        # The prompt comes last, so that the line of plain decoding is compared with decoding alone.
        parts = ((self.tr("draft"), phases.draft_s), (self.tr("target"), phases.verify_s),
                 (self.tr("sampling"), phases.sample_s), (self.tr("other"), phases.other_s),
                 (self.tr("prompt"), phases.prefill_s))
        return [(name, 1000 * seconds / tokens) for name, seconds in parts]


class MemoryChart(RowChart):
    """Gigabytes: by what each side takes them, where that is known from its files, else what its process took."""

    def show_sides(self, sides: Sequence[SideResult], parts: Sequence[Sequence[MemoryPart]]) -> None:
        """``parts`` of each side from the files' headers; empty where they are not known."""
        if all(parts) and parts:
            self.title.setText(self.tr("Memory, GB"))
            self.show_rows([self._parts(each) for each in parts])
        else:
            self.title.setText(self.tr("Memory of the process, GB"))
            self.show_rows([[(self.tr("process"), side.worker_peak_rss_bytes / 1e9)] for side in sides])
        peaks = [side.worker_peak_rss_bytes for side in sides]
        known = any(sum(value for _, value in row) for row in self.rows)
        self.say_empty("" if known else self.tr("Nothing is known of the memory."))
        words = self.tr("Measured at most: {sizes}.").format(sizes=", ".join(
            f"{letter} {figures.size(peak)}" for letter, peak in zip(LETTERS, peaks, strict=False)))
        if len(set(peaks)) == 1 and len(peaks) > 1:
            words = self.tr("Measured: {size} at most, in one process for all sides.").format(
                size=figures.size(peaks[0]))
        self.setToolTip(words if any(peaks) else "")

    def _number(self, value: float) -> str:
        return f"{value:.2f}"

    def _parts(self, parts: Sequence[MemoryPart]) -> Row:
        names = {
            "target-weights": self.tr("target"), "target-cache": self.tr("its cache"), "target-work": self.tr("work"),
            "draft-weights": self.tr("draft"), "draft-cache": self.tr("draft’s cache"), "draft-work": self.tr("work"),
            "process": self.tr("process"),
        }
        sums: dict[str, float] = {}
        for kind in ("draft-weights", "target-weights", "target-cache", "draft-cache", "target-work", "draft-work",
                     "process"):
            size = sum(part.size_bytes for part in parts if part.kind == kind) / 1e9
            sums[names[kind]] = sums.get(names[kind], 0.0) + size
        return list(sums.items())
