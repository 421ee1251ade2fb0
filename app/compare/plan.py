"""What a comparison runs, in which order and with which seeds. Pure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import msgspec

from app.compare.interval import CONFIDENCE, first_stage_noise, t_quantile
from app.compare.side import Side
from app.errors import Code, SlipstreamError
from app.records import Message, Record
from app.sentences import say

T = TypeVar("T")


class Prompt(Record, frozen=True, kw_only=True):
    """A line of a prompt file. ``kind`` groups prompts in the report."""

    id: str
    kind: str = "prompt"
    messages: list[Message]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self.messages)).hexdigest()


class PromptFile(Record, frozen=True, kw_only=True):
    """The file that prompts were read from, as it was then."""

    name: str
    sha256: str


class SideTurn(NamedTuple):
    """One answer to be timed: ``side`` is an index into the plan's sides, ``run`` counts rounds from 0."""

    prompt: Prompt
    side: int
    run: int
    seed: int


class StoppingRule(Record, frozen=True, kw_only=True):
    """How many rounds there are. A round is one answer of every side to every prompt.

    With ``half_width`` None it is ``first_rounds`` exactly. Otherwise it is Stein's two-stage procedure (Annals of
    Mathematical Statistics 16, 1945): the first rounds tell the noise of a pair, from which follows how many rounds
    make the 95% interval reach no further than ``half_width`` (a share of the speed-up) to either side, at most
    ``most_rounds``. The noise is not estimated again, so that looking at the data when to stop takes nothing from the
    interval's coverage.
    """

    first_rounds: int
    most_rounds: int
    half_width: float | None = None

    @classmethod
    def fixed(cls, rounds: int) -> StoppingRule:
        return cls(first_rounds=rounds, most_rounds=rounds)

    @classmethod
    def until_sure(cls, prompts: int, half_width: float = 0.05, most_pairs: int = 60) -> StoppingRule:
        """At least six pairs, and five degrees of freedom for the noise."""
        first = 1 + math.ceil(5 / prompts)
        return cls(first_rounds=first, most_rounds=max(first, most_pairs // prompts), half_width=half_width)

    def rounds(self, groups: Sequence[Sequence[float]]) -> int:
        """How many rounds to make, known from the log-ratios (per prompt) of the first."""
        noise = first_stage_noise(groups, self.first_rounds)
        if self.half_width is None or noise is None:
            return self.first_rounds
        sd, df = noise
        # The mean over P prompts of means over n rounds has the standard error sd / √(P n).
        pairs = (t_quantile(CONFIDENCE, df) * sd / math.log1p(self.half_width)) ** 2
        return min(max(self.first_rounds, math.ceil(pairs / len(groups))), self.most_rounds)


@dataclass(frozen=True)
class Plan:
    """``sides[0]`` is what the others are compared with."""

    prompts: list[Prompt]
    sides: list[Side]
    rule: StoppingRule
    prompt_file: PromptFile | None = None
    keeps_prompts: bool = False
    """Whether a target reads a prompt once for the sides that ask it in turn. No speed of writing hangs on it, but the
    time to the first token does."""

    def round(self, run: int, in_blocks: bool = False) -> list[SideTurn]:
        """The turns of a round: for one prompt A B, the next B A, and turned about in the next round.

        So no side always comes first or last, neighbours in time are paired, and a machine that slowly grows hot slows
        both of them. ``in_blocks`` keeps the sides of one setup together over all prompts, for models that cannot stay
        loaded side by side. The seed depends on the run alone: all sides answer with the same draws.
        """
        if in_blocks:
            setups = list(dict.fromkeys(side.setup for side in self.sides))
            blocks = [[i for i, side in enumerate(self.sides) if side.setup == setup] for setup in setups]
            return [
                self._turn(prompt, side, run)
                for block in turn_order(blocks, run)
                for prompt in self.prompts
                for side in turn_order(block, run)
            ]
        indices = list(range(len(self.sides)))
        return [
            self._turn(prompt, side, run)
            for index, prompt in enumerate(self.prompts)
            for side in turn_order(indices, index + run)
        ]

    def _turn(self, prompt: Prompt, side: int, run: int) -> SideTurn:
        return SideTurn(prompt, side, run, ((self.sides[side].sampling.seed or 0) + run) % 2**32)


def turn_order(things: Sequence[T], round_: int) -> list[T]:
    """Forward in even rounds, backward in odd ones."""
    return list(things) if round_ % 2 == 0 else list(things)[::-1]


def choose_prompts(prompts: Sequence[Prompt], kinds: Sequence[str] | None, limit: int | None) -> list[Prompt]:
    """The first ``limit`` prompts of each of ``kinds`` (all where None), in the file's order.

    Raises:
        SlipstreamError: ``SETTINGS_INVALID`` where a kind is not there, or nothing is left.
    """
    present = list(dict.fromkeys(prompt.kind for prompt in prompts))
    for kind in kinds or ():
        if kind not in present:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, say("There are no prompts of the kind “{kind}”.", kind=kind),
                say("The kinds are: {kinds}.", kinds=", ".join(present)),
            )
    taken: dict[str, int] = {}
    chosen = []
    for prompt in prompts:
        taken[prompt.kind] = taken.get(prompt.kind, 0) + 1
        if (not kinds or prompt.kind in kinds) and (limit is None or taken[prompt.kind] <= limit):
            chosen.append(prompt)
    if not chosen:
        raise SlipstreamError(
            Code.SETTINGS_INVALID, say("There are no prompts to run."), say("Choose a file with prompts.")
        )
    return chosen


def parse_prompts(text: str, name: str) -> list[Prompt]:
    """JSON lines of {id, kind, messages}; ``name`` is the file's, for the error.

    Raises:
        SlipstreamError: ``FILE`` with the number of the first line that is not one, or that has another's id.
    """
    prompts: dict[str, Prompt] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            prompt = msgspec.json.decode(line.encode(), type=Prompt)
        except msgspec.DecodeError as error:
            raise SlipstreamError(
                Code.FILE,
                say("Line {number} of “{name}” is not a prompt: {reason}.", number=number, name=name, reason=error),
                say("A line is a JSON object with id, kind and messages."),
            ) from error
        if not prompt.messages or prompt.id in prompts:
            raise SlipstreamError(
                Code.FILE,
                say("Line {number} of “{name}” has no messages.", number=number, name=name) if not prompt.messages
                else say("Line {number} of “{name}” has the id “{id}” of an earlier line.",
                         number=number, name=name, id=prompt.id),
                say("Mend that line."),
            )
        prompts[prompt.id] = prompt
    return list(prompts.values())
