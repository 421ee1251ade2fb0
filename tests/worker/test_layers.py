from __future__ import annotations

from pathlib import Path

import pytest

from app.engine.devices import DeviceFacts
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.memory import CacheSettings
from app.models.offload import count_layers, estimate_split
from app.records import AUTO_LAYERS, LoadSettings
from app.worker.layers import SPARE_BYTES, fit_to_cards
from tests.models.gguf_writer import build

LAYERS = 8
SETTINGS = LoadSettings(ctx_tokens=512)


def card(free_bytes: int, kind: str = "gpu") -> DeviceFacts:
    return DeviceFacts("CUDA0", "card", kind, free_bytes, 2 * free_bytes)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    tensors = [("token_embd.weight", (256, 1000), "F16"), ("output.weight", (256, 1000), "F16")]
    tensors += [(f"blk.{n}.ffn_up.weight", (256, 4096), "F16") for n in range(LAYERS)]
    path = tmp_path / "m.gguf"
    path.write_bytes(build({
        "general.architecture": "llama", "llama.block_count": LAYERS, "llama.embedding_length": 256,
        "llama.attention.head_count": 4, "llama.context_length": 2048, "llama.feed_forward_length": 4096,
        "tokenizer.ggml.tokens": ["a"] * 1000,
    }, tensors))
    return path


def test_as_many_as_fit_into_what_is_free(model: Path) -> None:
    facts = read_facts(read_header(model))
    shape = CacheSettings(ctx_tokens=512, mapped=True)
    half = estimate_split(facts, shape, LAYERS // 2).device.total_bytes
    whole = estimate_split(facts, shape, count_layers(facts)).device.total_bytes
    assert fit_to_cards(str(model), SETTINGS, lambda: [card(half + SPARE_BYTES)]).gpu_layers == LAYERS // 2
    assert fit_to_cards(str(model), SETTINGS, lambda: [card(whole + SPARE_BYTES)]).gpu_layers == AUTO_LAYERS
    assert fit_to_cards(str(model), SETTINGS, lambda: [card(1000)]).gpu_layers == 0
    two = [card(half // 2 + SPARE_BYTES), card(half - half // 2 + SPARE_BYTES)]
    assert fit_to_cards(str(model), SETTINGS, lambda: two).gpu_layers == LAYERS // 2


def test_what_is_said_or_cannot_be_known_stays(model: Path, tmp_path: Path) -> None:
    def never() -> list[DeviceFacts]:
        raise AssertionError("not asked where the person has said it")

    said = LoadSettings(gpu_layers=3)
    assert fit_to_cards(str(model), said, never) is said
    assert fit_to_cards(str(model), SETTINGS, lambda: [card(10**9, "cpu"), card(10**9, "igpu")]) is SETTINGS
    damaged = tmp_path / "d.gguf"
    damaged.write_bytes(b"GGUF")
    assert fit_to_cards(str(damaged), SETTINGS, lambda: [card(1000)]) is SETTINGS
