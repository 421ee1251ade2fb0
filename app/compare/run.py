"""Drives an engine through a plan. Finished trials are kept, and found again after an interruption."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from app import protocol
from app.client.interface import EngineClient
from app.compare.machine import MachineFacts
from app.compare.plan import Plan, Prompt, Turn
from app.compare.result import Parting, describe_parting, find_partings
from app.compare.trial import FileFacts, Trial, TrialFile, key_of, make_trial
from app.errors import Code, SlipstreamError
from app.terms import LoadSettings, Record, TokenScore

WARM_UP_TOKENS = 16
_ENGINE_LOST = (Code.WORKER_DIED, Code.WORKER_HUNG, Code.WORKER_START_FAILED, Code.PROTOCOL)


class Setting(Record, frozen=True, kw_only=True):
    """The models of a comparison and how they are loaded."""

    target: FileFacts
    load: LoadSettings
    draft: FileFacts | None = None
    draft_load: LoadSettings | None = None


class Failure(Record, frozen=True, kw_only=True):
    """A turn that gave no figures, and why."""

    prompt_id: str
    method: str
    run: int
    code: str
    message: str


@dataclass(frozen=True)
class Progress:
    """``left_s`` is None until there is something to guess from. ``trial`` is None when a turn begins."""

    done: int
    total: int
    left_s: float | None
    turn: Turn
    label: str
    trial: Trial | None = None
    from_before: bool = False


class Comparison:
    """One plan on one loaded engine.

    ``reload`` loads the models again after the engine was lost; ``should_stop`` is asked between turns.
    """

    def __init__(
        self, engine: EngineClient, plan: Plan, setting: Setting, machine: MachineFacts, kept: TrialFile,
        reload: Callable[[], None], on_progress: Callable[[Progress], None],
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._engine = engine
        self._plan = plan
        self._kept = kept
        self._reload = reload
        self._on_progress = on_progress
        self._should_stop = should_stop
        self._conditions = [setting, machine, plan.sampling, plan.max_tokens]
        self._prompts = {prompt.id: prompt for prompt in plan.prompts}
        self._spent_s: dict[int, list[float]] = {}
        self.trials: list[Trial] = []
        self.failures: list[Failure] = []

    def run(self) -> None:
        """Take all turns that were not taken before.

        Raises:
            SlipstreamError: where the engine was lost and could not be loaded again, or the results not kept.
        """
        turns = list(self._plan.turns())
        keys = [self._key(turn) for turn in turns]
        if all(self._kept.find(key) for key in keys) or self._warm_up():
            for number, (turn, key) in enumerate(zip(turns, keys, strict=True)):
                if self._should_stop() or not self._take(turn, key, number, turns):
                    break

    def compare_texts(self) -> list[Parting]:
        """Ask the target about every place where a method's tokens leave the baseline's."""
        partings = []
        for baseline, other, position in find_partings(self.trials, self._plan.labels):
            if self._should_stop():
                break
            prompt = self._prompts[other.prompt_id]
            try:
                ours = self._score(prompt, baseline.token_ids, position)
                theirs = self._score(prompt, other.token_ids, position)
                partings.append(describe_parting(baseline, other, position, ours, theirs))
            except SlipstreamError as error:
                parting = describe_parting(baseline, other, position, None, None)
                partings.append(msgspec.structs.replace(parting, note=error.message))
                self._recover(error)
        return partings

    def _warm_up(self) -> bool:
        """A short answer per method, not counted: pages come into memory, clocks and caches settle."""
        for method in dict.fromkeys(self._plan.methods):
            if self._should_stop():
                return False
            request = self._request(self._plan.prompts[0], method, self._plan.seed(0), WARM_UP_TOKENS)
            done = self._engine.generate(request)
            if done.reason == "aborted":
                return False
        return True

    def _take(self, turn: Turn, key: str, number: int, turns: Sequence[Turn]) -> bool:
        label = self._plan.labels[turn.method]
        found = self._kept.find(key)
        if found is not None:
            trial = msgspec.structs.replace(found, method=label)
            self.trials.append(trial)
            self._report(number + 1, turns, turn, trial, from_before=True)
            return True
        self._report(number, turns, turn, None)
        started_at, start = time.time(), time.monotonic()
        request = self._request(turn.prompt, self._plan.methods[turn.method], turn.seed, self._plan.max_tokens)
        try:
            done = self._engine.generate(request)
        except SlipstreamError as error:
            if error.code == Code.ABORTED:
                return False
            self.failures.append(
                Failure(prompt_id=turn.prompt.id, method=label, run=turn.run, code=error.code, message=error.message)
            )
            self._recover(error)
            return True
        if done.reason == "aborted":
            return False
        wall_s = time.monotonic() - start
        trial = make_trial(key, label, turn, done, started_at, wall_s)
        self._kept.add(trial)
        self.trials.append(trial)
        self._spent_s.setdefault(turn.method, []).append(wall_s)
        self._report(number + 1, turns, turn, trial)
        return True

    def _recover(self, error: SlipstreamError) -> None:
        if error.code in _ENGINE_LOST and not self._should_stop():
            self._reload()

    def _report(
        self, done: int, turns: Sequence[Turn], turn: Turn, trial: Trial | None, from_before: bool = False
    ) -> None:
        rest = turns[done:]
        self._on_progress(
            Progress(done, len(turns), self._time_left(rest), turn, self._plan.labels[turn.method], trial, from_before)
        )

    def _time_left(self, rest: Sequence[Turn]) -> float | None:
        means = {method: sum(spent) / len(spent) for method, spent in self._spent_s.items()}
        if not means:
            return None
        other = sum(means.values()) / len(means)
        return sum(means.get(turn.method, other) for turn in rest if self._kept.find(self._key(turn)) is None)

    def _request(self, prompt: Prompt, method: str, seed: int, max_tokens: int) -> protocol.Generate:
        sampling = msgspec.structs.replace(self._plan.sampling, seed=seed)
        return protocol.Generate(
            request_id=0, messages=prompt.messages, cold=True, sampling=sampling, method=method, max_tokens=max_tokens
        )

    def _score(self, prompt: Prompt, token_ids: Sequence[int], position: int) -> TokenScore | None:
        if position >= len(token_ids):
            return None
        request = protocol.Score(
            request_id=0, messages=prompt.messages, token_ids=list(token_ids[: position + 1]), positions=[position]
        )
        scores = self._engine.score(request).scores
        return scores[0] if scores else None

    def _key(self, turn: Turn) -> str:
        """Two methods of one text are told apart, so that measuring the noise measures it."""
        method = self._plan.labels[turn.method]
        conditions: list[Any] = [*self._conditions, method, turn.prompt.id, turn.prompt.sha256, turn.run, turn.seed]
        return key_of(conditions)
