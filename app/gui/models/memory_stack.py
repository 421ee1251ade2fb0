"""What a pair costs: for main memory and each graphics card a bar of its parts against what is free."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.gui.look import theme
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.models.memory_check import MemoryJudgement, MemoryPlace, PartKind

_BAR_HEIGHT = 12
_LINE = 16
_GAP = 4
_SWATCH = 8


class MemoryStack(QWidget):
    """Target, draft and the rest side by side, in colours; weights, cache and buffers of each differ in pattern."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._places: tuple[MemoryPlace, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        self.hide()

    @property
    def places(self) -> tuple[MemoryPlace, ...]:
        return self._places

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.update()

    def show_judgement(self, judgement: MemoryJudgement | None) -> None:
        """Nothing is shown for None."""
        self._places = judgement.places if judgement is not None else ()
        self.setVisible(bool(self._places))
        spoken = "\n".join(self._describe(place) for place in self._places)
        self.setToolTip(spoken)
        self.setAccessibleName(spoken)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        rows = len(self._places)
        return QSize(240, rows * (_LINE + _GAP + _BAR_HEIGHT + _GAP) + _LINE if rows else 0)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = 0
        for place in self._places:
            self._paint_caption(painter, place, top)
            self._paint_bar(painter, place, top + _LINE + _GAP)
            top += _LINE + 2 * _GAP + _BAR_HEIGHT
        self._paint_legend(painter, top)
        painter.end()

    def _paint_caption(self, painter: QPainter, place: MemoryPlace, top: int) -> None:
        colours = self._colours
        painter.setFont(theme.tabular_font(theme.SMALL_PX))
        right = self._sum_text(place)
        painter.setPen(QColor(colours.secondary if place.fits else colours.warning_text))
        line = QRectF(0, top, self.width(), _LINE)
        painter.drawText(line, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), right)
        room = self.width() - QFontMetrics(painter.font()).horizontalAdvance(right) - 12
        painter.setPen(QColor(colours.text))
        name = QFontMetrics(painter.font()).elidedText(self._name(place), Qt.TextElideMode.ElideRight, room)
        painter.drawText(line, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), name)

    def _paint_bar(self, painter: QPainter, place: MemoryPlace, top: int) -> None:
        """The bar is as long as what is free or what is needed, whichever is more; a mark stands where free ends."""
        colours = self._colours
        whole = max(place.free_bytes, place.needed_bytes, 1)
        bar = QRectF(0.5, top + 0.5, self.width() - 1, _BAR_HEIGHT - 1)
        painter.setPen(QColor(colours.border_strong))
        painter.setBrush(QColor(colours.background))
        painter.drawRoundedRect(bar, 3, 3)
        inner = bar.adjusted(1, 1, -1, -1)
        left = inner.left()
        for part in place.parts:
            width = inner.width() * part.size_bytes / whole
            if width >= 0.5:
                painter.setPen(Qt.PenStyle.NoPen)
                segment = QRectF(left, inner.top(), max(width - 1, 0.5), inner.height())
                self._fill(painter, segment, part.kind)
            left += width
        if not place.fits:
            mark = inner.left() + inner.width() * place.free_bytes / whole
            painter.setPen(QPen(QColor(colours.error_text), 2))
            painter.drawLine(QPointF(mark, bar.top() - 2), QPointF(mark, bar.bottom() + 2))

    def _fill(self, painter: QPainter, area: QRectF, kind: PartKind) -> None:
        painter.setBrush(self._colour(kind))
        painter.drawRect(area)
        if kind.endswith("-cache"):
            painter.setBrush(QBrush(QColor(self._colours.surface), Qt.BrushStyle.BDiagPattern))
            painter.drawRect(area)
        elif kind.endswith("-work"):
            painter.setBrush(QBrush(QColor(self._colours.surface), Qt.BrushStyle.Dense5Pattern))
            painter.drawRect(area)

    def _paint_legend(self, painter: QPainter, top: int) -> None:
        there = {part.kind for place in self._places for part in place.parts}
        kinds = [kind for kind in get_args(PartKind) if kind in there]
        painter.setFont(theme.ui_font(11))
        metrics = QFontMetrics(painter.font())
        left = 0.0
        for kind in kinds:
            words = self._kind_name(kind)
            width = _SWATCH + 4 + metrics.horizontalAdvance(words) + 12
            if left + width - 12 > self.width():
                break
            painter.setPen(Qt.PenStyle.NoPen)
            self._fill(painter, QRectF(left, top + (_LINE - _SWATCH) / 2, _SWATCH, _SWATCH), kind)
            painter.setPen(QColor(self._colours.secondary))
            painter.drawText(QRectF(left + _SWATCH + 4, top, width, _LINE),
                             int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), words)
            left += width

    def _colour(self, kind: PartKind) -> QColor:
        colours = self._colours
        if kind == "process":
            return QColor(colours.secondary)
        return QColor(colours.plot_a if kind.startswith("target") else colours.plot_b)

    def _kind_name(self, kind: PartKind) -> str:
        return {
            "target-weights": self.tr("target"), "target-cache": self.tr("its cache"),
            "target-work": self.tr("its buffers"), "draft-weights": self.tr("draft"),
            "draft-cache": self.tr("its cache"), "draft-work": self.tr("its buffers"),
            "process": self.tr("engine"),
        }[kind]

    def _name(self, place: MemoryPlace) -> str:
        return place.name or self.tr("Memory")

    def _sum_text(self, place: MemoryPlace) -> str:
        words = (self.tr("about {needed} of {free} free") if place.fits else
                 self.tr("about {needed} needed, {free} free"))
        return words.format(needed=figures.size(place.needed_bytes), free=figures.size(place.free_bytes))

    def _describe(self, place: MemoryPlace) -> str:
        parts = ", ".join(f"{self._kind_name(part.kind)} {figures.size(part.size_bytes)}" for part in place.parts)
        return f"{self._name(place)}: {self._sum_text(place)} ({parts})"

