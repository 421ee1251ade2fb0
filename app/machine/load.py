"""How much of the processor other programs use: read by differences of the system's own clocks."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

INTERVAL_S = 0.4
"""The system counts in hundredths of a second for each core, so this tells a twentieth of a core."""
CALM_SHARE = 0.1
"""While other programs take more than this share of the machine, nothing that is kept is measured."""
SAID_CORES = 0.5
"""What others use is named to a person from here on: less explains no slow answer."""


@dataclass(frozen=True)
class Use:
    """Seconds so far: of the wall clock, of all cores' work, of its part at low priority, and of our own work."""

    wall_s: float
    busy_s: float
    nice_s: float
    own_s: float


@dataclass(frozen=True)
class Others:
    """Cores' worth of work of other programs in some stretch of time; ``pressing`` without what runs at low priority,
    which gives way to us."""

    cores: float = 0.0
    pressing: float = 0.0


def read_use() -> Use:
    """Of the cores that this process may run on. Time that a hypervisor gave to others counts as busy."""
    cores = psutil.cpu_times(percpu=True)
    if hasattr(os, "sched_getaffinity"):
        cores = [cores[cpu] for cpu in os.sched_getaffinity(0) if cpu < len(cores)]
    named = ("user", "system", "irq", "softirq", "steal", "interrupt", "dpc")
    busy = sum(getattr(core, name, 0.0) for core in cores for name in named)
    nice = sum(getattr(core, "nice", 0.0) for core in cores)
    return Use(time.monotonic(), busy + nice, nice, time.process_time())


def others_between(before: Use, after: Use) -> Others:
    wall = after.wall_s - before.wall_s
    if wall <= 0:
        return Others()
    cores = max(0.0, after.busy_s - before.busy_s - (after.own_s - before.own_s)) / wall
    gives_way = (after.nice_s - before.nice_s) / wall if _is_normal_priority() else 0.0
    return Others(cores, max(0.0, cores - gives_way))


def _is_normal_priority() -> bool:
    """Programs of low priority give way to one of normal priority alone."""
    return not hasattr(os, "nice") or os.nice(0) <= 0


class LoadMeter:
    """What other programs use now, kept current by a thread of its own from ``start`` to ``close``.

    ``use`` reads the clocks, so that tests can script them. Before the first interval is over nobody is taken to work.
    """

    def __init__(self, cores: int, use: Callable[[], Use] = read_use, interval_s: float = INTERVAL_S) -> None:
        self.cores = cores
        self.now = Others()
        """During the last interval."""
        self._use = use
        self._interval_s = interval_s
        self._last = use()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="load-meter", daemon=True)

    def start(self) -> LoadMeter:
        self._thread.start()
        return self

    def close(self) -> None:
        self._over.set()

    @property
    def is_calm(self) -> bool:
        """Whether what is measured now may be kept."""
        return self.now.cores <= CALM_SHARE * self.cores

    def mark(self) -> Use:
        """The beginning of a stretch of time for ``since``."""
        return self._use()

    def since(self, mark: Use) -> Others:
        """What others used since ``mark``."""
        return others_between(mark, self._use())

    def was_calm_since(self, mark: Use) -> bool:
        return self.since(mark).cores <= CALM_SHARE * self.cores

    def read(self) -> None:
        """Take the figures of the interval that ends now."""
        use = self._use()
        self.now = others_between(self._last, use)
        self._last = use

    def _watch(self) -> None:
        while not self._over.wait(self._interval_s):
            self.read()
