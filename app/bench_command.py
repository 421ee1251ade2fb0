"""``slipstream bench``: methods against each other, on prompts of a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TextIO

from app.client.process import ProcessClient
from app.command_options import (
    MOST_TOKENS,
    add_model_options,
    add_sampling_options,
    draft_settings,
    load_settings,
    model_path,
    read_method,
    read_sampling,
    read_text,
    whole,
)
from app.compare.machine import describe_machine
from app.compare.plan import Plan, choose_prompts, parse_prompts
from app.compare.report import as_json, as_table, make_report
from app.compare.result import summarise
from app.compare.run import Comparison, Progress, Setting
from app.compare.trial import TrialFile, file_facts
from app.errors import Code, SlipstreamError
from app.interruption import Interruption


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    group = parser.add_argument_group("comparison")
    group.add_argument("--prompts", required=True, metavar="F.jsonl", help="lines of {id, kind, messages}")
    group.add_argument("--kinds", nargs="+", metavar="KIND", help="only prompts of these kinds")
    group.add_argument("--limit", type=whole(1, 1_000_000), metavar="N", help="the first N prompts of each kind")
    group.add_argument("--methods", nargs="+", required=True, metavar="M", help="compared with the first, mostly “off”")
    group.add_argument("--runs", type=whole(1, 10_000), default=2, metavar="R", help="answers per prompt (default 2)")
    group.add_argument("--max-tokens", type=whole(1, MOST_TOKENS), default=128, metavar="N", help="default 128")
    group.add_argument("--json", metavar="OUT", help="write everything there; runs are kept beside it and resumed")
    add_sampling_options(parser, temperature=0.0)
    parser.set_defaults(seed=1)


def run_bench(args: argparse.Namespace) -> int:
    """Raises ``SlipstreamError`` and ``UsageError``."""
    for method in args.methods:
        read_method(method, has_draft=bool(args.draft))
    prompts = choose_prompts(parse_prompts(read_text(args.prompts), args.prompts), args.kinds, args.limit)
    plan = Plan(prompts, args.methods, args.runs, args.max_tokens, read_sampling(args))
    model, draft = model_path(args.model), model_path(args.draft) if args.draft else None
    setting = Setting(
        target=file_facts(model), load=load_settings(args), draft=file_facts(draft) if draft else None,
        draft_load=draft_settings(args) if draft else None,
    )
    out = Path(args.json).expanduser() if args.json else None
    if out is not None and (out.is_dir() or not out.parent.is_dir()):
        raise SlipstreamError(Code.FILE, f"“{out}” cannot be written: there is no such folder, or it is one.", "Name a file.")
    kept = TrialFile(out.with_name(out.name + ".runs.jsonl") if out else None)
    line = _ProgressLine(sys.stderr)
    with ProcessClient() as client, Interruption(client.stop, client.kill) as interruption:

        def load() -> None:
            line.say(f"Loading {Path(model).name}" + (f" and {Path(draft).name}" if draft else "") + " …")
            client.load(model, setting.load)
            if draft and setting.draft_load:
                client.load_draft(draft, setting.draft_load)

        load()
        machine = describe_machine(client.ready.engine if client.ready else "")
        comparison = Comparison(
            client, plan, setting, machine, kept, load, line.show, lambda: interruption.happened
        )
        comparison.run()
        line.say("Comparing texts …" if not interruption.happened else "Stopped.")
        partings = comparison.compare_texts()
    if not comparison.trials:
        reason = comparison.failures[0].message if comparison.failures else "It was stopped before the first answer."
        raise SlipstreamError(Code.ABORTED, f"Nothing was measured: {reason}")
    result = summarise(comparison.trials, plan.labels, partings)
    report = make_report(plan, setting, machine, result, comparison.trials, comparison.failures)
    sys.stdout.write(as_table(report) + "\n")
    if out is not None:
        _write(out, as_json(report))
    return 1 if interruption.happened or comparison.failures else 0


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, f"The file “{path}” could not be written: {error.strerror}.", "Check the folder."
        ) from error


class _ProgressLine:
    def __init__(self, err: TextIO) -> None:
        self._err = err
        self._moves = err.isatty()

    def say(self, sentence: str) -> None:
        self._err.write(("\r\x1b[K" if self._moves else "") + sentence + "\n")
        self._err.flush()

    def show(self, progress: Progress) -> None:
        turn, trial = progress.turn, progress.trial
        left = "" if progress.left_s is None else f", {format_duration(progress.left_s)} left"
        head = f"[{progress.done}/{progress.total}{left}] {turn.prompt.id}, {progress.label}, run {turn.run + 1}"
        if trial is not None:
            note = " (from before)" if progress.from_before else ""
            self.say(f"{head}: {trial.tokens_per_second:.1f} tokens/s{note}")
        elif self._moves:
            self._err.write(f"\r\x1b[K{head} …")
            self._err.flush()


def format_duration(seconds: float) -> str:
    whole_seconds = round(seconds)
    if whole_seconds < 60:
        return f"{whole_seconds} s"
    minutes, rest = divmod(whole_seconds, 60)
    return f"{minutes}:{rest:02d} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d} h"
