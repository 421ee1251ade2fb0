"""What the server costs: tokens per second through it, divided by those of the engine alone.

``python -m tests.server.throughput --model M.gguf`` asks one worker and one server in turn, A B B A, with the same
prompts and seeds, and prints one JSON object. What is compared is the wall time of whole answers, the way through HTTP
included.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time

from app.client.process import ProcessClient
from app.client.remote import RemoteClient
from app.client.remote_kinds import KINDS
from app.protocol import Generate
from app.terms import LoadSettings, Message, Sampling
from tests.server.serving import serving


def measure(model: str, rounds: int, tokens: int, threads: int) -> dict[str, object]:
    settings = LoadSettings(ctx_tokens=1024, threads=threads)
    ratios: list[float] = []
    with ProcessClient() as alone, serving(command=[], model=model, settings=settings) as server, RemoteClient(
        server.url, kind=KINDS["slipstream"]
    ) as through:
        alone.load(model, settings)
        through.load("", settings)

        def seconds(client: ProcessClient | RemoteClient, seed: int) -> float:
            request = Generate(
                request_id=0, messages=[Message(role="user", content=f"Story number {seed}, please.")], method="off",
                sampling=Sampling(temperature=1.0, seed=seed), max_tokens=tokens,
            )
            started = time.perf_counter()
            done = client.generate(request)
            return (time.perf_counter() - started) / max(1, len(done.text))

        for client in (alone, through):
            seconds(client, 0)
        for number in range(1, rounds + 1):
            first, second = (alone, through) if number % 2 else (through, alone)
            took = {id(first): seconds(first, number), id(second): seconds(second, number)}
            ratios.append(took[id(alone)] / took[id(through)])
    middle = statistics.median(ratios)
    return {"median_ratio": round(middle, 4), "rounds": rounds, "tokens": tokens,
            "quartiles": [round(value, 4) for value in statistics.quantiles(ratios, n=4)]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--threads", type=int, default=0)
    args = parser.parse_args()
    figures = measure(os.path.expanduser(args.model), args.rounds, args.tokens, args.threads)
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
