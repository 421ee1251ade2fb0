"""Whether target and draft fit, in main memory and on each graphics card, as a judgement that names the sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.models.facts import ModelFile
from app.models.host import has_one_memory
from app.models.memory import (
    OUTPUT_ROWS,
    PROCESS_BYTES,
    STATE_SNAPSHOTS,
    CacheSettings,
    MemoryEstimate,
    estimate_model,
)
from app.models.offload import count_layers, estimate_split
from app.protocol import Device
from app.records import AUTO_LAYERS, LoadSettings

PartKind = Literal["target-weights", "target-cache", "target-work", "draft-weights", "draft-cache", "draft-work",
                   "process"]


@dataclass(frozen=True)
class MemoryPart:
    """``work``: compute and output buffers and the tokenizer's tables."""

    kind: PartKind
    size_bytes: int


@dataclass(frozen=True)
class MemoryPlace:
    """Main memory (``name`` "") or one graphics card. ``free_bytes`` counts what a loaded model will give back."""

    name: str
    parts: tuple[MemoryPart, ...]
    free_bytes: int
    total_bytes: int

    @property
    def needed_bytes(self) -> int:
        return sum(part.size_bytes for part in self.parts)

    @property
    def fits(self) -> bool:
        return self.needed_bytes <= self.free_bytes


@dataclass(frozen=True)
class MemoryJudgement:
    """Of the place where it is tightest: ``needed_bytes`` is for target and draft, ``needed_alone_bytes`` for the
    target without a draft; ``free_bytes`` counts what a loaded model will give back. ``on_gpu``: that place is a
    graphics card. ``places`` are all that are used, main memory first."""

    needed_bytes: int
    needed_alone_bytes: int
    free_bytes: int
    on_gpu: bool = False
    places: tuple[MemoryPlace, ...] = ()

    @property
    def fits(self) -> bool:
        return self.needed_bytes <= self.free_bytes

    @property
    def fits_alone(self) -> bool:
        return self.needed_alone_bytes <= self.free_bytes


@dataclass(frozen=True)
class Reserved:
    """What the engine itself says it would reserve for one model: its cache, and its buffers on graphics cards. In main
    memory buffers count only as far as they are touched, which the estimate from the header knows better."""

    cache_bytes: int
    card_buffer_bytes: int = 0


@dataclass(frozen=True)
class Room:
    """What there is: main memory, graphics cards, and what the engine holds of them and gives back at the next load."""

    free_bytes: int
    total_bytes: int
    held_bytes: int = 0
    cards: tuple[Device, ...] = ()
    held_card_bytes: int = 0

    @property
    def free_card_bytes(self) -> int:
        return sum(card.free_bytes for card in self.cards) + self.held_card_bytes if self.cards else 0


def cards_of(devices: Sequence[Device]) -> tuple[Device, ...]:
    """Those with a memory of their own; an integrated one shares the computer's."""
    return () if has_one_memory() else tuple(device for device in devices if device.kind == "gpu")


def cache_settings(settings: LoadSettings, on_card: bool = False, as_draft: bool = False) -> CacheSettings:
    # With graphics cards the engine maps the file; what went to the cards leaves main memory again.
    return CacheSettings(
        ctx_tokens=settings.ctx_tokens, cache_type_k=settings.cache_type_k, cache_type_v=settings.cache_type_v,
        flash_attn=settings.flash_attn != "off", mapped=True if on_card else None,
        plain_draft=as_draft and not on_card and settings.flash_attn == "auto",
        snapshots=0 if as_draft else STATE_SNAPSHOTS, output_rows=1 if as_draft else OUTPUT_ROWS,
    )


