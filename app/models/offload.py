"""How target and draft divide between a graphics card and main memory.

Source: ``llama_model_base::load_tensors`` in llama-model.cpp: the last layers go to the card first, the output counts
as one more layer, the embedding table stays in main memory; every layer's cache lies with its weights.
"""

from __future__ import annotations

import msgspec

from app.models.facts import ModelFile
from app.models.memory import (
    CacheSettings,
    MemoryEstimate,
    estimate_compute,
    estimate_kv,
    estimate_model,
)
from app.records import AUTO_LAYERS, Record


class SplitEstimate(Record, frozen=True, kw_only=True):
    """Bytes in main memory and on the card. ``layers`` is how many go to the card, the output counted as one."""

    layers: int
    host: MemoryEstimate
    device: MemoryEstimate


def count_layers(facts: ModelFile) -> int:
    """Layers that can go to a card: the model's own and the output."""
    return facts.layers + 1


def estimate_split(facts: ModelFile, settings: CacheSettings, gpu_layers: int) -> SplitEstimate:
    """Memory with ``gpu_layers`` on a card (``AUTO_LAYERS``: all of them). Layers are taken as equally large."""
    most = count_layers(facts)
    layers = most if gpu_layers == AUTO_LAYERS else min(max(gpu_layers, 0), most)
    whole = estimate_model(facts, settings)
    if layers == 0 or facts.layers == 0:
        return SplitEstimate(layers=0, host=whole, device=_sum_up(0, 0, 0, 0, 0))
    repeating = min(layers, facts.layers) if layers < most else facts.layers
    share = repeating / facts.layers
    output = (facts.output_bytes or facts.embedding_bytes) if layers == most else 0
    per_model = max(facts.weights_bytes - facts.embedding_bytes - facts.output_bytes, 0)
    device_weights = int(per_model * share) + output
    kept = facts.embedding_bytes + (0 if layers == most else facts.output_bytes)
    host_weights = kept + int(per_model * (1 - share))
    kv = estimate_kv(facts, settings)
    compute = estimate_compute(facts, settings) + settings.output_rows * facts.vocab_size * 4
    device = _sum_up(device_weights, int(kv * share), compute, 0, 0)
    host = _sum_up(host_weights, kv - int(kv * share), compute if share < 1 else compute // 4, whole.output_bytes,
                   whole.tokenizer_bytes)
    return SplitEstimate(layers=layers, host=host, device=device)


def fit_layers(facts: ModelFile, settings: CacheSettings, free_device_bytes: int) -> int:
    """The most layers that fit into ``free_device_bytes``; 0 if none does."""
    low, high = 0, count_layers(facts)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_split(facts, settings, middle).device.total_bytes <= free_device_bytes:
            low = middle
        else:
            high = middle - 1
    return low


def _sum_up(weights: int, kv: int, compute: int, output: int, tokenizer: int) -> MemoryEstimate:
    estimate = MemoryEstimate(
        weights_bytes=weights, kv_bytes=kv, compute_bytes=compute, output_bytes=output, tokenizer_bytes=tokenizer
    )
    return msgspec.structs.replace(estimate, total_bytes=weights + kv + compute + output + tokenizer)
