"""Asks for an engine's proof from outside: set-up after a build, and ``inspect``. Words as JSON lines on stdout."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from app.engine.backend import AbortFlag
from app.worker.engines import installed_engines, make_prover
from app.worker.proof_record import PACKAGES, Proof
from app.worker.proving import Word

KNOWN = "--known"
"""Behind the engines: only what was proven before is told, and nothing is tried."""
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
        if proof is None and KNOWN not in arguments:
            proof = prover.prove(engine, AbortFlag(), lambda _: None, _say)
        if proof is not None:
            _say(proof)
    return 0


def _say(record: Word | Proof) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(record) + b"\n")
    sys.stdout.buffer.flush()


def refused_engines() -> frozenset[str]:
    """The packages that are known not to run here."""
    prover = make_prover([])
    proofs = [prover.look_up(engine) for engine in installed_engines()]
    return frozenset(PACKAGES[proof.engine] for proof in proofs if proof is not None and proof.refused)
