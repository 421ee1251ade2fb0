"""What the window leaves behind when it crashes, and what an earlier run left.

The fault handler writes stacks of native crashes into a file that is open from the start; errors of ours that nobody
caught are written there and to the log, and told while the window lives. Neither holds what a person or a model wrote.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import IO

from PySide6.QtCore import QObject, QtMsgType, Signal, qInstallMessageHandler

from app.log import describe_error

FILE = "window-crash.txt"
KEPT = "window-crash.last.txt"
_MOST_BYTES = 64 * 1024
_log = logging.getLogger("slipstream.gui")
_qt_log = logging.getLogger("slipstream.qt")


class CrashRecord(QObject):
    """One for the life of the window. Where the folder cannot be written, crashes leave nothing and all else works."""

    error_noticed = Signal(str)
    """Where an error came from that nobody caught; the window goes on."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path, self._kept = folder / FILE, folder / KEPT
        self._file: IO[bytes] | None = None
        self._previous = (sys.excepthook, threading.excepthook)
        self.last_crash = ""
        """What the run before this one left; "" if it ended well."""

    def start(self) -> None:
        """Take over what an earlier run left, and watch from now on."""
        self.last_crash = self._take_over()
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self._file = os.fdopen(handle, "ab", buffering=0)
            faulthandler.enable(self._file)
        self._previous = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._notice
        threading.excepthook = self._notice_thread
        qInstallMessageHandler(_log_qt)

    def close(self) -> None:
        """The window ends well: what was noticed on the way has been shown, and is no crash."""
        qInstallMessageHandler(None)
        sys.excepthook, threading.excepthook = self._previous
        if self._file is None:
            return
        faulthandler.disable()
        self._file.close()
        self._file = None
        with contextlib.suppress(OSError):
            if self._path.stat().st_size:
                os.replace(self._path, self._kept)
            else:
                self._path.unlink()

    def _take_over(self) -> str:
        try:
            text = self._path.read_bytes()[-_MOST_BYTES:].decode("utf-8", "replace")
            if text:
                os.replace(self._path, self._kept)
        except OSError:
            return ""
        return text.strip()

    def _notice(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._previous[0](kind, error, trace)
            return
        words = describe_error(error.with_traceback(trace))
        _log.critical("an error that nobody caught:\n%s", words)
        self._write(words)
        self.error_noticed.emit(words)

    def _notice_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._notice(args.exc_type, args.exc_value, args.exc_traceback)

    def _write(self, words: str) -> None:
        if self._file is not None:
            # A full disk takes no report; the window goes on.
            with contextlib.suppress(OSError):
                self._file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')}\n{words}\n\n".encode())


def _log_qt(kind: QtMsgType, context: object, words: str) -> None:
    if kind in (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg):
        _qt_log.warning("%s", words[:300])
