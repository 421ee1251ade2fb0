"""The scripted comparison that the pictures of the documentation show."""

from __future__ import annotations

import random
import time

from app.compare.history import KeptSummary
from app.compare.machine import MachineFacts
from app.compare.plan import Plan, Prompt, Turn
from app.compare.report import Report, make_report
from app.compare.result import summarise
from app.compare.trial import Trial, make_trial
from app.compare.verdict import Verdict, give_verdicts
from app.gui.compare_choice import SideChoice, make_sides, stopping_rule
from app.gui.compare_names import ModelLabel
from app.gui.speed_series import SpeedSeries
from app.protocol import Chunk, Done
from app.settings import Settings, Speculation
from app.terms import MemoryFigures, Message, Piece, Sampling, SpeculationFigures, Timings

TITLE = "Write a function that merges overlapping intervals"
_TOKENS = 96
_DRAFT = 4
_CHANCE = 0.86
_PLAIN_S = 1 / 14.8
_DRAFT_S, _VERIFY_S = 0.27 * _PLAIN_S, 1.25 * _PLAIN_S
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


def make_plan(target: str, draft: str, names: dict[str, str]) -> Plan:
    prompts = [Prompt(id="prompt", messages=[Message(role="user", content=TITLE)])]
    choices = [SideChoice(target, draft, Speculation(mode="off")),
               SideChoice(target, draft, Speculation(mode="fixed", max_draft=_DRAFT))]
    sides = make_sides(choices, Settings(), Sampling(temperature=0.0), _TOKENS,
                       lambda path: ModelLabel(names.get(path, path)))
    return Plan(prompts, sides, stopping_rule(1, quick=False))


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


def _make_trial(plan: Plan, turn: Turn, chance: random.Random, number: int) -> tuple[Trial, SpeedSeries]:
    series = SpeedSeries()
    pace = chance.gauss(1.0, 0.02)
    histogram, emitted, at_s, steps, drafted = [0] * (_DRAFT + 1), 1, 0.0, 0, 0
    while emitted < _TOKENS:
        accepted, step_s = 0, _PLAIN_S
        if turn.side:
            while accepted < _DRAFT and chance.random() < _CHANCE - 0.02 * accepted:
                accepted += 1
            histogram[accepted] += 1
            drafted += _DRAFT
            step_s = _DRAFT * _DRAFT_S + _VERIFY_S
        at_s += step_s * pace * chance.gauss(1.0, 0.04)
        emitted += accepted + 1
        steps += 1
        series.add(Chunk(request_id=0, pieces=[Piece(text="")], num_draft_tokens=_DRAFT * turn.side,
                         num_accepted_draft_tokens=accepted, emitted_tokens=emitted, decode_s=at_s))
    draft_s = drafted * _DRAFT_S * pace
    side = plan.sides[turn.side]
    counted = histogram if turn.side else []
    accepted = sum(n * count for n, count in enumerate(counted))
    reached = [sum(counted[n:]) for n in range(len(counted))]
    done = Done(
        request_id=0, reason="length", text=_TEXT, token_ids=list(range(_TOKENS)), prompt_tokens=28,
        timings=Timings(prefill_s=0.31, decode_s=at_s, draft_s=draft_s, verify_s=at_s * 0.97 - draft_s,
                        sample_s=at_s * 0.02, other_s=at_s * 0.01, time_to_first_token_s=0.33 + 0.02 * turn.side,
                        tokens_per_second=_TOKENS / at_s),
        speculation=SpeculationFigures(
            method=side.method, steps=steps, num_draft_tokens=drafted, num_accepted_draft_tokens=accepted,
            draft_acceptance_rate=accepted / drafted if drafted else 0.0, acceptance_histogram=counted,
            per_position_acceptance=[reached[n + 1] / reached[n] for n in range(len(counted) - 1)],
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
