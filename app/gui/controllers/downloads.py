"""Downloads as the window sees them: begun, paused, resumed and watched, without waiting for any of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app import paths
from app.errors import SlipstreamError
from app.gui.controllers.hub import HubController
from app.gui.controllers.network import Network
from app.models.catalog import CatalogFile
from app.models.sources import hub_cache_dir

if TYPE_CHECKING:
    from app.models.download import Downloads, DownloadState
    from app.models.hub import HubFile

_LOOK_MS = 250
_BUSY = ("waiting", "checking", "running", "retrying")
_NOTES = ".downloads"


class DownloadsController(QObject):
    changed = Signal(object)
    """Every ``DownloadState``, in the order in which they were begun."""
    finished = Signal(str)
    """Path of a model that is whole now."""
    refused = Signal(object)
    """The ``SlipstreamError`` of a download that could not begin."""

    def __init__(self, network: Network, hub: HubController, folder: Path | None = None,
                 parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._network, self._hub = network, hub
        self._folder = folder or paths.models_dir()
        self._making = threading.Lock()
        self._downloads: Downloads | None = None
        self._closed = False
        self._looking_up: dict[str, int] = {}
        self._done: set[str] = set()
        self.states: list[DownloadState] = []
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        hub.settings_changed.connect(self._take_hub)

    @property
    def folder(self) -> Path:
        return self._folder

    def restore(self) -> None:
        """List what an earlier run of the program left unfinished. Nothing is asked of the network."""
        if any((self._folder / _NOTES).glob("*.json")):
            self._do(lambda downloads: None)

    def get(self, wanted: CatalogFile) -> None:
        """Download a file of the catalog, once the hub has told its size and hash."""
        key = f"{wanted.repo}/{wanted.file}"
        if key in self._looking_up:
            return

        def work() -> None:
            self._make().start(self._hub.make_hub().resolve(wanted))

        self._looking_up[key] = self._network.run(work, lambda _: self._end_look_up(key),
                                                  lambda error: self._refuse(key, error))
        self._look()

    def is_looking_up(self, wanted: CatalogFile) -> bool:
        return f"{wanted.repo}/{wanted.file}" in self._looking_up

    def start(self, file: HubFile) -> None:
        self._do(lambda downloads: downloads.start(file))

    def pause(self, job_id: str) -> None:
        self._do(lambda downloads: downloads.pause(job_id))

    def resume(self, job_id: str) -> None:
        self._do(lambda downloads: downloads.resume(job_id))

    def cancel(self, job_id: str) -> None:
        """Forget a download; what has arrived of an unfinished one goes."""
        self._do(lambda downloads: downloads.cancel(job_id))

    def find(self, repo: str, file: str) -> DownloadState | None:
        """The download of a file; a ``*`` in its name stands for anything, as in the catalog."""
        return next((state for state in self.states if state.repo == repo and fnmatchcase(state.file, file)), None)

    def close(self) -> None:
        """Pause everything; the next start lists it."""
        self._closed = True
        self._timer.stop()
        if self._downloads is not None:
            self._downloads.close()

    def _make(self) -> Downloads:
        """For a thread: the first use imports the hub's library."""
        from app.models.download import Downloads

        with self._making:
            if self._downloads is None:
                made = Downloads(self._folder, self._hub.make_hub(),
                                 cache_dir=None if paths.portable_dir() else hub_cache_dir(Path.home(), os.environ))
                made.restore()
                if self._closed:
                    made.close()
                self._downloads = made
            return self._downloads

    def _do(self, action: Callable[[Downloads], object]) -> None:
        self._network.run(lambda: action(self._make()), lambda _: self._look(), self._refuse_start)

    def _take_hub(self) -> None:
        if self._downloads is not None:
            self._do(lambda downloads: downloads.use_hub(self._hub.make_hub()))

    def _end_look_up(self, key: str) -> None:
        self._looking_up.pop(key, None)
        self._look()

    def _refuse(self, key: str, error: SlipstreamError) -> None:
        self._looking_up.pop(key, None)
        self._refuse_start(error)

    def _refuse_start(self, error: SlipstreamError) -> None:
        self.refused.emit(error)
        self._look()

    def _look(self) -> None:
        if self._closed:
            return
        states = self._downloads.states() if self._downloads is not None else []
        busy = any(state.status in _BUSY for state in states)
        if busy and not self._timer.isActive():
            self._timer.start()
        elif not busy:
            self._timer.stop()
        self.states = states
        self.changed.emit(states)
        done = {state.path for state in states if state.status == "done"}
        for path in sorted(done - self._done):
            self.finished.emit(path)
        self._done = done
