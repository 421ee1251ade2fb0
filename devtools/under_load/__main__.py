"""``python -m devtools.under_load --model M …``: tokens/s at rest and beside busy processes, by the number of threads.

Every engine answers with each fixed number of threads and with the number that follows the load, one after the other in
rounds, so that whatever else the machine does meets all alike. ``dev.py bench --under-load`` is the same.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from app import protocol
from app.client.process import ProcessClient
from app.compare.machine import describe_machine
from app.compare.results_page import put_section
from app.errors import SlipstreamError
from app.machine.cores import count_cores
from app.records import LoadSettings, Sampling
from devtools.console import complain, say

BUSY = "while True: pass"
NICE = "import os; os.nice(19)\nwhile True: pass"
SETTLE_S = 1.5
"""From the start of the load to the question, so that what follows the load has seen it."""
LOADED_S, WATCHED_S = 3.0, 8.0
WINDOW_TOKENS = 12
RECOVERED = 0.9
PROMPT = "Write a long story about a lighthouse keeper who finds a map. Tell of every day of his journey."


@dataclass(frozen=True)
class Load:
    title: str
    programs: tuple[str, ...] = ()


LOADS = {
    "rest": Load("at rest"), "one": Load("one busy process", (BUSY,)), "two": Load("two busy processes", (BUSY, BUSY)),
    "nice": Load("two at low priority", (NICE, NICE)),
}


@dataclass
class Row:
    """Tokens/s of each answer, by the number of threads (0: follows the load)."""

    model: str
    engine: str
    load: str
    rates: dict[int, list[float]] = field(default_factory=dict)

    def rate(self, threads: int) -> float:
        return median(self.rates[threads])

    @property
    def share(self) -> float:
        """The governed rate over that of the best fixed number, both medians of the same rounds."""
        return self.rate(0) / max(self.rate(threads) for threads in self.rates if threads)


def main() -> int:
    args = _parser().parse_args()
    try:
        rows, returns = measure(args)
    except SlipstreamError as error:
        complain(error.message)
        complain(error.hint)
        return 1
    page = as_markdown(rows, returns, args)
    say(page)
    if args.markdown:
        written = args.markdown.read_text(encoding="utf-8") if args.markdown.exists() else ""
        args.markdown.write_text(put_section(written, _title(), page), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dev.py bench --under-load", description=__doc__)
    parser.add_argument("--model", type=Path, action="append", required=True, help="may be given again")
    parser.add_argument("--engines", nargs="+", choices=("llama", "ik"), default=["llama", "ik"])
    parser.add_argument("--loads", nargs="+", choices=tuple(LOADS), default=list(LOADS))
    parser.add_argument("--seconds", type=float, default=5.0, help="at most so long an answer (default 5)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markdown", type=Path, help="put a section into this page")
    return parser


def measure(args: argparse.Namespace) -> tuple[list[Row], dict[tuple[str, str], float]]:
    """Also, by model and engine, the seconds from the load's end until the speed at rest was there again."""
    rows: list[Row] = []
    returns: dict[tuple[str, str], float] = {}
    counts = [*range(1, count_cores().threads + 1), 0]
    for model in args.model:
        for engine in args.engines:
            with ExitStack() as stack:
                clients = {count: stack.enter_context(_loaded(model, engine, count)) for count in counts}
                for load in map(LOADS.__getitem__, args.loads):
                    row = Row(model.name, engine, load.title, {count: [] for count in counts})
                    with busy(load.programs):
                        for number in range(args.rounds):
                            for count in counts if number % 2 == 0 else reversed(counts):
                                row.rates[count].append(answer_rate(clients[count], args.seconds))
                    rows.append(row)
                    say(_line(row))
                if "two" in args.loads:
                    returns[model.name, engine] = recovery_s(clients[0])
    return rows, returns


@contextmanager
def _loaded(model: Path, engine: str, threads: int) -> Iterator[ProcessClient]:
    with ProcessClient() as client:
        settings = LoadSettings(ctx_tokens=2048, threads=threads, engine="ik" if engine == "ik" else "llama")
        client.load(str(model.resolve()), settings)
        answer_rate(client, 0.5)  # the first answer finds caches cold
        yield client


