"""May one model draft for another, why not, and which draft to take.

The rule is llama.cpp's own (``common_speculative_are_compatible`` in common/speculative.cpp), applied to headers alone.
File names play no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.models.facts import ModelFile, is_unquantised
from app.models.ggml_types import quantisation_bits
from app.models.memory import format_bytes
from app.models.vocabulary import Vocabulary, vocabulary_kind
from app.sentences import Text, say

MAX_SIZE_DIFFERENCE = 128
FIRST_COMPARED_ID = 5
BEST_RATIO = (10.0, 20.0)
"""A draft this many times smaller than its target usually gains most."""
LEAST_RATIO = 2.0


@dataclass(frozen=True)
class PairVerdict:
    """``reason`` is one sentence for either answer; the ``difference_*`` fields are set when a token's text differs."""

    compatible: bool
    reason: Text
    difference_id: int | None = None
    difference_target: str = ""
    difference_draft: str = ""


def check_pair(target: Vocabulary, draft: Vocabulary) -> PairVerdict:
    """Whether tokens of ``draft`` mean the same to ``target``."""
    if target.kind != draft.kind:
        return _refuse_kinds(target.kind, draft.kind)
    ends = _compare_ends(target, draft)
    if ends is not None:
        return PairVerdict(False, ends)
    difference = abs(target.size - draft.size)
    if difference > MAX_SIZE_DIFFERENCE:
        return _refuse_sizes(target.size, draft.size)
    token_id = _find_difference(target, draft)
    if token_id is not None:
        there, here = target.shown_text(token_id), draft.shown_text(token_id)
        reason = say(
            "Token {id} is `{there}` in the target and `{here}` in the draft.", id=token_id, there=there, here=here
        )
        return PairVerdict(False, reason, token_id, there, here)
    if difference:
        return PairVerdict(True, say(
            "Same vocabulary; only {count} padding tokens differ ({target} and {draft}).",
            count=difference, target=f"{target.size:,}", draft=f"{draft.size:,}",
        ))
    return PairVerdict(True, say("Same vocabulary of {count} tokens.", count=f"{target.size:,}"))


def check_facts(target: ModelFile, draft: ModelFile) -> PairVerdict | None:
    """The refusals that need no vocabulary; None when the vocabularies have to be compared."""
    kinds = vocabulary_kind(target.vocab_type), vocabulary_kind(draft.vocab_type)
    if "" not in kinds and kinds[0] != kinds[1]:
        return _refuse_kinds(*kinds)
    if target.vocab_size and draft.vocab_size and abs(target.vocab_size - draft.vocab_size) > MAX_SIZE_DIFFERENCE:
        return _refuse_sizes(target.vocab_size, draft.vocab_size)
    return None


def _refuse_kinds(target: str, draft: str) -> PairVerdict:
    return PairVerdict(False, say(
        "The target's tokenizer is of the {target} kind and the draft's of the {draft} kind.",
        target=target, draft=draft,
    ))


def _refuse_sizes(target: int, draft: int) -> PairVerdict:
    return PairVerdict(False, say(
        "The target's vocabulary has {target} tokens and the draft's {draft}; they may differ by {count} at most.",
        target=f"{target:,}", draft=f"{draft:,}", count=MAX_SIZE_DIFFERENCE,
    ))


def _compare_ends(target: Vocabulary, draft: Vocabulary) -> str | None:
    for name, target_adds, draft_adds, target_id, draft_id in (
        ("beginning-of-text", target.add_bos, draft.add_bos, target.bos_id, draft.bos_id),
        ("end-of-text", target.add_eos, draft.add_eos, target.eos_id, draft.eos_id),
    ):
        if target_adds != draft_adds:
            return (say("The target puts a {token} token around every prompt and the draft does not.", token=name)
                    if target_adds else
                    say("The draft puts a {token} token around every prompt and the target does not.", token=name))
        if target_adds and target_id != draft_id:
            return say(
                "The {token} token is {target} in the target and {draft} in the draft.",
                token=name, target=target_id, draft=draft_id,
            )
    return None


