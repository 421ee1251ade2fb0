"""``slipstream serve`` as the window's child: started and ended by the switch in the settings."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from app.client.process import program_command
from app.gui.controllers.engine import EngineController
from app.gui.controllers.server_relay import ServerRelay
from app.gui.controllers.worker_process import WorkerProcess
from app.settings.settings import ServerChoice

_CLOSE_MS = 4000
_MOST_LINES = 500
_KEY_VARIABLE = "SLIPSTREAM_API_KEY"


class ServerProcess(QObject):
    """One server at most. It holds no weights: its answers come from the window's engine."""

    changed = Signal()
    """It started, stopped or failed."""
    said = Signal(str)
    """A line for the log."""

    def __init__(self, worker: WorkerProcess, engine: EngineController, parent: QObject | None = None,
                 command: Sequence[str] | None = None) -> None:
        super().__init__(parent)
        self._worker, self._engine = worker, engine
        self._command = list(command) if command is not None else [*program_command(), "serve", "--relay"]
        self._process: QProcess | None = None
        self._relay: ServerRelay | None = None
        self._rest = ""
        self._closing = False
        self.lines: deque[str] = deque(maxlen=_MOST_LINES)
        self.address = ""
        """Where it listens ("http://127.0.0.1:8080/v1"), "" while it does not."""
        self.trouble = ""
        """Why it ended by itself, if it did."""

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def start(self, choice: ServerChoice, key: str, method: Callable[[], str]) -> None:
        """Start it anew with ``choice``; ``key`` "" leaves it open to this computer. ``method`` is asked before each
        answer, since it changes with the settings and the model."""
        self.stop()
        self.trouble = ""
        process = QProcess(self)
        process.setProgram(self._command[0])
        process.setArguments([
            *self._command[1:], "--host", "0.0.0.0" if choice.open_to_network else "127.0.0.1",
            "--port", str(choice.port),
        ])
        environment = QProcessEnvironment.systemEnvironment()
        environment.remove(_KEY_VARIABLE)
        if key:
            environment.insert(_KEY_VARIABLE, key)
        process.setProcessEnvironment(environment)
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_log)
        process.errorOccurred.connect(self._notice_error)
        process.finished.connect(self._finish)
        self._process = process
        self._relay = ServerRelay(self._worker, self._engine, self._write, method, self)
        process.started.connect(self._relay.greet)
        process.start()
        self.changed.emit()

    def stop(self) -> None:
        """It is gone when this returns."""
        process = self._process
        if process is None:
            return
        self._closing = True
        process.closeWriteChannel()
        if process.state() is not QProcess.ProcessState.NotRunning and not process.waitForFinished(_CLOSE_MS):
            process.kill()
            process.waitForFinished(_CLOSE_MS)
        self._forget()
        self._closing = False
        self.changed.emit()

    def _write(self, line: bytes) -> None:
        if self._process is not None:
            self._process.write(line)

    def _read(self) -> None:
        if self._process is not None and self._relay is not None:
            self._relay.feed(bytes(self._process.readAllStandardOutput().data()))

    def _read_log(self) -> None:
        if self._process is None:
            return
        self._rest += bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
        *lines, self._rest = self._rest.split("\n")
        for line in lines:
            self._take_line("".join(c for c in line if c.isprintable())[:400])

    def _take_line(self, line: str) -> None:
        self.lines.append(line)
        if line.startswith("Serving at "):
            self.address = line.split()[2]
            self.changed.emit()
        self.said.emit(line)

    def _notice_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            self._end(self._process.errorString())

    def _finish(self, status: int, how: QProcess.ExitStatus) -> None:
        if self._closing or self._process is None:
            return
        self._read_log()
        last = next((line for line in reversed(self.lines) if line), "")
        self._end(last.removeprefix("slipstream: ") or self.tr("The server ended (status {status}).").format(
            status=status))

    def _end(self, trouble: str) -> None:
        self.trouble = trouble
        # Not from within a signal of the process that goes.
        QTimer.singleShot(0, self._forget_and_tell)

    def _forget_and_tell(self) -> None:
        self._forget()
        self.changed.emit()

    def _forget(self) -> None:
        if self._relay is not None:
            self._relay.close()
            self._relay.deleteLater()
            self._relay = None
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
        self.address = self._rest = ""
