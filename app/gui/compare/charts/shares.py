"""Shares by place: how likely a drafted token is accepted there, how many drafts ended there."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from app.compare.side import LETTERS
from app.gui.compare.charts.chart import Chart
from app.gui.look.theme import Colours

_MOST_TICKS = 5


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
