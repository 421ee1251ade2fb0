"""From timed answers to figures: per prompt, per kind and in all. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median

from app.compare.interval import Estimate, pooled_interval, population_interval
from app.compare.trial import Trial
from app.terms import Candidate, Record, TokenScore

ALL = "all"


class Parting(Record, frozen=True, kw_only=True):
    """Where an answer's tokens leave the baseline's, and what the target alone, token by token, thinks of it.

    ``position`` counts tokens from 0. A candidate is None where that answer had ended, a score None where it was not
    asked for. ``gap`` = the baseline's candidate's logit − the other's; ``draw`` the random number behind the choice.
    """

    prompt_id: str
    method: str
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


class MethodResult(Record, frozen=True, kw_only=True):
    """One method over a group of trials.

    ``speedup`` takes the prompts as a sample of their kind, ``speedup_here`` holds for these very prompts (None for the
    baseline itself, and where nothing could be paired). ``same_texts`` is the share of paired answers with the same
    tokens as the baseline's, ``other_share`` the share of decode time spent outside of drafting, verifying, sampling.
    """

    method: str
    trials: int
    tokens_per_second: float
    speedup: Estimate | None
    speedup_here: Estimate | None
    worst_prompt: str = ""
    worst_speedup: float | None = None
    num_draft_tokens: int
    num_accepted_draft_tokens: int
    draft_acceptance_rate: float | None
    mean_acceptance_length: float
    other_share: float
    same_texts: float | None


class GroupResult(Record, frozen=True, kw_only=True):
    """A prompt, a kind, or ``ALL``."""

    name: str
    prompts: int
    methods: list[MethodResult]


class Result(Record, frozen=True, kw_only=True):
    per_prompt: list[GroupResult]
    per_kind: list[GroupResult]
    overall: GroupResult
    partings: list[Parting]


def summarise(trials: Sequence[Trial], methods: Sequence[str], partings: Sequence[Parting] = ()) -> Result:
    """``methods[0]`` is the baseline. Trials without a partner count in medians and not in speed-ups."""
    kinds = list(dict.fromkeys(trial.kind for trial in trials))
    ids = list(dict.fromkeys(trial.prompt_id for trial in trials))
    return Result(
        per_prompt=[_group(i, [t for t in trials if t.prompt_id == i], methods) for i in ids],
        per_kind=[_group(k, [t for t in trials if t.kind == k], methods) for k in kinds],
        overall=_group(ALL, trials, methods),
        partings=list(partings),
    )


def pair_trials(trials: Iterable[Trial], baseline: str, method: str) -> dict[str, list[tuple[Trial, Trial]]]:
    """Per prompt, the runs that both methods have finished, in order."""
    of_baseline, of_method = {}, {}
    for trial in trials:
        if trial.method == baseline:
            of_baseline[trial.prompt_id, trial.run] = trial
        if trial.method == method:
            of_method[trial.prompt_id, trial.run] = trial
    pairs: dict[str, list[tuple[Trial, Trial]]] = {}
    for (prompt_id, run), ours in sorted(of_method.items(), key=lambda item: item[0]):
        theirs = of_baseline.get((prompt_id, run))
        if theirs is not None:
            pairs.setdefault(prompt_id, []).append((theirs, ours))
    return pairs


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


def find_partings(trials: Sequence[Trial], methods: Sequence[str]) -> list[tuple[Trial, Trial, int]]:
    """(baseline, other, position) for every pair with other tokens; runs that repeat an earlier one are left out."""
    found: list[tuple[Trial, Trial, int]] = []
    seen: set[tuple[str, str, int, tuple[int, ...]]] = set()
    for method in methods[1:]:
        for pairs in pair_trials(trials, methods[0], method).values():
            for baseline, other in pairs:
                position = first_difference(baseline.token_ids, other.token_ids)
                if position is None:
                    continue
                mark = (other.prompt_id, method, position, (*baseline.token_ids[: position + 1],
                                                            *other.token_ids[: position + 1]))
                if mark not in seen:
                    seen.add(mark)
                    found.append((baseline, other, position))
    return found


def describe_parting(
    baseline: Trial, other: Trial, position: int, of_baseline: TokenScore | None, of_other: TokenScore | None
) -> Parting:
    """Both logits come from the target alone, over the same tokens before ``position``."""
    ours = _candidate(of_baseline)
    theirs = _candidate(of_other)
    known = of_baseline or of_other
    draws = other.draws or baseline.draws
    return Parting(
        prompt_id=other.prompt_id, method=other.method, run=other.run, position=position,
        baseline_token_id=_item(baseline.token_ids, position), token_id=_item(other.token_ids, position),
        baseline_candidate=ours, candidate=theirs,
        gap=ours.logit - theirs.logit if ours and theirs else None,
        best_logit=known.logit + known.gap if known else None,
        draw=draws[position] if position < len(draws) else None,
    )


def _candidate(score: TokenScore | None) -> Candidate | None:
    if score is None:
        return None
    texts = {candidate.token_id: candidate.text for candidate in score.best}
    return Candidate(token_id=score.token_id, text=texts.get(score.token_id, ""), logit=score.logit)


def _item(token_ids: Sequence[int], position: int) -> int | None:
    return token_ids[position] if position < len(token_ids) else None


def _group(name: str, trials: Sequence[Trial], methods: Sequence[str]) -> GroupResult:
    return GroupResult(
        name=name, prompts=len({trial.prompt_id for trial in trials}),
        methods=[_method(trials, methods[0], method, index == 0) for index, method in enumerate(methods)],
    )


def _method(trials: Sequence[Trial], baseline: str, method: str, is_baseline: bool) -> MethodResult:
    ours = [trial for trial in trials if trial.method == method]
    pairs = {} if is_baseline else pair_trials(trials, baseline, method)
    logs = {
        prompt_id: [ratio for pair in runs if (ratio := log_ratio(*pair)) is not None]
        for prompt_id, runs in pairs.items()
    }
    groups = {prompt_id: ratios for prompt_id, ratios in logs.items() if ratios}
    means = {prompt_id: sum(ratios) / len(ratios) for prompt_id, ratios in groups.items()}
    worst = min(means, key=means.__getitem__, default="")
    speeds = [trial.tokens_per_second for trial in ours if trial.tokens_per_second > 0]
    drafted = sum(trial.speculation.num_draft_tokens for trial in ours)
    accepted = sum(trial.speculation.num_accepted_draft_tokens for trial in ours)
    steps = sum(trial.speculation.steps for trial in ours)
    decode_s = sum(trial.timings.decode_s for trial in ours)
    same = [a.token_ids == b.token_ids for runs in pairs.values() for a, b in runs]
    return MethodResult(
        method=method, trials=len(ours), tokens_per_second=median(speeds) if speeds else 0.0,
        speedup=population_interval(list(groups.values())) if groups else None,
        speedup_here=pooled_interval(list(groups.values())) if groups else None,
        worst_prompt=worst, worst_speedup=math.exp(means[worst]) if worst else None,
        num_draft_tokens=drafted, num_accepted_draft_tokens=accepted,
        draft_acceptance_rate=accepted / drafted if drafted else None,
        mean_acceptance_length=1 + accepted / steps if steps else 1.0,
        other_share=sum(trial.timings.other_s for trial in ours) / decode_s if decode_s else 0.0,
        same_texts=sum(same) / len(same) if same else None,
    )
