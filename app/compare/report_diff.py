"""An earlier comparison beside the present one: which sides are the same, how their figures have changed, and what else
is not as it was. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath
from statistics import fmean, median

from app.compare.interval import Estimate
from app.compare.report import Report
from app.compare.side import Side
from app.records import Record
from app.sentences import say


class BesideRow(Record, frozen=True, kw_only=True):
    """A side of either. Speeds are medians in tokens/s, 0 where it was not in that comparison; ``change`` is how many
    times as fast it is now on the prompts that both have, None without any."""

    name: str
    now: float = 0.0
    then: float = 0.0
    speedup_now: Estimate | None = None
    speedup_then: Estimate | None = None
    change: float | None = None


class Beside(Record, frozen=True, kw_only=True):
    """``differences`` are sentences on what else is not as it was; ``prompts`` counts those that both have."""

    rows: list[BesideRow]
    prompts: int
    differences: list[str]


def set_beside(now: Report, then: Report) -> Beside:
    """Sides go together that have the same files, method and sampling, wherever the files lie."""
    shared = _shared_prompts(now, then)
    left = list(range(len(then.sides)))
    rows = []
    for index, side in enumerate(now.sides):
        twin = next((i for i in left if _mark(then.sides[i]) == _mark(side)), None)
        if twin is not None:
            left.remove(twin)
        rows.append(_row(now, index, then, twin, shared))
    for i in left:
        row = _row(then, i, now, None, {})
        rows.append(BesideRow(name=row.name, then=row.now, speedup_then=row.speedup_now))
    return Beside(rows=rows, prompts=len(shared), differences=_differences(now, then, len(shared)))


def _mark(side: Side) -> tuple[str, ...]:
    setup = side.setup
    draft = PurePath(setup.draft).name if setup.draft and side.method.partition(":")[0] in ("auto", "draft") else ""
    load = setup.load
    return (PurePath(setup.target).name, draft, side.method, load.cache_type_k, load.cache_type_v,
            str(getattr(load, "engine", "")), str(side.sampling))


def _shared_prompts(now: Report, then: Report) -> dict[str, str]:
    """Ids of now → ids of then, for prompts of the same text."""
    theirs = {prompt.sha256: prompt.id for prompt in then.prompts}
    return {prompt.id: theirs[prompt.sha256] for prompt in now.prompts if prompt.sha256 in theirs}


def _row(now: Report, index: int, then: Report, twin: int | None, shared: dict[str, str]) -> BesideRow:
    ours = now.result.overall.sides[index]
    if twin is None:
        return BesideRow(name=ours.side, now=ours.tokens_per_second, speedup_now=ours.speedup)
    theirs = then.result.overall.sides[twin]
    logs = []
    for prompt_id, their_id in shared.items():
        speeds = [_speed(now, ours.side, prompt_id), _speed(then, theirs.side, their_id)]
        if all(speeds):
            logs.append(math.log(speeds[0] / speeds[1]))
    return BesideRow(
        name=ours.side, now=ours.tokens_per_second, then=theirs.tokens_per_second, speedup_now=ours.speedup,
        speedup_then=theirs.speedup, change=math.exp(fmean(logs)) if logs else None,
    )


def _speed(report: Report, side: str, prompt_id: str) -> float:
    speeds = [trial.tokens_per_second for trial in report.trials
              if trial.side == side and trial.prompt_id == prompt_id and trial.tokens_per_second > 0]
    return median(speeds) if speeds else 0.0


def _differences(now: Report, then: Report, shared: int) -> list[str]:
    words = []
    if shared < max(len(now.prompts), len(then.prompts)):
        count = max(len(now.prompts), len(then.prompts))
        words.append(say("They have no prompt in common, so speeds cannot be compared.") if shared == 0
                     else say("They have {shared} of {count} prompts in common.", shared=shared, count=count))
    words += _changed("Processor", now.machine.processor, then.machine.processor)
    words += _changed("Program", now.machine.program, then.machine.program)
    words += _changed("Engine", now.machine.engine, then.machine.engine)
    words += _changed("Tokens at most", str(now.sides[0].max_tokens), str(then.sides[0].max_tokens))
    words += _changed("Files", _files(now), _files(then))
    return words


def _changed(what: str, now: str, then: str) -> list[str]:
    return [] if now == then else [f"{what}: {now}, then {then}."]


def _files(report: Report) -> str:
    names: Sequence[str] = sorted(f"{file.name} ({file.size_bytes:,} bytes)" for file in report.files)
    return ", ".join(names) or "unknown"
