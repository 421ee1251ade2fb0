"""Real models in the configuration that must be bit-equal: drafting changes no token.

Q8_0 weights, flash attention and Q8_0 caches in llama.cpp, f16 caches in ik_llama.cpp: there a pass over several tokens
gives the very logits of one at a time.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.client.process import ProcessClient
from app.paths import prompts_file
from app.protocol import Done, Generate
from app.records import LoadSettings, Message, Sampling

pytestmark = [pytest.mark.model, pytest.mark.timeout(900)]

SETTINGS = LoadSettings(ctx_tokens=2048, cache_type_k="q8_0", cache_type_v="q8_0", flash_attn="on")
GREEDY = Sampling(temperature=0.0)
SAMPLED = Sampling(temperature=0.8, seed=20)
EVERY_METHOD = (
    "draft:max=8", "draft:max=4,p_min=0.5", "draft:max=6,first=suffix", "draft:max=6,first=ngram-simple",
    "ngram-simple", "ngram-map-k:n=3,m=8", "ngram-map-k4v:n=3,m=8", "ngram-cache", "ngram-mod:n=4,min=2,max=16",
    "suffix", "lookahead", "auto",
)
_log = logging.getLogger(__name__)


def read_prompts() -> list[dict[str, Any]]:
    lines = Path(__file__).with_name("exactness_prompts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module", params=["llama", "ik"])
def client(request: pytest.FixtureRequest, target_q8: Path, draft_q4_0: Path) -> Iterator[ProcessClient]:
    settings = SETTINGS if request.param == "llama" else LoadSettings(ctx_tokens=2048, engine="ik")
    with ProcessClient() as client:
        assert client.load(str(target_q8), settings).engine.startswith(request.param)
        client.load_draft(str(draft_q4_0), settings)
        yield client


def answer(client: ProcessClient, prompt: dict[str, Any], method: str, sampling: Sampling, max_tokens: int) -> Done:
    messages = [Message(**message) for message in prompt["messages"]]
    return client.generate(
        Generate(request_id=0, messages=messages, sampling=sampling, method=method, max_tokens=max_tokens)
    )


def check(
    client: ProcessClient, prompts: list[dict[str, Any]], max_tokens: int, methods: Sequence[str] = ("draft:max=8",)
) -> int:
    """Every method gives every prompt the tokens of plain decoding. Returns the tokens of the longest prompt."""
    longest, accepted = 0, dict.fromkeys(methods, 0)
    for prompt in prompts:
        for sampling in (GREEDY, SAMPLED):
            plain = answer(client, prompt, "off", sampling, max_tokens)
            assert len(plain.draws) == (0 if sampling is GREEDY else len(plain.token_ids))
            assert plain.speculation.num_draft_tokens == 0
            longest = max(longest, plain.prompt_tokens)
            for method in methods:
                drafted = answer(client, prompt, method, sampling, max_tokens)
                where = f"{method}: {prompt['id']} at temperature {sampling.temperature}"
                assert drafted.token_ids == plain.token_ids, where
                assert (drafted.text, drafted.reason, drafted.draws) == (plain.text, plain.reason, plain.draws), where
                accepted[method] += drafted.speculation.num_accepted_draft_tokens
    _log.info("accepted %s; longest prompt %d tokens", accepted, longest)
    # auto is free to draft nothing in answers this short, on a pair that gains nothing
    idle = [method for method, tokens in accepted.items() if not tokens and method != "auto"]
    assert not idle, f"without accepted drafts nothing was tested: {idle}"
    return longest


def test_drafting_changes_no_token(client: ProcessClient) -> None:
    quick = [prompt for prompt in read_prompts() if prompt.get("quick")]
    assert check(client, quick, 32) > 600, "one prompt has to reach the kernels for long contexts"


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_drafting_changes_no_token_on_all_prompts(client: ProcessClient) -> None:
    prompts = read_prompts()
    assert len(prompts) == 10
    check(client, prompts, 48)
    check(client, prompts[:2], 24, EVERY_METHOD)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_no_drafter_changes_a_token_on_20_prompts_of_up_to_1500_tokens(smollm: Path, tmp_path: Path) -> None:
    """SmolLM2 in the bit-exact configuration, drafted for by its own four-bit form."""
    target = tmp_path / "smollm-q8_0.gguf"
    command = [sys.executable, "-m", "devtools.forms.quantize", str(smollm), str(target), "q8_0"]
    subprocess.run(command, check=True, capture_output=True)
    with ProcessClient() as client:
        client.load(str(target), SETTINGS)
        client.load_draft(str(smollm), SETTINGS)
        exactness = client.measure_exactness()
        assert exactness.is_bit_exact, exactness.sentence
        longest = check(client, long_prompts(), 32, EVERY_METHOD)
    assert 1300 < longest < 1700


def long_prompts() -> list[dict[str, Any]]:
    """Twenty, each about 75 tokens longer than the one before."""
    lines = prompts_file().read_text(encoding="utf-8").splitlines()
    texts = [message["content"] for line in lines for message in json.loads(line)["messages"]]
    prompts = []
    for number in range(20):
        text = "\n\n".join([*texts[number:], *texts[:number]])[: 300 * (number + 1)]
        question = f"{text}\n\nSay again, in the same words, what stands above, and then what you think of it."
        prompts.append({"id": f"long-{number}", "messages": [{"role": "user", "content": question}]})
    return prompts
