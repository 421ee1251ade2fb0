"""How much of the computer's memory the engine holds."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.gui.look import theme
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.models.host import HeldMemory, free_memory, held_memory

_INTERVAL_MS = 2000
_BAR_WIDTH = 96


class MemoryBar(QWidget):
    """A bar with its numbers beside it: the engine's part, what others use, what is free."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._pid = 0
        self._compact = False
        self._engine_bytes = self._returned_bytes = 0
        self._used_bytes = 0
        self._total_bytes = 1
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self.measure)
        self._timer.start()

    @property
    def returned_bytes(self) -> int:
        """What will be free besides when the engine's models are replaced."""
        return self._returned_bytes

    def watch(self, pid: int) -> None:
        """Measure the process ``pid``, none if 0."""
        self._pid = pid
        self.measure()

    def measure(self) -> None:
        memory = free_memory()
        held = held_memory(self._pid, memory.limited) if self._pid else HeldMemory(0, 0)
        self._returned_bytes = held.returned_bytes
        self.show_figures(held.resident_bytes, memory.total_bytes - memory.free_bytes, memory.total_bytes)

    def hold(self) -> None:
        """Measure no more: what is shown is given."""
        self._timer.stop()

    def show_figures(self, engine_bytes: int, used_bytes: int, total_bytes: int) -> None:
        self._engine_bytes, self._used_bytes = engine_bytes, max(used_bytes, engine_bytes)
        self._total_bytes = max(1, total_bytes)
        words = self.tr("Memory: the engine holds {engine}; {used} of {total} are in use on this computer")
        text = words.format(engine=figures.size(engine_bytes), used=figures.size(self._used_bytes),
                            total=figures.size(self._total_bytes))
        self.setToolTip(text)
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetrics(theme.tabular_font(theme.SMALL_PX)).horizontalAdvance(self._text()) + 8
        return QSize(_BAR_WIDTH + 2 + (0 if self._compact else words), 24)

    def set_compact(self, compact: bool) -> None:
        """The bar alone, its numbers in the tooltip."""
        self._compact = compact
        self.updateGeometry()
        self.update()

    def _text(self) -> str:
        return f"{figures.size(self._engine_bytes)} / {figures.size(self._total_bytes)}"

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._colours
        bar = QRectF(0.5, self.height() / 2 - 4, _BAR_WIDTH, 8)
        painter.setPen(QColor(colours.border_strong))
        painter.setBrush(QColor(colours.background))
        painter.drawRoundedRect(bar, 4, 4)
        painter.setPen(QColor(0, 0, 0, 0))
        inner = bar.adjusted(1, 1, -1, -1)
        for count, colour in ((self._used_bytes, colours.border_strong), (self._engine_bytes, colours.accent)):
            width = inner.width() * min(1.0, count / self._total_bytes)
            if width >= 1:
                painter.setBrush(QColor(colour))
                painter.drawRoundedRect(QRectF(inner.left(), inner.top(), width, inner.height()), 3, 3)
        painter.setFont(theme.tabular_font(theme.SMALL_PX))
        painter.setPen(QColor(colours.secondary))
        place = self.rect().adjusted(_BAR_WIDTH + 8, 0, 0, 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._text())
        painter.end()
