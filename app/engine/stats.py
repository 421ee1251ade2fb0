"""Counts and clocks of one answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.engine.drafters.interface import Draft
from app.engine.verify import Acceptance
from app.records import DrafterFigures, SpeculationFigures, Timings


@dataclass
class RunStats:
    """Adds up the steps of one answer; all times in seconds."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    emitted_tokens: int = 0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    draft_s: float = 0.0
    verify_s: float = 0.0
    sample_s: float = 0.0
    first_token_s: float = 0.0
    steps: int = 0
    dropped_tokens: int = 0
    """Tokens that were dropped because the context was full."""
    _histogram: list[int] = field(default_factory=list)
    _drafted_at: list[int] = field(default_factory=list)
    _accepted_at: list[int] = field(default_factory=list)
    _by_drafter: dict[str, DrafterFigures] = field(default_factory=dict)

    def add_step(self, draft: Draft, verdict: Acceptance) -> None:
        """Count one verify pass. Guesses behind the end of the answer were not judged and do not count."""
        self.steps += 1
        self.emitted_tokens += len(verdict.tokens)
        if not draft.tokens:
            return
        _grow(self._histogram, verdict.accepted + 1)
        self._histogram[verdict.accepted] += 1
        verified = verdict.judged if verdict.ended else len(draft)
        _grow(self._drafted_at, verified)
        _grow(self._accepted_at, verified)
        for position in range(verified):
            self._drafted_at[position] += 1
            self._accepted_at[position] += position < verdict.accepted
        before = self._by_drafter.get(draft.drafter, DrafterFigures())
        self._by_drafter[draft.drafter] = DrafterFigures(
            steps=before.steps + 1,
            num_draft_tokens=before.num_draft_tokens + verified,
            num_accepted_draft_tokens=before.num_accepted_draft_tokens + verdict.accepted,
        )

    def take_back(self, count: int) -> None:
        """The last ``count`` emitted tokens are no part of the answer. What verification made of them stays counted."""
        self.emitted_tokens -= count

    def timings(self, load_s: float) -> Timings:
        prefilled = self.prompt_tokens - self.cached_tokens
        return Timings(
            load_s=load_s,
            prefill_s=self.prefill_s,
            decode_s=self.decode_s,
            draft_s=self.draft_s,
            verify_s=self.verify_s,
            sample_s=self.sample_s,
            other_s=max(0.0, self.decode_s - self.draft_s - self.verify_s - self.sample_s),
            time_to_first_token_s=self.first_token_s,
            tokens_per_second=self.emitted_tokens / self.decode_s if self.decode_s > 0 else 0.0,
            prefill_tokens_per_second=prefilled / self.prefill_s if self.prefill_s > 0 else 0.0,
        )

    def speculation(self, method: str, sentence: str) -> SpeculationFigures:
        drafted, accepted = sum(self._drafted_at), sum(self._accepted_at)
        return SpeculationFigures(
            method=method,
            steps=self.steps,
            num_draft_tokens=drafted,
            num_accepted_draft_tokens=accepted,
            draft_acceptance_rate=accepted / drafted if drafted else 0.0,
            mean_acceptance_length=1.0 + accepted / self.steps if self.steps else 1.0,
            acceptance_histogram=list(self._histogram),
            per_position_acceptance=[a / d for a, d in zip(self._accepted_at, self._drafted_at, strict=True)],
            by_drafter=dict(self._by_drafter),
            sentence=sentence,
        )


def _grow(counts: list[int], size: int) -> None:
    counts.extend([0] * (size - len(counts)))
