"""The loop: draft, verify, accept, roll back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from app.engine.backend import BATCH_TOKENS, AbortFlag, DecodeAbortedError, Model, shared_prefix
from app.engine.controller import Controller, StepCost
from app.engine.drafters.interface import Draft
from app.engine.sampling import Sampler
from app.engine.stats import RunStats
from app.engine.verify import Verdict, match, reject
from app.terms import StopReason

PrefillProgress = Callable[[int], None]
"""Called with the number of prompt tokens that are cached."""


@dataclass
class Step:
    """One verify pass: what was guessed, what stands, what it took."""

    draft: Draft
    verdict: Verdict
    seconds: float


@dataclass
class Run:
    """One answer: iterate over ``steps``; figures and reason are right at any moment, also after a stop."""

    target: Model
    draft_model: Model | None
    controller: Controller
    sampler: Sampler
    prompt: list[int]
    max_tokens: int
    abort: AbortFlag
    stats: RunStats = field(default_factory=RunStats)
    reason: StopReason = "aborted"
    token_ids: list[int] = field(default_factory=list)
    draws: list[float] = field(default_factory=list)

    def prefill(self, on_progress: PrefillProgress) -> None:
        """Cache the prompt up to its last token, which the first step decodes. Keeps what is cached already.

        Raises ``DecodeAbortedError``; what was decoded by then stays cached.
        """
        started = perf_counter()
        body = self.prompt[:-1]
        self.target.truncate(shared_prefix(self.target.tokens, body))
        self.stats.prompt_tokens = len(self.prompt)
        self.stats.cached_tokens = len(self.target.tokens)
        try:
            for start in range(len(self.target.tokens), len(body), BATCH_TOKENS):
                on_progress(start)
                self.target.decode(body[start : start + BATCH_TOKENS], 1)
            self.controller.begin(self.prompt)
            on_progress(len(self.prompt))
        finally:
            self.stats.prefill_s = perf_counter() - started

    def steps(self) -> Iterator[Step]:
        """Decode until the answer ends. Ends at once, with reason ``aborted``, when the abort flag is set."""
        context, began = list(self.prompt), perf_counter()
        while not self._ended(context):
            started = perf_counter()
            try:
                draft, verdict = self._step(context)
            except DecodeAbortedError:
                self.reason = "aborted"
                return
            context.extend(verdict.tokens)
            self.token_ids.extend(verdict.tokens)
            self.draws.extend(verdict.draws)
            # the last token of every pass is not decoded yet; guesses that fell go
            self.target.truncate(len(context) - 1)
            self.stats.add_step(draft, verdict)
            if self.stats.steps == 1:
                self.stats.first_token_s = self.stats.prefill_s + perf_counter() - began
            self.stats.decode_s = perf_counter() - began
            yield Step(draft, verdict, perf_counter() - started)
            # what was done with the step belongs to the answer's time
            self.stats.decode_s = perf_counter() - began

    def _step(self, context: Sequence[int]) -> tuple[Draft, Verdict]:
        stats, target = self.stats, self.target
        draft_native, target_native = self.draft_model.native_s if self.draft_model else 0.0, target.native_s
        draft = self.controller.draft(context, self._room(context))
        rows = target.decode([context[-1], *draft.tokens], len(draft) + 1)
        verified = perf_counter()
        if draft.on_rows is not None:
            draft.on_rows(rows)
        judge = reject if draft.distributions else match
        verdict = judge(rows, draft, self.sampler, context, target.is_end)
        stats.sample_s += perf_counter() - verified
        cost = StepCost(
            draft_s=self.draft_model.native_s - draft_native if self.draft_model else 0.0,
            verify_s=target.native_s - target_native,
        )
        stats.draft_s += cost.draft_s
        stats.verify_s += cost.verify_s
        self.controller.observe(draft, verdict.accepted, verdict.judged, cost)
        return draft, verdict

    def _room(self, context: Sequence[int]) -> int:
        """How long a draft may be: the answer's end, the context's end and the rows of one pass bound it."""
        return min(
            self.max_tokens - len(self.token_ids) - 1,
            self.target.facts.ctx_tokens - len(context),
            self.target.max_rows - 1,
        )

    def _ended(self, context: Sequence[int]) -> bool:
        if self.abort:
            self.reason = "aborted"
        elif self.token_ids and self.target.is_end(self.token_ids[-1]):
            self.reason = "eos"
        elif len(self.token_ids) >= self.max_tokens:
            self.reason = "length"
        elif len(context) > self.target.facts.ctx_tokens:
            self.reason = "context"
        else:
            return False
        return True
