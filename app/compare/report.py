"""Results as a table for a terminal, as Markdown for a report, as JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from app.compare.interval import Estimate
from app.compare.machine import MachineFacts
from app.compare.plan import Plan, Prompt
from app.compare.result import GroupResult, MethodResult, Parting, Result
from app.compare.run import Failure, Setting
from app.compare.trial import Trial
from app.terms import Record

_MOST_PARTINGS = 12


class Report(Record, frozen=True, kw_only=True):
    """Everything a comparison brought, and on what."""

    machine: MachineFacts
    setting: Setting
    methods: list[str]
    runs: int
    max_tokens: int
    sampling: Any
    prompts: list[dict[str, str]]
    result: Result
    trials: list[Trial]
    failures: list[Failure]


def make_report(
    plan: Plan, setting: Setting, machine: MachineFacts, result: Result, trials: Sequence[Trial],
    failures: Sequence[Failure],
) -> Report:
    return Report(
        machine=machine, setting=setting, methods=plan.labels, runs=plan.runs, max_tokens=plan.max_tokens,
        sampling=plan.sampling, prompts=[_prompt_facts(prompt) for prompt in plan.prompts], result=result,
        trials=list(trials), failures=list(failures),
    )


def _prompt_facts(prompt: Prompt) -> dict[str, str]:
    return {"id": prompt.id, "kind": prompt.kind, "sha256": prompt.sha256}


def as_json(report: Report) -> str:
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


_Column = tuple[str, Callable[[GroupResult, MethodResult], str]]

_COLUMNS: tuple[_Column, ...] = (
    ("kind", lambda group, method: group.name),
    ("method", lambda group, method: method.method),
    ("tokens/s", lambda group, method: f"{method.tokens_per_second:.1f}"),
    ("speed-up (95%)", lambda group, method: format_estimate(method.speedup)),
    ("worst prompt", lambda group, method: _worst(method)),
    ("accepted", lambda group, method: _share(method.draft_acceptance_rate)),
    ("other", lambda group, method: f"{method.other_share:.1%}"),
    ("same text", lambda group, method: _share(method.same_texts)),
)


def format_estimate(estimate: Estimate | None) -> str:
    """“1.42× (1.35–1.50)”."""
    if estimate is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.factor:.2f}×"
    return f"{estimate.factor:.2f}× ({estimate.low:.2f}–{estimate.high:.2f})"


def _worst(method: MethodResult) -> str:
    return f"{method.worst_speedup:.2f}× {method.worst_prompt}" if method.worst_speedup is not None else "–"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _rows(result: Result) -> list[list[str]]:
    groups = [*result.per_kind, result.overall] if len(result.per_kind) > 1 else [result.overall]
    return [[cell(group, method) for _, cell in _COLUMNS] for group in groups for method in group.methods]


def as_table(report: Report) -> str:
    """Columns padded to their width, a line between groups, and what needs a sentence below."""
    titles = [title for title, _ in _COLUMNS]
    rows = _rows(report.result)
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    left = {0, 1, 4}

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    lines = [line(titles), "─" * len(line(["x" * width for width in widths]))]
    previous = ""
    for row in rows:
        if previous not in ("", row[0]):
            lines.append("")
        previous = row[0]
        lines.append(line(row))
    return "\n".join([*lines, *_remarks(report)])


def as_markdown(report: Report) -> str:
    """A table ready to paste, with what is needed to repeat the measurement above it."""
    machine, setting = report.machine, report.setting
    models = f"`{setting.target.name}`" + (f" with draft `{setting.draft.name}`" if setting.draft else "")
    head = [
        f"**{models}**, {report.runs} runs of {len(report.prompts)} prompts, up to {report.max_tokens} tokens, "
        f"temperature {report.sampling.temperature:g}, context {setting.load.ctx_tokens}.",
        "",
        f"{machine.processor}, {machine.physical_cores} cores, {machine.memory_bytes / 2**30:.0f} GiB, "
        f"{machine.system}; Slipstream {machine.program}, {machine.engine}.",
        "",
    ]
    titles = [title for title, _ in _COLUMNS]
    table = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    table += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in _rows(report.result)]
    return "\n".join([*head, *table, *_remarks(report)])


def _remarks(report: Report) -> list[str]:
    partings, lines = report.result.partings, []
    if partings:
        lines += ["", f"Where texts part from “{report.methods[0]}”:"]
        lines += [f"  {describe_parting_in_words(parting)}" for parting in partings[:_MOST_PARTINGS]]
        if len(partings) > _MOST_PARTINGS:
            lines.append(f"  and {len(partings) - _MOST_PARTINGS} more.")
    if report.failures:
        lines += ["", "Without figures:"]
        lines += [f"  {f.prompt_id}, {f.method}, run {f.run + 1}: {f.message}" for f in report.failures]
    return lines


def describe_parting_in_words(parting: Parting) -> str:
    """One line: where, both candidates with their logits, the gap, the draw."""
    where = f"{parting.prompt_id}, {parting.method}: token {parting.position}"
    ours, theirs = parting.baseline_candidate, parting.candidate
    if parting.note:
        return f"{where}; could not be scored: {parting.note}"
    if ours is None or theirs is None:
        return f"{where}; one answer had ended there"
    draw = "" if parting.draw is None else f", draw {parting.draw:.4f}"
    return f"{where}, {ours.text!r} {ours.logit:.3f} against {theirs.text!r} {theirs.logit:.3f}, " \
        f"gap {abs(ours.logit - theirs.logit):.3f}{draw}"
