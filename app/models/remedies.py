"""What to do when target and draft do not fit into memory, in the order in which a person loses least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from app.models.facts import ModelFile
from app.models.memory import CacheSettings, estimate_model, estimate_pair, explain_cache_types, format_bytes
from app.models.offload import count_layers, estimate_split, fit_layers
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
    found = [*_without_draft(target, settings, free_bytes), *_shorter_drafts(target, draft, settings, free_bytes),
             *_smaller_cache(target, draft, settings, free_bytes)]
    if free_device_bytes:
        found += _fewer_layers(target, draft, settings, free_bytes, free_device_bytes)
    found += _smaller_draft(target, draft, settings, free_bytes, smaller_drafts)
    return found


def _need(target: ModelFile, draft: ModelFile | None, settings: CacheSettings) -> int:
    drafting = estimate_model(draft, settings) if draft else None
    return estimate_pair(estimate_model(target, settings), drafting).total_bytes


def _without_draft(target: ModelFile, settings: CacheSettings, free_bytes: int) -> Iterator[Remedy]:
    needed = _need(target, None, settings)
    if needed <= free_bytes:
        yield Remedy(kind="ngram", needed_bytes=needed,
                     text=f"Use N-gram lookup, which needs no draft: {format_bytes(needed)}.")


def _shorter_drafts(target: ModelFile, draft: ModelFile, settings: CacheSettings, free_bytes: int) -> Iterator[Remedy]:
    """Every drafted token costs a row of logits: little, yet sometimes enough."""
    needed = _need(target, draft, msgspec.structs.replace(settings, output_rows=_SHORT_DRAFT + 1))
    if needed <= free_bytes:
        yield Remedy(kind="drafts", needed_bytes=needed, max_draft=_SHORT_DRAFT,
                     text=f"Draft {_SHORT_DRAFT} tokens at most: {format_bytes(needed)}.")


def _smaller_cache(target: ModelFile, draft: ModelFile, settings: CacheSettings, free_bytes: int) -> Iterator[Remedy]:
    ctx = settings.ctx_tokens or target.ctx_train_tokens
    while ctx // 2 >= _LEAST_CONTEXT:
        ctx = ctx // 2
        needed = _need(target, draft, msgspec.structs.replace(settings, ctx_tokens=ctx))
        if needed <= free_bytes:
            yield Remedy(kind="context", needed_bytes=needed, ctx_tokens=ctx,
                         text=f"Shorten the context to {ctx:,} tokens: {format_bytes(needed)}.")
            break
    smaller = msgspec.structs.replace(settings, cache_type_k="q8_0", cache_type_v="q8_0")
    refused = any(explain_cache_types(facts, smaller) for facts in (target, draft))
    if settings.cache_type_k in ("f16", "bf16", "f32") and not refused:
        needed = _need(target, draft, smaller)
        if needed <= free_bytes:
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


def _smaller_draft(target: ModelFile, draft: ModelFile, settings: CacheSettings, free_bytes: int,
                   others: Iterable[ModelFile]) -> Iterator[Remedy]:
    """The largest of the smaller drafts that fits."""
    for other in sorted(others, key=lambda facts: -facts.weights_bytes):
        if other.weights_bytes >= draft.weights_bytes:
            continue
        needed = _need(target, other, settings)
        if needed <= free_bytes:
            yield Remedy(kind="smaller-draft", needed_bytes=needed, draft_path=other.path,
                         text=f"Take {other.name} ({other.quantisation}) as the draft: {format_bytes(needed)}.")
            return
