"""The scripted comparison and sweep that the pictures of the documentation show."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from app.chat.speed_series import SpeedSeries
from app.compare.history import KeptSummary
from app.compare.machine import MachineFacts
from app.compare.plan import Plan, Prompt, SideTurn, StoppingRule
from app.compare.report import Report, make_report
from app.compare.result import summarise
from app.compare.sweep import FINAL_ROUNDS, find_leaders, read_sweep
from app.compare.trial import Trial, make_trial
from app.compare.verdict import Verdict, give_verdicts
from app.gui.controllers.compare_choice import SideChoice, make_sides, make_sweep_sides, speculation_of, stopping_rule
from app.gui.controllers.compare_names import ModelLabel
from app.methods import parse_method
from app.protocol import Chunk, Done
from app.records import MemoryFigures, Message, Piece, Sampling, SpeculationFigures, Timings
from app.settings.settings import Settings, Speculation

TITLE = "Write a function that merges overlapping intervals"
SWEEP_TITLE = "Sweep: 4 shipped prompts of 4 kinds"
_TOKENS = 96
_DRAFT = 4
_CHANCE = 0.86
_PLAIN_S = 1 / 14.8
_DRAFT_S = 0.27 * _PLAIN_S
_MACHINE = MachineFacts(
    processor="AMD Ryzen 7 7840U", physical_cores=8, logical_cores=16, usable_cores=16, memory_bytes=2**34,
    system="Linux", python="3.11", program="1", engine="llama.cpp",
)
_TEXT = """def merge(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
"""


def make_plan(target: str, draft: str, names: dict[str, str], more: Sequence[str] = ()) -> Plan:
    """Off against a fixed length, and against the methods ``more``."""
    prompts = [Prompt(id="prompt", messages=[Message(role="user", content=TITLE)])]
    choices = [SideChoice(target, draft, Speculation(mode="off")),
               SideChoice(target, draft, Speculation(mode="fixed", max_draft=_DRAFT)),
               *(SideChoice(target, draft, speculation_of(method)) for method in more)]
    sides = make_sides(choices, Settings(), Sampling(temperature=0.0), _TOKENS,
                       lambda path: ModelLabel(names.get(path, path)))
    return Plan(prompts, sides, stopping_rule(1, quick=False))


def make_sweep_plan(target: str, draft: str) -> Plan:
    prompts = [Prompt(id=f"{kind}-1", kind=kind, messages=[Message(role="user", content=kind)])
               for kind in ("chat", "code", "edit", "repeat")]
    choice = SideChoice(target, draft)
    sides = make_sweep_sides(choice, Settings(), Sampling(temperature=0.0), _TOKENS)
    return Plan(prompts, sides, StoppingRule.fixed(1))


def script_sweep(plan: Plan, seed: int = 7) -> Report:
    """One round of all, two more of the fastest."""
    chance = random.Random(seed)
    trials: list[Trial] = []
    names = [side.name for side in plan.sides]
    for run in range(1 + FINAL_ROUNDS):
        leaders = set(find_leaders(summarise(trials, names, 1))) if run else set(names)
        for turn in plan.round(run):
            if plan.sides[turn.side].name in leaders:
                trials.append(_make_trial(plan, turn, chance, len(trials))[0])
    result = summarise(trials, names, 1 + FINAL_ROUNDS)
    return make_report(plan, _MACHINE, [], result, trials, [], read_sweep(result, trials))


def _drafts(method: str) -> tuple[int, float, float]:
    """Tokens of a draft, the chance that one is accepted, and what drafting one takes, in seconds."""
    parsed = parse_method(method)
    if parsed.name == "off":
        return 0, 0.0, 0.0
    if parsed.name in ("draft", "auto"):
        return parsed.integer("max") if parsed.name == "draft" else _DRAFT, _CHANCE, _DRAFT_S
    return 3, 0.18 + 0.01 * len(parsed.name), 0.0


def script_report(plan: Plan, seed: int = 5) -> tuple[Report, dict[str, SpeedSeries]]:
    """Six rounds with a few percent of noise."""
    chance = random.Random(seed)
    series: dict[str, SpeedSeries] = {}
    trials: list[Trial] = []
    for run in range(6):
        for turn in plan.round(run):
            name = plan.sides[turn.side].name
            trial, series[name] = _make_trial(plan, turn, chance, len(trials))
            trials.append(trial)
    names = [side.name for side in plan.sides]
    result = summarise(trials, names, plan.rule.first_rounds)
    return make_report(plan, _MACHINE, [], result, trials, []), series


def _make_trial(plan: Plan, turn: SideTurn, chance: random.Random, number: int) -> tuple[Trial, SpeedSeries]:
    series = SpeedSeries()
    pace = chance.gauss(1.0, 0.02)
    length, likely, draft_s = _drafts(plan.sides[turn.side].method)
    histogram, emitted, at_s, steps, drafted = [0] * (length + 1), 1, 0.0, 0, 0
    while emitted < _TOKENS:
        accepted, step_s = 0, _PLAIN_S
        if length:
            while accepted < length and chance.random() < likely - 0.02 * accepted:
                accepted += 1
            histogram[accepted] += 1
            drafted += length
            step_s = length * draft_s + _PLAIN_S * (1 + 0.0625 * length)
        at_s += step_s * pace * chance.gauss(1.0, 0.04)
        emitted += accepted + 1
        steps += 1
        series.add(Chunk(request_id=0, pieces=[Piece(text="")], num_draft_tokens=length,
                         num_accepted_draft_tokens=accepted, emitted_tokens=emitted, decode_s=at_s))
    draft_s = drafted * draft_s * pace
    side = plan.sides[turn.side]
    counted = histogram if length else []
    accepted = sum(n * count for n, count in enumerate(counted))
    reached = [sum(counted[n:]) for n in range(len(counted))]
    done = Done(
        request_id=0, reason="length", text=_TEXT, token_ids=list(range(_TOKENS)), prompt_tokens=28,
        timings=Timings(prefill_s=0.31, decode_s=at_s, draft_s=draft_s, verify_s=at_s * 0.97 - draft_s,
                        sample_s=at_s * 0.02, other_s=at_s * 0.01, time_to_first_token_s=0.33 + 0.02 * bool(length),
                        tokens_per_second=_TOKENS / at_s),
        speculation=SpeculationFigures(
            method=side.method, steps=steps, num_draft_tokens=drafted, num_accepted_draft_tokens=accepted,
            draft_acceptance_rate=accepted / drafted if drafted else 0.0, acceptance_histogram=counted,
            per_position_acceptance=[reached[n + 1] / max(1, reached[n]) for n in range(len(counted) - 1)],
        ),
        memory=MemoryFigures(worker_rss_bytes=1_900_000_000, worker_peak_rss_bytes=1_960_000_000),
    )
    return make_trial(str(number), side.name, side.method, turn, done, 1.0 * number, at_s + 0.33), series


def kept(report: Report) -> list[KeptSummary]:
    """The scripted result and two before it."""
    sides = [side.name for side in report.sides]
    others = [("Weekly report from these notes", "No faster: 1.02 times as fast (0.98 to 1.05)", 20),
              ("8 shipped prompts of 8 kinds", "1.31 times as fast (1.27 to 1.36)", 51)]
    rows = [(TITLE, give_verdicts(report.result)[0].headline, 0.1), *others]
    return [
        KeptSummary(
            id=f"{number:032x}", title=title, created_at=time.time() - 3600 * hours, sides=sides, prompts=1,
            verdicts=[Verdict(side=sides[1], kind="faster", headline=headline, sentence=headline)],
        )
        for number, (title, headline, hours) in enumerate(rows)
    ]
