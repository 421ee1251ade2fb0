"""Proves an engine in a process of its own before it is used: a library that crashes there has given an answer.

Parent and child speak JSON lines: a ``Task``, then ``Word``s. Where the engine does not run as it is, the next way is
tried: llama.cpp without extra buffers (no repacked weights, no AMX). Where that fails too, the engine is refused.
"""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec

from app.engine.backend import AbortFlag, Library, Progress
from app.engine.proof import LENGTHS, prove
from app.engine.tiny_model import KINDS
from app.errors import Code, SlipstreamError
from app.installed import Finding, Proof, proof_file, read_proof, write_proof
from app.records import Record
from app.worker.flags import PROVE_FLAG

PATIENCE_S = 60.0
ENDING_S = 5.0
_WAIT_S = 0.05
_STEPS = len(KINDS) * (len(LENGTHS) + 1)
_WAYS = {"llama": (True, False), "ik": (True,)}
"""Whether with extra buffers, in the order in which they are tried."""
_SIGNALS = {
    "SIGILL": "an instruction that this processor cannot carry out", "SIGSEGV": "a memory fault",
    "SIGABRT": "a failed check of its own", "SIGFPE": "an arithmetic fault", "SIGBUS": "a memory fault",
    "SIGKILL": "being killed, as the system does when memory runs short",
}
_FAULTS = frozenset({"SIGILL", "SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS"})
_WINDOWS_ENDS = {
    0xC000001D: "SIGILL", 0xC0000005: "SIGSEGV", 0xC0000374: "SIGSEGV", 0xC00000FD: "SIGSEGV", 0xC0000409: "SIGABRT",
    3: "SIGABRT",
}


class Task(Record, frozen=True, kw_only=True):
    engine: str
    extra_buffers: bool = True


class Word(Record, frozen=True, kw_only=True):
    """One line of the child: passes of ``rows`` rows of the type ``kind`` begin, a finding, or the end.

    ``trouble`` says why nothing can be tried at all.
    """

    kind: str = ""
    rows: int = 0
    finding: Finding | None = None
    trouble: str = ""
    is_last: bool = False


def run_proof(commands: BinaryIO, events: BinaryIO, open_library: Callable[[str, bool], Library]) -> int:
    """The child's whole life."""

    def say(word: Word) -> None:
        events.write(msgspec.json.encode(word) + b"\n")
        events.flush()

    task = msgspec.json.decode(commands.readline(), type=Task)
    try:
        library = open_library(task.engine, task.extra_buffers)
    except (ImportError, OSError, RuntimeError) as error:
        say(Word(trouble=f"its library cannot be loaded: {' '.join(str(error).split())[:160]}"))
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="slipstream-proof-") as folder:
            for finding in prove(library, Path(folder), lambda kind, rows: say(Word(kind=kind, rows=rows))):
                say(Word(finding=finding))
    except OSError as error:
        say(Word(trouble=f"there is no room for the models to try it with: {error.strerror}"))
        return 0
    say(Word(is_last=True))
    return 0


@dataclass
class Attempt:
    """What one child said. ``trouble`` in words where it did not come to its end; ``at`` is what it was doing then.

    ``is_firm`` says that another try would end alike: it came to its end, or native code ended it. A missing system
    library can be installed, and a full machine gets emptier.
    """

    findings: list[Finding] = field(default_factory=list)
    trouble: str = ""
    at: Word = field(default_factory=Word)
    is_firm: bool = False
    is_answer: bool = True
    """False where it says nothing of the library: the child could not do its work, or was killed from outside."""

    @property
    def is_sound(self) -> bool:
        return not self.trouble and bool(self.findings) and all(found.is_sound for found in self.findings)

    @property
    def has_use(self) -> bool:
        return not self.trouble and any(found.is_sound for found in self.findings)


