"""What a worker holds: the weights once, the cache, what the passes touched, and little more; and no more with time."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from app.client.process import ProcessClient
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.memory import CacheSettings, estimate_model
from app.protocol import Generate
from app.records import LoadSettings, Sampling

pytestmark = [pytest.mark.model, pytest.mark.long, pytest.mark.timeout(3600)]

SETTINGS = LoadSettings(ctx_tokens=4096)
REST_BYTES = 150_000_000
GROWTH_BYTES = 20_000_000
_log = logging.getLogger(__name__)


def budget(path: Path) -> int:
    """One copy of the weights, the whole cache, and the compute buffers as far as passes of 512 tokens touch them."""
    facts = read_facts(read_header(path, with_tokens=False))
    estimate = estimate_model(facts, CacheSettings(ctx_tokens=SETTINGS.ctx_tokens, mapped=False))
    return path.stat().st_size + estimate.kv_bytes + estimate.compute_bytes + estimate.output_bytes


@pytest.mark.parametrize("with_draft", [False, True])
def test_the_weights_are_held_once(target_q4: Path, draft_q4_0: Path, with_draft: bool) -> None:
    allowed = budget(target_q4) + (budget(draft_q4_0) if with_draft else 0) + REST_BYTES
    prompt = "The quick brown fox jumps over the lazy dog. " * 54
    with ProcessClient() as client:
        client.load(str(target_q4), SETTINGS)
        if with_draft:
            client.load_draft(str(draft_q4_0), SETTINGS)
        done = client.generate(Generate(
            request_id=0, prompt=prompt, raw=True, max_tokens=8, method="draft:max=8" if with_draft else "off",
            sampling=Sampling(temperature=0.0),
        ))
    _log.info("%.0f MB held (peak %.0f), %.0f MB allowed", done.memory.worker_rss_bytes / 1e6,
              done.memory.worker_peak_rss_bytes / 1e6, allowed / 1e6)
    assert done.memory.worker_rss_bytes <= allowed


@pytest.mark.parametrize("method", ["auto", "draft:max=6", "ngram-mod:n=4,min=2", "suffix:history=on"])
def test_a_hundred_answers_hold_no_more_than_a_few(smollm: Path, method: str) -> None:
    held = []
    with ProcessClient() as client:
        client.load(str(smollm), SETTINGS)
        client.load_draft(str(smollm), SETTINGS)
        for number in range(110):
            done = client.generate(Generate(
                request_id=0, prompt=f"Tell me {number} facts about the number {number}. " * (1 + number % 9),
                max_tokens=12, method=method, sampling=Sampling(temperature=0.7, seed=number),
            ))
            held.append(done.memory.worker_rss_bytes)
    # the longest prompt and every form of a pass have been there after ten: what comes later is growth
    _log.info("%s: %.1f MB more after 100 answers, at most %.1f", method, (held[-1] - held[9]) / 1e6,
              (max(held[10:]) - held[9]) / 1e6)
    assert max(held[10:]) - held[9] < GROWTH_BYTES
