"""Real models in the configuration that must be bit-equal: drafting changes no token.

Q8_0 weights, flash attention, Q8_0 caches: there a pass over several tokens gives the very logits of one at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.client.process import ProcessClient
from app.protocol import Done, Generate
from app.terms import LoadSettings, Message, Sampling

pytestmark = [pytest.mark.model, pytest.mark.timeout(900)]

SETTINGS = LoadSettings(ctx_tokens=2048, cache_type_k="q8_0", cache_type_v="q8_0", flash_attn="on")
GREEDY = Sampling(temperature=0.0)
SAMPLED = Sampling(temperature=0.8, seed=20)


def read_prompts() -> list[dict[str, Any]]:
    lines = Path(__file__).with_name("exactness_prompts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def client(target_q8: Path, draft_q4_0: Path) -> Iterator[ProcessClient]:
    with ProcessClient() as client:
        client.load(str(target_q8), SETTINGS)
        client.load_draft(str(draft_q4_0), SETTINGS)
        yield client


def answer(client: ProcessClient, prompt: dict[str, Any], method: str, sampling: Sampling, max_tokens: int) -> Done:
    messages = [Message(**message) for message in prompt["messages"]]
    return client.generate(
        Generate(request_id=0, messages=messages, sampling=sampling, method=method, max_tokens=max_tokens)
    )


def check(client: ProcessClient, prompts: list[dict[str, Any]], max_tokens: int) -> None:
    longest = accepted = 0
    for prompt in prompts:
        for sampling in (GREEDY, SAMPLED):
            plain = answer(client, prompt, "off", sampling, max_tokens)
            drafted = answer(client, prompt, "draft:max=8", sampling, max_tokens)
            where = f"{prompt['id']} at temperature {sampling.temperature}"
            assert drafted.token_ids == plain.token_ids, where
            assert (drafted.text, drafted.reason, drafted.draws) == (plain.text, plain.reason, plain.draws), where
            assert len(plain.draws) == (0 if sampling is GREEDY else len(plain.token_ids))
            assert plain.speculation.num_draft_tokens == 0
            accepted += drafted.speculation.num_accepted_draft_tokens
            longest = max(longest, plain.prompt_tokens)
    assert longest > 600, "one prompt has to reach the kernels for long contexts"
    assert accepted > 5 * len(prompts), "without accepted drafts nothing was tested"


def test_drafting_changes_no_token(client: ProcessClient) -> None:
    check(client, [prompt for prompt in read_prompts() if prompt.get("quick")], 32)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_drafting_changes_no_token_on_all_prompts(client: ProcessClient) -> None:
    prompts = read_prompts()
    assert len(prompts) == 10
    check(client, prompts, 48)
