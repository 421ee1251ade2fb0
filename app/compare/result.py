"""From timed answers to figures: per prompt, per kind and in all. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from statistics import fmean, median

from app.compare.interval import Estimate, pooled_interval, population_interval
from app.compare.trial import Trial
from app.records import Candidate, Record, TokenScore

ALL = "all"


class Divergence(Record, frozen=True, kw_only=True):
    """Where an answer's tokens leave the baseline's, and what the target alone, token by token, thinks of it.

    ``position`` counts tokens from 0. A candidate is None where that answer had ended, a score None where it was not
    asked for. ``gap`` = the baseline's candidate's logit − the other's; ``draw`` the random number behind the choice.
    """

    prompt_id: str
    side: str
    run: int
    position: int
    baseline_token_id: int | None
    token_id: int | None
    baseline_candidate: Candidate | None = None
    candidate: Candidate | None = None
    gap: float | None = None
    best_logit: float | None = None
    draw: float | None = None
    note: str = ""


class Phases(Record, frozen=True, kw_only=True):
    """Where the time of a group's answers went, summed, and the tokens they emitted."""

    prefill_s: float
    draft_s: float
    verify_s: float
    sample_s: float
    other_s: float
    decode_s: float
    tokens: int


class SideResult(Record, frozen=True, kw_only=True):
    """One side over a group of trials.

    ``speedup`` holds for these prompts on this machine; ``speedup_elsewhere`` takes the prompts as a sample and holds
    for others of their kinds (None for the baseline itself, and where nothing could be paired).
    ``tokens_per_second`` is the median. ``same_texts`` is the share of paired answers with the same tokens as the
    baseline's. Counts are sums over the trials; ``per_position_acceptance`` is weighted by their drafts.
    """

    side: str
    method: str
    trials: int
    tokens_per_second: float
    time_to_first_token_s: float
    speedup: Estimate | None
    speedup_elsewhere: Estimate | None
    worst_prompt: str = ""
    worst_speedup: float | None = None
    num_draft_tokens: int
    num_accepted_draft_tokens: int
    draft_acceptance_rate: float | None
    mean_acceptance_length: float
    acceptance_histogram: list[int]
    per_position_acceptance: list[float]
    phases: Phases
    other_share: float
    same_texts: float | None
    worker_peak_rss_bytes: int


class GroupResult(Record, frozen=True, kw_only=True):
    """A prompt, a kind, or ``ALL``."""

    name: str
    prompts: int
    sides: list[SideResult]


class Result(Record, frozen=True, kw_only=True):
    per_prompt: list[GroupResult]
    per_kind: list[GroupResult]
    overall: GroupResult
    partings: list[Divergence]


def summarise(
    trials: Sequence[Trial], sides: Sequence[str], first_rounds: int, partings: Sequence[Divergence] = ()
) -> Result:
    """``sides[0]`` is the baseline; ``first_rounds`` is the stopping rule's. Trials without a partner count in medians
    and not in speed-ups."""
    kinds = list(dict.fromkeys(trial.kind for trial in trials))
    ids = list(dict.fromkeys(trial.prompt_id for trial in trials))
    return Result(
        per_prompt=[_group(i, [t for t in trials if t.prompt_id == i], sides, first_rounds) for i in ids],
        per_kind=[_group(k, [t for t in trials if t.kind == k], sides, first_rounds) for k in kinds],
        overall=_group(ALL, trials, sides, first_rounds),
        partings=list(partings),
    )


def pair_trials(trials: Iterable[Trial], baseline: str, side: str) -> dict[str, list[tuple[Trial, Trial]]]:
    """Per prompt, the rounds that both sides have finished, in order."""
    of_baseline, of_side = {}, {}
    for trial in trials:
        if trial.side == baseline:
            of_baseline[trial.prompt_id, trial.run] = trial
        if trial.side == side:
            of_side[trial.prompt_id, trial.run] = trial
    pairs: dict[str, list[tuple[Trial, Trial]]] = {}
    for (prompt_id, run), ours in sorted(of_side.items(), key=lambda item: item[0]):
        theirs = of_baseline.get((prompt_id, run))
        if theirs is not None:
            pairs.setdefault(prompt_id, []).append((theirs, ours))
    return pairs


