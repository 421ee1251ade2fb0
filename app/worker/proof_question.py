"""Asks for an engine's proof from outside, as set-up does after a build. Words as JSON lines on stdout."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from app.engine.backend import AbortFlag
from app.installed import Proof, installed_engines
from app.worker.engines import make_prover
from app.worker.proving import Word

AGAIN = "--again"
"""Behind the engines: they are tried whatever is known."""


def answer_proof_question(arguments: Sequence[str]) -> int:
    """For each engine named (each installed one if none is): a ``Word`` for each step, then its ``Proof``."""
    installed = installed_engines()
    prover = make_prover([sys.executable, *sys.orig_argv[1 : -len(arguments) - 1]])
    wanted = [name for name in arguments if not name.startswith("--")] or list(installed)
    for engine in wanted:
        if engine not in installed:
            continue
        proof = None if AGAIN in arguments else prover.look_up(engine)
        if proof is None:
            proof = prover.prove(engine, AbortFlag(), lambda _: None, _say)
        _say(proof)
    return 0


def _say(record: Word | Proof) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(record) + b"\n")
    sys.stdout.buffer.flush()
