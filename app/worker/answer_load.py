"""How the machine was while one answer was written: at rest or not, and what of that a person should know."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from app.machine.load import SAID_CORES
from app.machine.rest import Rest
from app.records import Timings

SAID_EVERY_S = 1.0


class AnswerLoad:
    """``threads`` is the number that the loading settings name, 0 where it follows the load."""

    def __init__(self, rest: Rest, threads: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rest = rest
        self._fixed = threads
        self._clock = clock
        self._mark = rest.mark()
        self._calm = True
        self._threads = threads
        self._looked_at = clock()
        self._was_said = False

    def begin(self) -> None:
        """Decoding begins."""
        self._mark, self._looked_at = self._rest.mark(), self._clock()

    def see_step(self) -> bool:
        """A step is over: whether, as far as is known, nobody else was at work."""
        if not self._fixed:
            count = self._rest.threads
            self._threads = min(self._threads or count, count)
        calm = self._rest.is_calm and self._rest.has_all_threads
        self._calm &= calm
        return calm

    def news(self) -> float | None:
        """Cores that other programs use now; at most once a second, and only while it explains a slow answer, and once
        when it no longer does."""
        now = self._clock()
        if now - self._looked_at < SAID_EVERY_S:
            return None
        self._looked_at = now
        used = self._rest.other_cores
        was_said, self._was_said = self._was_said, used >= SAID_CORES
        return used if self._was_said or was_said else None

    @property
    def cores(self) -> int:
        return self._rest.cores

    @property
    def threads(self) -> int:
        """The fewest with which a pass was computed so far."""
        return self._threads

    @property
    def was_calm(self) -> bool:
        """Whether nobody else worked since ``begin``, so that what was learned may be kept."""
        return self._calm and self._rest.was_calm_since(self._mark)

    def add_to(self, timings: Timings) -> Timings:
        return msgspec.structs.replace(
            timings, other_cores=self._rest.others_since(self._mark), cores=self.cores, threads=self._threads
        )
