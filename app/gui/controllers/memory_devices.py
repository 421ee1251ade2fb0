"""Asks the worker which graphics cards there are and what is free on them. Only the worker may: asking takes memory."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app import protocol
from app.gui.controllers.engine import EngineController, EngineState
from app.gui.controllers.models import ModelsController
from app.gui.controllers.worker_process import WorkerProcess


class MemoryDevices(QObject):
    """The answer goes to the models' controller. Asked whenever something was loaded, since that changes what is free.
    """

    changed = Signal()

    def __init__(self, worker: WorkerProcess, engine: EngineController, models: ModelsController,
                 parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._engine, self._models = worker, engine, models
        self.found: list[protocol.Device] = []
        self.notes: list[str] = []
        """What came of the addresses of other machines."""
        self._loaded: tuple[str, ...] = ()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.ask)
        engine.state_changed.connect(self._follow)

    def ask(self) -> None:
        """Starts the worker if there is none yet, so that the first load is judged by what there is."""
        self._worker.send(protocol.Devices(request_id=0), self.take)

    def ask_running(self) -> None:
        """Ask if that starts no worker."""
        if self._worker.is_running:
            self.ask()

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

    def take(self, event: protocol.AnyEvent) -> None:
        """What the worker says to that."""
        if isinstance(event, protocol.DeviceList):
            self.found, self.notes = event.devices, event.notes
            self._models.take_devices(event.devices)
            self.changed.emit()
