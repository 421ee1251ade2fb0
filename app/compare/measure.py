"""The whole way from a plan to a report: the one code path of panel and command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from app.compare.engines import EnginePool
from app.compare.machine import MachineFacts, describe_machine
from app.compare.plan import Plan, StoppingRule
from app.compare.report import Report, make_report
from app.compare.result import Divergence, summarise
from app.compare.run import Comparison, Failure, Progress
from app.compare.side import Side
from app.compare.sweep import FINAL_ROUNDS, FINAL_SHARE, find_leaders, read_sweep
from app.compare.trial import FileFacts, Trial, TrialFile, file_facts, hash_file
from app.compare.verdict import Hint, give_verdicts
from app.errors import Code, SlipstreamError
from app.methods import FREE_METHODS, METHODS, parse_method
from app.sentences import joined, say

HINT_METHOD = "ngram-simple"
"""Costs no memory and no draft model, so anyone may switch it on."""
ENDING_S = 20.0
"""Kept of a time limit for what follows the last round: what drafting from the text would gain, where texts part."""

OnProgress = Callable[[Progress], None]


def measure(
    pool: EnginePool, plan: Plan, kept: TrialFile, on_progress: OnProgress, in_blocks: bool = False,
    hashes: bool = False, limit_s: float | None = None,
) -> Report:
    """Run ``plan``, ask where texts part, and sum up. A pool that was stopped gives a report of what is finished.

    ``hashes`` adds the files' SHA-256, a second for each few hundred megabytes. Loading and measuring take no longer
    than ``limit_s`` seconds unless the first rounds do. The pool stays open.

    Raises:
        SlipstreamError: where models could not be loaded, results not kept, or nothing was measured.
    """
    started = time.monotonic()
    machine = _prepare(pool, plan)
    left_s = None if limit_s is None else limit_s - ENDING_S - (time.monotonic() - started)
    comparison = Comparison(pool, plan, machine, kept, on_progress, in_blocks, limit_s=left_s)
    comparison.run()
    _check(comparison.trials, comparison.failures)
    hint = None if pool.stopped else _find_hint(comparison, plan)
    partings = comparison.compare_texts()
    return _report(pool, plan, machine, comparison.trials, comparison.failures, partings, hashes, hint)


def measure_sweep(
    pool: EnginePool, plan: Plan, kept: TrialFile, on_progress: OnProgress, budget_s: float | None = None,
    hashes: bool = False,
) -> Report:
    """Run every side of ``plan`` as its rule says, then the leading ones ``FINAL_ROUNDS`` times more.

    Within ``budget_s`` seconds, of which the first stage takes ``1 - FINAL_SHARE`` at most: prompts for which there is
    no time are left out. Raises as ``measure`` does.
    """
    started = time.monotonic()
    machine = _prepare(pool, plan)
    first_s = None if budget_s is None else budget_s * (1 - FINAL_SHARE)
    comparison = Comparison(pool, plan, machine, kept, on_progress, budget_s=first_s)
    comparison.run()
    _check(comparison.trials, comparison.failures)
    trials, failures = comparison.trials, comparison.failures
    names = [side.name for side in plan.sides]
    if not pool.stopped:
        answered = {trial.prompt_id for trial in trials}
        leaders = find_leaders(summarise(trials, names, plan.rule.first_rounds))
        final = replace(
            plan, prompts=[prompt for prompt in plan.prompts if prompt.id in answered],
            sides=[side for side in plan.sides if side.name in leaders],
            rule=StoppingRule.fixed(plan.rule.first_rounds + FINAL_ROUNDS),
        )
        left_s = None if budget_s is None else max(0.0, budget_s - (time.monotonic() - started))
        last = Comparison(pool, final, machine, kept, on_progress, budget_s=left_s)
        last.run()
        trials = list({trial.key: trial for trial in (*trials, *last.trials)}.values())
        failures = [*failures, *last.failures]
    return _report(pool, plan, machine, trials, failures, [], hashes, is_sweep=True)


def _prepare(pool: EnginePool, plan: Plan) -> MachineFacts:
    pool.get(plan.sides[0].setup)
    return describe_machine(pool.engine)


def _check(trials: Sequence[Trial], failures: Sequence[Failure]) -> None:
    if not trials:
        reason = failures[0].message if failures else say("It was stopped before the first answer.")
        raise SlipstreamError(Code.ABORTED, joined([say("Nothing was measured:"), reason]))


def _report(
    pool: EnginePool, plan: Plan, machine: MachineFacts, trials: list[Trial], failures: list[Failure],
    partings: list[Divergence], hashes: bool, hint: Hint | None = None, is_sweep: bool = False,
) -> Report:
    # How often the leaders of a sweep were measured did not hang on how much they scatter.
    first_rounds = plan.rule.first_rounds + FINAL_ROUNDS * is_sweep
    result = summarise(trials, [side.name for side in plan.sides], first_rounds, partings)
    files = describe_files(plan.sides, hashes and not pool.stopped)
    sweep = read_sweep(result, trials) if is_sweep else None
    return make_report(plan, machine, files, result, trials, failures, sweep, hint)


def _find_hint(comparison: Comparison, plan: Plan) -> Hint | None:
    """What drafting without a draft model would gain, where the person may wish to know: no side was faster than plain
    decoding, and none of them drafted so."""
    methods = [parse_method(side.method).name for side in plan.sides]
    if methods[0] != "off" or set(methods) & set(FREE_METHODS):
        return None
    names = [side.name for side in plan.sides]
    verdicts = give_verdicts(summarise(comparison.trials, names, plan.rule.first_rounds))
    if not verdicts or any(verdict.kind not in ("slower", "same") for verdict in verdicts):
        return None
    if set(methods) == {"off"}:
        return None
    gain = comparison.probe(HINT_METHOD)
    return Hint(method=HINT_METHOD, title=METHODS[HINT_METHOD].title, gain=gain) if gain is not None else None


def describe_files(
    sides: Sequence[Side], hashes: bool, is_stopped: Callable[[], bool] = lambda: False
) -> list[FileFacts]:
    """The model files of all sides, each once; without the hashes for which there was no time before it was stopped.

    Hashing comes after the measurement and not before, since reading a file fills the cache that it is loaded from.
    """
    paths = dict.fromkeys(path for side in sides for path in (side.setup.target, side.setup.draft) if path is not None)
    return [
        msgspec.structs.replace(file_facts(path), sha256=hash_file(path, is_stopped) if hashes else "")
        for path in paths
    ]
