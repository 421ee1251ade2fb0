"""A real llama-server with a draft model: chat, stop, figures, and a comparison with ours."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
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
from devtools.peers.llama_server import binary
from tests.client.remote_process import free_port, running

pytestmark = [pytest.mark.model, pytest.mark.long, pytest.mark.timeout(1800)]

REQUEST = Generate(
    request_id=0, messages=[Message(role="user", content="Count from one to fifteen in words, separated by commas.")],
    sampling=Sampling(temperature=0.0, seed=1), max_tokens=40,
)


@contextmanager
def llama_server(log: Path, *arguments: str) -> Iterator[str]:
    port = free_port()
    command = [str(binary()), "--host", "127.0.0.1", "--port", str(port), "--ctx-size", "2048", "--parallel", "1",
               "--threads", "1", *arguments]
    with running(command, port, "/health", log) as url:
        yield url


@pytest.fixture(scope="module")
def drafting(draft_q4_k_m: Path, draft_q4_0: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("drafting") / "log"
    with llama_server(log, "--model", str(draft_q4_k_m), "--model-draft", str(draft_q4_0),
                      "--spec-type", "draft-simple", "--threads-draft", "1") as url:
        yield url


def test_chat_and_figures(drafting: str) -> None:
    with RemoteClient(drafting, kind=KINDS["llama-server"]) as client:
        assert len(client.models()) == 1
        client.load("", LoadSettings())
        done = client.generate(REQUEST)
    figures = done.speculation
    assert done.text.strip()
    assert 0 < figures.num_accepted_draft_tokens <= figures.num_draft_tokens
    assert figures.draft_acceptance_rate > 0.2
    assert done.timings.tokens_per_second > 0
    assert done.prompt_tokens > 20


def test_stop(drafting: str) -> None:
    with RemoteClient(drafting, kind=KINDS["llama-server"]) as client:
        client.load("", LoadSettings())
        begun = threading.Event()
        results: list[Done] = []
        long = Generate(request_id=0, messages=[Message(role="user", content="Tell a very long story.")],
                        sampling=Sampling(temperature=0.0), max_tokens=1500)
        thread = threading.Thread(target=lambda: results.append(client.generate(long, lambda event: begun.set())))
        thread.start()
        assert begun.wait(120)
        stopped = time.monotonic()
        client.stop()
        thread.join(10)
        assert time.monotonic() < stopped + 2
        assert results[0].reason == "aborted"
        assert client.generate(REQUEST).reason in ("eos", "length"), "the server is free again"


def test_local_and_remote_with_and_without_speculation_compared(
    drafting: str, draft_q4_k_m: Path, tmp_path: Path
) -> None:
    """llama-server takes no word on speculation with a request: one without a draft is another server."""
    with llama_server(tmp_path / "log", "--model", str(draft_q4_k_m)) as plain:
        here = ModelSetup(target=str(draft_q4_k_m), load=LoadSettings(ctx_tokens=2048, threads=1, engine="llama"))
        setups = {"here": here} | {
            name: ModelSetup(target=remote_path("llama-server", url, ""))
            for name, url in (("there", plain), ("there, drafting", drafting))
        }
        sides = [
            Side(name=name, setup=setup, method="auto" if "drafting" in name else "off", sampling=REQUEST.sampling,
                 max_tokens=REQUEST.max_tokens)
            for name, setup in setups.items()
        ]
        plan = Plan([Prompt(id="count", kind="chat", messages=REQUEST.messages)], sides, StoppingRule.fixed(1))
        pool = EnginePool(ProcessClient, side_by_side=True)
        try:
            report = measure(pool, plan, TrialFile(None), lambda progress: None)
        finally:
            pool.close()
    assert not report.failures
    trials = {trial.side: trial for trial in report.trials}
    assert trials["there"].speculation.num_draft_tokens == 0
    assert trials["there, drafting"].speculation.num_draft_tokens > 0
    assert {trial.prompt_tokens for trial in trials.values()} == {trials["here"].prompt_tokens}
    assert all(trial.text.strip() for trial in trials.values())
    assert all(trial.tokens_per_second > 0 for trial in report.trials)


def test_a_server_that_drafts_although_asked_not_to_is_said(drafting: str) -> None:
    with RemoteClient(drafting, kind=KINDS["llama-server"]) as client:
        client.load("", LoadSettings())
        figures = client.generate(msgspec.structs.replace(REQUEST, method="off")).speculation
    assert ("although it was asked not to" in figures.sentence) == (figures.num_draft_tokens > 0)


def test_a_server_that_never_drafts_says_so(draft_q4_0: Path, tmp_path: Path) -> None:
    with llama_server(tmp_path / "log", "--model", str(draft_q4_0)) as url, RemoteClient(
        url, kind=KINDS["llama-server"]
    ) as client:
        client.load("", LoadSettings())
        done = client.generate(REQUEST)
    assert done.speculation.num_draft_tokens == 0
    assert "tells no figures" in done.speculation.sentence
