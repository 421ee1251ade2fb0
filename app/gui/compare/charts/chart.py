"""A small chart on a card: a title, what the mouse points at, a button that saves it, and the picture."""

from __future__ import annotations

import math

import numpy
import pyqtgraph
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QMenu, QToolButton, QWidget

from app.gui.compare.look import side_brush, side_colour
from app.gui.look import layout, theme
from app.gui.look.icons import icon
from app.gui.look.theme import Colours

HEIGHT = 190
_MOST_STEPS = 4


def round_ticks(low: float, high: float) -> list[float]:
    """At most five round numbers from ``low`` to ``high``."""
    span = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / _MOST_STEPS))
    step = next(power * nice for nice in (1, 2, 2.5, 5, 10, 20) if span / (power * nice) <= _MOST_STEPS)
    first = math.ceil(low / step - 1e-9)
    return [round(number * step, 9) for number in range(first, math.floor(high / step + 1e-9) + 1)]


class Chart(QFrame):
    """Subclasses draw on ``plot`` and answer ``_value_at``."""

    save_requested = Signal(str)
    """``png`` or ``svg``."""

    def __init__(self, title: str, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._colours = colours
        self.title = layout.label(self, title, role="strong")
        self.value = layout.label(self, role="secondary")
        self.value.setFont(theme.tabular_font(theme.SMALL_PX))
        self.empty = layout.label(self, role="secondary", wraps=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setFixedHeight(HEIGHT)
        self.empty.hide()
        self._graphics = pyqtgraph.PlotWidget(self)
        self._graphics.setFrameShape(self._graphics.Shape.NoFrame)
        self._graphics.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._graphics.setFixedHeight(HEIGHT)
        self._graphics.setMinimumWidth(120)
        # The page is scrolled with the wheel, wherever the mouse is.
        self._graphics.wheelEvent = lambda event: event.ignore()
        self.plot = self._graphics.getPlotItem()
        # Room for the halves of the outermost ticks' labels.
        self.plot.setContentsMargins(0, 8, 16, 0)
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.plot.setMouseEnabled(False, False)
        self.plot.showGrid(False, False)
        self._graphics.scene().sigMouseMoved.connect(self._hover)
        self.save = self._save_button()
        head = layout.row(None, self.title, 1, self.value, self.save)
        self.column = layout.column(self, head, self._graphics, self.empty, 1, margins=(16, 12, 12, 8),
                                             spacing=8)
        self.set_colours(colours)

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.save.setIcon(icon("download-simple", colours))
        self._graphics.setBackground(QColor(colours.surface))
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pyqtgraph.mkPen(colours.border_strong, width=1))
            axis.setTextPen(QColor(colours.secondary))
            axis.setStyle(tickFont=theme.ui_font(11), tickLength=4, tickTextOffset=4, hideOverlappingLabels=False)
        self._draw()

    def set_height(self, height: int) -> None:
        self._graphics.setFixedHeight(height)
        self.empty.setFixedHeight(height)

    def say_empty(self, words: str) -> None:
        """Words in the place of the picture; "" brings the picture back."""
        self.empty.setText(words)
        self.empty.setVisible(bool(words))
        self._graphics.setVisible(not words)

    def _save_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("savePicture")
        policy = button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        button.setSizePolicy(policy)
        button.setIconSize(QSize(16, 16))
        button.setToolTip(self.tr("Save this picture"))
        button.setAccessibleName(self.tr("Save the picture “{title}”").format(title=self.title.text()))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.addAction(self.tr("As PNG…"), lambda: self.save_requested.emit("png"))
        menu.addAction(self.tr("As SVG…"), lambda: self.save_requested.emit("svg"))
        button.setMenu(menu)
        return button

    def _draw(self) -> None:
        """Draw everything afresh in the colours of now."""

    def _value_at(self, point: QPointF) -> str:
        """What is at ``point`` (in the plot's own units), in words."""
        return ""

    def _hover(self, position: QPointF) -> None:
        box = self.plot.getViewBox()
        inside = box.sceneBoundingRect().contains(position)
        self.value.setText(self._value_at(box.mapSceneToView(position)) if inside else "")

    def side_colour(self, side: int) -> str:
        return side_colour(self._colours, side)

    def add_bars(self, side: int, xs: list[float], heights: list[float], width: float) -> None:
        self.plot.addItem(pyqtgraph.BarGraphItem(
            x=numpy.asarray(xs), height=numpy.asarray(heights), width=width,
            brush=side_brush(self._colours, side), pen=pyqtgraph.mkPen(self.side_colour(side), width=1),
        ))

    def add_label(self, words: str, x: float, y: float, colour: str, anchor: tuple[float, float]) -> None:
        label = pyqtgraph.TextItem(words, color=QColor(colour), anchor=anchor)
        label.setFont(theme.ui_font(11))
        label.setPos(x, y)
        self.plot.addItem(label, ignoreBounds=True)