def paired_logs(trials: Iterable[Trial], baseline: str, side: str) -> dict[str, list[float]]:
    """Per prompt, ln of how many times as fast, round by round; prompts without any are left out."""
    by_run = paired_logs_by_run(trials, baseline, side)
    return {prompt_id: list(ratios.values()) for prompt_id, ratios in by_run.items()}


def paired_logs_by_run(trials: Iterable[Trial], baseline: str, side: str) -> dict[str, dict[int, float]]:
    """The same, by the number of the round."""
    pairs = pair_trials(trials, baseline, side)
    logs = {
        prompt_id: {pair[1].run: ratio for pair in runs if (ratio := log_ratio(*pair)) is not None}
        for prompt_id, runs in pairs.items()
    }
    return {prompt_id: ratios for prompt_id, ratios in logs.items() if ratios}


def compare_two(trials: Iterable[Trial], baseline: str, side: str, first_rounds: int) -> Estimate | None:
    """How many times as fast ``side`` is, over all prompts; None where nothing could be paired."""
    groups = list(paired_logs(trials, baseline, side).values())
    return pooled_interval(groups, first_rounds) if groups else None


def log_ratio(baseline: Trial, trial: Trial) -> float | None:
    """ln of how many times as fast; None where an answer was too short to have a speed."""
    if baseline.tokens_per_second <= 0 or trial.tokens_per_second <= 0:
        return None
    return math.log(trial.tokens_per_second / baseline.tokens_per_second)


def first_difference(baseline: Sequence[int], other: Sequence[int]) -> int | None:
    """Index of the first token that differs or that only one has; None where they are the same."""
    for index, (a, b) in enumerate(zip(baseline, other, strict=False)):
        if a != b:
            return index
    return None if len(baseline) == len(other) else min(len(baseline), len(other))


def find_divergences(trials: Sequence[Trial], sides: Sequence[str]) -> list[tuple[Trial, Trial, int]]:
    """(baseline, other, position) for every pair with other tokens; runs that repeat an earlier one are left out."""
    found: list[tuple[Trial, Trial, int]] = []
    seen: set[tuple[str, str, int, tuple[int, ...]]] = set()
    for side in sides[1:]:
        for pairs in pair_trials(trials, sides[0], side).values():
            for baseline, other in pairs:
                position = first_difference(baseline.token_ids, other.token_ids)
                if position is None:
                    continue
                mark = (other.prompt_id, side, position, (*baseline.token_ids[: position + 1],
                                                            *other.token_ids[: position + 1]))
                if mark not in seen:
                    seen.add(mark)
                    found.append((baseline, other, position))
    return found


def describe_divergence(
    baseline: Trial, other: Trial, position: int, of_baseline: TokenScore | None, of_other: TokenScore | None
) -> Divergence:
    """Both logits come from the target alone, over the same tokens before ``position``."""
    texts = {c.token_id: c.text for score in (of_baseline, of_other) if score for c in score.best}
    ours = _candidate(of_baseline, texts)
    theirs = _candidate(of_other, texts)
    known = of_baseline or of_other
    draws = other.draws or baseline.draws
    return Divergence(
        prompt_id=other.prompt_id, side=other.side, run=other.run, position=position,
        baseline_token_id=_item(baseline.token_ids, position), token_id=_item(other.token_ids, position),
        baseline_candidate=ours, candidate=theirs,
        gap=ours.logit - theirs.logit if ours and theirs else None,
        best_logit=known.logit + known.gap if known else None,
        draw=draws[position] if position < len(draws) else None,
    )


