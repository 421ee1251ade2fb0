"""Which form of a draft makes a target fastest: forms are measured, and judged by the renewal formula.

A step with k guesses emits E(k) tokens and costs k draft steps and a verify pass over k + 1 tokens, so a form is worth
the greatest E(k) / C(k). What a form guesses is compared with what the target wrote alone: a greedy draft behind the
same text guesses the same, so that one pass over the text tells every guess. (That a small draft's embeddings and
output matrix, a third of its bytes, are worth requantising too is our own measurement.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from app.engine.auto.calibration import calibrate
from app.engine.auto.cost import CALIBRATED_LENGTHS, CostModel
from app.engine.backend import BATCH_TOKENS, AbortFlag, DecodeAbortedError, Model, shared_prefix
from app.engine.controller import OffController
from app.engine.generate import Generation
from app.engine.sampling import Sampler
from app.errors import Code, SlipstreamError
from app.records import FormFigures, Sampling
from app.sentences import joined, say

ANSWER_TOKENS = 48
LONGEST_DRAFT = max(CALIBRATED_LENGTHS) - 1
STEP_ROUNDS = 12
STEPS_A_ROUND = 4
WORTH_CHANGING = 1.02
"""A form must be faster by this than the draft as it is: less is within what the measurement can tell."""


@dataclass(frozen=True)
class Form:
    """``kind`` and ``whole`` as ``Library.quantize`` takes them; ``kind`` "" is the file as it is."""

    name: str
    title: str
    kind: str = ""
    whole: bool = False
    most_bits: float = 0.0
    """At most so many bits a weight, to tell whether it fits on the disk."""


AS_IS = Form("as-is", "as it is")
FORMS = (
    AS_IS,
    Form("q4_0", "Q4_0", "q4_0", most_bits=6.6),
    Form("q4_0-all", "Q4_0 with embeddings and output at Q4_0 too", "q4_0", whole=True, most_bits=4.6),
    Form("q8_0", "Q8_0", "q8_0", most_bits=8.6),
)


@dataclass(frozen=True)
class Answer:
    """A prompt and what the target wrote after it, greedily."""

    prompt: list[int]
    tokens: list[int]


@dataclass(frozen=True)
class TargetFigures:
    answers: list[Answer]
    verify_s: Callable[[int], float]
    """Seconds of a verify pass over so many tokens."""

    @property
    def plain_tokens_per_second(self) -> float:
        return 1.0 / self.verify_s(1)


def measure_target(
    target: Model, prompts: Sequence[list[int]], abort: AbortFlag, on_prompt: Callable[[int], None]
) -> TargetFigures:
    """Let the target answer ``prompts`` alone, and time its verify passes. Prompts that do not fit are left out.

    ``on_prompt`` is given the number of prompts that are done. Raises ``DecodeAbortedError``, and ``SlipstreamError``
    (``SETTINGS_INVALID``) when the context is too small.
    """
    answers: list[Answer] = []
    for number, prompt in enumerate(prompts):
        on_prompt(number)
        if len(prompt) + ANSWER_TOKENS + LONGEST_DRAFT + 1 > target.facts.ctx_tokens:
            continue
        run = Generation(
                target, None, OffController(), Sampler(Sampling(temperature=0.0)), prompt, ANSWER_TOKENS, abort
            )
        run.prefill(lambda _done: None)
        for _ in run.steps():
            pass
        if run.reason == "aborted":
            raise DecodeAbortedError
        answers.append(Answer(prompt, run.token_ids))
    costs = CostModel(calibrate(target, None))
    if not answers or not costs.knows_verify:
        raise SlipstreamError(
            Code.SETTINGS_INVALID,
            say("A context of {count} tokens is too small to measure in.", count=target.facts.ctx_tokens),
            say("Load the model with a larger context."),
        )
    return TargetFigures(answers, costs.verify_s)


def measure_form(form: Form, size_bytes: int, target: Model, known: TargetFigures, draft: Model) -> FormFigures:
    """Measure one form of the draft, loaded as ``draft`` with at least ``ANSWER_TOKENS`` rows.

    Raises ``DecodeAbortedError``.
    """
    stood = [_guesses_that_stood(draft, answer) for answer in known.answers]
    step_s = _step_ratio(target, draft) * known.verify_s(1)
    return judge(form.name, size_bytes, stood, step_s, known.verify_s)


def judge(
    form: str, size_bytes: int, stood: Sequence[Sequence[bool]], step_s: float, verify_s: Callable[[int], float]
) -> FormFigures:
    """The best draft length of a form and its speed there.

    ``stood[a][i]`` tells whether its guess for token i of answer a, behind the tokens before it, was the target's.
    """
    rates = {
        length: expected_tokens(stood, length) / (length * step_s + verify_s(length + 1))
        for length in range(1, LONGEST_DRAFT + 1)
    }
    best = max(rates, key=lambda length: rates[length])
    guesses = sum(map(len, stood))
    return FormFigures(
        form=form, size_bytes=size_bytes, step_s=step_s, best_draft_tokens=best, tokens_per_second=rates[best],
        acceptance_rate=sum(map(sum, stood)) / guesses if guesses else 0.0,
    )


def expected_tokens(stood: Sequence[Sequence[bool]], length: int) -> float:
    """Tokens that a step with ``length`` guesses emits on average, over all places where all of them can be judged."""
    emitted = []
    for answer in stood:
        for start in range(len(answer) - length + 1):
            draft = [*answer[start : start + length], False]
            emitted.append(draft.index(False) + 1)
    return sum(emitted) / len(emitted) if emitted else 1.0


def choose(measured: Sequence[FormFigures]) -> FormFigures:
    """The fastest form; the draft as it is unless another is clearly faster."""
    best = max(measured, key=lambda figures: figures.tokens_per_second)
    as_is = next((figures for figures in measured if figures.form == AS_IS.name), best)
    return best if best.tokens_per_second >= WORTH_CHANGING * as_is.tokens_per_second else as_is


def describe(chosen: FormFigures, as_is: FormFigures, plain_tokens_per_second: float) -> str:
    """What was gained, in a sentence or two."""
    title = next(form.title for form in FORMS if form.name == chosen.form)
    if chosen.form == AS_IS.name:
        text = say(
            "No other form is clearly faster than the draft as it is: {step} ms a step, {share} of its guesses "
            "right, {rate} tokens/s expected.",
            step=f"{chosen.step_s * 1000:.1f}", share=f"{chosen.acceptance_rate:.0%}",
            rate=f"{chosen.tokens_per_second:.1f}",
        )
    else:
        text = say(
            "{form}: {step} ms a step instead of {other_step}, {share} of its guesses right instead of {other_share}; "
            "expected {rate} tokens/s instead of {other_rate} ({gain}×).",
            form=title, step=f"{chosen.step_s * 1000:.1f}", other_step=f"{as_is.step_s * 1000:.1f}",
            share=f"{chosen.acceptance_rate:.0%}", other_share=f"{as_is.acceptance_rate:.0%}",
            rate=f"{chosen.tokens_per_second:.1f}", other_rate=f"{as_is.tokens_per_second:.1f}",
            gain=f"{chosen.tokens_per_second / as_is.tokens_per_second:.2f}",
        )
    plain = f"{plain_tokens_per_second:.1f}"
    if chosen.tokens_per_second <= plain_tokens_per_second:
        return joined([text, say("The target alone is no slower here ({rate} tokens/s).", rate=plain)])
    return joined([text, say("The target alone: {rate} tokens/s.", rate=plain)])


def _guesses_that_stood(draft: Model, answer: Answer) -> list[bool]:
    """Whether each token of the answer is what the draft, behind those before it, thinks most likely."""
    text = [*answer.prompt, *answer.tokens[:-1]]
    if max(text) >= draft.facts.vocab_size or len(text) > draft.facts.ctx_tokens:
        return [False] * len(answer.tokens)
    body = answer.prompt[:-1]
    draft.truncate(shared_prefix(draft.tokens, body))
    for start in range(len(draft.tokens), len(body), BATCH_TOKENS):
        draft.decode(body[start : start + BATCH_TOKENS], 1)
    draft.mark(lasting=True)
    guesses: list[int] = []
    for start in range(len(body), len(text), draft.max_rows):  # models with a running state give few rows at once
        part = text[start : start + draft.max_rows]
        guesses += draft.decode(part, len(part)).argmax(axis=1).tolist()
    draft.truncate(len(body))
    return [guess == token for guess, token in zip(guesses, answer.tokens, strict=True)]


def _step_ratio(target: Model, draft: Model) -> float:
    """Seconds of a draft step by seconds of a plain step, timed in turn: both see the machine as it is just then."""
    token = target.tokenize("the", add_special=False, parse_special=False)[0]
    ratios = []
    for round_number in range(STEP_ROUNDS + 1):
        plain_s = _time_passes(target, token, 1)[0]
        step_s = median(_time_passes(draft, token, STEPS_A_ROUND))
        if round_number > 0:  # the first is warm-up
            ratios.append(step_s / plain_s)
    return median(ratios)


def _time_passes(model: Model, token: int, passes: int) -> list[float]:
    kept, seconds = len(model.tokens), []
    model.mark(lasting=True)
    for _ in range(passes):
        before = model.native_s
        model.decode([token], 1)
        seconds.append(model.native_s - before)
    model.truncate(kept)
    return seconds
