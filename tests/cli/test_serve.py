"""``slipstream serve`` as a process: the README's lines, the same tokens as ``generate``, wrong usage, its end."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.cli.serve import KEY_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
SLIPSTREAM = [sys.executable, "-m", "app"]


@contextmanager
def served(*arguments: str, key: str = "") -> Iterator[str]:
    environment = {**os.environ, **({KEY_VARIABLE: key} if key else {})}
    with subprocess.Popen(
        [*SLIPSTREAM, "serve", "--port", "0", *arguments], cwd=ROOT, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line.startswith("Serving at http://"), line
            yield line.split()[2].removesuffix("/v1").replace("0.0.0.0", "127.0.0.1")
        finally:
            process.send_signal(signal.SIGTERM)
            words = process.communicate(timeout=30)[1]
            assert process.returncode == 0, words
            assert "Traceback" not in words


def post(url: str, body: dict[str, Any], key: str = "") -> dict[str, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode())
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=300) as response:
        answer: dict[str, Any] = json.loads(response.read())
        return answer


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
    return subprocess.run([*SLIPSTREAM, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120,
                          env=environment, check=False)


def test_an_open_server_needs_a_key() -> None:
    done = run("serve", "--model", "x.gguf", "--host", "0.0.0.0")
    assert done.returncode == 2
    assert "give a key" in done.stderr


@pytest.mark.parametrize("arguments", [["serve"], ["serve", "--model", "x", "--port", "99999"],
                                       ["serve", "--model", "x", "--method", "fast"],
                                       ["serve", "--model", "x", "--api-key", "a b"]])
def test_wrong_usage_is_told(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_model_that_is_not_there_is_said_by_health() -> None:
    with served("--model", "/nowhere/x.gguf") as url:
        with pytest.raises(urllib.request.HTTPError) as failure:  # type: ignore[attr-defined]
            post(f"{url}/v1/chat/completions", {"messages": [{"role": "user", "content": "x"}]})
        with failure.value as answer:
            assert answer.code == 503
            assert "is not there" in answer.read().decode()


@pytest.mark.model
@pytest.mark.timeout(600)
def test_the_same_tokens_as_generate(smollm: Path) -> None:
    model = ["--model", str(smollm), "--ctx", "1024", "--threads", "1", "--engine", "llama"]
    prompt = "Name three colours."
    line = [*SLIPSTREAM, "generate", *model, "--prompt", prompt, "--json", "--max-tokens", "32", "--seed", "11"]
    done = json.loads(subprocess.run(line, check=True, capture_output=True, timeout=300, cwd=ROOT).stdout)
    body = {"messages": [{"role": "user", "content": prompt}], "seed": 11, "max_tokens": 32, "return_token_ids": True}
    for method in ("auto", "off"):
        with served(*model, "--method", method, key="secret") as url:
            answer = post(f"{url}/v1/chat/completions", body, "secret")
        assert answer["choices"][0]["token_ids"] == done["token_ids"], method
        assert answer["choices"][0]["message"]["content"] == done["text"]
        assert answer["speculation"]["method"] == method


@pytest.mark.model
@pytest.mark.timeout(600)
def test_the_readmes_lines_run(smollm: Path) -> None:
    if shutil.which("curl") is None:
        pytest.fail("curl is missing: install it", pytrace=False)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^curl .*127\.0\.0\.1:8080.*$", readme, re.MULTILINE)
    assert len(lines) >= 5
    with served("--model", str(smollm), "--threads", "1") as url:
        for line in lines:
            command = [*shlex.split(line.replace("http://127.0.0.1:8080", url)), "--silent", "--fail", "--noproxy", "*"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, line
            if '"stream": true' in line:
                assert done.stdout.rstrip().endswith("data: [DONE]")
            elif "/metrics" in line:
                assert "slipstream:tokens_predicted_total" in done.stdout
            else:
                assert json.loads(done.stdout)
