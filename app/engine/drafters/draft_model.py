"""Drafting by a smaller model with the same vocabulary (Leviathan et al., 2211.17192; Chen et al., 2302.01318)."""

from __future__ import annotations

from collections.abc import Sequence

from app.engine.backend import Logits, Model, shared_prefix
from app.engine.drafters.interface import Draft, Policy
from app.engine.sampling import PENALTY_WINDOW_TOKENS, Sampler, confidence
from app.errors import SlipstreamError


class DraftModelDrafter:
    """Guesses with a draft model, greedily, or drawn from the target's own sampler rules (``sampler`` given).

    Its cache keeps what is still right of the last draft, so a step decodes only what is new.
    """

    def __init__(self, model: Model, target_vocab_size: int, sampler: Sampler | None = None) -> None:
        self.name = "draft"
        self._model = model
        self._target_vocab_size = target_vocab_size
        self._sampler = sampler
        self._start = 0
        self._failure = ""

    def begin(self, prompt: Sequence[int]) -> None:
        self._start = 0
        self._failure = ""
        try:
            missing = self._missing(prompt[:-1])
            if missing and len(prompt) < self._model.facts.ctx_tokens and self._knows(missing):
                self._model.decode(missing, 1)
            self._model.mark(lasting=True)
        except SlipstreamError as error:
            self._fail(error)

    def lag(self, context: Sequence[int]) -> int:
        """Number of tokens of ``context`` that a draft would have to decode before its first guess."""
        return len(context) - self._start - shared_prefix(self._model.tokens, context[self._start :])

    def forget_before(self, position: int) -> None:
        """From now on, until ``begin``, guess from the context behind ``position`` alone: worse, but at once."""
        self._start = position

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        if self._failure:
            return Draft(self.name, pause=self._failure)
        try:
            return self._draft(context[self._start :], policy)
        except SlipstreamError as error:
            # the answer is the target's and goes on without
            self._fail(error)
            return Draft(self.name, pause=self._failure)

    def _fail(self, error: SlipstreamError) -> None:
        """Nothing is drafted any more, until the next answer begins."""
        self._failure = f"Drafting has stopped, for the draft failed: {error.message}"

    def _draft(self, context: Sequence[int], policy: Policy) -> Draft:
        draft = Draft(self.name)
        room = self._model.facts.ctx_tokens - len(context)
        if room <= 0:
            draft.pause = f"Drafting pauses: the draft's context of {self._model.facts.ctx_tokens:,} tokens is full."
            return draft
        if not policy.go_on():
            return draft
        pending: Sequence[int] = self._missing(context)
        if not self._knows(pending):
            return draft
        draft.caught_up = len(pending)
        while True:
            draft.passes += 1
            logits = self._model.decode(pending, 1)[0]
            if draft.passes == 1:
                self._model.mark()  # what is behind it are guesses
            guessed = self._guess(logits, context, draft, policy)
            if not guessed or len(draft) >= room or not policy.go_on():
                break
            pending = draft.tokens[-1:]
        return draft

    def _missing(self, context: Sequence[int]) -> Sequence[int]:
        """Bring the cache to a prefix of ``context`` that leaves at least one token to decode; return the rest."""
        kept = min(shared_prefix(self._model.tokens, context), max(0, len(context) - 1))
        self._model.truncate(kept)
        return context[len(self._model.tokens) :]

    def _knows(self, tokens: Sequence[int]) -> bool:
        """Whether the draft has all these tokens: a target may have more (padding), on which its pass would fail."""
        return max(tokens) < self._model.facts.vocab_size

    def _guess(self, logits: Logits, context: Sequence[int], draft: Draft, policy: Policy) -> bool:
        """Add the next guess to ``draft`` if the policy takes it."""
        if self._sampler is None or self._sampler.is_greedy:
            token, sureness = confidence(logits)
            if token >= self._target_vocab_size or not policy.take(sureness):
                return False
        else:
            recent = [*context[-PENALTY_WINDOW_TOKENS:], *draft.tokens]
            distribution = self._sampler.distribution(logits[: self._target_vocab_size], recent)
            # the policy decides before the token is drawn: a choice that depended on it would bend the distribution
            sureness = float(distribution.probabilities.max())
            if not policy.take(sureness):
                return False
            token = distribution.draw(self._sampler.draw())
            draft.distributions.append(distribution)
        draft.tokens.append(token)
        draft.confidences.append(sureness)
        return True
