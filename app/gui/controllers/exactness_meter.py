"""Has the engine measure whether drafting can change a word in the present configuration, when a person asks."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app import protocol
from app.gui.controllers.engine import EngineController, EngineState
from app.gui.controllers.worker_process import WorkerProcess


class ExactnessMeter(QObject):
    """The result belongs to what is loaded and goes with it. A question interrupts the measurement."""

    changed = Signal()

    def __init__(self, worker: WorkerProcess, engine: EngineController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._engine = worker, engine
        self._running = 0
        self.found: protocol.Exactness | None = None
        engine.state_changed.connect(self._follow)

    @property
    def can_measure(self) -> bool:
        return self._engine.state is EngineState.READY and not self.is_measuring

    @property
    def is_measuring(self) -> bool:
        return self._running != 0

    def measure(self) -> None:
        if not self.can_measure:
            return
        # What was computed of a chat makes room for the measurement; it is brought back with the next question.
        self._engine.states.save()
        self._engine.states.drop()
        self._running = self._worker.send(protocol.MeasureExactness(request_id=0), self._take)
        self.changed.emit()

    def _take(self, event: protocol.AnyEvent) -> None:
        if not protocol.is_ending(event):
            return
        self._running = 0
        if isinstance(event, protocol.Exactness):
            self.found = event
        self.changed.emit()

    def _follow(self) -> None:
        state = self._engine.state
        if state is EngineState.READY:
            self.changed.emit()
            return
        if self.is_measuring:
            self._worker.send(protocol.Stop(request_id=0, target_id=self._running))
        if state is not EngineState.ANSWERING:
            self.found = None
        self.changed.emit()
