"""32 clients at once: what the server does under load, as figures.

``python -m tests.server.load --seconds 180 --model SmolLM2.gguf`` prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psutil

from app.client.remote_kinds import read_counters

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = ("Say hello.", "Name three colours.", "What is two and two?", "Write a line about the sea.", "Count to ten.")
_MOST_ERRORS = 20
_WARM_SHARE = 0.25
"""The first part of the time does not count for the growth of memory: pools and caches fill."""


@dataclass
class Figures:
    statuses: Counter[str] = field(default_factory=Counter)
    cancelled: int = 0
    tokens: int = 0
    errors: list[str] = field(default_factory=list)
    """What went wrong, with the second, the first of them."""
    memory: list[tuple[float, int, int]] = field(default_factory=list)
    """Seconds, RSS of the server, RSS of the worker."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, status: str) -> None:
        with self.lock:
            self.statuses[status] += 1

    def note(self, words: str) -> None:
        with self.lock:
            if len(self.errors) < _MOST_ERRORS:
                self.errors.append(words[:300])


def _ask_until(url: str, number: int, started: float, ends_at: float, figures: Figures) -> None:
    choose = random.Random(number)
    with httpx2.Client(base_url=url, timeout=600, trust_env=False) as http:
        while time.monotonic() < ends_at:
            goes = choose.random() < 0.2
            body = {
                "messages": [{"role": "user", "content": choose.choice(PROMPTS)}], "user": str(number % 8),
                "stream": goes or choose.random() < 0.5, "max_tokens": 400 if goes else choose.randint(4, 24),
            }
            try:
                status = _ask(http, body, goes, figures)
            except httpx2.HTTPError as error:
                status = type(error).__name__
                figures.note(f"{time.monotonic() - started:.1f} s: {error!r}")
            figures.count(status)
            if status == "429":
                time.sleep(1.0)


def _ask(http: httpx2.Client, body: dict[str, Any], goes: bool, figures: Figures) -> str:
    with http.stream("POST", "/v1/chat/completions", json=body) as response:
        if response.status_code != 200:
            if response.status_code != 429:
                figures.note(response.read().decode())
            return str(response.status_code)
        seen = 0
        for line in response.iter_lines():
            seen += line.startswith("data: {")
            if goes and seen > 4:
                with figures.lock:
                    figures.cancelled += 1
                return "cancelled"
            if line.startswith("data: {\"error\""):
                figures.note(line)
                return "error in the stream"
    with figures.lock:
        figures.tokens += seen
    return "200"


def _watch(process: psutil.Process, started: float, ends_at: float, figures: Figures) -> None:
    while time.monotonic() < ends_at:
        children = process.children(recursive=True)
        worker = sum(child.memory_info().rss for child in children)
        figures.memory.append((time.monotonic() - started, process.memory_info().rss, worker))
        time.sleep(1.0)


def run_load(model: str, seconds: float, clients: int = 32, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """Start ``slipstream serve``, ask it for ``seconds`` with ``clients`` threads, and return what came of it."""
    command = [sys.executable, "-m", "app", "serve", "--model", model, "--port", "0", "--ctx", "1024", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        url = server.stderr.readline().split()[2].removesuffix("/v1")
        drain = threading.Thread(target=server.stderr.read, daemon=True)
        drain.start()
        try:
            return _load(url, server.pid, seconds, clients)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)
            drain.join()


def _load(url: str, pid: int, seconds: float, clients: int) -> dict[str, Any]:
    figures = Figures()
    with httpx2.Client(base_url=url, timeout=60, trust_env=False) as http:
        while http.get("/health").status_code != 200:
            time.sleep(0.2)
        started = time.monotonic()
        ends_at = started + seconds
        threads = [
            threading.Thread(target=_ask_until, args=(url, number, started, ends_at, figures))
            for number in range(clients)
        ]
        threads.append(threading.Thread(target=_watch, args=(psutil.Process(pid), started, ends_at, figures)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        idle = time.monotonic()
        while read_counters(http.get("/metrics").text)["slipstream:requests_processing"]:
            time.sleep(0.02)
        counters = read_counters(http.get("/metrics").text)
    settled = [sample for sample in figures.memory if sample[0] >= _WARM_SHARE * seconds] or figures.memory
    return {
        "seconds": seconds, "clients": clients, "statuses": dict(figures.statuses), "errors": figures.errors,
        "cancelled": figures.cancelled,
        "answers_per_minute": round(60 * figures.statuses["200"] / seconds, 1),
        "cancel_seconds_max": counters["slipstream:cancel_seconds_max"],
        "server_cancelled": counters["slipstream:cancelled"], "idle_after_s": round(time.monotonic() - idle, 3),
        "engine_restarts": counters["slipstream:engine_restarts"],
        "server_rss_mib": [settled[0][1] >> 20, settled[-1][1] >> 20],
        "worker_rss_mib": [settled[0][2] >> 20, settled[-1][2] >> 20],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("rest", nargs="*", help="options for `slipstream serve`, after --")
    args = parser.parse_args()
    sys.stdout.write(json.dumps(run_load(os.path.expanduser(args.model), args.seconds, args.clients, args.rest)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
