"""A target elsewhere, through the same process protocol as one here: client, command line, comparison."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.client.process import ProcessClient
from app.client.remote_paths import remote_path
from app.client.remote_worker import KEY_VARIABLE
from app.errors import Code, SlipstreamError
from app.protocol import Done, Generate
from app.records import LoadSettings
from app.server.access import Access
from tests.scripted_worker import scripted_worker_command
from tests.server.serving import Serving, serving

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serving("--chunks", "2000", "--delay-s", "0.005", access=Access(port=0, keys=("secret",))) as server:
        yield server


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "secret")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "app", *arguments], cwd=ROOT, capture_output=True, text=True,
                          timeout=120, env={**os.environ, KEY_VARIABLE: "secret"}, check=False)


def test_a_client_goes_from_here_to_there_and_back(server: Serving, key: None) -> None:
    there = remote_path("slipstream", server.url, "")
    request = Generate(request_id=0, prompt="Hello", max_tokens=6)
    with ProcessClient(scripted_worker_command("--text", "from here")) as client:
        client.load("/here.gguf", LoadSettings())
        assert client.generate(request).text == "from here"
        loaded = client.load(there, LoadSettings())
        assert loaded.facts.path == remote_path("slipstream", server.url, "scripted")
        done = client.generate(request)
        assert done.text.startswith("word0 word1 ")
        assert done.speculation.num_draft_tokens > 0
        with pytest.raises(SlipstreamError, match="has its own draft"):
            client.load_draft("/draft.gguf", LoadSettings())
        client.load("/here.gguf", LoadSettings())
        assert client.generate(request).text == "from here"


def test_an_answer_from_there_is_stopped(server: Serving, key: None) -> None:
    with ProcessClient() as client:
        client.load(remote_path("slipstream", server.url, ""), LoadSettings())
        begun = threading.Event()
        results: list[Done] = []
        request = Generate(request_id=0, prompt="Hello", max_tokens=4000)
        thread = threading.Thread(target=lambda: results.append(client.generate(request, lambda _: begun.set())))
        thread.start()
        assert begun.wait(30)
        stopped = time.monotonic()
        client.stop()
        thread.join(10)
        assert time.monotonic() < stopped + 2
        assert results[0].reason == "aborted"
        assert server.wait_until_idle(3.0) < 1.0


def test_failures_there_keep_their_words(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "wrong")
    with ProcessClient() as client:
        with pytest.raises(SlipstreamError, match="refused the key"):
            client.load(remote_path("slipstream", server.url, ""), LoadSettings())
        with pytest.raises(SlipstreamError, match="cannot be reached") as failure:
            client.load(remote_path("vllm", "http://127.0.0.1:9", ""), LoadSettings())
        assert failure.value.code is Code.NETWORK


def test_generate_asks_a_server(server: Serving) -> None:
    done = run("generate", "--remote", f"slipstream+{server.url}/v1", "--prompt", "Hello", "--max-tokens", "4",
               "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["text"] == "word0 word1 word2 word3 "
    assert answer["settings"]["model"] == f"remote:slipstream+{server.url}#"


def test_bench_compares_methods_of_a_server(server: Serving, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"id": "a", "kind": "chat", "messages": [{"role": "user", "content": "Hello"}]}\n')
    out = tmp_path / "out.json"
    done = run("bench", "--remote", f"slipstream+{server.url}", "--prompts", str(prompts), "--methods", "off", "auto",
               "--runs", "2", "--max-tokens", "8", "--json", str(out))
    assert done.returncode == 0, done.stderr
    report = out.read_text()
    assert '"speedup"' in report or '"speed_up"' in report
    assert "2.0" in done.stdout, "the scripted server answers twice as fast with a draft"


def test_bench_compares_one_server_with_another_and_without_a_local_draft(server: Serving, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"id": "a", "kind": "chat", "messages": [{"role": "user", "content": "Hello"}]}\n')
    with serving("--slow", "10", "--fast", "30") as other:
        done = run("bench", "--remote", f"slipstream+{server.url}", "--beside-remote", f"slipstream+{other.url}",
                   "--prompts", str(prompts), "--methods", "off", "draft:max=4", "--runs", "1", "--max-tokens", "8")
    assert done.returncode == 0, done.stderr
    where = f"(127.0.0.1:{other.port})"
    rows = [line.split() for line in done.stdout.splitlines() if where in line]
    assert any(f"off at there {where}" in line for line in done.stdout.splitlines()), done.stdout
    assert any(f"draft:max=4 at there {where}" in line for line in done.stdout.splitlines()), done.stdout
    assert any("10.0" in row for row in rows), done.stdout
    assert any("30.0" in row for row in rows), done.stdout


def test_a_sweep_stays_with_one_pair(server: Serving) -> None:
    done = run("bench", "--remote", server.url, "--sweep", "--beside-remote", server.url)
    assert done.returncode == 2
    assert "--beside-remote go with --methods" in done.stderr


@pytest.mark.parametrize("address", ["ftp://a", "user:pw@host", ""])
def test_wrong_addresses_are_wrong_usage(address: str) -> None:
    done = run("generate", "--remote", address, "--prompt", "x")
    assert done.returncode == 2
    assert "is not the address of a server" in done.stderr
