"""The live plot: tokens per second, and beneath it the share of drafted tokens that was accepted."""

from __future__ import annotations

import math

import numpy
import pyqtgraph
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.gui import theme
from app.gui.speed_series import SpeedSeries
from app.gui.theme import Colours

FIRST_SPAN_S = 10.0


def axis_span(seconds: float) -> float:
    """Length of the time axis: 10, 20, 40… seconds, so that it seldom changes and never creeps."""
    doublings = max(0, math.ceil(math.log2(max(seconds, 1e-9) / FIRST_SPAN_S)))
    return FIRST_SPAN_S * float(2**doublings)


def axis_top(highest: float) -> float:
    """A round upper end for the rates: 1, 2 or 5 times a power of ten."""
    if highest <= 0:
        return 10.0
    power = 10 ** math.floor(math.log10(highest * 1.1))
    return next((float(power * step) for step in (1, 2, 5) if power * step >= highest * 1.1), float(power * 10))


class SpeedPlot(QWidget):
    hovered = Signal(str)

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Tokens per second over time, and the accepted share"))
        self._series = SpeedSeries()
        self._axes = (0.0, 0.0)
        self._plain = (-1.0, 0.0)
        self._graphics = pyqtgraph.GraphicsLayoutWidget(self)
        self._graphics.setFrameShape(self._graphics.Shape.NoFrame)
        self._graphics.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._graphics.ci.setContentsMargins(0, 0, 14, 0)
        self._graphics.ci.setSpacing(4)
        self._speed = self._graphics.addPlot(row=0, col=0)
        self._share = self._graphics.addPlot(row=1, col=0)
        self._graphics.ci.layout.setRowStretchFactor(0, 3)
        self._graphics.ci.layout.setRowStretchFactor(1, 2)
        for plot in (self._speed, self._share):
            plot.hideButtons()
            plot.setMenuEnabled(False)
            plot.setMouseEnabled(False, False)
            plot.showGrid(False, False)
            plot.getAxis("left").setWidth(38)
        self._share.setXLink(self._speed)
        self.speed_line = self._speed.plot([], [])
        self.share_line = self._share.plot([], [], connect="finite")
        self.plain_line = pyqtgraph.InfiniteLine(angle=0)
        self.plain_line.hide()
        self._speed.addItem(self.plain_line)
        self._plain_label = pyqtgraph.TextItem(self.tr("without drafting"), anchor=(1, 1))
        self._plain_label.hide()
        self._speed.addItem(self._plain_label, ignoreBounds=True)
        self._cursor = pyqtgraph.InfiniteLine(angle=90)
        self._cursor.hide()
        self._speed.addItem(self._cursor, ignoreBounds=True)
        self._graphics.scene().sigMouseMoved.connect(self._hover)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._graphics)
        self.setFixedHeight(230)
        self.set_colours(colours)
        self.show_series(self._series, 0.0)

    def set_colours(self, colours: Colours) -> None:
        self._graphics.setBackground(QColor(colours.surface))
        self.speed_line.setPen(pyqtgraph.mkPen(colours.plot_a, width=2))
        self.share_line.setPen(pyqtgraph.mkPen(colours.plot_acceptance, width=2))
        self.plain_line.setPen(pyqtgraph.mkPen(colours.secondary, width=1, style=Qt.PenStyle.DashLine))
        self._cursor.setPen(pyqtgraph.mkPen(colours.border_strong, width=1))
        self._plain_label.setColor(QColor(colours.secondary))
        self._plain_label.setFont(theme.ui_font(11))
        titles = ((self._speed, self.tr("Speed, tokens/s"), colours.plot_a),
                  (self._share, self.tr("Accepted drafts, %"), colours.plot_acceptance))
        for plot, title, colour in titles:
            plot.setTitle(title, color=colour, size="9pt", justify="left")
            for side in ("left", "bottom"):
                axis = plot.getAxis(side)
                axis.setPen(pyqtgraph.mkPen(colours.border_strong, width=1))
                axis.setTextPen(QColor(colours.secondary))
                axis.setStyle(tickFont=theme.ui_font(11), tickLength=4, tickTextOffset=4, hideOverlappingLabels=False)
        self._share.getAxis("left").setTicks([[(0, "0"), (50, "50"), (100, "100")]])
        self._speed.getAxis("bottom").setStyle(showValues=False)

    def show_series(self, series: SpeedSeries, plain_rate: float) -> None:
        """Draw ``series``; ``plain_rate`` (tokens/s, 0 if unknown) is the dashed line."""
        self._series = series
        times = numpy.asarray(series.times_s, dtype=float)
        shares = numpy.asarray([math.nan if a is None else a * 100 for a in series.acceptances], dtype=float)
        self.speed_line.setData(times, numpy.asarray(series.rates, dtype=float))
        self.share_line.setData(times, shares)
        span = axis_span(series.times_s[-1] if series.times_s else 0.0)
        top = axis_top(max([plain_rate, *series.rates]))
        if (span, top) != self._axes:
            self._axes = (span, top)
            self._set_axes(span, top)
        if (plain_rate, span) != self._plain:
            self._show_plain_rate(plain_rate, span)

    def _set_axes(self, span: float, top: float) -> None:
        self._speed.setXRange(0, span, padding=0)
        self._speed.setYRange(0, top, padding=0)
        self._share.setYRange(0, 105, padding=0)
        self._speed.getAxis("left").setTicks([[(top * i / 2, f"{top * i / 2:g}") for i in range(3)]])
        quarter = [(span * i / 4, f"{span * i / 4:g}") for i in range(5)]
        quarter[-1] = (span, self.tr("{n} s").format(n=f"{span:g}"))
        for plot in (self._speed, self._share):
            plot.getAxis("bottom").setTicks([quarter])

    def _show_plain_rate(self, plain_rate: float, span: float) -> None:
        self._plain = (plain_rate, span)
        self.plain_line.setVisible(plain_rate > 0)
        self._plain_label.setVisible(plain_rate > 0)
        if plain_rate > 0:
            self.plain_line.setValue(plain_rate)
            self._plain_label.setPos(span, plain_rate)

    def _hover(self, position: QPointF) -> None:
        box = self._speed.getViewBox()
        if not self._series.times_s or not box.sceneBoundingRect().contains(position):
            self._cursor.hide()
            self.hovered.emit("")
            return
        at = box.mapSceneToView(position).x()
        index = min(range(len(self._series.times_s)), key=lambda i: abs(self._series.times_s[i] - at))
        self._cursor.setValue(self._series.times_s[index])
        self._cursor.show()
        acceptance = self._series.acceptances[index]
        words = self.tr("at {t} s: {rate} tokens/s").format(
            t=f"{self._series.times_s[index]:.1f}", rate=f"{self._series.rates[index]:.1f}"
        )
        if acceptance is not None:
            words += self.tr(", {share}% accepted").format(share=f"{acceptance * 100:.0f}")
        self.hovered.emit(words)
