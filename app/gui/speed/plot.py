"""The live plot: tokens per second, and beneath it the share of drafted tokens that was accepted.

Painted by hand: axes and lines lie in a picture to which a frame adds what is new, and which is made anew only when the
axes change. It is drawn with every burst of what the worker says, beside an engine that wants every core.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QWidget

from app.chat.speed_series import SpeedSeries
from app.gui.look import theme
from app.gui.look.theme import Colours

FIRST_SPAN_S = 10.0
HEIGHT = 230
_LEFT, _RIGHT, _TITLE, _BELOW, _GAP = 38, 16, 20, 20, 6
_TICK = 4
_LINE_PX = 2
_FONT_PX = 11
_SPEED_SHARE = 0.58
_POINTS_PER_PIXEL = 2
_PLAIN_SLACK = 0.02
"""The dashed line stays where it is while its rate is within this share: the picture behind would be made anew."""
_SHARE_TOP = 1.05
"""Upper end of the axis of the accepted share, so that a line at 100% is seen whole."""


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


@dataclass(frozen=True)
class _Axes:
    """What the picture behind the lines depends on; ``plain_rate`` in tokens/s."""

    span: float
    top: float
    plain_rate: float
    size: tuple[int, int]
    ratio: float


class SpeedPlot(QWidget):
    hovered = Signal(str)

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Tokens per second over time, and the accepted share"))
        self.setMouseTracking(True)
        # The picture covers it whole, so what lies behind need not be painted with every burst.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFixedHeight(HEIGHT)
        self.series = SpeedSeries()
        self._colours = colours
        self._plain_rate = 0.0
        self._cursor = -1
        self._axes: _Axes | None = None
        self._picture = QPixmap()
        self._drawn = 0
        """Points of the series that are in the picture."""

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self._axes = None
        self.update()

    def show_series(self, series: SpeedSeries, plain_rate: float) -> None:
        """Draw ``series``; ``plain_rate`` (tokens/s, 0 if unknown) is the dashed line."""
        if series is not self.series:
            self._axes = None
        self.series = series
        if not plain_rate or abs(plain_rate - self._plain_rate) > _PLAIN_SLACK * plain_rate:
            self._plain_rate = plain_rate
        if self._cursor >= len(series.times_s):
            self._cursor = -1
        axes = self._find_axes()
        if axes is not self._axes or self._drawn > len(series.times_s):
            self.update()
        elif self._drawn < len(series.times_s):
            self.update(self._place_of_new(axes))

    def paintEvent(self, event: QPaintEvent) -> None:
        axes, times = self._find_axes(), self.series.times_s
        if axes is not self._axes or self._drawn > len(times):
            self._axes, self._drawn = axes, 0
            self._picture = self._paint_back(axes)
        if self._drawn < len(times):
            self._draw_new(axes)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        if 0 <= self._cursor < len(times):
            speed, share = self._boxes()
            at = speed.left() + speed.width() * times[self._cursor] / axes.span
            painter.setPen(QPen(QColor(self._colours.border_strong), 1))
            painter.drawLine(QPointF(at, speed.top()), QPointF(at, share.bottom()))
        painter.end()

    def _place_of_new(self, axes: _Axes) -> QRect:
        """The strip in which what is not drawn yet will be."""
        box, times = self._boxes()[0], self.series.times_s
        first, last = (box.left() + box.width() * at / axes.span for at in (times[max(0, self._drawn - 1)], times[-1]))
        return QRect(math.floor(first) - _LINE_PX, 0, math.ceil(last - first) + 2 * _LINE_PX + 1, self.height())

    def _draw_new(self, axes: _Axes) -> None:
        """Add to the picture what the series has and it has not; at first at most two points for each pixel."""
        speed, share = self._boxes()
        series, first = self.series, max(0, self._drawn - 1)
        step = max(1, math.ceil((len(series.times_s) - first) / max(1.0, _POINTS_PER_PIXEL * speed.width())))
        painter = QPainter(self._picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_line(painter, speed, axes.span, axes.top, series.rates, first, step, self._colours.plot_a)
        self._draw_line(painter, share, axes.span, _SHARE_TOP, series.acceptances, first, step,
                        self._colours.plot_acceptance)
        painter.end()
        self._drawn = len(series.times_s)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        box, times = self._boxes()[0], self.series.times_s
        inside = box.left() <= event.position().x() <= box.right()
        if not times or not inside or self._axes is None:
            self._leave()
            return
        at = (event.position().x() - box.left()) / max(1.0, box.width()) * self._axes.span
        after = min(bisect_left(times, at), len(times) - 1)
        before = max(0, after - 1)
        self._cursor = before if at - times[before] < times[after] - at else after
        self.hovered.emit(self._describe(self._cursor))
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._leave()

    def _leave(self) -> None:
        self._cursor = -1
        self.hovered.emit("")
        self.update()

    def _describe(self, index: int) -> str:
        words = self.tr("at {t} s: {rate} tokens/s").format(
            t=f"{self.series.times_s[index]:.1f}", rate=f"{self.series.rates[index]:.1f}"
        )
        acceptance = self.series.acceptances[index]
        if acceptance is not None:
            words += self.tr(", {share}% accepted").format(share=f"{acceptance * 100:.0f}")
        return words

    def _find_axes(self) -> _Axes:
        """Those that fit now: the drawn ones as long as they do."""
        last = self.series.times_s[-1] if self.series.times_s else 0.0
        highest = max(self._plain_rate, self.series.highest)
        size, ratio, axes = (self.width(), self.height()), self.devicePixelRatioF(), self._axes
        if axes is not None and last <= axes.span and 1.1 * highest <= axes.top and (
            axes.plain_rate, axes.size, axes.ratio) == (self._plain_rate, size, ratio):
            return axes
        return _Axes(axis_span(last), axis_top(highest), self._plain_rate, size, ratio)

    def _boxes(self) -> tuple[QRectF, QRectF]:
        """Where the two lines are drawn."""
        width = self.width() - _LEFT - _RIGHT
        room = self.height() - 2 * _TITLE - _BELOW - _GAP
        upper = room * _SPEED_SHARE
        speed = QRectF(_LEFT, _TITLE, width, upper)
        return speed, QRectF(_LEFT, _TITLE + upper + _GAP + _TITLE, width, room - upper)

    def _draw_line(self, painter: QPainter, box: QRectF, span: float, top: float,
                   values: list[float] | list[float | None], first: int, step: int, colour: str) -> None:
        painter.setPen(QPen(QColor(colour), _LINE_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        left, bottom = box.left(), box.bottom()
        across, up = box.width() / span, box.height() / top
        points: list[QPointF] = []
        times = self.series.times_s
        last = len(times) - 1
        for index in range(first, len(times), step):
            # The newest point is always drawn, whichever are left out.
            at = last if index + step > last else index
            value = values[at]
            if value is None:
                painter.drawPolyline(QPolygonF(points))
                points = []
            else:
                points.append(QPointF(left + times[at] * across, bottom - value * up))
        painter.drawPolyline(QPolygonF(points))

    def _paint_back(self, axes: _Axes) -> QPixmap:
        picture = QPixmap(round(self.width() * axes.ratio), round(self.height() * axes.ratio))
        picture.setDevicePixelRatio(axes.ratio)
        picture.fill(QColor(self._colours.surface))
        painter = QPainter(picture)
        painter.setFont(theme.ui_font(_FONT_PX))
        speed, share = self._boxes()
        painter.setPen(QColor(self._colours.plot_a))
        painter.drawText(QPointF(_LEFT + 4, speed.top() - 7), self.tr("Speed, tokens/s"))
        painter.setPen(QColor(self._colours.plot_acceptance))
        painter.drawText(QPointF(_LEFT + 4, share.top() - 7), self.tr("Accepted drafts, %"))
        rates = [(axes.top * part, f"{axes.top * part:g}") for part in (0.0, 0.5, 1.0)]
        self._paint_axis(painter, speed, rates, axes.top)
        self._paint_axis(painter, share, [(0.0, "0"), (0.5, "50"), (1.0, "100")], _SHARE_TOP)
        quarters = [(part / 4, f"{axes.span * part / 4:g}") for part in range(5)]
        quarters[-1] = (1.0, self.tr("{n} s").format(n=f"{axes.span:g}"))
        metrics = QFontMetricsF(painter.font())
        for part, label in quarters:
            at = share.left() + share.width() * part
            painter.setPen(QColor(self._colours.border_strong))
            painter.drawLine(QPointF(at, share.bottom()), QPointF(at, share.bottom() + _TICK))
            painter.setPen(QColor(self._colours.secondary))
            wide = metrics.horizontalAdvance(label)
            painter.drawText(QPointF(min(at - wide / 2, self.width() - wide), self.height() - 3), label)
        if axes.plain_rate > 0:
            self._paint_plain_rate(painter, speed, axes)
        painter.end()
        return picture

    def _paint_axis(self, painter: QPainter, box: QRectF, ticks: list[tuple[float, str]], top: float) -> None:
        metrics = QFontMetricsF(painter.font())
        painter.setPen(QColor(self._colours.border_strong))
        painter.drawLine(box.bottomLeft(), box.topLeft())
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        for value, label in ticks:
            at = box.bottom() - box.height() * value / top
            painter.setPen(QColor(self._colours.border_strong))
            painter.drawLine(QPointF(box.left() - _TICK, at), QPointF(box.left(), at))
            painter.setPen(QColor(self._colours.secondary))
            beside = box.left() - _TICK - 4 - metrics.horizontalAdvance(label)
            painter.drawText(QPointF(beside, at + metrics.capHeight() / 2), label)

    def _paint_plain_rate(self, painter: QPainter, box: QRectF, axes: _Axes) -> None:
        at = box.bottom() - box.height() * axes.plain_rate / axes.top
        painter.setPen(QPen(QColor(self._colours.secondary), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(box.left(), at), QPointF(box.right(), at))
        label = self.tr("without drafting")
        wide = QFontMetricsF(painter.font()).horizontalAdvance(label)
        painter.drawText(QPointF(box.right() - wide, at - 4), label)
