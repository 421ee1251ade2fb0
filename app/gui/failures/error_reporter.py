"""Where failures of the window end up: one dialog at a time, each mistake shown once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app.gui.controllers.memory_devices import MemoryDevices
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.failures.crash_record import CrashRecord
from app.gui.failures.crash_report import Failure, make_report
from app.gui.failures.dialog import FailureDialog
from app.gui.look.theme import Colours

_MOST_SHOWN = 5
"""Mistakes shown in one run; whoever has seen five has a report to send."""


class ErrorReporter(QObject):
    def __init__(self, record: CrashRecord, devices: MemoryDevices, keeper: SettingsKeeper, log_folder: Path,
                 colours: Callable[[], Colours], window: QWidget) -> None:
        super().__init__(window)
        self._record, self._devices, self._keeper = record, devices, keeper
        self._log_folder, self._colours, self._window = log_folder, colours, window
        self._seen: set[str] = set()
        self._failure: Failure | None = None
        self.dialog: FailureDialog | None = None
        record.error_noticed.connect(self._show_mistake, Qt.ConnectionType.QueuedConnection)
        devices.changed.connect(self._show_devices)

    def greet(self) -> None:
        """After a start: offer the report of the crash that ended the run before."""
        if self._record.last_crash:
            self.show(Failure(
                self.tr("Slipstream crashed the last time it ran"),
                self.tr("The window ended by a fault of its own. Your chats are kept, but for the last half second of "
                        "text."),
                self.tr("You can go on working. If it happens again, please send the report to the developers."),
                self._record.last_crash,
            ))

    def show(self, failure: Failure) -> None:
        """Open the dialog for ``failure``, unless one is open already."""
        if self.dialog is not None:
            return
        self._failure = failure
        dialog = FailureDialog(failure, self._report(failure), self._log_folder, self._colours(), self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._forget)
        self.dialog = dialog
        if not self._devices.found:
            self._devices.ask_running()
        dialog.open()

    def report_failure(self, words: str) -> None:
        """A person wants a report about what a banner says."""
        self.show(Failure(self.tr("Something went wrong"), words))

    def _show_mistake(self, details: str) -> None:
        if details in self._seen or len(self._seen) >= _MOST_SHOWN:
            return
        self._seen.add(details)
        self.show(Failure(
            self.tr("Slipstream made a mistake"),
            self.tr("Something in the program did not work as it should. Your chats are kept, and the window goes on."),
            self.tr("If something looks wrong, start the program again, and please send the report to the developers."),
            details,
        ))

    def _show_devices(self) -> None:
        if self.dialog is not None and self._failure is not None:
            self.dialog.show_report(self._report(self._failure))

    def _report(self, failure: Failure) -> str:
        return make_report(failure, self._keeper.settings, self._devices.found, self._log_folder)

    def _forget(self) -> None:
        self.dialog = self._failure = None
