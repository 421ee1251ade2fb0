"""A server of our own in the test's process, with a scripted or a real worker behind it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2

from app.client.process import ProcessClient
from app.records import LoadSettings, ModelFacts
from app.server.access import Access, Limits
from app.server.host import EngineHost
from app.server.running import RunningServer, listen
from tests.scripted_worker import scripted_worker_command


@dataclass
class Serving:
    """A server that runs; ``client`` is the engine's."""

    port: int
    host: EngineHost
    client: ProcessClient
    key: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def http(self, timeout_s: float = 60.0) -> httpx2.Client:
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        return httpx2.Client(base_url=self.url, timeout=timeout_s, headers=headers, trust_env=False)

    def chat(self, text: str = "Hello", **more: object) -> httpx2.Response:
        with self.http() as http:
            return http.post("/v1/chat/completions", json=chat_body(text, **more))

    def wait_until_idle(self, within_s: float = 5.0) -> float:
        """Seconds until the engine is free and nobody waits."""
        return wait_for(lambda: not self.host.is_busy and not self.host.waiting, within_s)

    def metric(self, name: str) -> float:
        with self.http() as http:
            text = http.get("/metrics").text
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith(f"slipstream:{name} ")))


def chat_body(text: str = "Hello", **more: object) -> dict[str, object]:
    return {"model": "any", "messages": [{"role": "user", "content": text}], "seed": 1, **more}


def wait_for(condition: Callable[[], bool], within_s: float = 10.0) -> float:
    started = time.monotonic()
    while not condition():
        assert time.monotonic() < started + within_s, "it did not come about in time"
        time.sleep(0.005)
    return time.monotonic() - started


@contextmanager
def serving(
    *script: str, access: Access | None = None, limits: Limits | None = None, model: str = "/models/scripted.gguf",
    command: Sequence[str] | None = None, draft: str = "", method: str = "auto",
    settings: LoadSettings | None = None, waits: bool = True,
) -> Iterator[Serving]:
    """``command`` None runs the scripted worker with ``script``; an empty one the real worker."""
    access = access or Access(port=0)
    limits = limits or Limits()
    worker = scripted_worker_command(*script) if command is None else list(command) or None
    settings = settings or LoadSettings()
    with ProcessClient(worker) as client:
        def load() -> ModelFacts:
            facts = client.load(model, settings).facts
            if draft:
                client.load_draft(draft, settings)
            return facts

        host = EngineHost(client, load, method, limits, target=model)
        server = RunningServer(host, access, limits, listen(access))
        thread = threading.Thread(target=server.run, name="server")
        thread.start()
        try:
            if waits:
                wait_for(lambda: host.facts is not None or host.trouble is not None, 120.0)
            yield Serving(server.port, host, client, access.keys[0] if access.keys else "")
        finally:
            server.stop()
            thread.join(30)
            assert not thread.is_alive()


def raw_connection(serving: Serving, timeout_s: float = 10.0) -> socket.socket:
    return socket.create_connection(("127.0.0.1", serving.port), timeout_s)


def read_all(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    data = b""
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            return data
        if not part:
            return data
        data += part


def events(response: httpx2.Response) -> list[dict[str, object]]:
    """The objects of a stream of server-sent events."""
    lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]
