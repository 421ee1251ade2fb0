"""Asks the worker which graphics cards there are and what is free on them. Only the worker may: asking takes memory."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app import protocol
from app.gui.controllers.engine import EngineController, EngineState
from app.gui.controllers.models import ModelsController
from app.gui.controllers.worker_process import WorkerProcess


class MemoryDevices(QObject):
    """The answer goes to the models' controller. Asked whenever something was loaded, since that changes what is free.
    """

    def __init__(self, worker: WorkerProcess, engine: EngineController, models: ModelsController,
                 parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._engine, self._models = worker, engine, models
        self._asked = 0
        self._loaded: tuple[str, ...] = ()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.ask)
        worker.event_arrived.connect(self._take)
        engine.state_changed.connect(self._follow)

    def ask(self) -> None:
        """Starts the worker if there is none yet, so that the first load is judged by what there is."""
        self._asked = self._worker.send(protocol.Devices(request_id=0))

    def _follow(self) -> None:
        engine, models = self._engine, self._models
        if engine.state not in (EngineState.READY, EngineState.DOWN, EngineState.EMPTY):
            return
        loaded = tuple(facts.path for facts in (engine.target, engine.draft) if facts is not None)
        if loaded == self._loaded:
            return
        self._loaded = models.held_paths = loaded
        if engine.wanted is not None:
            models.held_settings = engine.wanted.settings
        if loaded:
            # After the handlers of this change: what they send is more urgent.
            self._soon.start(0)

    def _take(self, event: protocol.AnyEvent) -> None:
        if isinstance(event, protocol.DeviceList) and event.request_id == self._asked:
            self._models.take_devices(event.devices)
