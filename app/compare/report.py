"""Results as a table for a terminal, as Markdown for a report, as CSV for a spreadsheet, as JSON for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from app.compare.auto_vs_fixed import TITLE, describe_noise, describe_standing, standing_rows
from app.compare.best_fixed import AgainstFixed, NoiseRow, find_noise, judge_auto
from app.compare.disturbance import is_disturbed
from app.compare.machine import MachineFacts
from app.compare.plan import Plan, Prompt, PromptFile, StoppingRule
from app.compare.result import Divergence, GroupResult, Result, SideResult
from app.compare.run import Failure
from app.compare.side import Side
from app.compare.sweep import Sweep
from app.compare.trial import FileFacts, Trial
from app.compare.verdict import Hint, Verdict, format_estimate, format_range, give_verdicts
from app.records import Record
from app.sentences import as_text

_MOST_PARTINGS = 12


class PromptFacts(Record, frozen=True, kw_only=True):
    id: str
    kind: str
    sha256: str


class Report(Record, frozen=True, kw_only=True):
    """Everything a comparison brought, and on what. ``methods`` are the names of the sides, in order."""

    machine: MachineFacts
    files: list[FileFacts]
    methods: list[str]
    sides: list[Side]
    rule: StoppingRule
    rounds: int
    prompts: list[PromptFacts]
    verdicts: list[Verdict]
    result: Result
    sweep: Sweep | None = None
    against_fixed: AgainstFixed | None = None
    hint: Hint | None = None
    noise: list[NoiseRow] = msgspec.field(default_factory=list)
    prompt_file: PromptFile | None = None
    keeps_prompts: bool = False
    failures: list[Failure]
    trials: list[Trial]


def make_report(
    plan: Plan, machine: MachineFacts, files: Sequence[FileFacts], result: Result, trials: Sequence[Trial],
    failures: Sequence[Failure], sweep: Sweep | None = None, hint: Hint | None = None,
) -> Report:
    return Report(
        machine=machine, files=list(files), methods=[side.name for side in plan.sides], sides=plan.sides,
        rule=plan.rule, rounds=1 + max((trial.run for trial in trials), default=-1),
        prompts=[_prompt_facts(prompt) for prompt in plan.prompts], verdicts=give_verdicts(result, hint),
        result=result,
        sweep=sweep, hint=hint, against_fixed=judge_auto(trials, plan.sides), noise=find_noise(trials, plan.sides),
        prompt_file=plan.prompt_file, keeps_prompts=plan.keeps_prompts, failures=list(failures), trials=list(trials),
    )


def _prompt_facts(prompt: Prompt) -> PromptFacts:
    return PromptFacts(id=prompt.id, kind=prompt.kind, sha256=prompt.sha256)


def as_json(report: Report) -> str:
    return msgspec.json.format(msgspec.json.encode(report, enc_hook=as_text), indent=2).decode()


_Column = tuple[str, Callable[[GroupResult, SideResult], str]]

_COLUMNS: tuple[_Column, ...] = (
    ("kind", lambda group, side: group.name),
    ("method", lambda group, side: side.side),
    ("tokens/s", lambda group, side: f"{side.tokens_per_second:.1f}"),
    ("speed-up (95%)", lambda group, side: format_estimate(side.speedup)),
    ("other such prompts", lambda group, side: format_range(side.speedup_elsewhere)),
    ("worst prompt", lambda group, side: _worst(side)),
    ("accepted", lambda group, side: _share(side.draft_acceptance_rate)),
    ("other time", lambda group, side: f"{side.other_share:.1%}"),
    ("same text", lambda group, side: _share(side.same_texts)),
)
_LEFT = {0, 1, 5}


def _worst(side: SideResult) -> str:
    return f"{side.worst_speedup:.2f}× {side.worst_prompt}" if side.worst_speedup is not None else "–"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _rows(result: Result) -> list[list[str]]:
    groups = [*result.per_kind, result.overall] if len(result.per_kind) > 1 else [result.overall]
    return [[cell(group, side) for _, cell in _COLUMNS] for group in groups for side in group.sides]


def as_table(report: Report) -> str:
    """Columns padded to their width, a gap between groups, verdicts and what needs a sentence below."""
    titles = [title for title, _ in _COLUMNS]
    rows = _rows(report.result)
    lines = _pad([titles, *rows], _LEFT)
    lines.insert(1, "─" * max(map(len, lines)))
    for index in range(len(rows) - 1, 0, -1):
        if rows[index][0] != rows[index - 1][0]:
            lines.insert(index + 2, "")
    verdicts = ["", *(f"{verdict.side}: {verdict.sentence}" for verdict in report.verdicts)]
    sweep = sweep_as_table(report.sweep) if report.sweep else []
    standing = standing_as_table(report.against_fixed) if report.against_fixed else []
    noise = describe_noise(report.noise)
    return "\n".join([
        *lines, *(verdicts if report.verdicts else []), *sweep, *standing, *(["", *noise] if noise else []),
        *_remarks(report),
    ])


def _pad(rows: Sequence[Sequence[str]], left: set[int]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def sweep_as_table(sweep: Sweep) -> list[str]:
    return ["", sweep_head(sweep), *_pad(sweep_rows(sweep), {0, 4})]


def sweep_head(sweep: Sweep) -> str:
    if sweep.acceptance is None or sweep.draft_cost is None:
        return "Sweep"
    return f"Sweep: a drafted token is accepted with {sweep.acceptance:.0%}, and costs {sweep.draft_cost:.2f} steps"


def sweep_rows(sweep: Sweep) -> list[list[str]]:
    """A head, and measured beside expected, the best marked."""
    rows = [["draft tokens", "measured", "expected", "verify cost", ""]]
    for point in sweep.points:
        rows.append([
            point.side if point.draft_length is None else str(point.draft_length),
            format_estimate(point.measured),
            "–" if point.expected is None else f"{point.expected:.2f}×",
            "–" if point.costs is None else f"{point.costs.verify_cost:.2f}",
            "← best" if point.side == sweep.best else "",
        ])
    return rows


def standing_as_table(against: AgainstFixed) -> list[str]:
    """Kinds, then prompts, then how many of them auto has failed."""
    return ["", TITLE, *_pad(standing_rows(against, "kind"), {0, 2}), "",
            *_pad(standing_rows(against, "prompt"), {0, 2}), "", *describe_standing(against)]


def as_markdown(report: Report) -> str:
    """A table ready to paste, with what is needed to repeat the measurement above it."""
    machine, side = report.machine, report.sides[0]
    head = [
        f"**{_models(side)}**: {report.rounds} rounds of {len(report.prompts)} prompts, up to {side.max_tokens} "
        f"tokens, temperature {side.sampling.temperature:g}, context {side.setup.load.ctx_tokens}.",
        "",
        f"{machine.processor}, {machine.physical_cores} cores, {machine.memory_bytes / 2**30:.0f} GiB, "
        f"{machine.system}; Slipstream {machine.program}, {machine.engine}.",
        "",
    ]
    table = _markdown_table([[title for title, _ in _COLUMNS], *_rows(report.result)])
    verdicts = ["", *(f"- {_cell(verdict.side)}: {verdict.sentence}" for verdict in report.verdicts)]
    files = ["", *(f"- `{file.name}`, {file.size_bytes:,} bytes" + (f", SHA-256 `{file.sha256}`" if file.sha256 else "")
                   for file in report.files)]
    prompts = ["", *_describe_prompts(report)]
    standing, noise = _standing_as_markdown(report.against_fixed), describe_noise(report.noise)
    sweep = _sweep_as_markdown(report.sweep)
    parts = (head, table, verdicts, sweep, standing, ["", *noise] if noise else [], files, prompts, _remarks(report))
    return "\n".join(line for part in parts for line in part)


def _markdown_table(rows: Sequence[Sequence[str]]) -> list[str]:
    head, *rest = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return [head, "|" + "---|" * len(rows[0]), *rest]


def _sweep_as_markdown(sweep: Sweep | None) -> list[str]:
    if sweep is None:
        return []
    lines = ["", f"{sweep_head(sweep)}.", ""]
    return lines + _markdown_table(sweep_rows(sweep))


def _standing_as_markdown(against: AgainstFixed | None) -> list[str]:
    if against is None:
        return []
    return ["", f"**{TITLE}**", "", *_markdown_table(standing_rows(against, "kind")), "",
            *_markdown_table(standing_rows(against, "prompt")), "",
            *(f"- {line}" for line in describe_standing(against))]


def _describe_prompts(report: Report) -> list[str]:
    """The file and its hash; the prompts' own hashes where they come from no file."""
    file = report.prompt_file
    if file is not None:
        ids = ", ".join(f"`{prompt.id}`" for prompt in report.prompts)
        return [f"Prompts {ids} of `{file.name}`, SHA-256 `{file.sha256}`."]
    return [f"- Prompt `{_cell(prompt.id)}`, SHA-256 `{prompt.sha256}`" for prompt in report.prompts]


