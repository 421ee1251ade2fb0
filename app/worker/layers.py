"""How many layers go to graphics cards where that is left to the program: as many as fit into what is free there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from app.engine.devices import DeviceFacts
from app.errors import SlipstreamError
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.memory import CacheSettings
from app.models.offload import count_layers, fit_layers
from app.records import AUTO_LAYERS, LoadSettings

SPARE_BYTES = 256 * 1024 * 1024
"""Left free on every card: for the library's own context there, and for what draws the screen."""


def fit_to_cards(path: str, settings: LoadSettings, find_devices: Callable[[], Sequence[DeviceFacts]]) -> LoadSettings:
    """``settings`` with a number of layers where it was left open, the model does not fit whole, and there are cards.

    What cannot be known (a header that cannot be read) is left to the engine.
    """
    if settings.gpu_layers != AUTO_LAYERS:
        return settings
    cards = [device for device in find_devices() if device.kind == "gpu"]
    if not cards:
        return settings
    try:
        facts = read_facts(read_header(path, with_tokens=False))
    except SlipstreamError:
        return settings
    shape = CacheSettings(
        ctx_tokens=settings.ctx_tokens, cache_type_k=settings.cache_type_k, cache_type_v=settings.cache_type_v,
        flash_attn=settings.flash_attn != "off", mapped=True,
    )
    free = sum(max(0, card.free_bytes - SPARE_BYTES) for card in cards)
    layers = fit_layers(facts, shape, free)
    return settings if layers >= count_layers(facts) else msgspec.structs.replace(settings, gpu_layers=layers)
