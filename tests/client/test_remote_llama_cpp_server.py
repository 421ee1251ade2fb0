"""A real ``python -m llama_cpp.server``: chat, stop, figures that it does not give, and a comparison with it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.client.process import ProcessClient
from app.client.remote import RemoteClient
from app.client.remote_kinds import KINDS
from app.client.remote_paths import remote_path
from app.compare.engines import EnginePool
from app.compare.measure import measure
from app.compare.plan import Plan, Prompt, StoppingRule
from app.compare.side import ModelSetup, Side
from app.compare.trial import TrialFile
from app.protocol import Done, Generate
from app.records import LoadSettings, Message, Sampling
from tests.client.remote_process import free_port, running

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

QUESTION = [Message(role="user", content="Count from one to ten.")]
GREEDY = Sampling(temperature=0.0, top_k=0, top_p=1.0, min_p=0.0, repeat_penalty=1.0, seed=1)
REQUEST = Generate(request_id=0, messages=QUESTION, sampling=GREEDY, max_tokens=24)


@contextmanager
def llama_cpp_server(model: Path, log: Path, *arguments: str) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--model_alias", "small",
               "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "2048", "--n_threads", "1", *arguments]
    with running(command, port, "/v1/models", log) as url:
        yield url


@pytest.fixture(scope="module")
def plain(smollm: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_cpp_server(smollm, tmp_path_factory.mktemp("plain") / "log") as url:
        yield url


@pytest.fixture(scope="module")
def drafting(smollm: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its own speculation: it looks for repeats in the prompt."""
    log = tmp_path_factory.mktemp("drafting") / "log"
    with llama_cpp_server(smollm, log, "--draft_model", "prompt-lookup-decoding") as url:
        yield url


def test_chat_and_absent_figures(plain: str) -> None:
    with RemoteClient(plain, kind=KINDS["openai"]) as client:
        assert client.models() == ["small"]
        client.load("", LoadSettings())
        done = client.generate(REQUEST)
        again = client.generate(REQUEST)
    assert done.text.strip()
    assert done.reason in ("eos", "length")
    assert again.text == done.text
    assert done.speculation.num_draft_tokens == 0
    assert "tells no figures" in done.speculation.sentence
    assert done.timings.tokens_per_second > 0


def test_stop(plain: str) -> None:
    with RemoteClient(plain, kind=KINDS["openai"]) as client:
        client.load("", LoadSettings())
        begun = threading.Event()
        results: list[Done] = []
        long = Generate(request_id=0, messages=[Message(role="user", content="Tell a very long story.")],
                        sampling=GREEDY, max_tokens=1500)
        thread = threading.Thread(target=lambda: results.append(client.generate(long, lambda event: begun.set())))
        thread.start()
        assert begun.wait(120)
        stopped = time.monotonic()
        client.stop()
        thread.join(20)
        assert not thread.is_alive()
        assert time.monotonic() < stopped + 5
        assert results[0].reason == "aborted"
        assert client.generate(REQUEST).reason in ("eos", "length"), "the server is free again"


@pytest.mark.long
def test_local_and_remote_with_and_without_speculation_compared(plain: str, drafting: str, smollm: Path) -> None:
    setups = [
        ModelSetup(target=str(smollm), load=LoadSettings(ctx_tokens=2048, threads=1, engine="llama")),
        *(ModelSetup(target=remote_path("openai", url, "small")) for url in (plain, drafting)),
    ]
    names = ("here", "there", "there with lookup")
    sides = [
        Side(name=name, setup=setup, method="off", sampling=GREEDY, max_tokens=16)
        for name, setup in zip(names, setups, strict=True)
    ]
    plan = Plan([Prompt(id="count", kind="chat", messages=QUESTION)], sides, StoppingRule.fixed(1))
    pool = EnginePool(ProcessClient, side_by_side=True)
    try:
        report = measure(pool, plan, TrialFile(None), lambda progress: None)
    finally:
        pool.close()
    assert not report.failures
    assert {trial.side for trial in report.trials} == set(names)
    # the words may part where two nearly tie, since the server reads prompts in other passes; the question may not
    assert len({trial.prompt_tokens for trial in report.trials}) == 1
    assert all(trial.text.strip() for trial in report.trials)
    assert all(trial.tokens_per_second > 0 for trial in report.trials)
