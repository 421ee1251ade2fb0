"""The programs that are measured: our engine, llama-server, and llama-cpp-python's own prompt lookup."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from app import protocol
from app.client.process import ProcessClient
from app.compare.plan import Prompt
from app.errors import Code, SlipstreamError
from app.records import LoadSettings, Sampling
from devtools.peers.contest import Answer, PromptTokens

START_S = 300.0
ANSWER_S = 900.0

SelfT = TypeVar("SelfT", bound="ChildProcess")


class OurEngine:
    """One worker with target and draft; its contestants differ by method alone."""

    def __init__(
        self, client: ProcessClient, target: str, draft: str | None, settings: LoadSettings, code: str
    ) -> None:
        self._client = client
        loaded = client.load(target, settings)
        if draft is not None:
            client.load_draft(draft, settings)
        self.engine = client.ready.engine if client.ready is not None else ""
        self.version = f"{self.engine}, code {code[:12]}"
        self.label = f"{loaded.engine or self.engine}, code {code[:12]}"
        """With the engine that was chosen, which is known only now."""

    def tokenize(self, prompt: Prompt) -> PromptTokens:
        text = self._client.render(list(prompt.messages))
        return PromptTokens(prompt=prompt, token_ids=self._client.tokenize(text))

    def contestant(self, method: str) -> OurMethod:
        return OurMethod(self._client, method, self.version)


class OurMethod:
    def __init__(self, client: ProcessClient, method: str, version: str) -> None:
        self.name = f"Slipstream {method}"
        self.version = version
        self._client = client
        self._method = method

    def answer(self, prompt: PromptTokens, max_tokens: int) -> Answer:
        first: list[protocol.Chunk] = []

        def note_first(event: protocol.AnyEvent) -> None:
            if isinstance(event, protocol.Chunk) and not first:
                first.append(event)

        done = self._client.generate(
            protocol.Generate(
                request_id=0, messages=prompt.prompt.messages, cold=True, method=self._method, max_tokens=max_tokens,
                sampling=Sampling(temperature=0.0),
            ),
            note_first,
        )
        if done.prompt_tokens != len(prompt.token_ids):
            raise SlipstreamError(
                Code.INTERNAL, f"{prompt.prompt.id} has {done.prompt_tokens} tokens here and "
                f"{len(prompt.token_ids)} for the others.", "Only the same tokens can be compared.",
            )
        start = first[0]
        return Answer(
            tokens=len(done.token_ids),
            tokens_per_second=_rate(len(done.token_ids) - start.step_tokens, done.timings.decode_s - start.decode_s),
            drafted=done.speculation.num_draft_tokens, accepted=done.speculation.num_accepted_draft_tokens,
            token_ids=tuple(done.token_ids),
        )


class ChildProcess:
    """A program of its own that is gone when the block is left, whatever happened in it."""

    def __init__(self, command: Sequence[str], log: Path, pipes: bool = False) -> None:
        self._log_path = log
        self._log = log.open("wb")
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE if pipes else subprocess.DEVNULL,
                stdout=subprocess.PIPE if pipes else self._log, stderr=self._log, text=pipes,
            )
        except OSError:
            self._log.close()
            raise

    def __enter__(self: SelfT) -> SelfT:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self._log.close()

    def failure(self, what: str) -> SlipstreamError:
        return SlipstreamError(Code.INTERNAL, f"{what}.", f"Its own words are in {self._log_path}.")


class LlamaServer(ChildProcess):
    """llama-server with settings of its start; it cannot change its draft length per request."""

    def __init__(
        self, program: Path, name: str, target: str, settings: LoadSettings, threads: int, log: Path,
        draft: str | None = None, draft_options: Sequence[str] = (),
    ) -> None:
        self.name = f"llama-server {name}"
        self.version = program.parent.name
        self._port = _free_port()
        command = [
            str(program), "--model", target, "--host", "127.0.0.1", "--port", str(self._port), "--parallel", "1",
            "--ctx-size", str(settings.ctx_tokens), "--threads", str(threads), "--threads-batch", str(threads),
            "--flash-attn", settings.flash_attn, "--cache-type-k", settings.cache_type_k,
            "--cache-type-v", settings.cache_type_v, "--fit", "off", "--cache-ram", "0", "--no-ui",
        ]
        if draft is not None:
            command += ["--spec-type", "draft-simple", "--model-draft", draft, "--threads-draft", str(threads)]
            command += ["--threads-batch-draft", str(threads), *draft_options]
        super().__init__(command, log)

    def wait_until_ready(self) -> None:
        """Raises ``SlipstreamError`` when it ends, or does not get ready."""
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise self.failure(f"{self.name} ended at its start")
            try:
                if self._request("/health", None, 5.0).get("status") == "ok":
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.3)
        raise self.failure(f"{self.name} did not get ready")

    def answer(self, prompt: PromptTokens, max_tokens: int) -> Answer:
        body = {
            "prompt": prompt.token_ids, "n_predict": max_tokens, "temperature": 0.0, "samplers": ["temperature"],
            "cache_prompt": False, "return_tokens": True,
        }
        try:
            said = self._request("/completion", body, ANSWER_S)
        except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
            raise self.failure(f"{self.name} gave no answer ({error})") from error
        timings = said["timings"]
        return Answer(
            # its own figure: tokens but the first, by the time from the end of the prompt to the last
            tokens=timings["predicted_n"], tokens_per_second=timings["predicted_per_second"],
            drafted=timings.get("draft_n", 0), accepted=timings.get("draft_n_accepted", 0),
            token_ids=tuple(said.get("tokens", ())),
        )

    def _request(self, path: str, body: dict[str, object] | None, timeout_s: float) -> dict[str, Any]:
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}{path}", data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            answer: dict[str, Any] = json.loads(response.read())
        return answer


class PromptLookup(ChildProcess):
    """llama-cpp-python's high-level ``Llama`` with its ``LlamaPromptLookupDecoding``, in a Python of its own."""

    def __init__(self, target: str, settings: LoadSettings, threads: int, guesses: int, log: Path) -> None:
        self.name = f"llama-cpp-python lookup of {guesses}"
        arguments = {
            "model": target, "ctx_tokens": settings.ctx_tokens, "threads": threads, "guesses": guesses,
            "flash_attn": settings.flash_attn != "off",
        }
        command = [sys.executable, "-m", "devtools.peers.lookup_worker", json.dumps(arguments)]
        super().__init__(command, log, pipes=True)
        self.version = ""

    def wait_until_ready(self) -> None:
        self.version = str(self._read()["version"])

    def answer(self, prompt: PromptTokens, max_tokens: int) -> Answer:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"tokens": prompt.token_ids, "max_tokens": max_tokens}) + "\n")
        self.process.stdin.flush()
        said = self._read()
        token_ids = said["token_ids"]
        return Answer(
            tokens=len(token_ids), tokens_per_second=_rate(len(token_ids) - 1, said["seconds"]),
            token_ids=tuple(token_ids),
        )

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise self.failure(f"{self.name} ended")
        answer: dict[str, Any] = json.loads(line)
        return answer


def start_all(children: Sequence[LlamaServer | PromptLookup], say: Callable[[str], None]) -> None:
    """Wait for each to be ready. They load one after the other by themselves as far as the disk allows."""
    for child in children:
        say(f"Loading {child.name} …")
        child.wait_until_ready()


def _rate(tokens: int, seconds: float) -> float:
    return tokens / seconds if tokens > 0 and seconds > 0 else 0.0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
