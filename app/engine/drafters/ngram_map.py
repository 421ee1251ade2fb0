"""Drafting from a map of phrases: what followed the last n tokens, if they stood often enough and went on alike.

The two are llama.cpp's ``ngram-map-k`` and ``ngram-map-k4v`` (docs/speculative.md and pull request 18471 of
ggml-org/llama.cpp) with its parameters: ``n`` tokens of the phrase, ``m`` tokens drafted, ``min_hits``. Unlike there, a
phrase counts each time it stands in the text, not each time it was asked for, and ``ngram-map-k`` copies what there is
where fewer than ``m`` tokens follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.engine.backend import shared_prefix
from app.engine.drafters.interface import Draft, Drafter, Kept, Policy
from app.engine.drafters.lookup import sureness
from app.methods import Method

VALUES_KEPT = 4
DOMINANCE = 3
"""A continuation is drafted when it was seen at least this many times as often as all others together."""

Phrase = tuple[int, ...]


@dataclass
class _Value:
    """A continuation: how often it was seen, and how many tokens of it may be drafted (what stood the last time)."""

    seen: int = 0
    allowed: int = 0


@dataclass
class _Key:
    """A phrase: how often it stood before the present, the place after the last of them, its continuations."""

    hits: int = 0
    place: int = 0
    values: dict[Phrase, _Value] = field(default_factory=dict)


@dataclass
class _Asked:
    """The last draft, until the text tells how much of it stood."""

    position: int
    value: _Value
    tokens: list[int]


class _NgramMapDrafter:
    name = ""

    def __init__(self, n: int, m: int, min_hits: int) -> None:
        self._n = n
        self._m = m
        self._min_hits = min_hits
        self._keys: dict[Phrase, _Key] = {}
        self._indexed = n
        self._asked: _Asked | None = None

    def begin(self, prompt: Sequence[int]) -> None:
        self._keys.clear()
        self._indexed = self._n
        self._asked = None
        self._index(prompt)

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        draft = Draft(self.name)
        self._judge(context)
        self._index(context)
        key = self._keys.get(tuple(context[-self._n :]))
        if key is None or key.hits < self._min_hits:
            return draft
        tokens, value, agreement = self._continuation(key, context)
        for token in tokens[: value.allowed]:
            confidence = sureness(self._n + len(draft), agreement)
            if not (policy.go_on() and policy.take(confidence)):
                break
            draft.tokens.append(token)
            draft.confidences.append(confidence)
        if draft.tokens:
            self._asked = _Asked(len(context), value, draft.tokens)
        return draft

    def _continuation(self, key: _Key, context: Sequence[int]) -> tuple[Sequence[int], _Value, float]:
        """(the tokens, what is known of them, share of the continuations that are these)."""
        raise NotImplementedError

    def _note_place(self, key: _Key, context: Sequence[int], end: int) -> None:
        key.hits += 1
        key.place = end

    def _judge(self, context: Sequence[int]) -> None:
        """A draft that fell somewhere is cut there the next time; one that stood whole may be twice as long again.

        One token is always tried: with none, a phrase that fell once could never prove itself.
        """
        asked, self._asked = self._asked, None
        if asked is None or asked.position > len(context):
            return
        grown = context[asked.position : asked.position + len(asked.tokens)]
        stood = shared_prefix(asked.tokens, grown)
        if stood == len(asked.tokens):
            asked.value.allowed = min(self._m, max(asked.value.allowed, 2 * stood))
        elif stood < len(grown):  # otherwise the text stopped before the draft did, and nothing is known
            asked.value.allowed = max(1, stood)

    def _index(self, context: Sequence[int]) -> None:
        n = self._n
        for end in range(self._indexed, len(context)):
            key = self._keys.setdefault(tuple(context[end - n : end]), _Key())
            self._note_place(key, context, end)
        self._indexed = max(self._indexed, len(context))


class NgramMapKDrafter(_NgramMapDrafter):
    """Copies what followed the phrase where it stood last."""

    name = "ngram-map-k"

    def _continuation(self, key: _Key, context: Sequence[int]) -> tuple[Sequence[int], _Value, float]:
        value = key.values.setdefault((), _Value(allowed=self._m))
        return context[key.place : key.place + self._m], value, 1.0


class NgramMapK4vDrafter(_NgramMapDrafter):
    """Counts up to four continuations of ``m`` tokens for each phrase and drafts one that is much the commonest."""

    name = "ngram-map-k4v"

    def __init__(self, n: int, m: int, min_hits: int) -> None:
        super().__init__(n, m, min_hits)
        self._counted = n

    def begin(self, prompt: Sequence[int]) -> None:
        self._counted = self._n
        super().begin(prompt)

    def _continuation(self, key: _Key, context: Sequence[int]) -> tuple[Sequence[int], _Value, float]:
        if not key.values:
            return (), _Value(), 0.0
        # of equals the one seen first
        tokens, value = max(key.values.items(), key=lambda item: item[1].seen)
        total = sum(each.seen for each in key.values.values())
        if value.seen < DOMINANCE * (total - value.seen):
            return (), value, 0.0
        return tokens, value, value.seen / total

    def _index(self, context: Sequence[int]) -> None:
        super()._index(context)
        n, m = self._n, self._m
        for end in range(self._counted, len(context) - m + 1):
            values = self._keys[tuple(context[end - n : end])].values
            following = tuple(context[end : end + m])
            if following in values or len(values) < VALUES_KEPT:
                value = values.setdefault(following, _Value(allowed=m))
                value.seen += 1
        self._counted = max(self._counted, len(context) - m + 1)


def make(method: Method, _kept: Kept) -> tuple[Drafter, int]:
    """The drafter of ``method``, and the most tokens of its drafts."""
    kind = NgramMapKDrafter if method.name == "ngram-map-k" else NgramMapK4vDrafter
    return kind(method.integer("n"), method.integer("m"), method.integer("min_hits")), method.integer("m")
