"""What a contest shows: each of our methods against each of theirs, by paired ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from app.compare.interval import Estimate, pooled_interval, population_interval
from app.compare.machine import MachineFacts
from app.compare.trial import FileFacts
from app.records import Record
from devtools.peers.contest import Trial


class Match(Record, frozen=True, kw_only=True):
    """Ours against theirs: the factor over these prompts, over such prompts, of the worst prompt, and by kind."""

    ours: str
    theirs: str
    measured: Estimate
    such_prompts: Estimate
    worst: float
    worst_prompt: str
    by_kind: dict[str, float]


class ContestReport(Record, frozen=True, kw_only=True):
    """A contest with all its figures."""

    peer: str
    engine: str = "llama"
    """Of our side, as it was asked for."""
    machine: MachineFacts
    versions: dict[str, str]
    files: list[FileFacts]
    prompt_file: str
    prompt_sha256: str
    rounds: int
    max_tokens: int
    speeds: dict[str, dict[str, float]]
    """Contestant → kind (and ``all``) → geometric mean of tokens/s."""
    accepted: dict[str, float]
    matches: list[Match]
    trials: list[Trial]


def mean_speed(trials: Sequence[Trial], contestant: str, kind: str = "") -> float:
    """Geometric mean of tokens/s."""
    logs = [math.log(trial.answer.tokens_per_second) for trial in trials
            if trial.contestant == contestant and (not kind or trial.kind == kind)]
    return math.exp(fmean(logs)) if logs else 0.0


def best_of(trials: Sequence[Trial], contestants: Sequence[str]) -> str:
    return max(contestants, key=lambda name: mean_speed(trials, name))


def make_match(trials: Sequence[Trial], ours: str, theirs: str) -> Match:
    """Paired by prompt and round."""
    speeds = {(t.contestant, t.prompt_id, t.round): t.answer.tokens_per_second for t in trials}
    kinds = {trial.prompt_id: trial.kind for trial in trials}
    ratios: dict[str, list[float]] = {}
    for (name, prompt_id, round_), speed in speeds.items():
        other = speeds.get((theirs, prompt_id, round_), 0.0)
        if name == ours and speed > 0 and other > 0:
            ratios.setdefault(prompt_id, []).append(math.log(speed / other))
    groups = list(ratios.values())
    means = {prompt_id: math.exp(fmean(logs)) for prompt_id, logs in ratios.items()}
    worst = min(means, key=lambda prompt_id: means[prompt_id])
    by_kind = {
        kind: math.exp(fmean(fmean(logs) for prompt_id, logs in ratios.items() if kinds[prompt_id] == kind))
        for kind in dict.fromkeys(kinds[prompt_id] for prompt_id in ratios)
    }
    return Match(
        ours=ours, theirs=theirs, measured=pooled_interval(groups, len(groups[0])),
        such_prompts=population_interval(groups), worst=means[worst], worst_prompt=worst, by_kind=by_kind,
    )


def speeds_of(trials: Sequence[Trial]) -> dict[str, dict[str, float]]:
    kinds = list(dict.fromkeys(trial.kind for trial in trials))
    names = dict.fromkeys(trial.contestant for trial in trials)
    return {name: {kind or "all": mean_speed(trials, name, kind) for kind in (*kinds, "")} for name in names}


def accepted_of(trials: Sequence[Trial]) -> dict[str, float]:
    shares = {}
    for name in dict.fromkeys(trial.contestant for trial in trials):
        answers = [trial.answer for trial in trials if trial.contestant == name]
        drafted = sum(answer.drafted for answer in answers)
        if drafted:
            shares[name] = sum(answer.accepted for answer in answers) / drafted
    return shares


def title_of(report: ContestReport) -> str:
    names = " with draft ".join(f"`{file.name}`" for file in report.files)
    engine = "" if report.engine == "llama" else f", our engine {report.engine}"
    return f"Against {report.peer}: {names}{engine}"


def as_markdown(report: ContestReport) -> str:
    machine = report.machine
    kinds = [kind for kind in next(iter(report.speeds.values())) if kind != "all"]
    lines = [
        f"{report.rounds} {'rounds' if report.rounds > 1 else 'round'} in turn, {report.prompt_file} (SHA-256 "
        f"`{report.prompt_sha256}`), the same tokens for all, up to {report.max_tokens} tokens, greedy, each program's "
        "own clock from the first token to the last.",
        "",
        f"{machine.processor}, {machine.physical_cores} cores, {machine.memory_bytes / 2**30:.0f} GiB, "
        f"{machine.system}; " + "; ".join(f"{name}: {version}" for name, version in report.versions.items()) + ".",
        "",
        "| tokens/s | " + " | ".join(kinds) + " | all | accepted |",
        "|---|" + "---|" * (len(kinds) + 2),
    ]
    for name, speeds in report.speeds.items():
        accepted = f"{report.accepted[name]:.0%}" if name in report.accepted else "–"
        cells = [f"{speeds[kind]:.1f}" for kind in (*kinds, "all")]
        lines.append(f"| {name} | {' | '.join(cells)} | {accepted} |")
    lines += ["", "| ours | theirs | factor (95%) | other such prompts | worst prompt | " + " | ".join(kinds) + " |",
              "|---|---|---|---|---|" + "---|" * len(kinds)]
    for match in report.matches:
        by_kind = " | ".join(f"{match.by_kind.get(kind, 0.0):.2f}×" for kind in kinds)
        lines.append(
            f"| {match.ours} | {match.theirs} | {_factor(match.measured)} | {_factor(match.such_prompts)} | "
            f"{match.worst:.2f}× {match.worst_prompt} | {by_kind} |"
        )
    return "\n".join(lines)


def _factor(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{estimate.factor:.2f}×"
    return f"{estimate.factor:.2f}× ({estimate.low:.2f}–{estimate.high:.2f})"
