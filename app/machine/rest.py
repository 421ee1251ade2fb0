"""Whether the machine is at rest: what is measured while other programs work is not kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app.machine.cores import Cores
from app.machine.load import LoadMeter, Use
from app.machine.threads import ThreadGovernor


class Rest:
    """Load and threads together. Without arguments it is of a machine on which nobody else ever works, for tests."""

    def __init__(self, meter: LoadMeter | None = None, governor: ThreadGovernor | None = None) -> None:
        self._meter = meter or LoadMeter(1, lambda: Use(0.0, 0.0, 0.0, 0.0))
        self._governor = governor or ThreadGovernor(Cores(self._meter.cores, self._meter.cores), self._meter)

    @property
    def cores(self) -> int:
        return self._meter.cores

    @property
    def threads(self) -> int:
        """With how many threads the last pass was computed, where no number was asked for."""
        return self._governor.current

    @property
    def other_cores(self) -> float:
        """Cores' worth of what other programs did during the last interval."""
        return self._meter.now.cores

    @property
    def is_calm(self) -> bool:
        """Whether nobody else works."""
        return self._meter.is_calm

    def mark(self) -> Use:
        """The beginning of a stretch of time for ``was_calm_since`` and ``others_since``."""
        return self._meter.mark()

    def was_calm_since(self, mark: Use) -> bool:
        """Whether what was measured since ``mark`` may be kept: nobody else worked, and no thread was taken away."""
        return self._meter.was_calm_since(mark) and self.has_all_threads

    def others_since(self, mark: Use) -> float:
        """Cores' worth of what other programs did since ``mark``, on average."""
        return self._meter.since(mark).cores

    def settle(self) -> None:
        """Wait until it is known how the machine is: one interval at most, right after the start."""
        self._meter.wait_for_first()

    @contextmanager
    def without_children(self) -> Iterator[None]:
        """What children of this process compute meanwhile is not taken for work of others afterwards."""
        before, count = self._meter.now, self._governor.current
        try:
            yield
        finally:
            self._meter.forget(before)
            self._governor.forget(count)

    @property
    def has_all_threads(self) -> bool:
        """Whether the last pass missed no thread for other programs' sake."""
        return self._governor.current >= self._governor.most
