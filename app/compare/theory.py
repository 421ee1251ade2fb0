"""What speculative decoding should give by the theory, from measured costs.

Leviathan, Kalman, Matias: Fast Inference from Transformers via Speculative Decoding (arXiv 2211.17192), theorem 3.8,
with a verify pass that costs v(K) plain steps in place of 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.compare.trial import Trial
from app.records import Record


class DraftCosts(Record, frozen=True, kw_only=True):
    """Measured at one fixed draft length. ``acceptance`` (α) is the chance that a drafted token is accepted once it is
    looked at; ``draft_cost`` (c) the time of a draft token and ``verify_cost`` (v) that of a verify pass, both in plain
    steps of the target."""

    draft_length: int
    acceptance: float
    draft_cost: float
    verify_cost: float


def expected_tokens(acceptance: float, draft_length: int) -> float:
    """Tokens per step: (1 − α^(K+1)) / (1 − α)."""
    if acceptance >= 1:
        return draft_length + 1.0
    return float((1 - acceptance ** (draft_length + 1)) / (1 - acceptance))


def expected_speedup(acceptance: float, draft_length: int, draft_cost: float, verify_cost: float) -> float:
    """Speed-up over plain decoding: (1 − α^(K+1)) / ((1 − α)(cK + v(K)))."""
    return expected_tokens(acceptance, draft_length) / (draft_cost * draft_length + verify_cost)


def plain_step_s(trials: Sequence[Trial]) -> float | None:
    """Seconds of one step of the target without speculation; None without any."""
    tokens = sum(len(trial.token_ids) for trial in trials)
    return sum(trial.timings.decode_s for trial in trials) / tokens if tokens else None


def measure_costs(trials: Sequence[Trial], draft_length: int, step_s: float) -> DraftCosts | None:
    """From answers whose every draft had ``draft_length`` tokens; None where nothing was drafted.

    A draft of which all were accepted saw no rejection, any other exactly one: with A accepted tokens and R drafts that
    were cut short, the maximum-likelihood estimate of α is A / (A + R).
    """
    figures = [trial.speculation for trial in trials]
    drafted = sum(f.num_draft_tokens for f in figures)
    steps = sum(f.steps for f in figures)
    if not drafted or not steps or step_s <= 0:
        return None
    accepted = sum(f.num_accepted_draft_tokens for f in figures)
    cut_short = sum(sum(f.acceptance_histogram[:draft_length]) for f in figures)
    return DraftCosts(
        draft_length=draft_length,
        acceptance=accepted / (accepted + cut_short) if accepted + cut_short else 0.0,
        draft_cost=sum(trial.timings.draft_s for trial in trials) / drafted / step_s,
        verify_cost=sum(trial.timings.verify_s for trial in trials) / steps / step_s,
    )
