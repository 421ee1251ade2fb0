"""A steady clock that does not count the time in which this computer, or this process, was asleep."""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST_GAP_S = 5.0
"""Deadlines are looked at four times a second; whoever was not for longer than this was asleep or stopped."""


class AwakeClock:
    """Seconds since it was made, for deadlines. ``now`` must be called often while a deadline runs.

    Some systems let their steady clock run on through suspend, and a stopped process (SIGSTOP) sees it run on
    everywhere. A worker that slept as long as we did has not been silent.
    """

    def __init__(self, source: Callable[[], float] = time.monotonic, longest_gap_s: float = LONGEST_GAP_S) -> None:
        self._source = source
        self._longest_gap_s = longest_gap_s
        self._last = source()
        self._awake_s = 0.0

    def now(self) -> float:
        reading = self._source()
        self._awake_s += min(max(0.0, reading - self._last), self._longest_gap_s)
        self._last = reading
        return self._awake_s
