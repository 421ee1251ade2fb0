"""What was decided while other programs worked is done again at the first quiet moment, while nobody waits for it."""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from app.machine.rest import Rest
from app.protocol import AnyCommand

CALM_S = 2.0
"""So long the machine must have been at rest."""
LOOK_S = 0.5
PAUSE_S = 60.0
"""The same is not tried again sooner."""

Chore = tuple[str, Callable[[], None]]
"""What is to be done again: its name, and how."""


class DoesChores(Protocol):
    def chores(self) -> list[Chore]:
        """All that was decided provisionally and has not been settled since."""
        ...

    def do_quietly(self, chore: Callable[[], None]) -> None:
        """Do it unless a command waits; the next one that arrives ends it."""
        ...


class QuietTime:
    """Decides when a chore may be done. ``look`` is called about every ``LOOK_S`` while nothing else is to be done."""

    def __init__(self, session: DoesChores, rest: Rest, clock: Callable[[], float] = time.monotonic) -> None:
        self._session = session
        self._rest = rest
        self._clock = clock
        self._calm_since: float | None = None
        self._tried: dict[str, float] = {}

    def interrupt(self) -> None:
        """A command came; the moment of quiet begins anew."""
        self._calm_since = None

    def look(self) -> None:
        """Do a chore, if it is time for one."""
        now = self._clock()
        if not self._rest.is_calm:
            self._calm_since = None
        elif self._calm_since is None:
            self._calm_since = now
        elif now - self._calm_since >= CALM_S:
            self._do_one(now)

    def _do_one(self, now: float) -> None:
        for name, chore in self._session.chores():
            if now - self._tried.get(name, -math.inf) >= PAUSE_S:
                self._tried[name] = now
                with self._rest.without_children():
                    self._session.do_quietly(chore)
                return


def take_commands(
    todo: queue.SimpleQueue[AnyCommand | None], session: DoesChores, quiet: QuietTime
) -> Iterator[AnyCommand]:
    """The commands of ``todo`` up to None; while there is none, chores are done."""
    while True:
        try:
            command = todo.get(timeout=LOOK_S if session.chores() else None)
        except queue.Empty:
            quiet.look()
            continue
        if command is None:
            return
        quiet.interrupt()
        yield command
