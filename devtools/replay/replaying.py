"""Tries ``auto`` on recorded answers, without a model: what a change to it gains is known in seconds.

    python -m devtools.replay record --model T --draft D --prompts F.jsonl --out traces.jsonl
    python -m devtools.replay score traces.jsonl --costs costs.json [--seeds 3]

A record holds what the target wrote alone, how sure it was of each token, and what the draft would have guessed at each
place. ``score`` replays it against a cost curve, ``{"verify_ms": {"1": 54, "2": 102, …}, "draft_ms": 20}``, with the
noise of a real machine. It is a model of the machine and no measurement: what is claimed is measured with ``dev.py
bench``. Whoever chooses a constant of ``auto`` by it has seen the prompts: say so.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import cast

import msgspec

from app.engine.auto.controller import AutoController
from app.engine.auto.cost import CALIBRATED_LENGTHS, CostModel, CostSnapshot
from app.engine.auto.learned import Learned
from app.engine.controller import FixedController, OffController, StepCost
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.interface import Draft, Policy
from devtools.console import say

LONGEST_GUESS = 16
ANSWER_TOKENS = 128
SECOND_TOKEN = 0.7
LATE_CATCH_UP = 0.4
"""Shares of a draft pass over one token that the second token of a pass adds, and every further one that is only read
(measured on a processor)."""


class Guess(msgspec.Struct, array_like=True):
    """What the draft would guess at one place, and its confidences."""

    tokens: list[int]
    confidences: list[float]


class Record(msgspec.Struct):
    """One answer. ``sureness[i]`` is the target's at token i, ``guesses[i]`` what the draft guesses there."""

    id: str
    kind: str
    prompt: list[int]
    tokens: list[int]
    sureness: list[float]
    guesses: list[Guess]


class Costs(msgspec.Struct):
    verify_ms: dict[int, float]
    draft_ms: float

    def verify_s(self, tokens: int) -> float:
        """Seconds of a pass over so many tokens, interpolated."""
        known = self.verify_ms
        if tokens in known:
            return known[tokens] / 1e3
        lower = max(n for n in known if n < tokens)
        upper = min((n for n in known if n > tokens), default=None)
        if upper is None:
            return known[lower] * tokens / lower / 1e3
        share = (tokens - lower) / (upper - lower)
        return (known[lower] + share * (known[upper] - known[lower])) / 1e3


class RecordedDraft:
    """Stands in for ``DraftModelDrafter``: guesses what was recorded."""

    name = "draft"

    def __init__(self, record: Record) -> None:
        self._record = record
        self._cached = 0

    def begin(self, prompt: Sequence[int]) -> None:
        self._cached = len(prompt) - 1

    def lag(self, context: Sequence[int]) -> int:
        return max(1, len(context) - self._cached)

    def forget_before(self, position: int) -> None:
        self._cached = position

    def cut(self, length: int) -> None:
        self._cached = min(self._cached, length)

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        draft = Draft(self.name)
        at = len(context) - len(self._record.prompt)
        guess = self._record.guesses[at] if at < len(self._record.guesses) else Guess([], [])
        if policy.go_on():
            draft.caught_up = self.lag(context)
        while draft.passes <= len(draft) and (draft.passes == 0 or policy.go_on()):
            draft.passes += 1
            place = len(draft)
            known = place < len(guess.tokens)
            confidence = guess.confidences[place] if known else 0.5
            if not policy.take(confidence):
                break
            draft.tokens.append(guess.tokens[place] if known else -1)
            draft.confidences.append(confidence)
        self._cached = len(context) + max(0, len(draft) - 1)
        return draft


@dataclass
class Machine:
    """The cost curve with the noise of a real machine: load that wanders, jitter, and now and then a slow pass."""

    costs: Costs
    random: random.Random
    load: float = 1.0

    def step(self, draft: Draft) -> StepCost:
        self.load = math.exp(0.9 * math.log(self.load) + self.random.gauss(0, 0.03))
        late = SECOND_TOKEN * (draft.caught_up > 1) + LATE_CATCH_UP * max(0, draft.caught_up - 2)
        draft_s = (draft.passes + late) * self.costs.draft_ms / 1e3 if draft.passes else 0.0
        return StepCost(draft_s=draft_s * self._jitter(), verify_s=self.costs.verify_s(len(draft) + 1) * self._jitter())

    def _jitter(self) -> float:
        slow = 2.0 if self.random.random() < 0.02 else 1.0
        return self.load * math.exp(self.random.gauss(0, 0.04)) * slow