@contextmanager
def busy(programs: Sequence[str]) -> Iterator[None]:
    """Other programs that do nothing but take processor time."""
    running = [subprocess.Popen([sys.executable, "-c", program]) for program in programs]
    try:
        time.sleep(SETTLE_S if programs else 0.2)
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def _question(max_tokens: int) -> protocol.Generate:
    return protocol.Generate(
        request_id=0, prompt=PROMPT, method="off", max_tokens=max_tokens, sampling=Sampling(temperature=0.8, seed=7),
    )


def answer_rate(client: ProcessClient, seconds: float) -> float:
    """Tokens/s of an answer that is ended after ``seconds``."""
    timer = threading.Timer(seconds, client.stop)
    timer.start()
    try:
        return client.generate(_question(400)).timings.tokens_per_second
    finally:
        timer.cancel()
        timer.join()


def recovery_s(client: ProcessClient) -> float:
    """Seconds from the end of two busy processes, amid an answer, until the speed at rest is back."""
    _, at_rest = _timed_answer(client, ())
    ended, under_load = _timed_answer(client, (BUSY, BUSY))
    return back_after_s(at_rest, under_load, ended)


Moments = list[tuple[int, float]]
"""Each number of tokens with the moment at which there were so many."""


def back_after_s(at_rest: Moments, under_load: Moments, ended: float) -> float:
    """Seconds from ``ended`` until ``RECOVERED`` of the speed that the same tokens of the same answer had at rest."""
    rest = dict(at_rest)
    for (tokens, moment), (later, then) in zip(under_load, under_load[WINDOW_TOKENS:], strict=False):
        if moment < ended:
            continue
        if tokens not in rest or later not in rest:
            break
        if (rest[later] - rest[tokens]) / (then - moment) >= RECOVERED:
            return moment - ended
    return float("inf")


def _timed_answer(client: ProcessClient, programs: Sequence[str]) -> tuple[float, Moments]:
    """When ``programs``, which run for the answer's first seconds, ended; and each number of tokens with its moment."""
    seen: Moments = []

    def note(event: protocol.Event) -> None:
        if isinstance(event, protocol.Chunk):
            seen.append((event.emitted_tokens, time.monotonic()))

    answering = threading.Thread(target=lambda: client.generate(_question(1500), note))
    with busy(programs):
        answering.start()
        time.sleep(LOADED_S)
    ended = time.monotonic()
    time.sleep(WATCHED_S)
    client.stop()
    answering.join()
    return ended, seen


def _line(row: Row) -> str:
    rates = ", ".join(f"{count or 'governed'}: {row.rate(count):.1f}" for count in row.rates)
    return f"{row.model} on {row.engine}, {row.load}: {rates} ({row.share:.2f} of the best fixed number)"


def _title() -> str:
    return f"Threads that follow the load: {describe_machine('').processor}"


def as_markdown(rows: Sequence[Row], returns: dict[tuple[str, str], float], args: argparse.Namespace) -> str:
    machine = describe_machine("")
    counts = [count for count in rows[0].rates if count]
    lines = [
        f"`dev.py bench --under-load`: {machine.processor}, {machine.physical_cores} cores. Tokens/s without drafting, "
        f"medians of {args.rounds} answers of at most {args.seconds:g} s each, taken in turn.",
        "",
        f"| model | engine | load | {' | '.join(f'{n} threads' if n > 1 else '1 thread' for n in counts)} "
        "| following | of the best fixed |",
        f"|---|---|---|{'---|' * (len(counts) + 2)}",
    ]
    for row in rows:
        rates = " | ".join(f"{row.rate(count):.1f}" for count in [*counts, 0])
        lines.append(f"| {row.model} | {row.engine} | {row.load} | {rates} | {row.share:.2f} |")
    lines.append("")
    for (model, engine), seconds in returns.items():
        lines.append(f"{model} on {engine}: back at the speed of rest {seconds:.1f} s after the load's end.")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