def _candidate(score: TokenScore | None, texts: Mapping[int, str]) -> Candidate | None:
    """A token that is among nobody's best has a number for a name."""
    if score is None:
        return None
    text = texts.get(score.token_id, f"[{score.token_id}]")
    return Candidate(token_id=score.token_id, text=text, logit=score.logit)


def _item(token_ids: Sequence[int], position: int) -> int | None:
    return token_ids[position] if position < len(token_ids) else None


def _group(name: str, trials: Sequence[Trial], sides: Sequence[str], first_rounds: int) -> GroupResult:
    return GroupResult(
        name=name, prompts=len({trial.prompt_id for trial in trials}),
        sides=[_side(trials, sides[0], side, first_rounds) for side in sides],
    )


def _side(trials: Sequence[Trial], baseline: str, side: str, first_rounds: int) -> SideResult:
    ours = [trial for trial in trials if trial.side == side]
    pairs = {} if side == baseline else pair_trials(trials, baseline, side)
    groups = {} if side == baseline else paired_logs(trials, baseline, side)
    means = {prompt_id: fmean(ratios) for prompt_id, ratios in groups.items()}
    worst = min(means, key=means.__getitem__, default="")
    speeds = [trial.tokens_per_second for trial in ours if trial.tokens_per_second > 0]
    drafted = sum(trial.speculation.num_draft_tokens for trial in ours)
    accepted = sum(trial.speculation.num_accepted_draft_tokens for trial in ours)
    steps = sum(trial.speculation.steps for trial in ours)
    phases = add_phases(ours)
    same = [a.token_ids == b.token_ids for runs in pairs.values() for a, b in runs]
    return SideResult(
        side=side, method=ours[0].method if ours else "", trials=len(ours),
        tokens_per_second=median(speeds) if speeds else 0.0,
        time_to_first_token_s=median(trial.timings.time_to_first_token_s for trial in ours) if ours else 0.0,
        speedup=pooled_interval(list(groups.values()), first_rounds) if groups else None,
        speedup_elsewhere=population_interval(list(groups.values())) if groups else None,
        worst_prompt=worst, worst_speedup=math.exp(means[worst]) if worst else None,
        num_draft_tokens=drafted, num_accepted_draft_tokens=accepted,
        draft_acceptance_rate=accepted / drafted if drafted else None,
        mean_acceptance_length=1 + accepted / steps if steps else 1.0,
        acceptance_histogram=_add_histograms([trial.speculation.acceptance_histogram for trial in ours]),
        per_position_acceptance=_mean_positions(ours),
        phases=phases, other_share=phases.other_s / phases.decode_s if phases.decode_s else 0.0,
        same_texts=sum(same) / len(same) if same else None,
        worker_peak_rss_bytes=max((trial.memory.worker_peak_rss_bytes for trial in ours), default=0),
    )


def add_phases(trials: Sequence[Trial]) -> Phases:
    timings = [trial.timings for trial in trials]
    return Phases(
        prefill_s=sum(t.prefill_s for t in timings), draft_s=sum(t.draft_s for t in timings),
        verify_s=sum(t.verify_s for t in timings), sample_s=sum(t.sample_s for t in timings),
        other_s=sum(t.other_s for t in timings), decode_s=sum(t.decode_s for t in timings),
        tokens=sum(len(trial.token_ids) for trial in trials),
    )


def _add_histograms(histograms: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip_longest(*histograms, fillvalue=0)]


def _mean_positions(trials: Sequence[Trial]) -> list[float]:
    """Shares by position, each trial weighted by its number of drafts."""
    weighted = [
        (trial.speculation.per_position_acceptance, sum(trial.speculation.acceptance_histogram)) for trial in trials
    ]
    means = []
    for position in range(max((len(shares) for shares, _ in weighted), default=0)):
        reaching = [(shares[position], drafts) for shares, drafts in weighted if position < len(shares) and drafts]
        total = sum(drafts for _, drafts in reaching)
        means.append(sum(share * drafts for share, drafts in reaching) / total if total else 0.0)
    return means