def replay(record: Record, controller: AutoController | FixedController | OffController, drafter: RecordedDraft,
           machine: Machine) -> float:
    """Seconds of decoding one answer."""
    context, written, seconds = list(record.prompt), 0, 0.0
    controller.begin(context)
    while written < len(record.tokens):
        draft = controller.draft(context, len(record.tokens) - written - 1)
        accepted = 0
        while accepted < len(draft) and draft.tokens[accepted] == record.tokens[written + accepted]:
            accepted += 1
        asked = controller._asked if isinstance(controller, AutoController) else draft
        paid = Draft(draft.drafter, draft.tokens, passes=asked.passes if asked else 0,
                     caught_up=asked.caught_up if asked else 0)
        cost = machine.step(paid)
        if isinstance(controller, AutoController):
            controller.foresight.learn(record.sureness[written : written + accepted + 1])
        controller.observe(draft, accepted, min(accepted + 1, len(draft)), cost)
        seconds += cost.draft_s + cost.verify_s
        context += record.tokens[written : written + accepted + 1]
        written += accepted + 1
        drafter.cut(len(context) - 1)
    return seconds


def controllers(name: str, records: Sequence[Record], costs: Costs, seed: int) -> Iterator[tuple[Record, float]]:
    """Each record's seconds under a method, learned over a first pass that does not count."""
    machine = Machine(costs, random.Random(seed))
    learned = Learned()
    calibrated = {n: costs.verify_s(n) * math.exp(machine.random.gauss(0, 0.05)) for n in CALIBRATED_LENGTHS}
    model = CostModel(CostSnapshot(
        verify_s=calibrated, draft_s=costs.draft_ms / 1e3, draft_second_s=SECOND_TOKEN * costs.draft_ms / 1e3
    ))
    order = list(records)
    machine.random.shuffle(order)
    for counts in (False, True):
        for record in order:
            drafter = RecordedDraft(record)
            seconds = replay(record, _controller(name, learned, model, drafter), drafter, machine)
            if counts:
                yield record, seconds


def _controller(
    name: str, learned: Learned, model: CostModel, drafter: RecordedDraft
) -> AutoController | FixedController | OffController:
    if name == "auto":
        return AutoController(learned, model, cast(DraftModelDrafter, drafter), "Draft")
    if name == "auto without a draft":
        return AutoController(learned, model, None)
    if name == "draft:max=3":
        return FixedController(drafter, 3)
    if name == "draft:max=8,p_min=0.6":
        return FixedController(drafter, 8, 0, 0.6)
    return OffController()


def score(records: Sequence[Record], costs: Costs, seeds: int) -> None:
    """Say the speed-up of each method over plain decoding, by kind and in all, geometric means over seeds."""
    kinds = sorted({record.kind for record in records})
    for name in ("auto", "auto without a draft", "draft:max=3", "draft:max=8,p_min=0.6"):
        ratios: dict[str, list[float]] = {kind: [] for kind in kinds}
        worst = math.inf
        for seed in range(seeds):
            plain = {record.id: seconds for record, seconds in controllers("off", records, costs, seed)}
            for record, seconds in controllers(name, records, costs, seed):
                ratios[record.kind].append(plain[record.id] / seconds)
                worst = min(worst, ratios[record.kind][-1])
        overall = geometric_mean([ratio for group in ratios.values() for ratio in group])
        details = " ".join(f"{kind} {geometric_mean(group):.2f}" for kind, group in ratios.items())
        say(f"{name:22} {overall:.3f}×  worst {worst:.2f}×  {details}")


def read_records(path: Path) -> list[Record]:
    return [msgspec.json.decode(line, type=Record) for line in path.read_bytes().splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m devtools.replay")
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording = verbs.add_parser("record")
    for option in ("--model", "--draft", "--prompts", "--out"):
        recording.add_argument(option, required=True)
    recording.add_argument("--limit", type=int, default=2, help="the first N prompts of each kind")
    scoring = verbs.add_parser("score")
    scoring.add_argument("records", type=Path)
    scoring.add_argument("--costs", type=Path, required=True)
    scoring.add_argument("--seeds", type=int, default=3)
    wanted = parser.parse_args()
    if wanted.verb == "score":
        costs = msgspec.convert(json.loads(wanted.costs.read_text()), Costs, strict=False)
        score(read_records(wanted.records), costs, wanted.seeds)
        return 0
    from devtools.replay.recording import record_answers  # loads the engine's library, which replaying does without

    record_answers(wanted.model, wanted.draft, Path(wanted.prompts), Path(wanted.out), wanted.limit)
    return 0
