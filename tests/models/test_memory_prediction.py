"""What is predicted from headers against what a real worker holds, at two moments: loaded, and after an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.client.process import ProcessClient
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.memory import CacheSettings, PairEstimate, estimate_model, estimate_pair
from app.protocol import Generate
from app.terms import CacheType, LoadSettings, Sampling

pytestmark = pytest.mark.model

PROMPT = "The quick brown fox jumps over the lazy dog. " * 54
"""A little over one micro-batch of 512 tokens."""


def predict(target: Path, draft: Path | None, ctx: int, cache: CacheType) -> PairEstimate:
    settings = CacheSettings(ctx_tokens=ctx, cache_type_k=cache, cache_type_v=cache, used_tokens=560)
    estimates = [estimate_model(read_facts(read_header(path, with_tokens=False)), settings)
                 for path in (target, draft) if path]
    return estimate_pair(estimates[0], estimates[1] if draft else None)


def measure(target: Path, draft: Path | None, ctx: int, cache: CacheType) -> tuple[int, int]:
    settings = LoadSettings(ctx_tokens=ctx, cache_type_k=cache, cache_type_v=cache)
    with ProcessClient() as client:
        loaded = client.load(str(target), settings)
        if draft:
            loaded = client.load_draft(str(draft), settings)
        done = client.generate(Generate(request_id=0, prompt=PROMPT, raw=True, max_tokens=8,
                                        method="draft:max=6" if draft else "off", sampling=Sampling(temperature=0)))
    return loaded.memory.worker_rss_bytes, done.memory.worker_rss_bytes


def check(target: Path, draft: Path | None, ctx: int, cache: CacheType) -> None:
    predicted = predict(target, draft, ctx, cache)
    for said, held in zip((predicted.loaded_bytes, predicted.total_bytes), measure(target, draft, ctx, cache),
                          strict=True):
        assert said == pytest.approx(held, rel=0.05, abs=30_000_000)


@pytest.mark.parametrize(("ctx", "cache"), [(2048, "f16"), (16_384, "q8_0")])
def test_a_small_model(smollm: Path, ctx: int, cache: CacheType) -> None:
    check(smollm, None, ctx, cache)


@pytest.mark.long
@pytest.mark.parametrize("ctx", [2048, 16_384])
@pytest.mark.parametrize("cache", ["f16", "q8_0"])
@pytest.mark.parametrize("with_draft", [False, True])
def test_the_real_pair(target_q4: Path, draft_q4_k_m: Path, ctx: int, cache: CacheType, with_draft: bool) -> None:
    check(target_q4, draft_q4_k_m if with_draft else None, ctx, cache)
