"""Tries a model on one engine in a process of its own: whether it runs there, and how long passes of few tokens take.

A library that cannot run a model may end its process; and on Windows one process cannot hold both libraries, since
their files have the same names. Parent and child speak JSON lines: a ``Job``, then a ``Round`` for every "again".
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import BinaryIO

import msgspec
import numpy as np
import numpy.typing as npt

from app.engine.backend import AbortFlag, EitherFlag, Library, Logits, Model
from app.engine.devices import list_devices
from app.errors import Code, SlipstreamError
from app.machine.load import Use, read_use
from app.records import LoadSettings, Record
from app.sentences import Text, as_record, read, say

TRIAL_FLAG = "--try-engine"
"""Behind the worker's own command line: the process is to be a trial."""
LENGTHS = (1, 2, 4, 8)
CONTEXT_TOKENS = 512
PREFILL_TOKENS = 64
SHORT_PASS_TOKENS = 8
MOST_DIFFERENCE = 0.1
"""Total variation between two distributions of the next token that rounding may explain."""
ENDING_S = 5.0
_TEXT = "The quick brown fox jumps over the lazy dog, and the other way round on the next day of the week. "
_AGAIN = b"again\n"


class Job(Record, frozen=True, kw_only=True):
    """``extra_buffers`` as the engine's proof wants them, so that what is measured is what will run."""

    engine: str
    path: str
    settings: LoadSettings
    extra_buffers: bool = True


class Round(Record, frozen=True, kw_only=True):
    """``passes_s``: seconds of a pass over so many tokens; ``trouble``: why there are none, in words.

    ``on_gpu`` says that the engine would compute on a graphics card; then nothing was loaded. Of the round's ``wall_s``
    other programs had ``others_s`` seconds of processor time; that of a short round is known to some hundredths of a
    second, and can be negative, so it is the sum over many that counts.
    """

    passes_s: dict[int, float] = msgspec.field(default_factory=dict)
    trouble: Text = ""
    on_gpu: bool = False
    wall_s: float = 0.0
    others_s: float = 0.0


def run_trial(commands: BinaryIO, events: BinaryIO, open_library: Callable[[str, bool], Library]) -> int:
    """The child's whole life."""

    def tell(round_: Round) -> None:
        events.write(msgspec.json.encode(round_, enc_hook=as_record) + b"\n")
        events.flush()

    job = msgspec.json.decode(commands.readline(), type=Job)
    try:
        if job.engine == "llama" and job.settings.gpu_layers != 0 and _has_gpu():
            tell(Round(on_gpu=True))
            return 0
        library = open_library(job.engine, job.extra_buffers)
        model = library.load(job.path, job.settings, max(LENGTHS), AbortFlag(), lambda _: None)
        ids = trial_tokens(model)
        check_passes_agree(model, ids)
        measure_round(model, ids, (1, 4))  # warm-up
        tell(watched_round(model, ids))
        while commands.readline() == _AGAIN:
            tell(watched_round(model, ids))
        model.close()
    except SlipstreamError as error:
        tell(Round(trouble=error.message))
    except (ImportError, OSError, RuntimeError) as error:
        tell(Round(trouble=say("Its library cannot be loaded: {reason}.", reason=" ".join(str(error).split())[:160])))
    return 0


def trial_tokens(model: Model) -> list[int]:
    return model.tokenize(_TEXT * 20, add_special=True, parse_special=False)[:PREFILL_TOKENS]


