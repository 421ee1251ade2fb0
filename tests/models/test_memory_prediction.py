"""What is predicted from headers against what a real worker holds, at two moments: loaded, and after an answer.

``SLIPSTREAM_MEMORY_TABLE=docs/benchmarks.md`` puts the figures of a run there, under a heading of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.client.process import ProcessClient
from app.compare.results_page import put_section
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.memory import CacheSettings, PairEstimate, estimate_model, estimate_pair
from app.protocol import Generate
from app.records import CacheType, LoadSettings, Sampling

pytestmark = pytest.mark.model

PROMPT = "The quick brown fox jumps over the lazy dog. " * 54
"""A little over one micro-batch of 512 tokens."""
TITLE = "Memory: predicted from headers, and held by the worker"
INTRODUCTION = """Written by tests/models/test_memory_prediction.py (`dev.py test --long`, with
`SLIPSTREAM_MEMORY_TABLE=docs/benchmarks.md`). Resident memory of the whole worker in MB: after loading, and after a
prompt of one full micro-batch of 512 tokens and an answer of 8. The prediction reads headers alone; it knows mapping,
repacked copies, the whole cache of sliding windows, pages that are not touched yet, and the interpreter. Allowed: 5%,
or 30 MB if that is more.

| target | draft | context | cache | loaded: predicted | held | off by | answered: predicted | held | off by |
|---|---|---:|---|---:|---:|---:|---:|---:|---:|
"""


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


@pytest.fixture(scope="module")
def rows() -> Iterator[list[str]]:
    """Lines of the table, written when the last test of this file is done."""
    lines: list[str] = []
    yield lines
    place = os.environ.get("SLIPSTREAM_MEMORY_TABLE", "")
    if place and lines:
        page = Path(place)
        page.write_text(put_section(page.read_text(encoding="utf-8"), TITLE, INTRODUCTION + "\n".join(lines)),
                        encoding="utf-8")


def check(target: Path, draft: Path | None, ctx: int, cache: CacheType, rows: list[str]) -> None:
    predicted = predict(target, draft, ctx, cache)
    cells = []
    off = []
    for said, held in zip((predicted.loaded_bytes, predicted.total_bytes), measure(target, draft, ctx, cache),
                          strict=True):
        cells.append(f"{said / 1e6:,.0f} | {held / 1e6:,.0f} | {(said - held) / 1e6:+,.0f} ({said / held - 1:+.1%})")
        off.append(abs(said - held) > max(0.05 * held, 30_000_000))
    rows.append(f"| {target.stem} | {draft.stem if draft else '–'} | {ctx:,} | {cache} | {' | '.join(cells)} |")
    assert off == [False, False], rows[-1]


@pytest.mark.parametrize(("ctx", "cache"), [(2048, "f16"), (16_384, "q8_0")])
def test_a_small_model(smollm: Path, ctx: int, cache: CacheType, rows: list[str]) -> None:
    check(smollm, None, ctx, cache, rows)


@pytest.mark.long
@pytest.mark.parametrize(("ctx", "cache"), [(2048, "f16"), (16_384, "q8_0"), (16_384, "f16")])
def test_a_model_with_sliding_windows(gemma: Path, ctx: int, cache: CacheType, rows: list[str]) -> None:
    """The cache of every layer is as long as the context (``swa_full``)."""
    check(gemma, None, ctx, cache, rows)


@pytest.mark.long
@pytest.mark.parametrize("ctx", [2048, 16_384])
@pytest.mark.parametrize("cache", ["f16", "q8_0"])
@pytest.mark.parametrize("with_draft", [False, True])
def test_the_real_pair(target_q4: Path, draft_q4_k_m: Path, ctx: int, cache: CacheType, with_draft: bool,
                       rows: list[str]) -> None:
    check(target_q4, draft_q4_k_m if with_draft else None, ctx, cache, rows)
