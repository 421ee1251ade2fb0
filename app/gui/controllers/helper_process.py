"""The helper process as the window runs it: one question at a time, each with a deadline that ends the process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QObject, QProcess, QTimer

from app.client.process import worker_command
from app.helper.messages import AnyReply, AnyRequest, Refused

_log = logging.getLogger("slipstream.gui")
_IDLE_MS = 90_000
_CLOSE_MS = 1_000
_START_S = 20.0
"""What a process that has just been started gets on top of a deadline."""

OnReply = Callable[[AnyReply], None]


def helper_command() -> list[str]:
    """The command line that runs this same program as the helper."""
    return [*worker_command()[:-1], "--helper"]


@dataclass(frozen=True)
class _Question:
    request: AnyRequest
    seconds: float
    on_reply: OnReply


class HelperProcess(QObject):
    """Starts with the first question and ends when none has come for a while. ``newest_first``: what was asked last is
    answered first."""

    def __init__(self, parent: QObject | None = None, command: Sequence[str] | None = None, newest_first: bool = False
                 ) -> None:
        super().__init__(parent)
        self._command = list(command or helper_command())
        self._newest_first = newest_first
        self._waiting: list[_Question] = []
        self._current: _Question | None = None
        self._process: QProcess | None = None
        self._fresh = True
        self._closed = False
        self._decoder = msgspec.json.Decoder(AnyReply)
        self._deadline = self._make_timer(self._give_up)
        self._idle = self._make_timer(self._rest)

    @property
    def pid(self) -> int:
        """Process id, 0 while there is none."""
        return int(self._process.processId()) if self._process is not None else 0

    def ask(self, request: AnyRequest, seconds: float, on_reply: OnReply) -> None:
        """``on_reply`` is called once, later, and never after ``close``."""
        if not self._closed:
            self._waiting.append(_Question(request, seconds, on_reply))
            self._ask_next()

    def forget(self) -> None:
        """Drop what has not been asked yet; its handlers are not called."""
        self._waiting.clear()

    def close(self) -> None:
        """The process is gone when this returns."""
        self._closed = True
        self._waiting.clear()
        self._current = None
        self._deadline.stop()
        self._idle.stop()
        process, self._process = self._process, None
        if process is not None:
            process.closeWriteChannel()
            if process.state() is not QProcess.ProcessState.NotRunning and not process.waitForFinished(50):
                process.kill()
                process.waitForFinished(_CLOSE_MS)

    def _make_timer(self, action: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(action)
        return timer

    def _ask_next(self) -> None:
        if self._current is not None or self._closed:
            return
        if not self._waiting:
            self._idle.start(_IDLE_MS)
            return
        self._idle.stop()
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None
        question = self._current = self._waiting.pop(-1 if self._newest_first else 0)
        self._deadline.start(round(1000 * (question.seconds + (_START_S if self._fresh else 0.0))))
        process.write(msgspec.json.encode(question.request) + b"\n")

    def _start(self) -> None:
        process = self._process = QProcess(self)
        process.setProgram(self._command[0])
        process.setArguments(self._command[1:])
        process.readyReadStandardOutput.connect(self._read)
        process.setStandardErrorFile(QProcess.nullDevice())
        process.finished.connect(self._finish)
        process.errorOccurred.connect(self._notice_error)
        self._fresh = True
        process.start()

    def _read(self) -> None:
        while self._process is not None and self._process.canReadLine():
            line = bytes(self._process.readLine().data())
            self._fresh = False
            try:
                reply = self._decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                reply = Refused(reason="could not be understood")
            self._reply(reply)

    def _reply(self, reply: AnyReply) -> None:
        question, self._current = self._current, None
        self._deadline.stop()
        if question is not None:
            question.on_reply(reply)
        self._ask_next()

    def _give_up(self) -> None:
        """Time is over: the process goes, and with it what it was doing."""
        if self._process is not None:
            _log.warning("helper took too long and was ended")
            self._drop_process(kill=True)
        self._reply(Refused(reason="took too long to read"))

    def _finish(self) -> None:
        self._drop_process()
        if self._current is not None:
            self._reply(Refused(reason="could not be read: the helper ended"))

    def _notice_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._finish()

    def _rest(self) -> None:
        if self._process is not None and self._current is None:
            self._process.closeWriteChannel()

    def _drop_process(self, kill: bool = False) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for signal in (process.readyReadStandardOutput, process.finished, process.errorOccurred):
            signal.disconnect()
        if kill:
            process.kill()
            process.waitForFinished(_CLOSE_MS)
        process.deleteLater()
