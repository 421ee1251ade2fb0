"""A real llama-server with a draft model: chat, stop, figures, and the same text from ours."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from app.client.process import ProcessClient
from app.client.remote import RemoteClient
from app.client.remote_kinds import KINDS
from app.protocol import Done, Generate
from app.terms import LoadSettings, Message, Sampling
from devtools.peers.llama_server import binary

pytestmark = [pytest.mark.model, pytest.mark.long, pytest.mark.timeout(1800)]

REQUEST = Generate(
    request_id=0, messages=[Message(role="user", content="Count from one to fifteen in words, separated by commas.")],
    sampling=Sampling(temperature=0.0, seed=1), max_tokens=40,
)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def llama_server(*arguments: str) -> Iterator[str]:
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [str(binary()), "--host", "127.0.0.1", "--port", str(port), "--ctx-size", "2048", "--parallel", "1",
               "--threads", "1", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with httpx2.Client(base_url=url, trust_env=False) as http:
                ends_at = time.monotonic() + 240
                while not _is_ready(http):
                    assert process.poll() is None, "llama-server ended"
                    assert time.monotonic() < ends_at, "llama-server did not come up"
                    time.sleep(0.2)
            yield url
        finally:
            process.terminate()


def _is_ready(http: httpx2.Client) -> bool:
    try:
        return http.get("/health").status_code == 200
    except httpx2.HTTPError:
        return False


@pytest.fixture(scope="module")
def drafting(draft_q4_k_m: Path, draft_q4_0: Path) -> Iterator[str]:
    with llama_server("--model", str(draft_q4_k_m), "--model-draft", str(draft_q4_0), "--spec-type", "draft-simple",
                      "--threads-draft", "1") as url:
        yield url


def test_chat_and_figures(drafting: str) -> None:
    with RemoteClient(drafting, kind=KINDS["llama-server"]) as client:
        assert len(client.models()) == 1
        client.load("", LoadSettings())
        done = client.generate(REQUEST)
    figures = done.speculation
    assert "one, two, three" in done.text.lower()
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


def test_with_and_without_speculation(drafting: str, draft_q4_k_m: Path) -> None:
    """A side of a comparison is a client and a method: both of a server, and ours, say the same text."""
    with llama_server("--model", str(draft_q4_k_m)) as plain_url, RemoteClient(
        plain_url, kind=KINDS["llama-server"]
    ) as plain, RemoteClient(drafting, kind=KINDS["llama-server"]) as drafted, ProcessClient() as ours:
        plain.load("", LoadSettings())
        drafted.load("", LoadSettings())
        ours.load(str(draft_q4_k_m), LoadSettings(ctx_tokens=2048, threads=1))
        answers = [client.generate(REQUEST) for client in (plain, drafted, ours)]
    assert answers[0].speculation.num_draft_tokens == 0
    assert "tells no figures" in answers[0].speculation.sentence
    assert answers[1].speculation.num_draft_tokens > 0
    start = answers[0].text[:30]
    assert [answer.text[:30] for answer in answers] == [start] * 3
