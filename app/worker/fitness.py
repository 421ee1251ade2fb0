"""Which of the installed engines may run a model here, by what their proofs say."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from app.engine.backend import AbortFlag
from app.errors import Code, SlipstreamError
from app.installed import TITLES, Proof
from app.models.gguf import read_header
from app.sentences import say
from app.worker.engine_choice import LoadFeedback
from app.worker.proving import Prover, part_of


class Flaw(NamedTuple):
    """The type of weights that an engine computes wrongly here, and what goes wrong, as a clause."""

    kind: str
    trouble: str


class Fitness:
    """The proofs of the installed engines, each looked up or made once. Without a ``prover`` every engine is fit."""

    def __init__(self, installed: dict[str, str], prover: Prover | None) -> None:
        self._installed = installed
        self._prover = prover
        self._proofs: dict[str, Proof | None] = {}

    def look_up(self, engine: str) -> Proof | None:
        """What is known already; nothing is tried."""
        if self._proofs.get(engine) is None:
            self._proofs[engine] = self._prover.look_up(engine) if self._prover is not None else None
        return self._proofs[engine]

    def settle(self, wanted: str, abort: AbortFlag, signs: LoadFeedback) -> bool:
        """Try every engine that ``wanted`` (an engine, or ``auto``) may come to and that was not tried before.

        Returns whether there was one.

        Raises:
            SlipstreamError: ``ABORTED``.
        """
        if self._prover is None:
            return False
        untried = [name for name in self._installed if wanted in ("auto", name) and self.look_up(name) is None]
        for number, engine in enumerate(untried):
            signs.say(say("Trying {name} on this processor, once.", name=TITLES[engine]))
            self._proofs[engine] = self._prover.prove(engine, abort, part_of(signs.progress, number, len(untried)))
        return bool(untried)

    def refusal(self, engine: str) -> str:
        """Why it does not run here at all, as a clause; "" where it does."""
        proof = self.look_up(engine)
        return proof.refused if proof is not None else ""

    def uses_extra_buffers(self, engine: str) -> bool:
        proof = self.look_up(engine)
        return proof is None or proof.extra_buffers

    def reason_without(self, engine: str) -> str:
        """Why it runs without extra buffers; "" where it runs as it is."""
        proof = self.look_up(engine)
        return proof.before if proof is not None else ""

    def flaw(self, engine: str, path: str) -> Flaw | None:
        """What it does wrongly with this file's weights; None where nothing is known.

        The header is read only where something is wrong with some type.
        """
        proof = self.look_up(engine)
        if proof is None or not proof.unsound:
            return None
        kind = main_kind(path)
        trouble = proof.trouble_with(kind)
        return Flaw(kind, trouble) if trouble else None

    def why_not(self, engine: str, instead: str, path: str) -> str:
        """Why ``instead`` runs this file and ``engine`` does not, in a sentence."""
        name, other, flaw = TITLES[instead], TITLES[engine], self.flaw(engine, path)
        if self.refusal(engine) or flaw is None:
            return say("{name}, since {other} does not run on this processor: {reason}.",
                       name=name, other=other, reason=self.refusal(engine))
        return say("{name}, since {other} computes {kind} weights wrongly on this processor ({reason}).",
                   name=name, other=other, kind=flaw.kind, reason=flaw.trouble)

    def candidates(self, path: str) -> list[str]:
        """The engines that ``auto`` may take for this file: sound ones, or else those that run at all.

        Raises:
            SlipstreamError: ``WORKER_START_FAILED`` where there is none.
        """
        running = [engine for engine in self._installed if not self.refusal(engine)]
        if self._installed and not running:
            raise self.refuse(next(iter(self._installed)))
        return [engine for engine in running if not self.flaw(engine, path)] or running

    def refuse(self, engine: str) -> SlipstreamError:
        """For an engine that does not run here."""
        other = any(name != engine and not self.refusal(name) for name in self._installed)
        way = say("Take the other engine, or leave the choice to the program.") if other else say(
            "From a source folder, “dev.py setup” builds it for this processor; otherwise install the program again."
        )
        name, reason = TITLES[engine], self.refusal(engine)
        return SlipstreamError(
            Code.WORKER_START_FAILED, say("{name} does not run on this processor: {reason}.", name=name, reason=reason),
            way,
        )


def main_kind(path: str) -> str:
    """The type of most of a file's weights; "" where its header cannot be read."""
    try:
        tensors = read_header(path, with_tokens=False).tensors
    except (SlipstreamError, OSError):
        return ""
    counts: Counter[str] = Counter()
    for tensor in tensors:
        if len(tensor.shape) > 1:
            counts[tensor.kind.name] += tensor.elements
    return counts.most_common(1)[0][0] if counts else ""
