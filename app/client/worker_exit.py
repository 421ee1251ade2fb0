"""How a worker process ended, in words a person can use."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

import msgspec

from app.errors import OBSTACLE_MARK, OBSTACLE_STATUS, Code
from app.protocol import Failed
from app.sentences import Text, read, say

_MEMORY = re.compile(
    r"out of memory|outofdevicememory|outofhostmemory|bad_alloc|memoryerror|cannot allocate memory"
    r"|(?:failed|unable) to allocate|(?:cuda|hip|aligned_)?malloc failed|insufficient memory",
    re.IGNORECASE,
)
_NATIVE = re.compile(
    r"^(?:/\S+:\d+: )?GGML_ASSERT|^ggml_|^llama_\w*: (?:error|failed)|^terminate called|^  what\(\)|^Fatal Python error"
    r"|^  File \"[^\"]*\", line \d+ in |^\w*(?:free|malloc|realloc)\(\): |error while loading shared libraries"
)
_obstacles = msgspec.json.Decoder(tuple[Text, Text], dec_hook=read)
_SMALLER = say("Close other programs, choose a smaller model or context, or load without a draft.")
_LOAD_AGAIN = say("Load the model again.")

# Windows has no signals: the status itself says how a process crashed.
_WINDOWS_ABORT = {3, 0xC0000409}
_WINDOWS_ACCESS = {0xC0000005, 0xC0000374, 0xC00000FD}
_WINDOWS_MEMORY = {0xC0000017, 0xC000012D}


@dataclass(frozen=True)
class WorkerExit:
    """``status`` is the exit status, or None when the signal ``signal_number`` ended the process.

    ``stderr_tail`` is the last part of what it wrote on stderr; it is searched, and never shown as a whole.
    """

    status: int | None = None
    signal_number: int | None = None
    stderr_tail: str = ""

    @classmethod
    def from_returncode(cls, returncode: int, stderr_tail: str = "") -> WorkerExit:
        """From ``subprocess``'s return code, where −n means signal n."""
        if returncode < 0:
            return cls(signal_number=-returncode, stderr_tail=stderr_tail)
        return cls(status=returncode, stderr_tail=stderr_tail)


def is_fault(exit_: WorkerExit) -> bool:
    """Whether native code went wrong, rather than that somebody or the system ended the process."""
    faults = (signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE, signal.SIGILL)
    return exit_.signal_number in faults or exit_.status in _WINDOWS_ABORT | _WINDOWS_ACCESS


def describe_exit(exit_: WorkerExit, was_ready: bool) -> tuple[Code, str, str]:
    """Code, message and hint for commands that were waiting when the worker ended.

    ``was_ready`` tells a death at work (``WORKER_DIED``) from a worker that never came up (``WORKER_START_FAILED``,
    unless memory or a signal explains it).
    """
    status = exit_.status
    if status == OBSTACLE_STATUS and (obstacle := _find_obstacle(exit_.stderr_tail)):
        return Code.WORKER_START_FAILED, *obstacle
    if _MEMORY.search(exit_.stderr_tail) or status in _WINDOWS_MEMORY:
        return Code.WORKER_DIED, say("The engine stopped because the memory ran out."), _SMALLER
    if exit_.signal_number is not None:
        return Code.WORKER_DIED, *_describe_signal(exit_.signal_number)
    if status in _WINDOWS_ABORT and not was_ready:
        return Code.WORKER_START_FAILED, say("The engine stopped itself at start (assertion)."), _last_words(exit_)
    if status in _WINDOWS_ABORT:
        return Code.WORKER_DIED, say("The engine stopped itself (assertion)."), _LOAD_AGAIN
    if status in _WINDOWS_ACCESS:
        return Code.WORKER_DIED, say("The engine crashed (status {status}).", status=f"0x{status:08X}"), _LOAD_AGAIN
    if not was_ready:
        message = say("The engine could not start (exit status {status}).", status=status)
        return Code.WORKER_START_FAILED, message, _last_words(exit_)
    if status == 0:
        return Code.WORKER_DIED, say("The engine was closed before it had answered."), _LOAD_AGAIN
    return Code.WORKER_DIED, say("The engine ended unexpectedly (exit status {status}).", status=status), _LOAD_AGAIN


def _describe_signal(number: int) -> tuple[str, str]:
    if number == signal.SIGABRT:
        return say("The engine stopped itself (assertion)."), _LOAD_AGAIN
    if number == getattr(signal, "SIGKILL", 9):
        return say("The engine was killed, which is what the system does when memory runs short."), _SMALLER
    if number == signal.SIGTERM:
        return say("The engine was ended by another program."), _LOAD_AGAIN
    if number == signal.SIGILL:
        return (
            say("The engine met an instruction that this processor cannot carry out."),
            say("Take the other engine for this model (--engine, or Engine under Loading in the settings)."),
        )
    if number == getattr(signal, "SIGBUS", 0):
        return (
            say("The model file changed or went away while it was in use."),
            say("Check that its disk is still there and the file whole, then load the model again."),
        )
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return say("The engine crashed ({signal}).", signal=name), _LOAD_AGAIN


def native_words(stderr_tail: str) -> list[str]:
    """The last lines that native code or the interpreter's fault handler wrote, for the log.

    Other lines are left out: they may hold pieces of what a person wrote.
    """
    lines = ["".join(c for c in line[:200] if c.isprintable()) for line in stderr_tail.splitlines()]
    found = [line for line in lines if _NATIVE.search(line)]
    # The first lines name the fault, the last ones the innermost calls of ours.
    return found if len(found) <= 12 else [*found[:4], *found[-8:]]


def _find_obstacle(stderr_tail: str) -> tuple[str, str] | None:
    """Message and hint that the worker wrote: a JSON list, or words with a tab between them."""
    for line in reversed(stderr_tail.splitlines()):
        _, mark, words = line.partition(OBSTACLE_MARK)
        if mark:
            try:
                return _obstacles.decode(words)
            except msgspec.DecodeError:
                message, _, hint = "".join(c for c in words[:600] if c.isprintable() or c == "\t").partition("\t")
                return message, hint
    return None


def _last_words(exit_: WorkerExit) -> str:
    lines = [line.strip() for line in exit_.stderr_tail.splitlines() if line.strip()]
    if not lines:
        return say("Install the program again.")
    words = "".join(c for c in lines[-1][:200] if c.isprintable())
    return say("Its last words were: “{words}”.", words=words)


def fail(request_id: int, code: Code, message: str, hint: str = "") -> Failed:
    """A ``Failed`` event of our own making."""
    return Failed(request_id=request_id, code=code.value, message=message, hint=hint)