def describe_pair(report: Report) -> str:
    """The models of the first side, as a heading; the second engine has sections of its own beside the first one's."""
    return _models(report.sides[0]) + (", ik_llama.cpp" if report.machine.engine.startswith("ik-llama") else "")


def _models(side: Side) -> str:
    setup = side.setup
    draft = f" with draft `{Path(setup.draft).name}`" if setup.draft else ""
    return f"`{Path(setup.target).name}`{draft}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


_CSV_FIELDS = ("prompt_id", "kind", "side", "method", "run", "seed", "started_at", "wall_s", "stop_reason",
               "prompt_tokens", "other_load", "attempt")
_CSV_FIGURES = ("steps", "num_draft_tokens", "num_accepted_draft_tokens", "draft_acceptance_rate",
                "mean_acceptance_length")


def as_csv(report: Report) -> str:
    """One line per answer, without its text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    times = list(report.trials[0].timings.__struct_fields__) if report.trials else []
    writer.writerow([*_CSV_FIELDS, "tokens", *times, *_CSV_FIGURES])
    for trial in report.trials:
        writer.writerow([
            *(getattr(trial, name) for name in _CSV_FIELDS), len(trial.token_ids),
            *(getattr(trial.timings, name) for name in times),
            *(getattr(trial.speculation, name) for name in _CSV_FIGURES),
        ])
    return out.getvalue()


def _remarks(report: Report) -> list[str]:
    partings, lines = report.result.partings, []
    if partings:
        lines += ["", f"Where texts part from “{report.methods[0]}”:"]
        lines += [f"  {describe_divergence_in_words(parting)}" for parting in partings[:_MOST_PARTINGS]]
        if len(partings) > _MOST_PARTINGS:
            lines.append(f"  and {len(partings) - _MOST_PARTINGS} more.")
    load = describe_load(report.trials)
    lines += ["", *load] if load else []
    if report.keeps_prompts:
        lines += ["", "Each prompt was read once for all methods, so times to the first token tell nothing."]
    if report.failures:
        lines += ["", "Without figures:"]
        lines += [f"  {f.prompt_id}, {f.side}, round {f.run + 1}: {f.message}" for f in report.failures]
    return lines


def describe_load(trials: Sequence[Trial]) -> list[str]:
    """Sentences on answers that other programs slowed down; none where the machine was at rest."""
    repeated, disturbed = sum(trial.attempt > 1 for trial in trials), sum(map(is_disturbed, trials))
    words = []
    if repeated:
        words.append(f"{repeated} of {len(trials)} answers were disturbed by other load and made again.")
    if disturbed:
        share = max(trial.other_load for trial in trials)
        words.append(f"{disturbed} of {len(trials)} answers were made while other programs took up to {share:.0%} of "
                     "the processors: measure again when the machine is at rest.")
    return words


def describe_divergence_in_words(parting: Divergence) -> str:
    """One line: where, both candidates with their logits, the gap, the draw."""
    where = f"{parting.prompt_id}, {parting.side}: token {parting.position}"
    ours, theirs = parting.baseline_candidate, parting.candidate
    if parting.note:
        return f"{where}; could not be scored: {parting.note}"
    if ours is None or theirs is None:
        return f"{where}; one answer had ended there"
    draw = "" if parting.draw is None else f", draw {parting.draw:.4f}"
    return f"{where}, {ours.text!r} {ours.logit:.3f} against {theirs.text!r} {theirs.logit:.3f}, " \
        f"gap {abs(ours.logit - theirs.logit):.3f}{draw}"