def _find_difference(target: Vocabulary, draft: Vocabulary) -> int | None:
    """First id from ``FIRST_COMPARED_ID`` on whose text differs within the common range."""
    common = min(target.size, draft.size)
    if target.tokens[FIRST_COMPARED_ID:common] == draft.tokens[FIRST_COMPARED_ID:common]:
        return None
    for token_id in range(FIRST_COMPARED_ID, common):
        if (target.tokens[token_id] != draft.tokens[token_id]
                and target.engine_text(token_id) != draft.engine_text(token_id)):
            return token_id
    return None


def check_target(facts: ModelFile) -> str:
    """Why this file cannot be a target or a draft model; "" if it can."""
    return {
        "chat": "",
        "base": "",
        "draft-head": say(
            "This is the drafting head of one certain target, not a model of its own; it needs the method {method}, "
            "which this program does not have yet.",
            method=facts.draft_method,
        ),
        "projector": say("This is an image projector that belongs to another model, not a model of its own."),
        "adapter": say("This is a LoRA adapter, which changes another model, not a model of its own."),
        "embedding": say("This model makes embeddings and writes no text."),
        "vocabulary": say("This file holds a vocabulary and no weights."),
        "part": say("This is a later part of a split model; choose its first part."),
        "other": say("This is not a model that writes text."),
    }[facts.kind]


@dataclass(frozen=True)
class Measured:
    """What a draft gained with this target on this machine: answers were ``factor`` times as fast. ``words`` say how
    that was found out."""

    factor: float
    words: str


@dataclass(frozen=True)
class DraftCandidate:
    """A file on disk that might draft; ``vocabulary`` is None when it could not be read (``trouble`` says why) or when
    ``verdict`` is known already. ``needed_bytes`` is what it adds to the memory, 0 if unknown."""

    facts: ModelFile
    vocabulary: Vocabulary | None
    needed_bytes: int = 0
    trouble: str = ""
    verdict: PairVerdict | None = None


@dataclass(frozen=True)
class Suggestion:
    """A candidate with its verdict. ``recommended`` when it fits, is allowed and is likely to gain; ``score`` orders.

    ``notes`` are sentences on what speaks for or against it, in the order of weight. ``gain`` is what was measured on
    this machine, 0 if nothing was.
    """

    facts: ModelFile
    verdict: PairVerdict
    recommended: bool
    score: float
    ratio: float
    notes: list[str] = field(default_factory=list)
    gain: float = 0.0


def suggest_drafts(target: ModelFile, vocabulary: Vocabulary | None, candidates: Sequence[DraftCandidate],
                   free_bytes: int | None = None, cautions: Mapping[str, str] | None = None,
                   measured: Mapping[str, Measured] | None = None) -> list[Suggestion]:
    """Every candidate with its verdict, the one to take first, refused ones last.

    Args:
        vocabulary: the target's; None if every candidate brings its verdict.
        free_bytes: memory left beside the target; None leaves memory out of the judgement.
        cautions: what the catalog says of the drafts (by path) that it pairs with this target, "" if nothing.
        measured: what drafts (by path) gained on this machine, which counts more than any caution or rule.
    """
    judged = [
        _judge(target, vocabulary, candidate, free_bytes, (cautions or {}).get(candidate.facts.path),
               (measured or {}).get(candidate.facts.path))
        for candidate in candidates if candidate.facts.path != target.path
    ]
    return sorted(judged, key=lambda s: (not s.recommended, not s.verdict.compatible, -s.score, s.facts.name))