class Prover:
    """Looks proofs up and makes those that are missing.

    ``command`` runs this program's worker; ``versions`` are the installed packages by engine, with their versions.
    """

    def __init__(
        self, folder: Path, command: Sequence[str], versions: dict[str, str], patience_s: float = PATIENCE_S
    ) -> None:
        self._folder = folder
        self._command = list(command)
        self._versions = versions
        self._patience_s = patience_s

    def look_up(self, engine: str) -> Proof | None:
        """The proof that was made before. Imports no library and reads none."""
        return read_proof(proof_file(self._folder, engine, self._versions.get(engine, "")), engine)

    def prove(
        self, engine: str, abort: AbortFlag, progress: Progress, on_word: Callable[[Word], None] = lambda _: None
    ) -> Proof:
        """Try the engine, the next way where one fails, and keep what came out, unless that may be another next time.

        Raises:
            SlipstreamError: ``ABORTED``; nothing is kept then.
        """
        file = proof_file(self._folder, engine, self._versions.get(engine, ""))
        tried = self._try_ways(engine, abort, progress, on_word)
        proof = judge(engine, tried)
        if all(attempt.is_firm for _, attempt in tried):
            write_proof(file, proof)
        return proof

    def _try_ways(
        self, engine: str, abort: AbortFlag, progress: Progress, on_word: Callable[[Word], None]
    ) -> list[tuple[bool, Attempt]]:
        tried: list[tuple[bool, Attempt]] = []
        for number, extra_buffers in enumerate(_WAYS[engine]):
            part = part_of(progress, number, len(_WAYS[engine]))
            attempt = self._try(Task(engine=engine, extra_buffers=extra_buffers), abort, part, on_word)
            if abort:
                raise SlipstreamError(Code.ABORTED, "Loading was stopped.", "Load the model again when you need it.")
            tried.append((extra_buffers, attempt))
            if attempt.is_sound or not attempt.is_answer:
                break
        return tried

    def _try(
        self, task: Task, abort: AbortFlag, progress: Progress, on_word: Callable[[Word], None]
    ) -> Attempt:
        attempt = Attempt()
        try:
            process = subprocess.Popen(
                [*self._command, PROVE_FLAG], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            attempt.trouble, attempt.is_answer = f"no process for it can be started ({error.strerror})", False
            return attempt
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        reader = threading.Thread(target=_pass_lines, args=(process, lines), daemon=True)
        reader.start()
        try:
            _write(process, msgspec.json.encode(task) + b"\n")
            self._listen(process, lines, attempt, abort, progress, on_word)
        finally:
            _end(process)
            reader.join()
        return attempt

    def _listen(
        self, process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes], attempt: Attempt, abort: AbortFlag,
        progress: Progress, on_word: Callable[[Word], None],
    ) -> None:
        steps = 0
        while (line := self._next_line(lines, abort)) is not None:
            try:
                word = msgspec.json.decode(line, type=Word)
            except msgspec.DecodeError:
                attempt.trouble, attempt.is_firm = "it wrote what is no answer", False
                if not line:
                    attempt.trouble, attempt.is_firm = describe_end(process, attempt.at)
                    attempt.is_answer = attempt.is_firm
                return
            on_word(word)
            attempt.trouble, attempt.is_firm = word.trouble, word.is_last
            if word.trouble or word.is_last:
                return
            if word.finding is not None:
                attempt.findings.append(word.finding)
                continue
            attempt.at = word
            steps += 1
            progress(min(1.0, steps / _STEPS))
        attempt.trouble = f"it said nothing for {self._patience_s:.0f} seconds{_describe_place(attempt.at)}"

    def _next_line(self, lines: queue.SimpleQueue[bytes], abort: AbortFlag) -> bytes | None:
        """b"" when the child has ended; None when it says nothing, or is not wanted any more."""
        waited = 0.0
        while waited < self._patience_s and not abort:
            try:
                return lines.get(timeout=_WAIT_S)
            except queue.Empty:
                waited += _WAIT_S
        return None


def judge(engine: str, tried: Sequence[tuple[bool, Attempt]]) -> Proof:
    """The first way in which all is sound, or else the first that is of any use. ``tried`` has at least one."""
    chosen = next((pair for pair in tried if pair[1].is_sound), None)
    chosen = chosen or next((pair for pair in tried if pair[1].has_use), None)
    first = _describe(tried[0][1])
    if not tried[0][1].is_answer:
        return Proof(engine=engine, unproven=first)
    if chosen is None:
        return Proof(engine=engine, refused=first, findings=tried[0][1].findings)
    extra_buffers, attempt = chosen
    before = "" if extra_buffers else first
    return Proof(engine=engine, extra_buffers=extra_buffers, before=before, findings=attempt.findings)


def _describe(attempt: Attempt) -> str:
    if attempt.trouble:
        return attempt.trouble
    unsound = [found for found in attempt.findings if not found.is_sound]
    return f"with {unsound[0].kind} weights, {unsound[0].trouble}" if unsound else "it was not tried"


def describe_end(process: subprocess.Popen[bytes], at: Word) -> tuple[str, bool]:
    """How a child that said no last word ended, and in what; and whether that was native code's doing."""
    try:
        status = process.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        return f"it fell silent{_describe_place(at)}", False
    name = ""
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
    elif sys.platform == "win32":
        name = _WINDOWS_ENDS.get(status & 0xFFFFFFFF, "")
    if not name:
        return f"it ended with status {status}{_describe_place(at)}", False
    return f"it died of {_SIGNALS.get(name, 'a crash')} ({name}){_describe_place(at)}", name in _FAULTS


def _describe_place(at: Word) -> str:
    if not at.kind:
        return " while its library was loaded"
    if not at.rows:
        return f" while it loaded {at.kind} weights"
    return f" in passes of {at.rows} rows with {at.kind} weights"


def part_of(progress: Progress, number: int, count: int) -> Progress:
    """Progress of one of ``count`` parts, which never goes back when the next part begins."""
    return lambda share: progress((number + share) / count)


def _pass_lines(process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    assert process.stdout is not None
    with process.stdout as pipe:
        while line := pipe.readline():
            lines.put(line)
    lines.put(b"")


def _write(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(line)
        process.stdin.close()
    except OSError:
        return  # it is gone, which reading will show


def _end(process: subprocess.Popen[bytes]) -> None:
    """What it had to say was heard; one that is still there does not end by itself, or not soon."""
    try:
        process.wait(_WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
