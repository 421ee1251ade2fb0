"""The engine in a child process, over ``subprocess``: for the command line, comparisons and the server."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import app
from app import protocol
from app.client.clock import AwakeClock
from app.client.interface import EndingT, EventSink, ignore_progress
from app.client.session import ClientSession, KillWorker, Outcome
from app.client.worker_exit import WorkerExit
from app.errors import Code, SlipstreamError
from app.protocol import AnyCommand, Failed
from app.records import REMOTE, LoadSettings, Message
from app.sentences import say

STDERR_TAIL_BYTES = 16 * 1024
_TICK_S = 0.25
_CLOSE_S = 5.0
_READ_BYTES = 64 * 1024


# Not ``-m app``: that would take whatever folder named ``app`` lies in the current directory, and run it.
_BOOT = "import sys; sys.path.insert(0, sys.argv.pop(1)); from app.__main__ import main; sys.exit(main())"


def worker_command() -> list[str]:
    """The command line that runs this same program as the engine process."""
    return [*program_command(), "--worker"]


def remote_worker_command() -> list[str]:
    """The same for a process that asks a server elsewhere."""
    return [*program_command(), "--remote-worker"]


def program_command() -> list[str]:
    """The command line that runs this same program, to which arguments are added."""
    if getattr(sys, "frozen", False):
        return [str(_console_program(Path(sys.executable)))]
    return [sys.executable, "-P", "-c", _BOOT, str(Path(app.__file__).resolve().parent.parent)]


def _console_program(program: Path) -> Path:
    """On Windows the windowed program has no standard streams; the one beside it has."""
    console = program.with_name("slipstream.exe")
    return console if sys.platform == "win32" and console.exists() else program


@dataclass(frozen=True)
class Exited:
    exit: WorkerExit


@dataclass(frozen=True)
class StopRequest:
    request_id: int


Mail = bytes | Exited | StopRequest


class EngineProcess(Protocol):
    """What serves a client for one life of the engine. Its output goes to the client's inbox, last its exit."""

    @property
    def pid(self) -> int: ...

    @property
    def has_ended(self) -> bool: ...

    def send(self, line: bytes) -> None: ...

    def kill(self) -> None: ...

    def close(self, patience_s: float) -> None: ...


