"""Drives engines through a plan. Finished trials are kept, and found again after an interruption."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

import msgspec

from app import protocol
from app.client.interface import EngineClient
from app.compare.disturbance import MOST_ATTEMPTS, LoadMeter, better_of, find_slow_outliers, is_disturbed
from app.compare.engines import EnginePool
from app.compare.interval import Estimate, mean_interval
from app.compare.machine import MachineFacts
from app.compare.plan import Plan, SideTurn
from app.compare.result import Divergence, describe_divergence, find_divergences, paired_logs
from app.compare.side import ModelSetup, Side
from app.compare.trial import FileFacts, Trial, TrialFile, file_facts, key_of, make_trial
from app.errors import Code, SlipstreamError
from app.records import Record, TokenScore

WARM_UP_TOKENS = 16
MOST_PROBES = 8
_MOST_FUTILE_REPEATS = 3
_ENGINE_LOST = (Code.WORKER_DIED, Code.WORKER_HUNG, Code.WORKER_START_FAILED, Code.PROTOCOL)


class Failure(Record, frozen=True, kw_only=True):
    """A turn that gave no figures, and why."""

    prompt_id: str
    side: str
    run: int
    code: str
    message: str


@dataclass(frozen=True)
class Progress:
    """``total`` is a guess until the first rounds are done; ``left_s`` is None until there is something to guess from.

    ``trial`` is None when a turn begins; ``from_before`` marks one that was found and not made. Counted apart are tries
    of a method that is no side (``stage`` "probe") and the places where texts part ("texts").
    """

    done: int
    total: int
    left_s: float | None
    turn: SideTurn
    side: str
    trial: Trial | None = None
    from_before: bool = False
    stage: Literal["answers", "probe", "texts"] = "answers"


class _StoppedError(Exception):
    """Asked to end; what is finished stays."""


class Comparison:
    """One plan, run once. ``trials`` and ``failures`` are what it brought so far.

    ``in_blocks`` runs sides of one setup together (see ``Plan.round``): for pools that hold one setup at a time.
    ``budget_s`` ends it after the prompt during which that many seconds are over; what is finished stays. Behind the
    first rounds, which are always made, none begins that would end later than ``limit_s``.
    """

    def __init__(
        self, pool: EnginePool, plan: Plan, machine: MachineFacts, kept: TrialFile,
        on_progress: Callable[[Progress], None], in_blocks: bool = False, budget_s: float | None = None,
        limit_s: float | None = None,
    ) -> None:
        self._budget_s = math.inf if budget_s is None else budget_s
        self._limit_s = math.inf if limit_s is None else limit_s
        self._started = time.monotonic()
        self.is_cut = False
        """Whether the budget ended it."""
        self._pool = pool
        self._plan = plan
        self._kept = kept
        self._on_progress = on_progress
        self._in_blocks = in_blocks
        self._machine = machine
        self._meter = LoadMeter(pool.pids)
        self._files: dict[str, FileFacts] = {}
        self._prompts = {prompt.id: prompt for prompt in plan.prompts}
        self._names = [side.name for side in plan.sides]
        self._warm: set[tuple[int, int]] = set()
        self._spent_s: dict[int, list[float]] = {}
        self._taken = 0
        self._futile_repeats = 0
        self._whole_rounds = 0
        self._trials: dict[str, Trial] = {}
        self._scores: dict[tuple[str | int, ...], list[TokenScore]] = {}
        self.failures: list[Failure] = []

    @property
    def trials(self) -> list[Trial]:
        return list(self._trials.values())

    @property
    def first_rounds(self) -> int:
        return self._plan.rule.first_rounds

    def rounds(self) -> int:
        """How many rounds the stopping rule asks for, as far as is known: nothing is before the first are whole."""
        if self._whole_rounds < self.first_rounds:
            return self.first_rounds
        logs = [list(paired_logs(self.trials, self._names[0], name).values()) for name in self._names[1:]]
        return max((self._plan.rule.rounds(groups) for groups in logs if groups), default=self.first_rounds)

    def run(self) -> None:
        """All rounds, without what was kept from before. Returns early when the pool was stopped.

        Raises:
            SlipstreamError: where models could not be loaded, or results not kept.
        """
        self._started = time.monotonic()
        prompt_id = ""
        try:
            while self._whole_rounds < self.rounds():
                if self._whole_rounds >= self.first_rounds and not self._has_time_for_a_round():
                    self.is_cut = True
                    return
                turns = self._plan.round(self._whole_rounds, self._in_blocks)
                for number, turn in enumerate(turns):
                    self.is_cut = turn.prompt.id != prompt_id and self._left_of_budget() <= 0
                    if self.is_cut:
                        return
                    prompt_id = turn.prompt.id
                    self._take(turn, turns[number + 1 :])
                for outlier in find_slow_outliers(self.trials):
                    self._repeat(outlier)
                self._whole_rounds += 1
        except _StoppedError:
            return

    def compare_texts(self) -> list[Divergence]:
        """Ask the baseline's target about every place where a side's tokens leave the baseline's.

        Only sides with the same target are asked about: others may say what they like.
        """
        baseline = self._plan.sides[0]
        alike = [side.name for side in self._plan.sides if side.setup.target == baseline.setup.target]
        partings = []
        found = find_divergences(self.trials, alike)
        for number, (ours, other, position) in enumerate(found):
            if self._pool.stopped:
                break
            turn = SideTurn(self._prompts[other.prompt_id], self._names.index(other.side), other.run, other.seed)
            self._on_progress(Progress(number, len(found), None, turn, other.side, stage="texts"))
            partings.append(self._score_parting(baseline, ours, other, position))
        return partings

    def probe(self, method: str) -> Estimate | None:
        """Try a method that is no side once on each prompt, on the baseline's models: how many times as fast it is.

        Its answers are in no other figure. None where none was finished.
        """
        baseline = self._plan.sides[0]
        ours = [trial for trial in self.trials if trial.side == baseline.name and trial.tokens_per_second > 0]
        side = msgspec.structs.replace(baseline, name=method, method=method)
        logs, failures = [], list(self.failures)
        prompts = list(dict.fromkeys(trial.prompt_id for trial in ours))[:MOST_PROBES]
        for number, prompt_id in enumerate(prompts):
            turn = SideTurn(self._prompts[prompt_id], 0, 0, baseline.sampling.seed or 0)
            self._on_progress(Progress(number, len(prompts), None, turn, method, stage="probe"))
            try:
                trial = self._make(turn, side, key_of([method, self._key(turn)]), attempt=1)
            except _StoppedError:
                break
            if trial is not None and trial.tokens_per_second > 0:
                plain = fmean(math.log(t.tokens_per_second) for t in ours if t.prompt_id == prompt_id)
                logs.append(math.log(trial.tokens_per_second) - plain)
        self.failures = failures
        return mean_interval(logs) if logs else None

    def _take(self, turn: SideTurn, rest: Sequence[SideTurn]) -> None:
        side = self._plan.sides[turn.side]
        key = self._key(turn)
        found = self._kept.find(key)
        if found is not None:
            found = msgspec.structs.replace(found, side=side.name)
            self._trials[key] = found
            self._taken += 1
            self._report(turn, rest, found, from_before=True)
            return
        self._report(turn, rest, None)
        trial = self._make(turn, side, key, attempt=1)
        for attempt in range(2, MOST_ATTEMPTS + 1):
            # A machine that is busy all the time stays so: then repeats only double the waiting.
            if trial is not None and is_disturbed(trial) and self._futile_repeats < _MOST_FUTILE_REPEATS:
                again = self._make(turn, side, key, attempt)
                trial = better_of(trial, again) if again is not None else trial
                self._futile_repeats = self._futile_repeats + 1 if is_disturbed(trial) else 0
        self._taken += 1
        if trial is not None:
            self._keep(trial)
            self._spent_s.setdefault(turn.side, []).append(trial.wall_s)
            self._report(turn, rest, trial)

    def _repeat(self, outlier: Trial) -> None:
        side_index = self._names.index(outlier.side)
        turn = SideTurn(self._prompts[outlier.prompt_id], side_index, outlier.run, outlier.seed)
        self._report(turn, [], None)
        trial = self._make(turn, self._plan.sides[side_index], outlier.key, outlier.attempt + 1)
        if trial is not None:
            self._keep(trial)
            self._report(turn, [], trial)

    def _keep(self, trial: Trial) -> None:
        self._kept.add(trial)
        self._trials[trial.key] = trial

    def _make(self, turn: SideTurn, side: Side, key: str, attempt: int) -> Trial | None:
        """One answer; None where it failed, which is noted."""
        try:
            engine = self._warm_engine(turn.side)
            started_at, start = time.time(), time.monotonic()
            self._meter.start()
            done = engine.generate(_request(side, turn, self._plan.keeps_prompts))
            other_load, wall_s = self._meter.stop(), time.monotonic() - start
        except SlipstreamError as error:
            self._note_failure(error, turn, side)
            return None
        if done.reason == "aborted":
            raise _StoppedError
        return make_trial(key, side.name, side.method, turn, done, started_at, wall_s, other_load, attempt)

    def _warm_engine(self, index: int) -> EngineClient:
        """The side's engine after a short answer that is not counted: pages come into memory, caches settle."""
        side = self._plan.sides[index]
        if self._pool.stopped:
            raise _StoppedError
        engine = self._pool.get(side.setup)
        if (index, self._pool.loads) not in self._warm:
            self._warm = {(i, loads) for i, loads in self._warm if loads == self._pool.loads}
            warm_up = SideTurn(self._plan.prompts[0], index, 0, 0)
            short = msgspec.structs.replace(side, max_tokens=min(WARM_UP_TOKENS, side.max_tokens))
            if engine.generate(_request(short, warm_up)).reason == "aborted":
                raise _StoppedError
            self._warm.add((index, self._pool.loads))
        return engine

    def _note_failure(self, error: SlipstreamError, turn: SideTurn, side: Side) -> None:
        if self._pool.stopped or error.code == Code.ABORTED:
            raise _StoppedError from error
        if error.code in (Code.MODEL_NOT_FOUND, Code.MODEL_LOAD_FAILED, Code.DRAFT_LOAD_FAILED,
                          Code.DRAFT_INCOMPATIBLE, Code.MODEL_UNREADABLE, Code.MODEL_UNSUPPORTED, Code.OUT_OF_MEMORY,
                          Code.WORKER_START_FAILED):
            raise error
        self.failures.append(
            Failure(prompt_id=turn.prompt.id, side=side.name, run=turn.run, code=error.code, message=error.message)
        )
        if error.code in _ENGINE_LOST:
            self._pool.lost(side.setup)

    def _report(self, turn: SideTurn, rest: Sequence[SideTurn], trial: Trial | None, from_before: bool = False) -> None:
        per_round = len(self._plan.prompts) * len(self._plan.sides)
        rounds = max(self.rounds(), turn.run + 1)
        left = self._time_left(rest, rounds - turn.run - 1)
        name = self._names[turn.side]
        self._on_progress(Progress(self._taken, rounds * per_round, left, turn, name, trial, from_before))

    def _left_of_budget(self) -> float:
        return self._budget_s - self._elapsed_s()

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._started

    def _has_time_for_a_round(self) -> bool:
        return self._elapsed_s() + self._seconds_of_a_round() <= self._limit_s

    def _seconds_of_a_round(self) -> float:
        """By the answers so far; 0 while there are none, as when all were found from before."""
        return sum(map(self._seconds_of_an_answer, range(len(self._names)))) * len(self._plan.prompts)

    def _seconds_of_an_answer(self, side: int) -> float:
        """As long as this side's took so far, else as those of all; 0 while there are none."""
        means = {each: fmean(spent) for each, spent in self._spent_s.items()}
        return means.get(side, fmean(means.values()) if means else 0.0)

    def _time_left(self, rest: Sequence[SideTurn], more_rounds: int) -> float | None:
        if not self._spent_s:
            return None
        this_round = sum(
            self._seconds_of_an_answer(turn.side) for turn in rest if self._kept.find(self._key(turn)) is None
        )
        left = this_round + more_rounds * self._seconds_of_a_round()
        if self._whole_rounds >= self.first_rounds:
            left = min(left, max(0.0, self._limit_s - self._elapsed_s()))
        return min(left, max(0.0, self._left_of_budget()))

    def _score_parting(self, baseline: Side, ours: Trial, other: Trial, position: int) -> Divergence:
        try:
            engine = self._pool.get(baseline.setup)
            of_ours = self._score(engine, ours, position)
            of_other = _score_of(other, position, of_ours) or self._score(engine, other, position)
        except SlipstreamError as error:
            if error.code in _ENGINE_LOST:
                self._pool.lost(baseline.setup)
            parting = describe_divergence(ours, other, position, None, None)
            return msgspec.structs.replace(parting, note=error.message)
        return describe_divergence(ours, other, position, of_ours, of_other)

    def _score(self, engine: EngineClient, trial: Trial, position: int) -> TokenScore | None:
        if position >= len(trial.token_ids):
            return None
        token_ids = trial.token_ids[: position + 1]
        # Methods often part at one place: it is looked at once.
        key: tuple[str | int, ...] = (trial.prompt_id, *token_ids)
        if key not in self._scores:
            request = protocol.Score(
                request_id=0, messages=self._prompts[trial.prompt_id].messages, token_ids=token_ids,
                positions=[position],
            )
            self._scores[key] = engine.score(request).scores
        scores = self._scores[key]
        return scores[0] if scores else None

    def _key(self, turn: SideTurn) -> str:
        """Names all that the figures depend on. Two sides of one configuration are told apart by their place, so that
        measuring the noise measures it."""
        side = self._plan.sides[turn.side]
        same = [s for s in self._plan.sides[: turn.side] if msgspec.structs.replace(s, name=side.name) == side]
        setup = side.setup
        conditions: list[Any] = [
            self._file(setup.target), self._file(setup.draft) if setup.draft else None, setup.load, setup.draft_load,
            self._machine, side.method, msgspec.structs.replace(side.sampling, seed=None), side.max_tokens, len(same),
            turn.prompt.id, turn.prompt.sha256, turn.run, turn.seed,
        ]
        if self._plan.keeps_prompts:
            conditions.append("kept prompts")
        return key_of(conditions)

    def _file(self, path: str) -> FileFacts:
        if path not in self._files:
            self._files[path] = file_facts(path)
        return self._files[path]


def _request(side: Side, turn: SideTurn, keep_prompt: bool = False) -> protocol.Generate:
    return protocol.Generate(
        request_id=0, messages=turn.prompt.messages, cold=True, keep_prompt=keep_prompt,
        sampling=msgspec.structs.replace(side.sampling, seed=turn.seed), method=side.method, max_tokens=side.max_tokens,
    )


def _score_of(trial: Trial, position: int, beside: TokenScore | None) -> TokenScore | None:
    """The score of ``trial``'s token at ``position`` where that of another after the same tokens tells it."""
    if beside is None or position >= len(trial.token_ids):
        return None
    token = trial.token_ids[position]
    for candidate in beside.best:
        if candidate.token_id == token:
            gap = beside.best[0].logit - candidate.logit
            return TokenScore(
                position=position, token_id=token, logit=candidate.logit, gap=gap, best=beside.best, is_own=gap == 0,
                is_explained=gap == 0,
            )
    return None


def need_blocks(setups: Sequence[ModelSetup], needs_bytes: Sequence[int], available_bytes: int) -> bool:
    """Whether several setups do not fit into memory together, with a tenth of it kept free."""
    return len(set(setups)) > 1 and sum(needs_bytes) > 0.9 * available_bytes
