"""A machine of two cores whose other programs are told how much to work."""

from __future__ import annotations

from app.machine.cores import Cores
from app.machine.load import LoadMeter, Use
from app.machine.rest import Rest
from app.machine.threads import ThreadGovernor


class Neighbours:
    """Every look at the clocks lets a second pass."""

    def __init__(self) -> None:
        self.others = 0.0
        self._use = Use(0.0, 0.0, 0.0, 0.0)
        self.meter = LoadMeter(2, self._look, sleep=lambda _seconds: None)
        self.governor = ThreadGovernor(Cores(2, 2), self.meter, lambda: self._use)
        self.rest = Rest(self.meter, self.governor)

    def work(self, others: float) -> None:
        """From now on they use so many cores, and it is noticed."""
        self.others = others
        for _ in range(4):
            self.meter.read()
            self.governor.count()  # asked before every pass

    def _look(self) -> Use:
        use = self._use
        self._use = Use(use.wall_s + 1.0, use.own_s + 1.0, use.busy_s + self.others + 1.0, 0.0)
        return self._use
