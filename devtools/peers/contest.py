"""Programs against each other: the same prompts as the same tokens, in turn; each answer is kept at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from app.compare.plan import Prompt, turn_order
from app.records import Record


class PromptTokens(Record, frozen=True, kw_only=True):
    """A prompt as the chat template renders it, in the target's tokens."""

    prompt: Prompt
    token_ids: list[int]


class Answer(Record, frozen=True, kw_only=True):
    """``tokens_per_second``: tokens after those of the first pass, by the seconds after it, in the program's own clock;
    so neither the prompt nor the connection counts. ``token_ids`` empty where the program does not tell them."""

    tokens: int
    tokens_per_second: float
    drafted: int = 0
    accepted: int = 0
    token_ids: tuple[int, ...] = ()


class Contestant(Protocol):
    name: str
    version: str
    """Of the program; with another one its answers are measured anew."""

    def answer(self, prompt: PromptTokens, max_tokens: int) -> Answer:
        """Greedy, without anything cached. Raises ``SlipstreamError``."""
        ...


class Trial(Record, frozen=True, kw_only=True):
    """One answer of one contestant. ``key`` names all that it depends on."""

    key: str
    contestant: str
    version: str
    prompt_id: str
    kind: str
    round: int
    answer: Answer


class TrialLog:
    """Trials of earlier runs and of this one, a line each; a torn last line is left out."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[tuple[str, str, str, int], Trial] = {}
        for line in path.read_bytes().splitlines() if path.exists() else ():
            try:
                trial = msgspec.json.decode(line, type=Trial)
            except msgspec.DecodeError:
                continue
            self._known[trial.key, trial.contestant, trial.prompt_id, trial.round] = trial

    def find(self, key: str, contestant: str, prompt_id: str, round_: int) -> Trial | None:
        return self._known.get((key, contestant, prompt_id, round_))

    def add(self, trial: Trial) -> None:
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(trial) + b"\n")


def run_contest(
    contestants: Sequence[Contestant], prompts: Sequence[PromptTokens], rounds: int, max_tokens: int,
    conditions: Sequence[str], log: TrialLog, say: Callable[[str], None],
) -> list[Trial]:
    """Every contestant answers every prompt in every round, A B … for one prompt and … B A for the next.

    ``conditions`` are what the figures depend on beside contestant and prompt: files and settings.
    """
    trials = []
    total = rounds * len(prompts) * len(contestants)
    for round_ in range(rounds):
        for number, each in enumerate(prompts):
            for contestant in turn_order(contestants, number + round_):
                key = _digest([*conditions, str(max_tokens), contestant.version, each.prompt.sha256])
                trial = log.find(key, contestant.name, each.prompt.id, round_)
                before = trial is not None
                if trial is None:
                    trial = Trial(
                        key=key, contestant=contestant.name, version=contestant.version, prompt_id=each.prompt.id,
                        kind=each.prompt.kind, round=round_, answer=contestant.answer(each, max_tokens),
                    )
                    log.add(trial)
                trials.append(trial)
                say(f"[{len(trials)}/{total}] {each.prompt.id}, {contestant.name}, round {round_ + 1}: "
                    f"{trial.answer.tokens_per_second:.1f} tokens/s{' (from before)' if before else ''}")
    return trials


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