class _Process:
    """One life of the worker: its pipes and the threads that serve them.

    What it writes on stdout goes to ``inbox``, last its exit. stderr is always drained, since a full pipe would block
    the worker; stdin has a thread too, since a worker that no longer reads would block us.
    """

    def __init__(self, command: Sequence[str], inbox: queue.SimpleQueue[Mail]) -> None:
        """Raises ``OSError``."""
        # Its own process group: Ctrl+C in a terminal is for us, and we tell the worker what to do.
        group: dict[str, Any] = (
            {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
             | getattr(subprocess, "CREATE_NO_WINDOW", 0)}
            if sys.platform == "win32"
            else {"process_group": 0}
        )
        self._popen = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, **group
        )
        self._killed = False
        self._inbox = inbox
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._tail = bytearray()
        self._stderr = self._thread("worker-stderr", self._drain_stderr)
        self._threads = [
            self._stderr,
            self._thread("worker-stdin", self._write_stdin),
            self._thread("worker-stdout", self._read_stdout),
        ]

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can be asked of it: it is gone, or on its way after ``kill``."""
        return self._killed or self._popen.poll() is not None

    def send(self, line: bytes) -> None:
        self._outbox.put(line)

    def kill(self) -> None:
        """End it without asking; also safe in a signal handler and when it is gone."""
        self._killed = True
        with contextlib.suppress(ProcessLookupError):
            self._popen.kill()

    def close(self, patience_s: float) -> None:
        """Close its stdin, which asks it to end; kill it when it does not within ``patience_s``."""
        self._outbox.put(None)
        try:
            self._popen.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            self._popen.wait()
        for thread in self._threads:
            thread.join()

    def _thread(self, name: str, target: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread

    def _write_stdin(self) -> None:
        pipe = _pipe(self._popen.stdin)
        # A worker that is gone breaks the pipe; its exit tells that, so it is no failure of the write.
        with contextlib.suppress(OSError), pipe:
            while (line := self._outbox.get()) is not None:
                rest = memoryview(line)
                while rest:
                    rest = rest[pipe.write(rest) :]

    def _read_stdout(self) -> None:
        with _pipe(self._popen.stdout) as pipe:
            while data := pipe.read(_READ_BYTES):
                self._inbox.put(data)
        returncode = self._popen.wait()
        self._stderr.join(_CLOSE_S)
        self._outbox.put(None)
        tail = self._tail.decode("utf-8", "replace")
        self._inbox.put(Exited(WorkerExit.from_returncode(returncode, tail)))

    def _drain_stderr(self) -> None:
        with _pipe(self._popen.stderr) as pipe:
            while data := pipe.read(_READ_BYTES):
                self._tail += data
                del self._tail[:-STDERR_TAIL_BYTES]


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the worker was started without pipes")
    return pipe


class ProcessClient:
    """An ``EngineClient`` whose engine is a child process, started with the first command.

    Calls may come from any thread and take turns; ``stop``, ``kill`` and ``close`` do not wait for a turn. After the
    worker died, ``load`` and ``devices`` start a new one; nothing is loaded again by itself.
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = list(command) if command is not None else worker_command()
        self._session = ClientSession()
        self._clock = AwakeClock()
        self._inbox: queue.SimpleQueue[Mail] = queue.SimpleQueue()
        self._process: EngineProcess | None = None
        self._turn = threading.Lock()
        self._is_remote = False
        self._running_id: int | None = None
        self._ready: protocol.Ready | None = None

    def __enter__(self) -> ProcessClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ready(self) -> protocol.Ready | None:
        """What the worker last said of itself, once it has."""
        return self._ready

    @property
    def pid(self) -> int | None:
        """The worker's process id while there is a worker."""
        process = self._process
        return None if process is None or process.has_ended else process.pid

    def load(
        self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress, measure_engines: bool = False
    ) -> protocol.Loaded:
        """``measure_engines`` measures again which engine is the faster one, where that is left to the program."""
        self._choose_process(path)
        command = protocol.Load(request_id=0, path=path, settings=settings, measure_engines=measure_engines)
        try:
            return self._run(command, protocol.Loaded, on_progress, may_start=True)
        except SlipstreamError as error:
            if error.code != Code.ENGINE_BUSY:
                raise
        # the process cannot change its engine: what was measured is kept, so the next one takes it at once
        with self._turn:
            if self._process is not None:
                self._process.close(_CLOSE_S)
        command = protocol.Load(request_id=0, path=path, settings=settings)
        return self._run(command, protocol.Loaded, on_progress, may_start=True)

    def load_draft(
        self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress
    ) -> protocol.Loaded:
        command = protocol.LoadDraft(request_id=0, path=path, settings=settings)
        return self._run(command, protocol.Loaded, on_progress)

    def unload_draft(self) -> None:
        self._run(protocol.UnloadDraft(request_id=0), protocol.Unloaded)

    def generate(self, request: protocol.Generate, on_progress: EventSink = ignore_progress) -> protocol.Done:
        return self._run(request, protocol.Done, on_progress)

    def score(self, request: protocol.Score, on_progress: EventSink = ignore_progress) -> protocol.Scores:
        return self._run(request, protocol.Scores, on_progress)

    def measure_exactness(self, on_progress: EventSink = ignore_progress) -> protocol.Exactness:
        return self._run(protocol.MeasureExactness(request_id=0), protocol.Exactness, on_progress)

    def prepare(
        self, path: str, destination: str, settings: LoadSettings, on_progress: EventSink = ignore_progress
    ) -> protocol.Prepared:
        command = protocol.Prepare(request_id=0, path=path, destination=destination, settings=settings)
        return self._run(command, protocol.Prepared, on_progress)

    def tokenize(self, text: str, add_special: bool = False) -> list[int]:
        command = protocol.Tokenize(request_id=0, text=text, add_special=add_special)
        return self._run(command, protocol.Tokens).token_ids

    def render(self, messages: list[Message]) -> str:
        """The prompt text that ``messages`` become in the target's chat template."""
        command = protocol.RenderTemplate(request_id=0, messages=messages)
        return self._run(command, protocol.Rendered).text

    def devices(self) -> list[protocol.Device]:
        return self._run(protocol.Devices(request_id=0), protocol.DeviceList, may_start=True).devices

    def estimate(self, path: str, settings: LoadSettings, as_draft: bool = False) -> protocol.Estimated:
        """What the engine would reserve for a model. Only before anything is loaded."""
        command = protocol.Estimate(request_id=0, path=path, settings=settings, as_draft=as_draft)
        return self._run(command, protocol.Estimated, may_start=True)

    def stop(self) -> None:
        """From any thread, also in a signal handler: end the running command, if there is one."""
        running = self._running_id
        if running is not None:
            self._inbox.put(StopRequest(running))

    def kill(self) -> None:
        """From any thread, also in a signal handler: end the worker at once."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        process = self._process
        if process is not None:
            # A worker that is busy is not waited for: what it does is of no use to anybody now.
            process.close(0.5 if self._running_id is not None else _CLOSE_S)

    def _run(
        self, command: AnyCommand, ending: type[EndingT], on_progress: EventSink = ignore_progress,
        may_start: bool = False,
    ) -> EndingT:
        with self._turn:
            if self._process is not None and self._process.has_ended:
                self._process.close(0.0)
            self._read_mail()
            if not self._session.is_running and (may_start or self._process is None):
                self._start_worker()
            request_id, line = self._session.start_command(command, self._clock.now())
            self._running_id = request_id
            try:
                self._send(line)
                return self._await(request_id, ending, on_progress)
            except BaseException:
                self._abandon(request_id)
                raise
            finally:
                self._running_id = None

    def _start_worker(self) -> None:
        if self._process is not None:
            self._process.close(0.0)
            self._read_mail()
            self._process = None
        self._inbox = queue.SimpleQueue()
        try:
            self._process = self._launch(self._inbox)
        except OSError as error:
            raise SlipstreamError(
                Code.WORKER_START_FAILED,
                say("The engine could not be started: {reason}.", reason=error.strerror or error),
                say("Install the program again."),
            ) from error
        self._session.worker_started(self._clock.now())

    def _choose_process(self, path: str) -> None:
        """A model of a server elsewhere needs another kind of process; the one that runs ends."""
        with self._turn:
            if path.startswith(REMOTE) != self._is_remote:
                self._is_remote = not self._is_remote
                if self._process is not None:
                    self._process.close(_CLOSE_S)

    def _launch(self, inbox: queue.SimpleQueue[Mail]) -> EngineProcess:
        """Raises ``OSError``."""
        return _Process(remote_worker_command() if self._is_remote else self._command, inbox)

    def _await(self, request_id: int, ending: type[EndingT], on_progress: EventSink) -> EndingT:
        while True:
            try:
                outcomes = self._open(self._inbox.get(timeout=_TICK_S))
            except queue.Empty:
                outcomes = []
            outcomes += self._session.tick(self._clock.now())
            if any(isinstance(outcome, KillWorker) for outcome in outcomes):
                self.kill()
            for outcome in outcomes:
                if isinstance(outcome, KillWorker):
                    continue
                if isinstance(outcome, protocol.Ready):
                    self._ready = outcome
                elif outcome.request_id != request_id:
                    continue
                elif isinstance(outcome, Failed):
                    raise _as_error(outcome)
                elif isinstance(outcome, ending):
                    return outcome
                else:
                    on_progress(outcome)

    def _open(self, mail: Mail) -> list[Outcome]:
        now = self._clock.now()
        if isinstance(mail, bytes):
            return self._session.feed(mail, now)
        if isinstance(mail, Exited):
            return [*self._session.exited(mail.exit, now)]
        if mail.request_id == self._running_id:
            self._send(self._session.start_command(protocol.Stop(request_id=0, target_id=mail.request_id), now).line)
        return []

    def _read_mail(self) -> None:
        """Take in what came while nothing was asked, above all that the worker has ended."""
        while True:
            try:
                mail = self._inbox.get_nowait()
            except queue.Empty:
                break
            if any(isinstance(outcome, KillWorker) for outcome in self._open(mail)):
                self.kill()

    def _send(self, line: bytes) -> None:
        if line and self._process is not None:
            self._process.send(line)

    def _abandon(self, request_id: int) -> None:
        """The caller's sink raised, or Ctrl+C: the command must not go on behind our back."""
        if request_id in self._session.outstanding:
            stop = protocol.Stop(request_id=0, target_id=request_id)
            self._send(self._session.start_command(stop, self._clock.now()).line)


def _as_error(failed: Failed) -> SlipstreamError:
    try:
        code = Code(failed.code)
    except ValueError:
        code = Code.INTERNAL
    return SlipstreamError(code, failed.message, failed.hint)
