"""What the worker holds: one copy of the weights and little else, after one answer and after a hundred more."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from app.client.process import ProcessClient
from app.engine.auto.cost import CALIBRATED_LENGTHS
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.memory import CacheSettings, estimate_model
from app.protocol import Generate
from app.records import LoadSettings, Sampling

pytestmark = [pytest.mark.model, pytest.mark.long, pytest.mark.timeout(3600)]

CTX_TOKENS = 4096
FIRST_PROMPT = "The quick brown fox jumps over the lazy dog. " * 54
"""More than one micro-batch of 512 tokens: afterwards the buffers are touched as far as they will be."""
BESIDE = 150_000_000
"""Bytes for Python, its libraries and what they keep."""
ANSWERS = 100
GROWTH = 20_000_000
_log = logging.getLogger(__name__)


def test_a_hundred_answers_hold_one_copy_of_the_weights(target_q4: Path, draft_q4_0: Path) -> None:
    settings = LoadSettings(ctx_tokens=CTX_TOKENS)
    with ProcessClient() as client:
        client.load(str(target_q4), settings)
        client.load_draft(str(draft_q4_0), settings)

        def answer(prompt: str, method: str) -> int:
            """Resident bytes of the worker after it."""
            done = client.generate(Generate(
                request_id=0, prompt=prompt, method=method, max_tokens=24, sampling=Sampling(temperature=0.0)
            ))
            assert done.token_ids
            return done.memory.worker_rss_bytes

        first = answer(FIRST_PROMPT, "draft:max=8")
        held = [answer(f"Say something about the number {n}.", "draft:max=8" if n % 4 == 0 else "auto")
                for n in range(ANSWERS)]
    allowed = one_copy(target_q4, rows=max(CALIBRATED_LENGTHS)) + one_copy(draft_q4_0, rows=1) + BESIDE
    _log.info(
        "resident MB: %.0f after the first answer, %.0f after %d more, at most %.0f; allowed %.0f",
        first / 1e6, held[-1] / 1e6, ANSWERS, max(held) / 1e6, allowed / 1e6,
    )
    assert max(first, *held) <= allowed
    assert held[-1] - first < GROWTH


def one_copy(path: Path, rows: int) -> int:
    """Bytes of the weights as they are in the file, of the cache, and of the buffers that a micro-batch touches, those
    for ``rows`` rows of logits among them."""
    facts = read_facts(read_header(path, with_tokens=False))
    settings = CacheSettings(ctx_tokens=CTX_TOKENS, used_tokens=600, output_rows=rows)
    estimate = estimate_model(facts, settings, repacked=frozenset())
    return path.stat().st_size + estimate.kv_bytes + estimate.compute_bytes + estimate.output_bytes
