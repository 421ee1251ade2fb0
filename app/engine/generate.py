"""The loop: draft, verify, accept, roll back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter

from app.engine.backend import BATCH_TOKENS, AbortFlag, DecodeAbortedError, Model, shared_prefix
from app.engine.controller import Controller, StepCost
from app.engine.drafters.interface import Draft
from app.engine.sampling import Sampler
from app.engine.stats import RunStats
from app.engine.verify import Acceptance, rejection_sample, sample_and_match
from app.records import OnFull, StopReason

PrefillProgress = Callable[[int], None]
"""Called with the number of prompt tokens that are cached."""
SeesRest = Callable[[], bool]
"""Asked after every step: whether, as far as is known, no other program was at work."""


@dataclass
class Step:
    """One verify pass: what was guessed, what stands, what it took."""

    draft: Draft
    verdict: Acceptance
    seconds: float
    cost: StepCost


@dataclass
class Generation:
    """One answer: iterate over ``steps``; figures and reason are right at any moment, also after a stop.

    ``on_full`` ``shift`` drops the older half of what stands behind the first ``keep_tokens`` when the context is full,
    as often as it gets full, in models that can; otherwise the answer ends there with reason ``context``.
    """

    target: Model
    draft_model: Model | None
    controller: Controller
    sampler: Sampler
    prompt: list[int]
    max_tokens: int
    abort: AbortFlag
    on_full: OnFull = "trim"
    keep_tokens: int = 0
    sees_rest: SeesRest = lambda: True
    stats: RunStats = field(default_factory=RunStats)
    reason: StopReason = "aborted"
    token_ids: list[int] = field(default_factory=list)
    draws: list[float] = field(default_factory=list)
    context: list[int] = field(default_factory=list)
    """What the model sees: prompt and answer so far, without what was dropped."""

    def __post_init__(self) -> None:
        self.context = list(self.prompt)

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
            self.target.mark(lasting=True)
            self.controller.begin(self.prompt)
            on_progress(len(self.prompt))
        finally:
            self.stats.prefill_s = perf_counter() - started

    def steps(self) -> Iterator[Step]:
        """Decode until the answer ends. Ends at once, with reason ``aborted``, when the abort flag is set."""
        began = perf_counter()
        while not self._ended():
            started = perf_counter()
            try:
                if self._is_full:
                    self._shift()
                draft, verdict, cost = self._step()
            except DecodeAbortedError:
                self.reason = "aborted"
                return
            self.token_ids.extend(verdict.tokens)
            self.draws.extend(verdict.draws)
            self.stats.add_step(draft, verdict)
            if self.stats.steps == 1:
                self.stats.first_token_s = self.stats.prefill_s + perf_counter() - began
            self.stats.decode_s = perf_counter() - began
            yield Step(draft, verdict, perf_counter() - started, cost)
            # what was done with the step belongs to the answer's time
            self.stats.decode_s = perf_counter() - began

    def end_after(self, count: int) -> None:
        """The answer ends with its first ``count`` tokens (a stop text was found in them), whatever was emitted since.

        So the answer is the same however many tokens a pass brought.
        """
        surplus = len(self.token_ids) - count
        if surplus <= 0:
            return
        del self.token_ids[count:]
        del self.draws[count:]
        del self.context[len(self.context) - surplus :]
        self.target.truncate(len(self.context) - 1)
        self.stats.take_back(surplus)

    @property
    def can_shift(self) -> bool:
        """Whether a full context is made room in, rather than ending the answer."""
        return self.on_full == "shift" and self.target.can_shift() and self.keep_tokens <= self._ctx_tokens // 2

    def tokens_until_full(self) -> int | None:
        """Tokens that still fit, or None when the answer ends before the context does."""
        left = self._ctx_tokens + 1 - len(self.context)
        return left if self.max_tokens - len(self.token_ids) > left else None

    @property
    def _ctx_tokens(self) -> int:
        return self.target.facts.ctx_tokens

    @property
    def _is_full(self) -> bool:
        # the last token of the text is not cached yet, so it may stand one past the end
        return len(self.context) > self._ctx_tokens

    def _step(self) -> tuple[Draft, Acceptance, StepCost]:
        stats, target, context = self.stats, self.target, self.context
        draft_native, target_native = self.draft_model.native_s if self.draft_model else 0.0, target.native_s
        draft = self.controller.draft(context, self._room())
        if draft.tokens:
            target.mark()
        rows = target.decode([context[-1], *draft.tokens], len(draft) + 1)
        verified = perf_counter()
        if draft.on_rows is not None:
            draft.on_rows(rows)
        judge = rejection_sample if draft.distributions else sample_and_match
        verdict = judge(rows, draft, self.sampler, context, target.is_end)
        stats.sample_s += perf_counter() - verified
        context.extend(verdict.tokens)
        self._rewind()
        cost = StepCost(
            draft_s=self.draft_model.native_s - draft_native if self.draft_model else 0.0,
            verify_s=target.native_s - target_native,
            calm=self.sees_rest(),
        )
        stats.draft_s += cost.draft_s
        stats.verify_s += cost.verify_s
        self.controller.observe(draft, verdict.accepted, verdict.judged, cost)
        return draft, verdict, cost

    def _rewind(self) -> None:
        """Guesses that fell go from the cache; the last token of every pass is not decoded yet."""
        wanted = len(self.context) - 1
        self.target.truncate(wanted)
        missing = self.context[len(self.target.tokens) : wanted]
        if missing:  # a running state went back to its mark
            with suppress(DecodeAbortedError):  # the flag ends the answer after what was verified
                self.target.decode(missing, 1)

    def _shift(self) -> None:
        """Drop the older half of what is not to be kept, in all caches and for all drafters.

        Called when exactly one token is not cached, so the place does not depend on how the text was drafted.
        """
        before = self.draft_model.native_s if self.draft_model else 0.0
        keep = self.keep_tokens
        drop = (self._ctx_tokens - keep) // 2
        draft = self.draft_model
        if draft is not None and draft.can_shift() and shared_prefix(draft.tokens, self.context) > keep + drop:
            draft.shift(keep, drop)
        self.target.shift(keep, drop)
        del self.context[keep : keep + drop]
        self.stats.dropped_tokens += drop
        self.controller.begin(self.context)
        self.stats.draft_s += draft.native_s - before if draft is not None else 0.0

    def _room(self) -> int:
        """How long a draft may be: the answer's end, the context's end and the rows of one pass bound it."""
        return min(
            self.max_tokens - len(self.token_ids) - 1,
            self._ctx_tokens - len(self.context),
            self.target.max_rows - 1,
        )

    def _ended(self) -> bool:
        if self.abort:
            self.reason = "aborted"
        elif self.token_ids and self.target.is_end(self.token_ids[-1]):
            self.reason = "eos"
        elif len(self.token_ids) >= self.max_tokens:
            self.reason = "length"
        elif self._is_full and not self.can_shift:
            self.reason = "context"
        else:
            return False
        return True
