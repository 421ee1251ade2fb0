"""What the server costs: tokens per second through it, divided by those of the engine alone.

``python -m tests.server.throughput --model M.gguf`` asks a worker of its own, as ``slipstream generate`` does, and a
``slipstream serve`` in turn, A B B A, with the same prompts and seeds, until the 95% interval of the ratio is known to
``--width`` or ``--seconds`` are over, and prints one JSON object. What is compared is the wall time of whole answers,
the way through HTTP included; the tokens must be the same.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from app.client.process import ProcessClient
from app.client.remote import RemoteClient
from app.client.remote_kinds import KINDS
from app.compare.interval import mean_interval
from app.protocol import Generate
from app.records import LoadSettings, Message, Sampling
from tests.server.serving import wait_for

ROOT = Path(__file__).resolve().parents[2]
CTX_TOKENS = 1024
LEAST_PAIRS = 8


@contextmanager
def served(model: str, threads: int) -> Iterator[tuple[str, psutil.Process]]:
    command = [sys.executable, "-m", "app", "serve", "--model", model, "--port", "0", "--ctx", str(CTX_TOKENS),
               "--engine", "llama", "--threads", str(threads)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        url = server.stderr.readline().split()[2].removesuffix("/v1")
        drain = threading.Thread(target=server.stderr.read, daemon=True)
        drain.start()
        try:
            yield url, psutil.Process(server.pid)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)
            drain.join()


def measure(model: str, tokens: int, threads: int, width: float, seconds: float) -> dict[str, object]:
    threads = threads or psutil.cpu_count(logical=False) or 1
    settings = LoadSettings(ctx_tokens=CTX_TOKENS, threads=threads, engine="llama")
    with ProcessClient() as alone, served(model, threads) as (url, server), RemoteClient(
        url, kind=KINDS["slipstream"]
    ) as through:
        alone.load(model, settings)
        wait_for(lambda: bool(through.models()), 120.0)
        through.load("", settings)
        return _compare(alone, through, server, tokens, width, seconds)


def _compare(
    alone: ProcessClient, through: RemoteClient, server: psutil.Process, tokens: int, width: float, seconds: float
) -> dict[str, object]:
    logs: list[float] = []
    rates: dict[int, list[float]] = {id(alone): [], id(through): []}
    differing = written = 0
    processor_s = 0.0

    def ask(client: ProcessClient | RemoteClient, seed: int) -> tuple[float, str]:
        request = Generate(
            request_id=0, messages=[Message(role="user", content=f"Story number {seed}, please.")], method="off",
            sampling=Sampling(temperature=1.0, seed=seed), max_tokens=tokens,
        )
        started = time.perf_counter()
        done = client.generate(request)
        return time.perf_counter() - started, done.text

    for client in (alone, through):
        ask(client, 0)
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at and not _is_known(logs, width):
        seed = len(logs) + 1
        took, texts = {}, {}
        for client in (alone, through) if seed % 2 else (through, alone):
            before = server.cpu_times()
            took[id(client)], texts[id(client)] = ask(client, seed)
            if client is through:
                after = server.cpu_times()
                processor_s += after.user + after.system - before.user - before.system
        differing += texts[id(alone)] != texts[id(through)]
        written += len(texts[id(through)])
        for client in (alone, through):
            rates[id(client)].append(len(texts[id(alone)]) / took[id(client)])
        logs.append(math.log(took[id(alone)] / took[id(through)]))
    ratio = mean_interval(logs)
    return {
        "ratio": round(ratio.factor, 4), "interval": [round(bound, 4) for bound in (ratio.low, ratio.high) if bound],
        "median_ratio": round(math.exp(statistics.median(logs)), 4), "pairs": len(logs), "tokens": tokens,
        "different_texts": differing,
        "server_processor_us_per_character": round(1e6 * processor_s / max(1, written), 1),
        "characters_per_second": {
            "generate": round(statistics.median(rates[id(alone)]), 1),
            "server": round(statistics.median(rates[id(through)]), 1),
        },
    }


def _is_known(logs: list[float], width: float) -> bool:
    return len(logs) >= LEAST_PAIRS and mean_interval(logs).half_width < width


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--threads", type=int, default=0, help="0 takes the physical cores")
    parser.add_argument("--width", type=float, default=0.01, help="of the interval to either side of the ratio")
    parser.add_argument("--seconds", type=float, default=240.0)
    args = parser.parse_args()
    figures = measure(os.path.expanduser(args.model), args.tokens, args.threads, args.width, args.seconds)
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
