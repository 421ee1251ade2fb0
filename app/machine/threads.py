"""With how many threads a pass is computed: fewer while other programs work, all when they stop.

The threads of llama.cpp and of ik_llama.cpp wait for each other after every one of some hundred operations of a pass. A
thread that has to share its core with another program makes all of them wait; two threads and two busy neighbours on
two cores were measured to be a hundred times as slow as one thread beside them. So each core's worth of other work
takes one thread away.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from app.machine.cores import Cores, count_cores
from app.machine.load import LoadMeter

TOLERATED_CORES = 0.4
"""Less than this of a core's worth of other work takes no thread away: a window that is drawn, a player of music."""
PATIENCE_S = 1.0
"""So long it must have been quieter before threads come back: a build pauses between its compilers."""


class ThreadGovernor:
    """``count`` is asked before every pass."""

    def __init__(self, cores: Cores, meter: LoadMeter, clock: Callable[[], float] = time.monotonic) -> None:
        self._cores = cores
        self._meter = meter
        self._clock = clock
        self._count = cores.threads
        self._quieter_since: float | None = None

    @property
    def most(self) -> int:
        """What is taken while nobody else works."""
        return self._cores.threads

    def count(self) -> int:
        free = int(self._cores.all - self._meter.now.pressing + TOLERATED_CORES)
        wanted = max(1, min(self.most, free))
        if wanted <= self._count:
            self._count = wanted
            self._quieter_since = None
            return wanted
        now = self._clock()
        if self._quieter_since is None:
            self._quieter_since = now
        elif now - self._quieter_since >= PATIENCE_S:
            self._count = wanted
            self._quieter_since = None
        return self._count


def all_cores() -> Callable[[], int]:
    """A count that follows no load."""
    count = count_cores().threads
    return lambda: count
