"""A model made of arrays: exact about its cache, with a clock of its own, and strict with whoever uses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from app.engine.backend import AbortFlag, ChatTemplate, DecodeAbortedError, Logits
from app.engine.controller import Controller
from app.engine.drafters.interface import Draft, Policy
from app.engine.generate import Generation, Step
from app.engine.sampling import Sampler
from app.errors import Code, SlipstreamError
from app.records import ModelFacts, OnFull, Sampling

VOCAB = 24
END = 0
MEMORY_BOUND = {1: .093, 2: .106, 3: .114, 4: .131, 6: .147, 8: .170, 12: .204, 16: .236, 32: .378, 64: .66}
"""Seconds of a pass over n tokens, measured on a BF16 1.5B model with two threads."""
COMPUTE_BOUND = {1: .032, 2: .055, 3: .076, 4: .092, 6: .143, 8: .227, 12: .240, 16: .269, 32: .450, 64: .90}
"""The same for a Q4_K_M file."""
DRAFT_S = .013

Cost = Callable[[int], float]
"""Seconds of a pass over n tokens."""


def curve(points: Mapping[int, float]) -> Cost:
    """A cost that is linear between ``points``."""
    lengths, seconds = sorted(points), [points[n] for n in sorted(points)]
    return lambda n: float(np.interp(n, lengths, seconds))


def per_token(step_s: float, further_s: float) -> Cost:
    return lambda n: step_s + further_s * (n - 1)


@dataclass
class Language:
    """Logits as a fixed pseudo-random function of the last ``order`` tokens (and of the position, if asked).

    ``end_bias`` is added to the end token's logit. With ``by_position`` no text ever repeats itself for good.
    """

    vocab_size: int = VOCAB
    order: int = 3
    seed: int = 1
    end_bias: float = -3.0
    spread: float = 2.0
    by_position: bool = False
    _rows: dict[tuple[int, ...], npt.NDArray[np.float32]] = field(default_factory=dict)

    def logits(self, context: Sequence[int]) -> npt.NDArray[np.float32]:
        key = tuple(context[-self.order :])
        if self.by_position:
            key = (*key, 10_000 + len(context))
        row = self._rows.get(key)
        if row is None:
            random = np.random.default_rng([self.seed, *key])
            row = (random.standard_normal(self.vocab_size) * self.spread).astype(np.float32)
            row[END] += self.end_bias
            self._rows[key] = row
        return row


class GuessingLanguage(Language):
    """Knows what ``target`` would say greedily, and says it as often as ``agreement(position)`` tells.

    Its own probability is about ``sure`` when it is right and ``unsure`` when it is wrong (equal: it knows nothing).
    ``expected`` is a text whose places are recognised by their last tokens, also by a draft that skipped a part.
    """

    def __init__(
        self, target: Language, agreement: Callable[[int], float], sure: float = 0.8, unsure: float = 0.8,
        vocab_size: int | None = None, seed: int = 5, expected: Sequence[int] = (),
    ) -> None:
        super().__init__(vocab_size=vocab_size or target.vocab_size, seed=seed)
        self.target = target
        self.agreement = agreement
        self.sure = sure
        self.unsure = unsure
        self._places = {tuple(expected[end - 8 : end]): end for end in range(8, len(expected) + 1)}

    def logits(self, context: Sequence[int]) -> npt.NDArray[np.float32]:
        place = self._places.get(tuple(context[-8:]), len(context))
        best = int(self.target.logits(context).argmax())
        random = np.random.default_rng([self.seed, place, *context[-2:]])
        right = random.random() < self.agreement(place)
        probability = self.sure if right else self.unsure
        token = best if right else (best + 1) % self.target.vocab_size
        row = np.full(self.vocab_size, np.log((1 - probability) / (self.vocab_size - 1)), dtype=np.float32)
        row[token] = np.log(probability)
        return row


class ScriptedModel:
    """``backend.Model`` over a ``Language``. ``native_s`` goes on by ``cost`` of each pass.

    One that ``keeps_state`` comes back to marks alone; one that does not roll back forgets everything.

    Passes with a token outside the vocabulary, too many rows, or too many tokens fail the test. ``abort_at`` ends the
    pass of that number (from 1) as the abort flag would. The logits that ``decode`` returned turn to NaN with the next.
    """

    def __init__(
        self, language: Language | None = None, *, ctx_tokens: int = 4096, max_rows: int = 65,
        cost: Cost | None = None, abort_at: int | None = None, name: str = "scripted",
        template: ChatTemplate | None = None, rolls_back: bool = True, keeps_state: bool = False,
        shifts: bool = True,
    ) -> None:
        self.language = language or Language()
        self.facts = ModelFacts(
            path=f"{name}.gguf", name=name, architecture="scripted", description="scripted", parameters=1,
            size_bytes=1, ctx_tokens=ctx_tokens, ctx_train_tokens=ctx_tokens,
            vocab_size=self.language.vocab_size, has_chat_template=False,
        )
        self.native_s = 0.0
        self.cost = cost or per_token(1.0, 0.1)
        self.abort_at = abort_at
        self.passes = 0
        self.decoded: list[int] = []
        """Number of tokens of every pass."""
        self.closed = False
        self.template = template or ChatTemplate()
        self._tokens: list[int] = []
        self._max_rows = max_rows
        self._rolls_back = rolls_back
        self._keeps_state = keeps_state
        self._shifts = shifts
        self._marks: list[int] = []
        self._given: Logits = np.empty((0, self.language.vocab_size), dtype=np.float32)

    @property
    def tokens(self) -> Sequence[int]:
        return self._tokens

    @property
    def max_rows(self) -> int:
        return self._max_rows

    def decode(self, tokens: Sequence[int], rows: int) -> Logits:
        assert not self.closed
        assert all(0 <= token < self.language.vocab_size for token in tokens), "a token outside the vocabulary"
        assert 1 <= rows <= min(len(tokens), self._max_rows), f"{rows} rows of {len(tokens)} tokens"
        self._given[:] = np.nan
        if len(self._tokens) + len(tokens) > self.facts.ctx_tokens:
            raise SlipstreamError(Code.CONTEXT_FULL, "The context is full.", "")
        self.passes += 1
        if self.passes == self.abort_at:
            raise DecodeAbortedError
        self.decoded.append(len(tokens))
        self.native_s += self.cost(len(tokens))
        self._tokens.extend(tokens)
        ends = range(len(self._tokens) - rows + 1, len(self._tokens) + 1)
        self._given = np.stack([self.language.logits(self._tokens[max(0, end - 8) : end]) if not
                                _needs_all(self.language) else self.language.logits(self._tokens[:end])
                                for end in ends])
        return self._given

    def truncate(self, length: int) -> None:
        assert length >= 0
        if length >= len(self._tokens):
            return
        if self._keeps_state:
            self._marks = [mark for mark in self._marks if mark <= length]
            length = max(self._marks, default=0)
        if self._rolls_back:
            del self._tokens[length:]
        else:
            self._tokens.clear()

    def mark(self, lasting: bool = False) -> None:
        self._marks.append(len(self._tokens))

    def can_roll_back(self) -> bool:
        return self._rolls_back

    def can_shift(self) -> bool:
        return self._shifts and not self._keeps_state

    def shift(self, keep: int, drop: int) -> None:
        assert self.can_shift()
        assert 0 <= keep < keep + drop <= len(self._tokens)
        del self._tokens[keep : keep + drop]

    def tokenize(self, text: str, *, add_special: bool, parse_special: bool) -> list[int]:
        return [1 + byte % (self.language.vocab_size - 1) for byte in text.encode()]

    def token_bytes(self, token: int) -> bytes:
        return b"" if token == END else bytes([96 + token % 26])

    def token_text(self, token: int) -> bytes:
        return f"<{token}>".encode()

    def is_end(self, token: int) -> bool:
        return token == END

    def close(self) -> None:
        self.closed = True


def _needs_all(language: Language) -> bool:
    return language.by_position or isinstance(language, GuessingLanguage)


class ScriptedDrafter:
    """Guesses what ``guess(context)`` returns, as far as the policy lets it; of no use and no harm by itself."""

    name = "scripted"

    def __init__(self, guess: Callable[[Sequence[int]], Sequence[int]], confidence: float = 1.0) -> None:
        self._guess = guess
        self._confidence = confidence
        self.begun: list[list[int]] = []

    def begin(self, prompt: Sequence[int]) -> None:
        self.begun.append(list(prompt))

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        draft = Draft(self.name)
        for token in self._guess(context):
            if not (policy.go_on() and policy.take(self._confidence)):
                break
            draft.tokens.append(token)
            draft.confidences.append(self._confidence)
        return draft


class Limit:
    """A policy that takes ``length`` guesses, none less sure than ``p_min``."""

    def __init__(self, length: int, p_min: float = 0.0) -> None:
        self.left = length
        self.p_min = p_min

    def go_on(self) -> bool:
        return self.left > 0

    def take(self, confidence: float) -> bool:
        self.left -= 1
        return confidence >= self.p_min


def start(
    target: ScriptedModel, controller: Controller, *, prompt: Sequence[int] = (3, 1, 4, 1, 5), max_tokens: int = 64,
    sampling: Sampling | None = None, draft: ScriptedModel | None = None, sampler: Sampler | None = None,
    on_full: OnFull = "trim", keep_tokens: int = 0,
) -> Generation:
    """A run whose prompt is cached."""
    sampler = sampler or Sampler(sampling or Sampling(temperature=0.0))
    run = Generation(target, draft, controller, sampler, list(prompt), max_tokens, AbortFlag(), on_full, keep_tokens)
    run.prefill(lambda _done: None)
    return run


def finish(run: Generation) -> list[Step]:
    """All steps of a run, with what must hold after each of them."""
    steps = []
    for step in run.steps():
        steps.append(step)
        assert run.target.tokens == run.context[:-1], "the cache is one token behind the text"
        assert len(run.token_ids) <= run.max_tokens
        assert run.stats.emitted_tokens == len(run.token_ids)
    assert run.target.tokens == run.context[:-1]
    if not run.stats.dropped_tokens:
        assert run.context == [*run.prompt, *run.token_ids]
    return steps
