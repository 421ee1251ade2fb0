"""What to do when target and draft do not fit into memory, in the order in which a person loses least."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from app.models.facts import ModelFile
from app.models.memory import (
    PROCESS_BYTES,
    CacheSettings,
    estimate_model,
    estimate_pair,
    explain_cache_types,
    format_bytes,
)
from app.models.offload import SplitEstimate, count_layers, estimate_split, fit_layers
from app.records import AUTO_LAYERS, Record
from app.sentences import say

RemedyKind = Literal["ngram", "drafts", "context", "cache", "layers", "smaller-draft"]
_LEAST_CONTEXT = 2048
_SHORT_DRAFT = 3


class Remedy(Record, frozen=True, kw_only=True):
    """One way out. ``text`` is what a button or a line says; the other fields are what to set, where they are set.
    ``needed_bytes`` is what would be needed then, of main memory or, with ``layers``, of the card."""

    kind: RemedyKind
    text: str
    needed_bytes: int
    ctx_tokens: int = 0
    cache_type: str = ""
    gpu_layers: int = AUTO_LAYERS
    draft_path: str = ""
    max_draft: int = 0


def suggest_remedies(target: ModelFile, draft: ModelFile, settings: CacheSettings, free_bytes: int,
                     smaller_drafts: Iterable[ModelFile] = (), *, draft_settings: CacheSettings | None = None,
                     free_device_bytes: int = 0, layers: tuple[int, int] = (AUTO_LAYERS, AUTO_LAYERS)) -> list[Remedy]:
    """Ways in which the pair, or the target with another method, fits into ``free_bytes``; only ways that do.

    Args:
        smaller_drafts: compatible drafts on disk.
        draft_settings: how the draft is loaded, if otherwise than the target.
        free_device_bytes: memory of a graphics card that is to hold both; 0 when there is none.
        layers: of target and draft, how many are meant for that card.
    """
    room = _Room(free_bytes, free_device_bytes, layers)
    shape = _Shape(settings, draft_settings or settings)
    found = [*_without_draft(target, shape, room), *_shorter_drafts(target, draft, shape, room),
             *_smaller_cache(target, draft, shape, room)]
    if free_device_bytes:
        found += _fewer_layers(target, draft, shape, room)
    found += _smaller_draft(target, draft, shape, room, smaller_drafts)
    return found


@dataclass(frozen=True)
class _Shape:
    """How target and draft are loaded."""

    target: CacheSettings
    draft: CacheSettings

    def with_rows(self, rows: int) -> _Shape:
        """With at most ``rows`` rows of logits."""
        return self._each(lambda one: msgspec.structs.replace(one, output_rows=min(one.output_rows, rows)))

    def with_context(self, ctx_tokens: int) -> _Shape:
        return self._each(lambda one: msgspec.structs.replace(one, ctx_tokens=ctx_tokens))

    def with_cache(self, kind: str) -> _Shape:
        """The draft's cache follows the target's unless it is of a type of its own."""
        before = (self.target.cache_type_k, self.target.cache_type_v)
        return self._each(lambda one: msgspec.structs.replace(one, cache_type_k=kind, cache_type_v=kind)
                          if (one.cache_type_k, one.cache_type_v) == before else one)

    def _each(self, change: Callable[[CacheSettings], CacheSettings]) -> _Shape:
        return _Shape(change(self.target), change(self.draft))


@dataclass(frozen=True)
class _Room:
    """``device_bytes`` 0 is no graphics card; else ``layers`` of target and draft are to lie on it."""

    host_bytes: int
    device_bytes: int
    layers: tuple[int, int]

    def need(self, target: ModelFile, draft: ModelFile | None, shape: _Shape) -> int:
        """Bytes of the card, or of main memory where there is none."""
        if self.device_bytes:
            return sum(split.device.total_bytes for split in self.splits(target, draft, shape))
        drafting = estimate_model(draft, shape.draft) if draft else None
        return estimate_pair(estimate_model(target, shape.target), drafting).total_bytes

    def fits(self, target: ModelFile, draft: ModelFile | None, shape: _Shape) -> bool:
        if not self.device_bytes:
            return self.need(target, draft, shape) <= self.host_bytes
        host = sum(split.host.total_bytes for split in self.splits(target, draft, shape)) + PROCESS_BYTES
        return self.need(target, draft, shape) <= self.device_bytes and host <= self.host_bytes

    def splits(self, target: ModelFile, draft: ModelFile | None, shape: _Shape) -> list[SplitEstimate]:
        given = ((target, shape.target, self.layers[0]), (draft, shape.draft, self.layers[1]))
        return [estimate_split(facts, settings, count) for facts, settings, count in given if facts is not None]


def _without_draft(target: ModelFile, shape: _Shape, room: _Room) -> Iterator[Remedy]:
    if room.fits(target, None, shape):
        needed = room.need(target, None, shape)
        yield Remedy(kind="ngram", needed_bytes=needed,
                     text=say("Use N-gram lookup, which needs no draft: {size}.", size=format_bytes(needed)))


def _shorter_drafts(target: ModelFile, draft: ModelFile, shape: _Shape, room: _Room) -> Iterator[Remedy]:
    """Every drafted token costs a row of logits: little, yet sometimes enough."""
    fewer = shape.with_rows(_SHORT_DRAFT + 1)
    if room.fits(target, draft, fewer):
        needed = room.need(target, draft, fewer)
        yield Remedy(kind="drafts", needed_bytes=needed, max_draft=_SHORT_DRAFT,
                     text=say("Draft {count} tokens at most: {size}.", count=_SHORT_DRAFT, size=format_bytes(needed)))


def _smaller_cache(target: ModelFile, draft: ModelFile, shape: _Shape, room: _Room) -> Iterator[Remedy]:
    ctx = shape.target.ctx_tokens or target.ctx_train_tokens
    while ctx // 2 >= _LEAST_CONTEXT:
        ctx = ctx // 2
        shorter = shape.with_context(ctx)
        if room.fits(target, draft, shorter):
            needed = room.need(target, draft, shorter)
            yield Remedy(kind="context", needed_bytes=needed, ctx_tokens=ctx,
                         text=say(
                             "Shorten the context to {count} tokens: {size}.",
                             count=f"{ctx:,}", size=format_bytes(needed),
                         ))
            break
    smaller = shape.with_cache("q8_0")
    refused = explain_cache_types(target, smaller.target) or explain_cache_types(draft, smaller.draft)
    if shape.target.cache_type_k in ("f16", "bf16", "f32") and not refused and room.fits(target, draft, smaller):
        needed = room.need(target, draft, smaller)
        yield Remedy(kind="cache", needed_bytes=needed, cache_type="q8_0",
                     text=say("Keep the cache in 8 bits (q8_0): {size}.", size=format_bytes(needed)))


def _fewer_layers(target: ModelFile, draft: ModelFile, shape: _Shape, room: _Room) -> Iterator[Remedy]:
    """The draft on the card as far as it was meant to be, since every guess waits for it, and as much of the target as
    fits beside it."""
    drafting = estimate_split(draft, shape.draft, room.layers[1])
    layers = fit_layers(target, shape.target, room.device_bytes - drafting.device.total_bytes)
    split = estimate_split(target, shape.target, layers)
    meant = count_layers(target) if room.layers[0] == AUTO_LAYERS else min(room.layers[0], count_layers(target))
    host = split.host.total_bytes + drafting.host.total_bytes + PROCESS_BYTES
    if 0 < layers < meant and host <= room.host_bytes:
        needed = split.device.total_bytes + drafting.device.total_bytes
        yield Remedy(kind="layers", needed_bytes=needed, gpu_layers=layers,
                     text=say(
                         "Put {some} of the target's {all} layers on the graphics card: {size} there.",
                         some=layers, all=count_layers(target), size=format_bytes(needed),
                     ))


def _smaller_draft(target: ModelFile, draft: ModelFile, shape: _Shape, room: _Room, others: Iterable[ModelFile]
                   ) -> Iterator[Remedy]:
    """The largest of the smaller drafts that fits."""
    for other in sorted(others, key=lambda facts: -facts.weights_bytes):
        if other.weights_bytes < draft.weights_bytes and room.fits(target, other, shape):
            needed = room.need(target, other, shape)
            yield Remedy(kind="smaller-draft", needed_bytes=needed, draft_path=other.path,
                         text=say(
                             "Take {name} ({kind}) as the draft: {size}.",
                             name=other.name, kind=other.quantisation, size=format_bytes(needed),
                         ))
            return