def check_passes_agree(model: Model, ids: Sequence[int]) -> None:
    """Leave ``ids`` cached, having made sure that one long pass over them ends like many short ones.

    Kernels for many tokens are others than those for few. ik_llama.cpp 0.1.5 computes SmolLM2 135M in Q4_1 wrongly from
    32 tokens on (distributions differ by 0.4 in total variation, where rounding makes 0.004), others to the last bit.

    Raises:
        SlipstreamError: ``MODEL_UNSUPPORTED`` where the distributions of the next token differ by more than rounding.
    """
    for start in range(0, len(ids), SHORT_PASS_TOKENS):
        short = model.decode(ids[start : start + SHORT_PASS_TOKENS], 1)
    by_short = _chances(short[0])
    model.truncate(0)
    by_long = _chances(model.decode(ids, 1)[0])
    if np.abs(by_short - by_long).sum() / 2 > MOST_DIFFERENCE:
        raise SlipstreamError(
            Code.MODEL_UNSUPPORTED, say("It computes this model differently in long passes and in short ones."),
            say("Take the other engine."),
        )


def _chances(logits: Logits) -> npt.NDArray[np.float64]:
    values = np.exp(logits.astype(np.float64) - float(logits.max()))
    chances: npt.NDArray[np.float64] = values / values.sum()
    return chances


def measure_round(model: Model, filler: Sequence[int], lengths: Sequence[int] = LENGTHS) -> dict[int, float]:
    """Time one pass of every length behind what is cached, and leave that as it was."""
    passes = {}
    kept = len(model.tokens)
    model.decode(filler[:1], 1)  # not timed: the first pass after waiting finds threads asleep and caches cold
    model.truncate(kept)
    for length in lengths:
        before = model.native_s
        model.decode(filler[:length], length)
        passes[length] = model.native_s - before
        model.truncate(kept)
    return passes


def watched_round(model: Model, filler: Sequence[int], use: Callable[[], Use] = read_use) -> Round:
    """``measure_round``, with what others did meanwhile: the other child and the parent wait, so they are no others."""
    before = use()
    passes = measure_round(model, filler)
    after = use()
    others_s = after.busy_s - before.busy_s - (after.own_s - before.own_s)
    return Round(passes_s=passes, wall_s=after.wall_s - before.wall_s, others_s=others_s)


def _has_gpu() -> bool:
    return any(device.kind in ("gpu", "igpu") for device in list_devices())


class Trial:
    """The parent's end of one child. Use as a context manager: leaving it ends the child."""

    def __init__(self, command: Sequence[str], job: Job) -> None:
        """``command`` runs this program's worker. Raises ``OSError``."""
        self._process = subprocess.Popen(
            [*command, TRIAL_FLAG], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._write(msgspec.json.encode(job) + b"\n")
        self._asked = True

    def __enter__(self) -> Trial:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was left to write is of no use to a child that is gone
        try:
            self._process.wait(0 if kind is not None else ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, abort: AbortFlag | EitherFlag, patience_s: float) -> Round:
        """One more round; a child that ended or says nothing for ``patience_s`` is told in ``trouble``.

        With ``abort`` set the child is ended and the round is empty.
        """
        if not self._asked:
            self._write(_AGAIN)
        self._asked = False
        answers: list[bytes] = []
        reader = threading.Thread(target=lambda: answers.append(self._read()), daemon=True)
        reader.start()
        waited = 0.0
        while reader.is_alive() and waited < patience_s and not abort:
            reader.join(0.05)
            waited += 0.05
        if reader.is_alive():
            self._process.kill()
            reader.join()
            trouble = say("It did not answer within {seconds} seconds.", seconds=f"{patience_s:.0f}")
            return Round(trouble="" if abort else trouble)
        try:
            return msgspec.json.decode(answers[0], type=Round, dec_hook=read)
        except msgspec.DecodeError:
            return Round(trouble=say(
                "It ended while it tried the model ({reason}).", reason=_describe_end(self._process)
            ))

    def _read(self) -> bytes:
        return self._process.stdout.readline() if self._process.stdout is not None else b""

    def _write(self, line: bytes) -> None:
        if self._process.stdin is None:
            return
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError:
            return  # it is gone, which reading will show


def _describe_end(process: subprocess.Popen[bytes]) -> str:
    try:
        status = process.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        return "without a word"
    return f"signal {-status}" if status < 0 and sys.platform != "win32" else f"status {status}"