def _judge(target: ModelFile, vocabulary: Vocabulary | None, candidate: DraftCandidate, free_bytes: int | None,
           caution: str | None, measured: Measured | None) -> Suggestion:
    facts = candidate.facts
    ratio = _size_ratio(target, facts)
    refusal = candidate.trouble or check_target(facts)
    verdict = candidate.verdict
    if refusal:
        verdict = PairVerdict(False, refusal)
    elif verdict is None and vocabulary is not None and candidate.vocabulary is not None:
        verdict = check_pair(vocabulary, candidate.vocabulary)
    elif verdict is None:
        verdict = PairVerdict(False, say("Its vocabulary could not be read."))
    if not verdict.compatible:
        return Suggestion(facts, verdict, False, 0.0, ratio)
    score, notes = _score(target, facts, ratio)
    fits = free_bytes is None or candidate.needed_bytes <= free_bytes
    if not fits:
        notes.insert(0, describe_lack(candidate.needed_bytes, free_bytes or 0))
    if measured is not None:
        # What was found out here stands in the place of what others reported, good or bad.
        score = measured.factor
        notes.insert(0, measured.words)
    elif caution:
        score /= 2
        notes.insert(0, caution)
    elif caution is not None:
        score += 0.5
        notes.append(say("The catalog knows this pair."))
    # A larger vocabulary is harmless: the engine never passes on an id that the target lacks.
    alike = target.kind == facts.kind
    recommended = fits and alike and ratio >= LEAST_RATIO and not is_unquantised(facts) and not caution
    gain = measured.factor if measured else 0.0
    if measured is not None:
        recommended = fits and gain >= 1.0
    return Suggestion(facts, verdict, recommended, score if fits else score / 4, ratio, notes, gain)


def _size_ratio(target: ModelFile, draft: ModelFile) -> float:
    return target.parameters / draft.parameters if draft.parameters else 0.0


def score_ratio(ratio: float) -> float:
    """How near a draft that is ``ratio`` times smaller comes to what usually gains most, from 0 to 1."""
    low, high = BEST_RATIO
    return 1.0 / max(low / ratio, ratio / high, 1.0) if ratio > 0 else 0.0


def describe_lack(needed_bytes: int, free_bytes: int) -> str:
    return say(
        "It needs {needed} and {free} are free beside the target.",
        needed=format_bytes(needed_bytes), free=format_bytes(free_bytes),
    )


def _score(target: ModelFile, draft: ModelFile, ratio: float) -> tuple[float, list[str]]:
    """Expected gain as an order, not a forecast: closeness to the best ratio, same form, same training style."""
    notes: list[str] = []
    low, high = BEST_RATIO
    score = score_ratio(ratio)
    if ratio <= 1.0:
        notes.append(say("It is no smaller than the target, so it cannot save time."))
    elif ratio < LEAST_RATIO:
        notes.append(say(
            "It is only {ratio} times smaller than the target, too large to save time.", ratio=f"{ratio:.1f}"
        ))
    elif ratio < low / 2:
        notes.append(say(
            "It is {ratio} times smaller than the target; 10 to 20 times gains most.", ratio=f"{ratio:.1f}"
        ))
    elif ratio <= 2 * high:
        notes.append(say("It is {ratio} times smaller than the target.", ratio=f"{ratio:.0f}"))
    else:
        notes.append(say(
            "It is {ratio} times smaller than the target and may often guess wrong.", ratio=f"{ratio:.0f}"
        ))
    # Of two makings of one model the one with fewer bytes to read for each token drafts faster.
    score *= 1.0 + 0.2 / (1.0 + _bytes_per_token(draft) / max(_bytes_per_token(target), 1))
    target_bits, draft_bits = quantisation_bits(target.quantisation), quantisation_bits(draft.quantisation)
    if is_unquantised(draft):
        score *= 0.4
        notes.append(say("Its weights are not quantised ({kind}), so each guess takes long.", kind=draft.quantisation))
    elif draft_bits == target_bits:
        score *= 1.1
    elif draft_bits > 4:
        score *= 0.95
    if (target.kind == "chat") != (draft.kind == "chat"):
        score *= 0.7
        notes.append(say("One of the two is tuned for chat and the other is not, so they agree less often."))
    if draft.experts and not target.experts:
        score *= 0.8
    if draft.recurrent or draft.hybrid:
        score *= 0.8
        notes.append(say("Its state cannot be rolled back freely, which makes drafting dearer."))
    return score, notes


def _bytes_per_token(facts: ModelFile) -> int:
    """Weights that are read for every token, all experts counted."""
    return sum(facts.matrix_bytes_by_type.values())
