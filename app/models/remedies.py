"""What to do when target and draft do not fit into memory, in the order in which a person loses least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from app.terms import AUTO_LAYERS, Record

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
                     smaller_drafts: Iterable[ModelFile] = (), *, free_device_bytes: int = 0) -> list[Remedy]:
    """Ways in which the pair, or the target with another method, fits into ``free_bytes``; only ways that do.

    Args:
        smaller_drafts: compatible drafts on disk.
        free_device_bytes: memory of a graphics card that is to hold both; 0 when there is none.
    """
    room = _Room(free_bytes, free_device_bytes)
    found = [*_without_draft(target, settings, room), *_shorter_drafts(target, draft, settings, room),
             *_smaller_cache(target, draft, settings, room)]
    if free_device_bytes:
        found += _fewer_layers(target, draft, settings, free_bytes, free_device_bytes)
    found += _smaller_draft(target, draft, settings, room, smaller_drafts)
    return found


@dataclass(frozen=True)
class _Room:
    """``device_bytes`` 0 is no graphics card; else both models are to lie on it as far as the engine puts them there.
    """

    host_bytes: int
    device_bytes: int

    def need(self, target: ModelFile, draft: ModelFile | None, settings: CacheSettings) -> int:
        """Bytes of the card, or of main memory where there is none."""
        if self.device_bytes:
            return sum(split.device.total_bytes for split in _splits(target, draft, settings))
        drafting = estimate_model(draft, settings) if draft else None
        return estimate_pair(estimate_model(target, settings), drafting).total_bytes

    def fits(self, target: ModelFile, draft: ModelFile | None, settings: CacheSettings) -> bool:
        if not self.device_bytes:
            return self.need(target, draft, settings) <= self.host_bytes
        host = sum(split.host.total_bytes for split in _splits(target, draft, settings)) + PROCESS_BYTES
        return self.need(target, draft, settings) <= self.device_bytes and host <= self.host_bytes


def _splits(target: ModelFile, draft: ModelFile | None, settings: CacheSettings) -> list[SplitEstimate]:
    return [estimate_split(facts, settings, AUTO_LAYERS) for facts in (target, draft) if facts is not None]


def _without_draft(target: ModelFile, settings: CacheSettings, room: _Room) -> Iterator[Remedy]:
    if room.fits(target, None, settings):
        needed = room.need(target, None, settings)
        yield Remedy(kind="ngram", needed_bytes=needed,
                     text=f"Use N-gram lookup, which needs no draft: {format_bytes(needed)}.")


def _shorter_drafts(target: ModelFile, draft: ModelFile, settings: CacheSettings, room: _Room) -> Iterator[Remedy]:
    """Every drafted token costs a row of logits: little, yet sometimes enough."""
    fewer = msgspec.structs.replace(settings, output_rows=_SHORT_DRAFT + 1)
    if room.fits(target, draft, fewer):
        needed = room.need(target, draft, fewer)
        yield Remedy(kind="drafts", needed_bytes=needed, max_draft=_SHORT_DRAFT,
                     text=f"Draft {_SHORT_DRAFT} tokens at most: {format_bytes(needed)}.")


def _smaller_cache(target: ModelFile, draft: ModelFile, settings: CacheSettings, room: _Room) -> Iterator[Remedy]:
    ctx = settings.ctx_tokens or target.ctx_train_tokens
    while ctx // 2 >= _LEAST_CONTEXT:
        ctx = ctx // 2
        shorter = msgspec.structs.replace(settings, ctx_tokens=ctx)
        if room.fits(target, draft, shorter):
            needed = room.need(target, draft, shorter)
            yield Remedy(kind="context", needed_bytes=needed, ctx_tokens=ctx,
                         text=f"Shorten the context to {ctx:,} tokens: {format_bytes(needed)}.")
            break
    smaller = msgspec.structs.replace(settings, cache_type_k="q8_0", cache_type_v="q8_0")
    refused = any(explain_cache_types(facts, smaller) for facts in (target, draft))
    if settings.cache_type_k in ("f16", "bf16", "f32") and not refused and room.fits(target, draft, smaller):
        needed = room.need(target, draft, smaller)
        yield Remedy(kind="cache", needed_bytes=needed, cache_type="q8_0",
                     text=f"Keep the cache in 8 bits (q8_0): {format_bytes(needed)}.")


def _fewer_layers(target: ModelFile, draft: ModelFile, settings: CacheSettings, free_bytes: int, free_device_bytes: int
                  ) -> Iterator[Remedy]:
    """The draft whole on the card, since every guess waits for it, and as much of the target as fits beside it."""
    drafting = estimate_split(draft, settings, AUTO_LAYERS)
    layers = fit_layers(target, settings, free_device_bytes - drafting.device.total_bytes)
    split = estimate_split(target, settings, layers)
    if 0 < layers < count_layers(target) and split.host.total_bytes + drafting.host.total_bytes <= free_bytes:
        needed = split.device.total_bytes + drafting.device.total_bytes
        yield Remedy(kind="layers", needed_bytes=needed, gpu_layers=layers,
                     text=f"Put {layers} of the target's {count_layers(target)} layers on the graphics card: "
                          f"{format_bytes(needed)} there.")


def _smaller_draft(target: ModelFile, draft: ModelFile, settings: CacheSettings, room: _Room,
                   others: Iterable[ModelFile]) -> Iterator[Remedy]:
    """The largest of the smaller drafts that fits."""
    for other in sorted(others, key=lambda facts: -facts.weights_bytes):
        if other.weights_bytes < draft.weights_bytes and room.fits(target, other, settings):
            needed = room.need(target, other, settings)
            yield Remedy(kind="smaller-draft", needed_bytes=needed, draft_path=other.path,
                         text=f"Take {other.name} ({other.quantisation}) as the draft: {format_bytes(needed)}.")
            return