def judge(target: ModelFile, draft: ModelFile | None, settings: LoadSettings, room: Room,
          draft_settings: LoadSettings | None = None, reserved: Sequence[Reserved | None] = (None, None)
          ) -> MemoryJudgement:
    """Judge by every place that the pair would take memory in.

    Args:
        reserved: what the engine said of target and draft, as far as it was asked.
    """
    places = plan_places(target, draft, settings, room, draft_settings, reserved)
    alone = plan_places(target, None, settings, room, None, reserved)
    index = max(range(len(places)), key=lambda i: places[i].needed_bytes - places[i].free_bytes)
    tight = places[index]
    return MemoryJudgement(tight.needed_bytes, alone[index].needed_bytes if index < len(alone) else 0,
                           tight.free_bytes, bool(tight.name), places)


def plan_places(target: ModelFile, draft: ModelFile | None, settings: LoadSettings, room: Room,
                draft_settings: LoadSettings | None = None, reserved: Sequence[Reserved | None] = (None, None)
                ) -> tuple[MemoryPlace, ...]:
    """What goes where. Several cards share in proportion to what is free on them, as the engine has it."""
    models = [("target", target, settings)]
    if draft is not None:
        models.append(("draft", draft, draft_settings or settings))
    host: list[MemoryPart] = []
    device: list[MemoryPart] = []
    for (who, facts, load), known in zip(models, reserved, strict=False):
        shape = cache_settings(load, bool(room.cards), who == "draft")
        if room.cards and load.gpu_layers != 0:
            split = estimate_split(facts, shape, load.gpu_layers)
            whole = split.host.kv_bytes + split.device.kv_bytes
            device += _parts(who, split.device, known, whole, on_card=True)
            host += _parts(who, split.host, known, whole)
        else:
            estimate = estimate_model(facts, shape)
            host += _parts(who, estimate, known, estimate.kv_bytes)
    host.append(MemoryPart("process", PROCESS_BYTES))
    places = [MemoryPlace("", tuple(host), room.free_bytes + room.held_bytes, room.total_bytes)]
    if any(part.size_bytes for part in device):
        free = [card.free_bytes for card in room.cards]
        shares = [each / sum(free) if sum(free) else 1 / len(free) for each in free]
        for card, share in zip(room.cards, shares, strict=True):
            parts = tuple(MemoryPart(part.kind, int(part.size_bytes * share)) for part in device)
            held = int(room.held_card_bytes * share)
            places.append(MemoryPlace(card.description or card.name, parts, card.free_bytes + held, card.total_bytes))
    return tuple(places)


def held_on_cards(facts: Sequence[ModelFile], settings: LoadSettings, room: Room) -> int:
    """Bytes on the cards that loaded models will give back."""
    if not room.cards or settings.gpu_layers == 0:
        return 0
    held = sum(estimate_split(each, cache_settings(settings, True), settings.gpu_layers).device.total_bytes
               for each in facts)
    used = sum(card.total_bytes - card.free_bytes for card in room.cards)
    return min(held, used)


def goes_whole(facts: ModelFile, layers: int) -> bool:
    """Whether all of a model is to go to the graphics card."""
    return layers == AUTO_LAYERS or layers >= count_layers(facts)


def _parts(who: str, estimate: MemoryEstimate, known: Reserved | None, whole_cache: int, on_card: bool = False
           ) -> list[MemoryPart]:
    """``whole_cache`` is the estimate of the cache over all places, by which what the engine said is divided."""
    cache = estimate.kv_bytes
    work = estimate.compute_bytes + estimate.output_bytes + estimate.tokenizer_bytes
    if known is not None:
        cache = int(known.cache_bytes * cache / whole_cache) if whole_cache else known.cache_bytes
        work = known.card_buffer_bytes if on_card and known.card_buffer_bytes else work
    kinds: dict[str, tuple[PartKind, PartKind, PartKind]] = {
        "target": ("target-weights", "target-cache", "target-work"),
        "draft": ("draft-weights", "draft-cache", "draft-work"),
    }
    sizes = (estimate.weights_bytes, cache, work)
    return [MemoryPart(kind, size) for kind, size in zip(kinds[who], sizes, strict=True) if size]
