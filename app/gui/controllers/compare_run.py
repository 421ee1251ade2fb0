"""One comparison on a thread of its own, with its own worker processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app import protocol
from app.chat.speed_series import SpeedSeries
from app.client.interface import EventSink, ignore_progress
from app.client.process import ProcessClient
from app.compare.engines import EnginePool
from app.compare.measure import measure, measure_sweep
from app.compare.report import Report
from app.compare.run import Progress
from app.compare.side import ModelSetup
from app.compare.trial import TrialFile
from app.gui.controllers.compare_choice import Comparison


class WatchedClient(ProcessClient):
    """Its answers are watched: ``on_event`` hears of everything, with None at the beginning of each."""

    def __init__(self, on_event: Callable[[protocol.AnyEvent | None], None],
                 command: Sequence[str] | None = None) -> None:
        super().__init__(command)
        self._on_event = on_event

    def generate(self, request: protocol.Generate, on_progress: EventSink = ignore_progress) -> protocol.Done:
        self._on_event(None)
        return super().generate(request, self._on_event)


@dataclass(frozen=True)
class Step:
    """A ``Progress``, and the course of the last finished answer of each side so far, by the side's name."""

    progress: Progress
    series: dict[str, SpeedSeries] = field(default_factory=dict)


class CompareRun:
    """``on_step`` and ``on_loading`` are called on the thread that calls ``measure``; ``stop`` may come from any.
    ``command`` starts a worker, the program's own by default."""

    def __init__(
        self, comparison: Comparison, on_step: Callable[[Step], None], on_loading: Callable[[ModelSetup], None],
        command: Sequence[str] | None = None,
    ) -> None:
        self.comparison = comparison
        self._on_step = on_step
        self._current = SpeedSeries()
        self.series: dict[str, SpeedSeries] = {}
        self._pool = EnginePool(
            lambda: WatchedClient(self._watch, command), comparison.side_by_side, on_loading
        )

    @property
    def stopped(self) -> bool:
        return self._pool.stopped

    def measure(self) -> Report:
        """Blocks until all is measured or ``stop``; no worker is left then. The files are not hashed.

        Raises ``SlipstreamError``.
        """
        plan = self.comparison.plan
        try:
            kept = TrialFile(None)
            if self.comparison.budget_s is not None:
                return measure_sweep(self._pool, plan, kept, self._note, self.comparison.budget_s)
            return measure(self._pool, plan, kept, self._note, self.comparison.in_blocks,
                           limit_s=self.comparison.limit_s)
        finally:
            self._pool.close()

    def stop(self) -> None:
        self._pool.stop()

    def kill(self) -> None:
        """End at once; what was finished is lost."""
        self._pool.stop()
        self._pool.kill()

    def _watch(self, event: protocol.AnyEvent | None) -> None:
        if event is None:
            self._current = SpeedSeries()
        elif isinstance(event, protocol.Chunk):
            self._current.add(event)

    def _note(self, progress: Progress) -> None:
        if progress.trial is not None:
            self.series = {**self.series, progress.side: self._current}
        self._on_step(Step(progress, self.series))
