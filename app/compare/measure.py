"""The whole way from a plan to a report: the one code path of panel and command line."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from app.compare.engines import EnginePool
from app.compare.machine import describe_machine
from app.compare.plan import Plan
from app.compare.report import Report, make_report
from app.compare.result import summarise
from app.compare.run import Comparison, Progress
from app.compare.sweep import read_sweep
from app.compare.trial import FileFacts, TrialFile, file_facts, hash_file
from app.errors import Code, SlipstreamError


def measure(
    pool: EnginePool, plan: Plan, kept: TrialFile, on_progress: Callable[[Progress], None], in_blocks: bool = False,
    is_sweep: bool = False, hashes: bool = False,
) -> Report:
    """Run ``plan``, ask where texts part, and sum up. A pool that was stopped gives a report of what is finished.

    ``hashes`` adds the files' SHA-256, a second for each few hundred megabytes. The pool stays open.

    Raises:
        SlipstreamError: where models could not be loaded, results not kept, or nothing was measured.
    """
    pool.get(plan.sides[0].setup)
    machine = describe_machine(pool.engine)
    comparison = Comparison(pool, plan, machine, kept, on_progress, in_blocks)
    comparison.run()
    if not comparison.trials:
        reason = comparison.failures[0].message if comparison.failures else "It was stopped before the first answer."
        raise SlipstreamError(Code.ABORTED, f"Nothing was measured: {reason}")
    partings = comparison.compare_texts()
    trials = comparison.trials
    result = summarise(trials, [side.name for side in plan.sides], plan.rule.first_rounds, partings)
    sweep = read_sweep(result, trials) if is_sweep else None
    files = describe_files(plan, hashes and not pool.stopped)
    return make_report(plan, machine, files, result, trials, comparison.failures, sweep)


def describe_files(plan: Plan, hashes: bool) -> list[FileFacts]:
    """The model files of all sides, each once.

    Hashing comes after the measurement and not before, since reading a file fills the cache that it is loaded from.
    """
    paths = dict.fromkeys(
        path for side in plan.sides for path in (side.setup.target, side.setup.draft) if path is not None
    )
    return [
        msgspec.structs.replace(file_facts(path), sha256=hash_file(path) if hashes else "") for path in paths
    ]
