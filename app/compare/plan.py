"""What a comparison runs, in which order and with which seeds. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from app.errors import Code, SlipstreamError
from app.terms import Message, Record, Sampling


class Prompt(Record, frozen=True, kw_only=True):
    """A line of a prompt file. ``kind`` groups prompts in the report."""

    id: str
    kind: str = "prompt"
    messages: list[Message]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self.messages)).hexdigest()


class Turn(NamedTuple):
    """One answer to be timed: ``method`` is an index into the plan's labels, ``run`` counts pairs from 0."""

    prompt: Prompt
    method: int
    run: int
    seed: int


@dataclass(frozen=True)
class Plan:
    """``methods[0]`` is what the others are compared with; a method may be there twice, to measure the noise."""

    prompts: list[Prompt]
    methods: list[str]
    runs: int
    max_tokens: int
    sampling: Sampling

    @property
    def labels(self) -> list[str]:
        """A name for each method of the plan; the second of a kind is “off (2)”."""
        return [
            method if (nth := self.methods[:index].count(method)) == 0 else f"{method} ({nth + 1})"
            for index, method in enumerate(self.methods)
        ]

    def turns(self) -> Iterator[Turn]:
        """All turns: prompt by prompt, and for each A B B A …, so that no method always comes first or last.

        Neighbours in time are paired, and a machine that slowly grows hot slows both of them. The seed depends on the
        run alone: every method answers the same prompt with the same draws.
        """
        for index, prompt in enumerate(self.prompts):
            for run in range(self.runs):
                for method in turn_order(len(self.methods), index + run):
                    yield Turn(prompt, method, run, self.seed(run))

    def seed(self, run: int) -> int:
        return ((self.sampling.seed or 0) + run) % 2**32

    def __len__(self) -> int:
        return len(self.prompts) * self.runs * len(self.methods)


def turn_order(methods: int, round_: int) -> list[int]:
    """Forward in even rounds, backward in odd ones."""
    order = list(range(methods))
    return order if round_ % 2 == 0 else order[::-1]


def choose_prompts(prompts: Sequence[Prompt], kinds: Sequence[str] | None, limit: int | None) -> list[Prompt]:
    """The first ``limit`` prompts of each of ``kinds`` (all where None), in the file's order.

    Raises:
        SlipstreamError: ``SETTINGS_INVALID`` where a kind is not there, or nothing is left.
    """
    present = list(dict.fromkeys(prompt.kind for prompt in prompts))
    for kind in kinds or ():
        if kind not in present:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, f"There are no prompts of the kind “{kind}”.",
                f"The kinds are: {', '.join(present)}.",
            )
    taken: dict[str, int] = {}
    chosen = []
    for prompt in prompts:
        taken[prompt.kind] = taken.get(prompt.kind, 0) + 1
        if (not kinds or prompt.kind in kinds) and (limit is None or taken[prompt.kind] <= limit):
            chosen.append(prompt)
    if not chosen:
        raise SlipstreamError(Code.SETTINGS_INVALID, "There are no prompts to run.", "Choose a file with prompts.")
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
                Code.FILE, f"Line {number} of “{name}” is not a prompt: {error}.",
                "A line is a JSON object with id, kind and messages.",
            ) from error
        if not prompt.messages or prompt.id in prompts:
            fault = "has no messages" if not prompt.messages else f"has the id “{prompt.id}” of an earlier line"
            raise SlipstreamError(Code.FILE, f"Line {number} of “{name}” {fault}.", "Mend that line.")
        prompts[prompt.id] = prompt
    return list(prompts.values())
