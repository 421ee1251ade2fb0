"""``slipstream bench``: methods against each other, on prompts of a file."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

import msgspec

from app.cli.interruption import Interruption
from app.cli.options import (
    UsageError,
    add_model_options,
    add_sampling_options,
    draft_settings,
    load_settings,
    model_path,
    read_method,
    read_sampling,
    read_text,
    remote_model,
    whole,
)
from app.client.process import ProcessClient
from app.client.remote_paths import split_path
from app.compare.engines import EnginePool
from app.compare.measure import measure, measure_sweep
from app.compare.plan import Plan, PromptFile, StoppingRule, choose_prompts
from app.compare.prompt_text import read_prompts
from app.compare.report import as_json, as_markdown, as_table, describe_pair
from app.compare.results_page import put_section
from app.compare.run import Progress
from app.compare.side import ModelSetup, Side, name_apart, sides_of_methods, split_engine
from app.compare.sweep import FINAL_ROUNDS, MOST_LEADERS, sweep_sides
from app.compare.trial import TrialFile, file_facts, hash_file
from app.errors import Code, SlipstreamError
from app.methods import parse_method
from app.paths import prompts_file
from app.records import REMOTE, Sampling
from app.settings.table import MOST_TOKENS

SWEEP_MINUTES = 30
SWEEP_TOKENS = 64
TOKENS = 128


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    group = parser.add_argument_group("comparison")
    group.add_argument("--prompts", default=str(prompts_file()), metavar="F.jsonl",
                       help="lines of {id, kind, messages}, or plain text; the program's own where not given")
    group.add_argument("--kinds", nargs="+", metavar="KIND", help="only prompts of these kinds")
    group.add_argument("--limit", type=whole(1, 1_000_000), metavar="N", help="the first N prompts of each kind")
    sides = group.add_mutually_exclusive_group(required=True)
    sides.add_argument("--methods", nargs="+", metavar="M",
                       help="compared with the first, mostly “off”; one that is named twice measures the noise; "
                       "“ik/off” is “off” in the engine ik")
    sides.add_argument("--sweep", action="store_true", help="every draft length from 0 to 16 and every method")
    group.add_argument("--beside-draft", dest="drafts", action="append", default=[], metavar="GGUF",
                       help="the methods that ask a draft model once more, with this one; may be given again")
    group.add_argument("--beside-remote", dest="beside", type=remote_model, action="append", default=[],
                       metavar="[KIND+]URL[#MODEL]",
                       help="the same methods at a server elsewhere as well, as for --remote; may be given again")
    group.add_argument("--runs", type=whole(1, 10_000), metavar="R",
                       help="answers per prompt and method; without it, until the speed-up is known to 5%%")
    group.add_argument("--keep-prompts", action="store_true",
                       help="read a prompt once for all methods: sooner done, but without times to the first token")
    group.add_argument("--max-tokens", type=whole(1, MOST_TOKENS), metavar="N", help="default 128, 64 for a sweep")
    group.add_argument("--minutes", type=whole(1, 100_000), metavar="M",
                       help=f"a sweep leaves out prompts for which there is no time (default {SWEEP_MINUTES}); without "
                       "--runs, no round behind the first begins that would take longer")
    group.add_argument("--json", metavar="OUT", help="write everything there; runs are kept beside it and resumed")
    group.add_argument("--markdown", metavar="PAGE", help="put a section for this pair of models into this page")
    add_sampling_options(parser, temperature=0.0, seed=1)


def run_bench(args: argparse.Namespace) -> int:
    """Raises ``SlipstreamError`` and ``UsageError``."""
    plan = _read_plan(args)
    out, page = _read_out(args.json), _read_out(args.markdown)
    kept = TrialFile(out.with_name(out.name + ".runs.jsonl") if out else None)
    line = _ProgressLine(sys.stderr)
    several = len({side.setup for side in plan.sides}) > 1  # turns of two engines would be two loads each
    pool = EnginePool(ProcessClient, side_by_side=several, on_loading=line.show_load)
    with closing(pool), Interruption(pool.stop, pool.kill):
        hashes = out is not None or page is not None
        if args.sweep:
            minutes = args.minutes or SWEEP_MINUTES
            line.say(describe_sweep(plan, minutes))
            report = measure_sweep(pool, plan, kept, line.show, 60.0 * minutes, hashes)
        else:
            limit_s = 60.0 * args.minutes if args.minutes and not args.runs else None
            report = measure(pool, plan, kept, line.show, hashes=hashes, limit_s=limit_s)
    if pool.stopped:
        line.say("Stopped; this is what was finished.")
    sys.stdout.write(as_table(report) + "\n")
    if out is not None:
        _write(out, as_json(report))
    if page is not None:
        written = read_text(str(page)) if page.exists() else ""
        _write(page, put_section(written, describe_pair(report), as_markdown(report)).rstrip("\n"))
    return 1 if pool.stopped or report.failures else 0


def _read_plan(args: argparse.Namespace) -> Plan:
    draft = model_path(args.draft) if args.draft else None
    setup = ModelSetup(
        target=model_path(args.model), load=load_settings(args), draft=draft,
        draft_load=draft_settings(args) if draft else None,
    )
    for method in args.methods or ():
        read_method(split_engine(method)[1], has_draft=draft is not None or setup.target.startswith(REMOTE))
    if args.sweep and (args.beside or args.drafts):
        raise UsageError("A sweep is of one pair of models: --beside-draft and --beside-remote go with --methods.")
    others = [model_path(path) for path in args.drafts]
    if others and draft is None:
        raise UsageError("Name the draft that the others are compared with: --draft.")
    for path in filter(None, (setup.target, setup.draft, *others)):
        file_facts(path)
    text = read_text(args.prompts)
    limit = 1 if args.sweep and args.limit is None else args.limit
    max_tokens = args.max_tokens or (SWEEP_TOKENS if args.sweep else TOKENS)
    prompts = choose_prompts(read_prompts(text, args.prompts), args.kinds, limit)
    file = PromptFile(name=Path(args.prompts).name, sha256=hash_file(str(Path(args.prompts).expanduser())))
    sampling = read_sampling(args)
    sides = (
        sweep_sides(setup, sampling, max_tokens) if args.sweep
        else [*sides_of_methods(setup, args.methods, sampling, max_tokens),
              *_sides_of_drafts(setup, others, args.methods, sampling, max_tokens),
              *_sides_beside(args.beside, args.methods, sampling, max_tokens)]
    )
    rule = StoppingRule.fixed(args.runs or 1) if args.runs or args.sweep else StoppingRule.until_sure(len(prompts))
    return Plan(prompts, sides, rule, file, args.keep_prompts)


def _sides_of_drafts(
    setup: ModelSetup, drafts: list[str], methods: list[str], sampling: Sampling, max_tokens: int
) -> list[Side]:
    """The same target with other drafts, for the methods to which that makes a difference."""
    asking = [method for method in methods if parse_method(split_engine(method)[1]).name in ("draft", "auto")]
    sides = []
    for draft, title in zip(drafts, name_apart([Path(draft).name for draft in drafts]), strict=True):
        for side in sides_of_methods(msgspec.structs.replace(setup, draft=draft), asking, sampling, max_tokens):
            sides.append(msgspec.structs.replace(side, name=f"{side.name} with {title}"))
    return sides


def _sides_beside(remotes: list[str], methods: list[str], sampling: Sampling, max_tokens: int) -> list[Side]:
    """The same methods at servers elsewhere; a method of an engine of ours (“ik/off”) is not theirs."""
    theirs = [method for method in methods if split_engine(method)[0] is None]
    sides = []
    for remote in remotes:
        _, url, model = split_path(remote)
        where = f"{model or 'there'} ({urlsplit(url).netloc})"
        for side in sides_of_methods(ModelSetup(target=remote), theirs, sampling, max_tokens):
            sides.append(msgspec.structs.replace(side, name=f"{side.name} at {where}"))
    return sides


def describe_sweep(plan: Plan, minutes: int) -> str:
    """What a sweep will do; how long it takes is known, and shown, after its first answer."""
    answers = len(plan.sides) * len(plan.prompts) * plan.rule.first_rounds
    return (f"{len(plan.sides)} settings on {len(plan.prompts)} prompts: {answers} answers, then the {MOST_LEADERS} "
            f"fastest {FINAL_ROUNDS} times more; within {minutes} min.")


def _read_out(text: str | None) -> Path | None:
    out = Path(text).expanduser() if text else None
    if out is not None and (out.is_dir() or not out.parent.is_dir()):
        raise SlipstreamError(Code.FILE, f"“{out}” cannot be written.", "Name a file in a folder that is there.")
    return out


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

    def show_load(self, setup: ModelSetup) -> None:
        names = [Path(path).name for path in filter(None, (setup.target, setup.draft))]
        self.say(f"Loading {' and '.join(names)} …")

    def show(self, progress: Progress) -> None:
        turn, trial = progress.turn, progress.trial
        left = "" if progress.left_s is None else f", {format_duration(progress.left_s)} left"
        if progress.stage == "texts":
            self.say(f"Where texts part, {progress.done + 1} of {progress.total}: {turn.prompt.id}, {progress.side}")
            return
        if progress.stage == "probe":
            self.say(f"Trying {progress.side} as well: {turn.prompt.id}")
            return
        head = f"[{progress.done}/{progress.total}{left}] {turn.prompt.id}, {progress.side}, round {turn.run + 1}"
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
