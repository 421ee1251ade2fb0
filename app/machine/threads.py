"""With how many threads a pass is computed: fewer while other programs work, all when they stop.

The threads of llama.cpp and of ik_llama.cpp wait for each other after every one of some hundred operations of a pass. A
thread that has to share its core with another program makes all of them wait; two threads and two busy neighbours on
two cores were measured to be a hundred times as slow as one thread beside them. So each core's worth of other work
takes one thread away.
"""

from __future__ import annotations

from collections.abc import Callable

from app.machine.cores import Cores, count_cores
from app.machine.load import LoadMeter, OwnTime, own_time

TOLERATED_CORES = 0.4
"""Less than this of a core's worth of other work takes no thread away: a window that is drawn, a player of music."""
PATIENCE_S = 1.0
"""So long it must have been quieter before threads come back: a build pauses between its compilers."""
REST_S = 0.25
"""Passes that are further apart, with nothing computed between them, belong to two answers."""
LOOK_S = 0.06
"""Six of the system's ticks for each core: time enough to see whether somebody works."""


class ThreadGovernor:
    """``count`` is asked before every pass."""

    def __init__(self, cores: Cores, meter: LoadMeter, clock: Callable[[], OwnTime] = own_time) -> None:
        self._cores = cores
        self._meter = meter
        self._clock = clock
        self._count = cores.threads
        self._quieter_since: float | None = None
        self._asked = clock()

    @property
    def most(self) -> int:
        """What is taken while nobody else works."""
        return self._cores.threads

    def count(self) -> int:
        now = self._clock()
        if self._has_rested(now):
            if self._wanted() < self.most:
                # what was seen may be over by now; it may have been the other side of a comparison
                self._meter.look(LOOK_S)
                now = self._clock()
            self.forget(self._wanted())
        else:
            self._follow(self._wanted(), now.wall_s)
        self._asked = now
        return self._count

    @property
    def current(self) -> int:
        """The last ``count``."""
        return self._count

    def _wanted(self) -> int:
        free = int(self._cores.all - self._meter.now.pressing + TOLERATED_CORES)
        return max(1, min(self.most, free))

    def _has_rested(self, now: OwnTime) -> bool:
        """Whether we computed nothing since the last pass was asked for."""
        gap = now.wall_s - self._asked.wall_s
        return gap > REST_S and now.own_s - self._asked.own_s < gap / 2

    def _follow(self, wanted: int, now: float) -> None:
        """Down at once, up after a while."""
        if wanted <= self._count:
            self._count = wanted
            self._quieter_since = None
        elif self._quieter_since is None:
            self._quieter_since = now
        elif now - self._quieter_since >= PATIENCE_S:
            self._count = wanted
            self._quieter_since = None

    def forget(self, count: int) -> None:
        """Go on from ``count``, whatever was seen since it was taken."""
        self._count = count
        self._quieter_since = None


def all_cores() -> Callable[[], int]:
    """A count that follows no load."""
    count = count_cores().threads
    return lambda: count
