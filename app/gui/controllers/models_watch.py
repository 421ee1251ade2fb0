"""Tells when something changes in the folders that hold models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QFileSystemWatcher, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

_CALM_MS = 700
_MOST_FILES = 64


class FolderWatch(QObject):
    """A change is told once it has been calm for a moment: a copy that grows would be read over and over. Told as well
    when a person comes back to the window: folders that were not there cannot be watched, nor those of other machines.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(_CALM_MS)
        self._calm.timeout.connect(self.changed)
        self._watcher.directoryChanged.connect(lambda _: self._calm.start())
        self._watcher.fileChanged.connect(lambda _: self._calm.start())
        self._watches = False
        application = QCoreApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._take_state)

    def watch(self, folders: Sequence[Path], files: Sequence[Path] = ()) -> None:
        """Watch these folders, and what is written into these files, instead of those before."""
        self._watches = True
        wanted = {str(path) for path in (*folders, *files[:_MOST_FILES])}
        now = {*self._watcher.directories(), *self._watcher.files()}
        if now - wanted:
            self._watcher.removePaths(sorted(now - wanted))
        if wanted - now:
            self._watcher.addPaths(sorted(wanted - now))

    def close(self) -> None:
        self._calm.stop()
        self.watch([])
        self._watches = False

    def _take_state(self, state: Qt.ApplicationState) -> None:
        if self._watches and state is Qt.ApplicationState.ApplicationActive:
            self._calm.start()
