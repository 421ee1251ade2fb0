"""How smooth and how light the window is: ``python -m devtools.window.frame_bench``.

1. Frames: a chat of 200 messages gets an answer of 8,000 tokens at 200 tokens a second, decoded from protocol lines
   like those of a real worker, without a display and under Xvfb. A frame is one turn of the event loop; its cost is
   the processor time of the window's thread, since the wall clock would measure other programs too.
2. The memory of the process at the end of that.
3. Start: from the process to its first painted window, warm.
4. Conversations: a list of 1,000 with 50 messages each, a search in them, and opening one (``chats_bench``).
5. Engine: tokens/s of the real engine in the window against those of ``slipstream generate``.

All goes into one results file; the exit status is 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
from PySide6.QtCore import QAbstractEventDispatcher, QEventLoop, QTimer

from app import paths, protocol
from app.chat.conversation import AnswerFacts, Conversation
from app.gui.program import Program
from app.gui.start import make_application
from app.gui.startup.collector import IdleCollector
from app.protocol import Chunk
from app.records import Piece
from app.settings.settings import Settings, SettingsFile
from devtools.window import window_runs
from devtools.window.chats_bench import run_chats
from devtools.window.quiet_worker import QuietWorker
from devtools.window.screenshots import settle
from devtools.window.scripted_text import make_text
from devtools.window.window_report import write_section

MESSAGES = 200
TOKENS = 8000
TOKENS_PER_S = 200
STEP_TOKENS = 4
LIMIT_P99_MS = 8.0
LIMIT_MOST_MS = 16.0
LIMIT_BYTES = 250 * 1000 * 1000
LIMIT_START_S = 1.0
LIMIT_PACKAGED_START_S = 1.5
LIMIT_COST = 0.04
LIMIT_LIST_MS = 100.0
LIMIT_OPEN_MS = 200.0
_MODELS = ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "SmolLM2-135M-Instruct.Q4_1.gguf")
"""Of the measurement with a real engine: the first that is there."""


class FrameMeter:
    """Processor milliseconds of the calling thread from one turn of its event loop to the next."""

    def __init__(self) -> None:
        self.frames_ms: list[float] = []
        self._since = time.thread_time()
        self._dispatcher = QAbstractEventDispatcher.instance()
        self._dispatcher.awake.connect(self._turn)

    def stop(self) -> None:
        self._dispatcher.awake.disconnect(self._turn)

    def _turn(self) -> None:
        now = time.thread_time()
        self.frames_ms.append(1000 * (now - self._since))
        self._since = now


def make_lines(text: Sequence[str], request_id: int) -> Iterator[bytes]:
    """Protocol lines of an answer of these tokens, one per step, each made when it is asked for."""
    for start in range(0, len(text), STEP_TOKENS):
        step = text[start : start + STEP_TOKENS]
        emitted = start + len(step)
        yield protocol.encode(Chunk(
            request_id=request_id, pieces=[Piece(text=t, drafted=i < len(step) - 1) for i, t in enumerate(step)],
            drafter="draft", num_draft_tokens=len(step), num_accepted_draft_tokens=len(step) - 1,
            step_tokens=len(step), step_s=len(step) / TOKENS_PER_S, emitted_tokens=emitted,
            decode_s=emitted / TOKENS_PER_S,
        ))


def make_chat() -> Conversation:
    chat = Conversation(title="Long")
    for number in range(MESSAGES // 2):
        chat.add("user", f"Question {number}: what about it, and why?")
        chat.add("assistant", "".join(make_text(120, number)), facts=AnswerFacts(reason="eos", tokens=120))
    return chat


def measure(program: Program, worker: QuietWorker, tokens: int) -> list[float]:
    """Milliseconds of every frame from the one in which the question is sent, as from the composer, to the one in
    which the answer's last token is on the screen."""
    program.pairs.use("/models/target.gguf", "")
    worker.finish_load()
    program.chat.show(make_chat())
    edit = program.window.page.composer.edit
    edit.setPlainText("And now a long answer, please.")
    settle(500)
    loop, feed = QEventLoop(), QTimer()
    feed.setInterval(round(1000 * STEP_TOKENS / TOKENS_PER_S))
    text = make_text(tokens)
    lines: Iterator[bytes] = iter(())

    def send() -> None:
        nonlocal lines
        edit.send_pressed.emit()
        lines = make_lines(text, worker.last_id)

    def step() -> None:
        line = next(lines, None)
        if line is not None:
            worker.stream(protocol.decode_event(line))
        else:
            feed.stop()
            QTimer.singleShot(400, loop.quit)

    feed.timeout.connect(step)
    QTimer.singleShot(100, send)
    QTimer.singleShot(200, feed.start)
    meter = FrameMeter()
    loop.exec()
    meter.stop()
    return meter.frames_ms


