"""Auto against fixed settings, judged fairly: the best fixed setting is chosen on odd repeats and scored on even ones.

Choosing and scoring on the same repeats would credit the chosen one with its good luck. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Literal

from app.compare.interval import Estimate, Noise, interval_with_noise, pooled_noise
from app.compare.result import ALL, paired_logs_by_run
from app.compare.side import Side
from app.compare.trial import Trial
from app.records import Record

LEAST_FOR_KINDS = 0.97
LEAST_FOR_PROMPTS = 0.95
"""Auto has failed a kind (a prompt) where the whole interval lies below this."""

Level = Literal["prompt", "kind", "all"]
Logs = Mapping[str, Mapping[int, float]]
"""Per prompt and round, ln of how many times as fast."""


class Standing(Record, frozen=True, kw_only=True):
    """How auto stands in a prompt, a kind, or all. ``best_fixed`` is the side that was fastest on odd repeats, ""
    where there are no even ones to score it on; ``against_best`` is from the even ones."""

    name: str
    level: Level
    prompts: int
    against_baseline: Estimate | None
    best_fixed: str
    against_best: Estimate | None


class NoiseRow(Record, frozen=True, kw_only=True):
    """A setting against itself: ``spread`` is the standard deviation of a pair's ln."""

    side: str
    again: str
    estimate: Estimate
    spread: float | None


class AgainstFixed(Record, frozen=True, kw_only=True):
    """``fixed`` holds auto against each fixed side over all prompts and repeats, the baseline among them."""

    auto: str
    baseline: str
    standings: list[Standing]
    fixed: dict[str, Estimate]

    def count_below(self, level: Level, least: float, of_best: bool) -> int:
        """How many of ``level`` have their whole interval below ``least``: that against the best fixed setting, or that
        against the baseline."""
        estimates = [s.against_best if of_best else s.against_baseline for s in self.standings if s.level == level]
        return sum(estimate is not None and estimate.high is not None and estimate.high < least
                   for estimate in estimates)


def judge_auto(trials: Sequence[Trial], sides: Sequence[Side]) -> AgainstFixed | None:
    """None without an auto side and at least two fixed ones that differ. ``sides[0]`` is the baseline.

    The noise of a pair is taken to be the same in all prompts, so that few repeats of each still give an interval.
    """
    first = [side for index, side in enumerate(sides) if not any(_is_same(side, each) for each in sides[:index])]
    auto = next((side.name for side in first if _is_auto(side)), None)
    fixed = [side.name for side in first if not _is_auto(side)]
    if auto is None or len(fixed) < 2:
        return None
    logs = {name: paired_logs_by_run(trials, name, auto) for name in fixed}
    noises = {name: _noise(runs) for name, runs in logs.items()}
    kinds: dict[str, list[str]] = {}
    for prompt_id, kind in {trial.prompt_id: trial.kind for trial in trials}.items():
        kinds.setdefault(kind, []).append(prompt_id)
    everything = [prompt_id for ids in kinds.values() for prompt_id in ids]
    baseline = sides[0].name
    groups: list[tuple[str, Level, list[str]]] = [(kind, "kind", ids) for kind, ids in kinds.items()]
    groups.append((ALL, "all", everything))
    groups += [(prompt_id, "prompt", [prompt_id]) for prompt_id in everything]
    return AgainstFixed(
        auto=auto, baseline=baseline,
        standings=[_stand(name, level, ids, logs, noises, baseline) for name, level, ids in groups],
        fixed={name: estimate for name in fixed
               if (estimate := _estimate(logs[name], everything, noises[name])) is not None},
    )


def find_noise(trials: Sequence[Trial], sides: Sequence[Side]) -> list[NoiseRow]:
    """One for every side that repeats an earlier one."""
    rows = []
    for index, side in enumerate(sides):
        earlier = next((s for s in sides[:index] if _is_same(s, side)), None)
        if earlier is None:
            continue
        logs = paired_logs_by_run(trials, earlier.name, side.name)
        noise = _noise(logs)
        estimate = _estimate(logs, list(logs), noise)
        if estimate is not None:
            rows.append(NoiseRow(side=earlier.name, again=side.name, estimate=estimate,
                                 spread=noise[0] if noise is not None else None))
    return rows


def _stand(name: str, level: Level, ids: Sequence[str], logs: Mapping[str, Logs], noises: Mapping[str, Noise | None],
           baseline: str) -> Standing:
    chosen = _choose(ids, logs)
    against = _estimate(logs[chosen], ids, noises[chosen], odd=False) if chosen else None
    return Standing(
        name=name, level=level, prompts=len(ids),
        against_baseline=_estimate(logs[baseline], ids, noises[baseline]) if baseline in logs else None,
        best_fixed=chosen if against is not None else "", against_best=against,
    )


def _choose(ids: Sequence[str], logs: Mapping[str, Logs]) -> str:
    """The side against which auto does worst on odd repeats; "" where none was measured on all of ``ids``."""
    means = {}
    for name, runs in logs.items():
        groups = _groups(runs, ids, odd=True)
        if groups and len(groups) == len(ids):
            means[name] = fmean(fmean(group) for group in groups)
    return min(means, key=means.__getitem__, default="")


def _estimate(runs: Logs, ids: Sequence[str], noise: Noise | None, odd: bool | None = None) -> Estimate | None:
    groups = _groups(runs, ids, odd)
    return interval_with_noise(groups, noise) if groups else None


def _groups(runs: Logs, ids: Sequence[str], odd: bool | None) -> list[list[float]]:
    """The ln of each prompt; of odd or of even repeats alone where ``odd`` says so (the first repeat is an odd one)."""
    groups = [[log for run, log in runs.get(i, {}).items() if odd is None or (run % 2 == 0) is odd] for i in ids]
    return [group for group in groups if group]


def _noise(runs: Logs) -> Noise | None:
    return pooled_noise([list(logs.values()) for logs in runs.values()])


def _is_auto(side: Side) -> bool:
    return side.method.partition(":")[0] == "auto"


def _is_same(one: Side, other: Side) -> bool:
    return (one.setup, one.method, one.sampling, one.max_tokens) == (
        other.setup, other.method, other.sampling, other.max_tokens)
