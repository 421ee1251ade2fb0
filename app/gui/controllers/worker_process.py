"""The engine process as the window runs it: the client's session over ``QProcess``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QDeadlineTimer, QObject, QProcess, QTimer, Signal

from app.client.clock import AwakeClock
from app.client.process import STDERR_TAIL_BYTES, remote_worker_command, worker_command
from app.client.session import ClientSession, KillWorker, Outcome
from app.client.worker_exit import WorkerExit
from app.gui.controllers.pacer import Pacer
from app.protocol import AnyCommand, AnyEvent, Load, is_ending
from app.records import REMOTE

_TICK_MS = 250
_CLOSE_MS = 1500

OnEvent = Callable[[AnyEvent], None]


class Listener(QObject):
    """Who hears of one request. As with every signal, one whose owner is gone is never called, and a mistake in one
    keeps nothing from the others."""

    heard = Signal(object)
    """An ``AnyEvent``."""

    def __init__(self, on_event: OnEvent) -> None:
        super().__init__()
        self.heard.connect(on_event)


class WorkerProcess(QObject):
    """Starts the worker with the first command and again with the first one after a death.

    Whatever happens to the process, the listener of every command hears one ending event, once.
    """

    burst_over = Signal()
    """All that waited has been told: time to draw it."""
    died = Signal()
    """The process is gone without having been asked; its commands have been failed before."""

    def __init__(self, command: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = list(command or worker_command())
        self._session = ClientSession()
        self._listeners: dict[int, Listener] = {}
        """Of requests that have not ended, by their ids."""
        self._clock = AwakeClock()
        self._process: QProcess | None = None
        self._stderr = bytearray()
        self._dying: list[QProcess] = []
        self._closing = False
        self._is_remote = False
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._pacer = Pacer(self)
        self._pacer.due.connect(self._read)

    @property
    def pid(self) -> int:
        """Process id, 0 while there is none."""
        return int(self._process.processId()) if self._process is not None else 0

    @property
    def is_running(self) -> bool:
        return self._session.is_running

    def send(self, command: AnyCommand, on_event: OnEvent | None = None) -> int:
        """Write ``command``; returns its id. ``on_event`` hears all that is said of it, its ending last, once this has
        returned."""
        if isinstance(command, Load) and command.path.startswith(REMOTE) != self._is_remote:
            # a model of a server elsewhere needs another kind of process
            self._is_remote = not self._is_remote
            for event in self._give_up():
                self._tell(event)
        if self._process is None and not self._closing:
            self._start()
        started = self._session.start_command(command, self._clock.now())
        if started.line and self._process is not None:
            self._process.write(started.line)
        self._listen(started.request_id, on_event)
        self._timer.start()
        return started.request_id

    def end(self) -> None:
        """Have the worker end by itself; ``died`` follows, and the next command starts another."""
        if self._process is not None:
            self._process.closeWriteChannel()

    def close(self, patience_ms: int = 0) -> None:
        """Close the worker's stdin, which ends it; it is gone when this returns.

        ``patience_ms``: how long it may first take to end the commands that it was given.
        """
        self._closing = True
        self._timer.stop()
        self._pacer.stop()
        for dying in list(self._dying):
            dying.waitForFinished(_CLOSE_MS)
        process = self._process
        if process is None:
            return
        deadline = QDeadlineTimer(patience_ms)
        while self._session.outstanding and not deadline.hasExpired():
            process.waitForReadyRead(deadline.remainingTime())
            self._read()
        process.closeWriteChannel()
        if process.state() is not QProcess.ProcessState.NotRunning and not process.waitForFinished(_CLOSE_MS):
            process.kill()
            process.waitForFinished(_CLOSE_MS)

    def _listen(self, request_id: int, on_event: OnEvent | None) -> None:
        if on_event is not None:
            self._listeners[request_id] = Listener(on_event)

    def _tell(self, event: AnyEvent) -> None:
        """Hand an event to who asked. Nobody hears the handshake, or of what was asked without a listener."""
        find = self._listeners.pop if is_ending(event) else self._listeners.get
        listener = find(event.request_id, None)
        if listener is not None:
            listener.heard.emit(event)

    def _start(self) -> None:
        process = QProcess(self)
        program, *arguments = remote_worker_command() if self._is_remote else self._command
        process.setProgram(program)
        process.setArguments(arguments)
        process.readyReadStandardOutput.connect(self._pacer.ask)
        process.readyReadStandardError.connect(self._drain)
        process.errorOccurred.connect(self._notice_error)
        process.finished.connect(self._finish)
        self._stderr.clear()
        self._process = process
        self._session.worker_started(self._clock.now())
        process.start()

    def _read(self) -> None:
        self._pacer.begin()
        if self._process is not None:
            self._take(self._session.feed(bytes(self._process.readAllStandardOutput().data()), self._clock.now()))

    def _drain(self) -> None:
        if self._process is not None:
            self._stderr += bytes(self._process.readAllStandardError().data())
            del self._stderr[:-STDERR_TAIL_BYTES]

    def _tick(self) -> None:
        self._take(self._session.tick(self._clock.now()))
        if not self._session.outstanding:
            self._timer.stop()

    def _take(self, outcomes: Sequence[Outcome]) -> None:
        doomed = any(isinstance(outcome, KillWorker) for outcome in outcomes)
        if doomed:
            self._give_up()
        for outcome in outcomes:
            if not isinstance(outcome, KillWorker):
                self._tell(outcome)
        if outcomes:
            self.burst_over.emit()
        if doomed:
            self.died.emit()

    def _give_up(self) -> list[AnyEvent]:
        """Kill the worker and be done with it: the next command has a new one, however long this one takes to go.
        Returns the endings of commands that it had."""
        process = self._process
        if process is None:
            return []
        process.readyReadStandardOutput.disconnect(self._pacer.ask)
        process.readyReadStandardError.disconnect(self._drain)
        process.errorOccurred.disconnect(self._notice_error)
        process.finished.disconnect(self._finish)
        process.finished.connect(lambda *_: self._bury(process))
        self._dying.append(process)
        process.kill()
        self._process = None
        return self._session.exited(WorkerExit(), self._clock.now())

    def _bury(self, process: QProcess) -> None:
        if process in self._dying:
            self._dying.remove(process)
            process.deleteLater()

    def _notice_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            self._forget()
            self._take(self._session.start_failed(reason, self._clock.now()))
            self.died.emit()

    def _finish(self, status: int, how: QProcess.ExitStatus) -> None:
        if self._process is None:
            return
        self._read()
        self._drain()
        tail = self._stderr.decode("utf-8", "replace")
        crashed = how is QProcess.ExitStatus.CrashExit
        # After a crash QProcess gives the signal's number as the status.
        exit_ = WorkerExit(signal_number=status, stderr_tail=tail) if crashed else WorkerExit(status, None, tail)
        self._forget()
        events = self._session.exited(exit_, self._clock.now())
        if self._closing:
            return
        self._take(events)
        self.died.emit()

    def _forget(self) -> None:
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