def summarise(frames_ms: list[float]) -> dict[str, float]:
    ordered = sorted(frames_ms)
    return {
        "frames": len(ordered),
        "mean_ms": round(sum(ordered) / len(ordered), 3),
        "p50_ms": round(ordered[len(ordered) // 2], 3),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)], 3),
        "most_ms": round(ordered[-1], 3),
        "process_rss_bytes": int(psutil.Process().memory_info().rss),
    }


def run_frames(tokens: int, tint: bool) -> int:
    """Measure in this process and print the figures."""
    application = make_application(["slipstream"])
    with tempfile.TemporaryDirectory() as folder:
        file = SettingsFile(Path(folder) / "settings.json")
        file.save(Settings(tint_drafted=tint))
        worker = QuietWorker()
        program = Program(application, file, worker)
        program.background.close()
        program.window.show()
        collector = IdleCollector(lambda: program.chat.is_answering, program)
        collector.start()
        figures = summarise(measure(program, worker, tokens))
        program.window.close()
        program.close()
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


def measure_all(tokens: int, engine_tokens: int, model: Path | None) -> dict[str, dict[str, object]]:
    """Everything that can be measured here, by name."""
    frames = ["--measure", "frames", "--tokens", str(tokens)]
    found = {"frames_offscreen": window_runs.call(frames)}
    if shutil.which("xvfb-run"):
        display = ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24"]
        found["frames_xvfb"] = window_runs.call([*frames, "--platform", "xcb"], display)
    found["start"] = window_runs.measure_start()
    found["conversations"] = window_runs.measure_chats()
    if model is not None:
        found["engine"] = window_runs.measure_engine(model, engine_tokens)
    return found


def judge(found: dict[str, dict[str, object]]) -> list[str]:
    """A sentence for every bar that is missed."""
    bars = [
        ("p99_ms", LIMIT_P99_MS), ("most_ms", LIMIT_MOST_MS), ("process_rss_bytes", LIMIT_BYTES),
        ("warm_start_s", LIMIT_START_S), ("packaged_start_s", LIMIT_PACKAGED_START_S), ("cost_share", LIMIT_COST),
        ("list_ms", LIMIT_LIST_MS), ("search_ms", LIMIT_LIST_MS), ("open_ms", LIMIT_OPEN_MS),
    ]
    return [
        f"{name}: {key} is {figures[key]} and should be below {limit:g}"
        for name, figures in found.items() for key, limit in bars
        if key in figures and float(str(figures[key])) >= limit
    ]


def find_model() -> Path | None:
    return next((path for name in _MODELS if (path := paths.models_dir() / name).is_file()), None)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of the scripted answer")
    parser.add_argument("--tint", action="store_true", help="with drafted text marked")
    parser.add_argument("--measure", choices=("all", "frames", "start", "chats", "chats-once", "engine",
                                                "engine-once"), default="all")
    parser.add_argument("--program", type=Path, default=None,
                        help="with --measure start: a packaged one, such as dist/slipstream/slipstream")
    parser.add_argument("--model", type=Path, default=None, help="for the measurement with a real engine")
    parser.add_argument("--engine-tokens", type=int, default=200)
    parser.add_argument("--platform", default="offscreen")
    parser.add_argument("--markdown", type=Path, default=None, help="page whose section “The window” gets the figures")
    parser.add_argument("--out", type=Path, default=paths.cache_dir() / "bench" / "window.json", help="results file")
    chosen = parser.parse_args(arguments)
    os.environ["QT_QPA_PLATFORM"] = chosen.platform
    model = chosen.model or find_model()
    if chosen.measure == "frames":
        return run_frames(chosen.tokens, chosen.tint)
    if chosen.measure == "engine-once" and model is not None:
        return window_runs.run_engine(model, chosen.engine_tokens)
    if chosen.measure == "chats-once":
        return run_chats()
    if chosen.measure == "start":
        found = {"start": window_runs.measure_start(chosen.program)}
    elif chosen.measure == "chats":
        found = {"conversations": window_runs.measure_chats()}
    elif chosen.measure == "engine" and model is not None:
        found = {"engine": window_runs.measure_engine(model, chosen.engine_tokens)}
    else:
        found = measure_all(chosen.tokens, chosen.engine_tokens, model)
    missed = judge(found)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps({"measured": found, "missed": missed}, indent=1) + "\n", encoding="utf-8")
    if chosen.markdown is not None:
        write_section(chosen.markdown, found, missed, chosen.tokens, os.cpu_count() or 1)
    sys.stdout.write(json.dumps(found, indent=1) + "\n" + "".join(f"missed: {each}\n" for each in missed))
    sys.stdout.write(f"written to {chosen.out}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
