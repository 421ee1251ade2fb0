"""Work that would hold up the window, done one task after the other on a thread of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QRunnable, QThreadPool, Signal

from app.errors import Code, SlipstreamError

_log = logging.getLogger("slipstream.gui")


class _Mail(QObject):
    arrived = Signal(object, object, object)
    """The task, its result or None, its ``SlipstreamError`` or None."""


class _Task(QRunnable):
    def __init__(self, mail: _Mail, work: Callable[[], Any], on_done: Callable[[Any], None],
                 on_failed: Callable[[SlipstreamError], None]) -> None:
        super().__init__()
        self.setAutoDelete(False)
        self._mail, self._work, self.on_done, self.on_failed = mail, work, on_done, on_failed

    def run(self) -> None:
        try:
            result = self._work()
        except SlipstreamError as error:
            self._mail.arrived.emit(self, None, error)
        except OSError as error:
            words = QCoreApplication.translate("Background", "A file could not be read ({reason}).")
            failure = SlipstreamError(Code.FILE, words.format(reason=error.strerror or error))
            self._mail.arrived.emit(self, None, failure)
        else:
            self._mail.arrived.emit(self, result, None)


class Background(QObject):
    """Tasks run in order; their handlers are called on the window's thread."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._mail = _Mail(self)
        self._mail.arrived.connect(self._deliver)
        self._tasks: set[_Task] = set()
        self._closed = False

    def run(self, work: Callable[[], Any], on_done: Callable[[Any], None],
            on_failed: Callable[[SlipstreamError], None] | None = None) -> None:
        """Call ``work`` on the thread, then ``on_done`` with its result, or ``on_failed``."""
        if self._closed:
            return
        task = _Task(self._mail, work, on_done, on_failed or _log_failure)
        self._tasks.add(task)
        self._pool.start(task)

    def drain(self) -> None:
        """Let all that waits be done; no handler is called any more."""
        self._closed = True
        self._pool.waitForDone()
        self._tasks.clear()

    def close(self) -> None:
        """Forget what waits and wait for what runs; no handler is called any more."""
        self._closed = True
        self._pool.clear()
        self._pool.waitForDone()
        self._tasks.clear()

    def _deliver(self, task: _Task, result: Any, error: SlipstreamError | None) -> None:
        if self._closed:
            return
        self._tasks.discard(task)
        if error is not None:
            task.on_failed(error)
        else:
            task.on_done(result)


def _log_failure(error: SlipstreamError) -> None:
    _log.warning("background task failed: %s", error)
