"""Whether target and draft fit into memory, as a judgement that names both sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.models.facts import ModelFile
from app.models.memory import CacheSettings, estimate_model, estimate_pair
from app.protocol import Device
from app.terms import LoadSettings


@dataclass(frozen=True)
class MemoryJudgement:
    """``needed_bytes`` is for target and draft, ``needed_alone_bytes`` for the target without a draft; ``free_bytes``
    counts what a loaded model will give back. ``on_gpu``: free memory is that of the graphics card."""

    needed_bytes: int
    needed_alone_bytes: int
    free_bytes: int
    on_gpu: bool = False

    @property
    def fits(self) -> bool:
        return self.needed_bytes <= self.free_bytes

    @property
    def fits_alone(self) -> bool:
        return self.needed_alone_bytes <= self.free_bytes


def judge(target: ModelFile, draft: ModelFile | None, settings: LoadSettings, free_bytes: int,
          devices: Sequence[Device] = ()) -> MemoryJudgement:
    """Judge by the graphics card when there is one and layers go to it, else by ``free_bytes`` of main memory."""
    cache = CacheSettings(
        ctx_tokens=settings.ctx_tokens, cache_type_k=settings.cache_type_k, cache_type_v=settings.cache_type_v,
        flash_attn=settings.flash_attn != "off",
    )
    alone = estimate_model(target, cache)
    pair = estimate_pair(alone, estimate_model(draft, cache) if draft else None)
    cards = [device for device in devices if device.kind == "gpu"]
    # With automatic layers the engine leaves on the processor what does not fit, so the card is no hard limit.
    if cards and settings.gpu_layers > 0:
        return MemoryJudgement(
            pair.total_bytes - pair.process_bytes, alone.total_bytes, max(card.free_bytes for card in cards), True
        )
    return MemoryJudgement(pair.total_bytes, alone.total_bytes + pair.process_bytes, free_bytes)
