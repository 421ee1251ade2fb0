"""How smooth the window is: ``python -m app.gui.frame_bench``.

A chat of 200 messages gets an answer of 8,000 tokens at 200 tokens a second, decoded from protocol lines like those of
a real worker. A frame is one turn of the event loop; its cost is the processor time of the window's thread, since the
wall clock would measure other programs too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
from PySide6.QtCore import QAbstractEventDispatcher, QEventLoop, QTimer

from app import protocol
from app.chat.conversation import AnswerFacts, Conversation
from app.gui.program import Program
from app.gui.quiet_worker import QuietWorker
from app.gui.screenshots import settle
from app.gui.start import make_application
from app.protocol import Chunk
from app.settings import Settings, SettingsFile
from app.terms import Piece

MESSAGES = 200
TOKENS = 8000
TOKENS_PER_S = 200
STEP_TOKENS = 4
_SENTENCE = "the draft model guesses tokens and a target checks them so text comes sooner than without it"
LIMIT_P99_MS = 8.0
LIMIT_MOST_MS = 16.0


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


def make_text(tokens: int, seed: int = 1) -> list[str]:
    """Tokens of a long answer: paragraphs, lists, tables and code, about five characters each."""
    chance = random.Random(seed)
    words = _SENTENCE.split()
    made: list[str] = []
    while len(made) < tokens:
        kind = chance.choice(("paragraph", "paragraph", "list", "code", "table", "heading"))
        made += _KINDS[kind](chance, words)
    return made[:tokens]


def _paragraph(chance: random.Random, words: list[str]) -> list[str]:
    count = chance.randint(40, 120)
    return [*(f"{'**' if chance.random() < 0.03 else ''}{chance.choice(words)} " for _ in range(count)), ".\n\n"]


def _list(chance: random.Random, words: list[str]) -> list[str]:
    made: list[str] = []
    for _ in range(chance.randint(4, 30)):
        made += ["- ", *(f"{chance.choice(words)} " for _ in range(chance.randint(4, 20))), "\n"]
    return [*made, "\n"]


def _code(chance: random.Random, words: list[str]) -> list[str]:
    made = ["```", "python\n"]
    for _ in range(chance.randint(5, 120)):
        made += ["    ", chance.choice(words), " = ", "call(", f"{chance.randint(0, 99)}", ", 'text')", "  # note\n"]
    return [*made, "```\n\n"]


def _table(chance: random.Random, words: list[str]) -> list[str]:
    made = ["| a ", "| b |\n", "|---|---|\n"]
    for _ in range(chance.randint(3, 12)):
        made += ["| ", chance.choice(words), " | ", f"{chance.randint(0, 999)}", " |\n"]
    return [*made, "\n"]


def _heading(chance: random.Random, words: list[str]) -> list[str]:
    return ["## ", *(f"{chance.choice(words)} " for _ in range(4)), "\n\n"]


_KINDS = {"paragraph": _paragraph, "list": _list, "code": _code, "table": _table, "heading": _heading}


def make_lines(tokens: int, request_id: int) -> list[bytes]:
    """Protocol lines of an answer, one per step."""
    text = make_text(tokens)
    lines = []
    for start in range(0, len(text), STEP_TOKENS):
        step = text[start : start + STEP_TOKENS]
        emitted = start + len(step)
        lines.append(protocol.encode(Chunk(
            request_id=request_id, pieces=[Piece(text=t, drafted=i < len(step) - 1) for i, t in enumerate(step)],
            drafter="draft", num_draft_tokens=len(step), num_accepted_draft_tokens=len(step) - 1,
            step_tokens=len(step), step_s=len(step) / TOKENS_PER_S, emitted_tokens=emitted,
            decode_s=emitted / TOKENS_PER_S,
        )))
    return lines


def make_chat() -> Conversation:
    chat = Conversation(title="Long")
    for number in range(MESSAGES // 2):
        chat.add("user", f"Question {number}: what about it, and why?")
        chat.add("assistant", "".join(make_text(120, number)), facts=AnswerFacts(reason="eos", tokens=120))
    return chat


def measure(program: Program, worker: QuietWorker, tokens: int) -> list[float]:
    """Milliseconds of every frame while the answer comes in."""
    program.pairs.use("/models/target.gguf", "")
    worker.finish_load()
    program.chat.show(make_chat())
    settle(500)
    program.chat.send("And now a long answer, please.")
    lines = make_lines(tokens, worker.last_id)
    loop, feed = QEventLoop(), QTimer()
    feed.setInterval(round(1000 * STEP_TOKENS / TOKENS_PER_S))

    def step() -> None:
        if lines:
            worker.say(protocol.decode_event(lines.pop(0)))
        else:
            feed.stop()
            QTimer.singleShot(200, loop.quit)

    feed.timeout.connect(step)
    meter = FrameMeter()
    feed.start()
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


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--tint", action="store_true", help="with drafted text marked")
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = make_application(["slipstream"])
    with tempfile.TemporaryDirectory() as folder:
        file = SettingsFile(Path(folder) / "settings.json")
        file.save(Settings(tint_drafted=chosen.tint))
        worker = QuietWorker()
        program = Program(application, file, worker)
        program.background.close()
        program.window.show()
        figures = summarise(measure(program, worker, chosen.tokens))
        program.window.close()
        program.close()
    sys.stdout.write(json.dumps(figures) + "\n")
    kept = figures["p99_ms"] < LIMIT_P99_MS and figures["most_ms"] < LIMIT_MOST_MS
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
