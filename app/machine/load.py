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
class OwnTime:
    """Seconds so far: of the wall clock, and of this process's work on all cores."""

    wall_s: float
    own_s: float


@dataclass(frozen=True)
class Use(OwnTime):
    """Besides: seconds of all cores' work, and of the part of it that takes no core from us: work at low priority, and
    what a hypervisor gave to other machines, which meets all cores alike."""

    busy_s: float
    yielding_s: float


@dataclass(frozen=True)
class Others:
    """Cores' worth of work of other programs in some stretch of time; ``pressing`` is what takes cores from us."""

    cores: float = 0.0
    pressing: float = 0.0


def own_time() -> OwnTime:
    """Takes half a microsecond, where ``read_use`` takes some tens of them."""
    return OwnTime(time.monotonic(), time.process_time())


def read_use() -> Use:
    """Of the cores that this process may run on."""
    cores = psutil.cpu_times(percpu=True)
    if hasattr(os, "sched_getaffinity"):
        cores = [cores[cpu] for cpu in os.sched_getaffinity(0) if cpu < len(cores)]

    def total(*names: str) -> float:
        return sum(getattr(core, name, 0.0) for core in cores for name in names)

    yielding = total("nice", "steal") if _is_normal_priority() else total("steal")
    busy = total("user", "nice", "system", "irq", "softirq", "steal", "interrupt", "dpc")
    return Use(time.monotonic(), time.process_time(), busy, yielding)


def others_between(before: Use, after: Use) -> Others:
    wall = after.wall_s - before.wall_s
    if wall <= 0:
        return Others()
    cores = max(0.0, after.busy_s - before.busy_s - (after.own_s - before.own_s)) / wall
    return Others(cores, max(0.0, cores - (after.yielding_s - before.yielding_s) / wall))


def _is_normal_priority() -> bool:
    """Programs of low priority give way to one of normal priority alone."""
    return not hasattr(os, "nice") or os.nice(0) <= 0


class LoadMeter:
    """What other programs use now, kept current by a thread of its own from ``start`` to ``close``.

    ``use`` and ``sleep`` are there for tests. Before the first interval is over nobody is taken to work.
    """

    def __init__(
        self, cores: int, use: Callable[[], Use] = read_use, interval_s: float = INTERVAL_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.cores = cores
        self.now = Others()
        """During the last interval."""
        self._use = use
        self._sleep = sleep
        self._interval_s = interval_s
        self._last = use()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._known = threading.Event()
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

    def look(self, seconds: float) -> None:
        """Wait so long, and take the figures of that moment."""
        self._last = self._use()
        self._sleep(seconds)
        self.read()

    def read(self) -> None:
        """Take the figures of the interval that ends now."""
        with self._lock:
            use = self._use()
            self.now = others_between(self._last, use)
            self._last = use
        self._known.set()

    def wait_for_first(self) -> None:
        """Wait until the first interval is over; not at all where it is not kept current."""
        if self._thread.is_alive():
            self._known.wait(2 * self._interval_s)

    def forget(self, now: Others) -> None:
        """Begin an interval here, and take ``now`` for what was seen in the last one."""
        with self._lock:
            self._last = self._use()
            self.now = now

    def _watch(self) -> None:
        while not self._over.wait(self._interval_s):
            self.read()
