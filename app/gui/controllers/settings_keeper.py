"""The settings while the window is open: one value, told to all, saved soon after every change."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import SlipstreamError
from app.settings.settings import Settings, SettingsFile, TargetSettings

_SAVE_AFTER_MS = 300


class SettingsKeeper(QObject):
    changed = Signal(object)
    """The new ``Settings``."""
    save_failed = Signal(object)

    def __init__(self, file: SettingsFile, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file
        self._settings, self.trouble = file.load()
        self._unsaved = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)

    @property
    def settings(self) -> Settings:
        return self._settings

    def replace(self, settings: Settings) -> None:
        if settings == self._settings:
            return
        self._settings = settings
        self._unsaved = True
        self._timer.start()
        self.changed.emit(settings)

    def replace_target(self, path: str, target: TargetSettings) -> None:
        """What is remembered for the target at ``path``."""
        self.replace(self._settings.with_target(path, target))

    def save(self) -> None:
        """Write now what has changed."""
        self._timer.stop()
        if not self._unsaved:
            return
        self._unsaved = False
        try:
            self._file.save(self._settings)
        except SlipstreamError as error:
            self.save_failed.emit(error.words)
