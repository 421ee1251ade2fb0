"""Runs of the real window for ``frame_bench``: how soon it is there, and what it costs the engine."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer

from app.chat.answer import Answer
from app.client.process import worker_command
from app.gui.controllers.engine import EngineState
from app.gui.program import Program
from app.gui.start import make_application
from app.gui.startup.collector import IdleCollector
from app.records import LoadSettings, Sampling
from app.settings.settings import Settings, SettingsFile, Speculation

PROMPT = "Write a long story about a lighthouse keeper, his dog, and a storm."
ROUNDS = 3
ENGINE_ROUNDS = 6
_LOAD_S, _ANSWER_S = 120, 600


def measure_start(program: Path | None = None) -> dict[str, object]:
    """Seconds from starting the process to its first painted window, and its processor time until then; the first
    run, which warms up, is left out. ``program`` is a packaged one; this very program otherwise."""
    command = [str(program), "--start-clock"] if program else [sys.executable, "-m", "app.gui.start_clock"]
    runs: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        places = _empty_places(Path(folder))
        for _ in range(ROUNDS + 1):
            begun = time.monotonic()
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                                  timeout=_LOAD_S, env={**os.environ, **places})
            found = json.loads(done.stdout.decode().strip().splitlines()[-1])
            runs.append({"s": round(found["painted_at_s"] - begun, 3), "processor_s": found["processor_s"]})
    return {
        "packaged_start_s" if program else "warm_start_s": statistics.median(run["s"] for run in runs[1:]),
        "runs_s": [run["s"] for run in runs],
        "processor_s": statistics.median(run["processor_s"] for run in runs[1:]),
    }


def measure_chats() -> dict[str, object]:
    """Milliseconds to the list of many conversations, to a search in them and to an opened one."""
    with tempfile.TemporaryDirectory() as folder:
        return call(["--measure", "chats-once"], places=_empty_places(Path(folder)))


def _empty_places(folder: Path) -> dict[str, str]:
    """Environment in which the program has nothing yet."""
    return {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("DATA", "CONFIG", "STATE", "CACHE")}


def run_engine(model: Path, tokens: int) -> int:
    """Ask the real engine in the real window; print the tokens/s of the answer."""
    application = make_application(["slipstream"])
    with tempfile.TemporaryDirectory() as folder:
        file = SettingsFile(Path(folder) / "settings.json")
        file.save(Settings(sampling=Sampling(temperature=0.0), max_tokens=tokens))
        program = Program(application, file)
        program.window.show()
        program.window.page.header.panel.setChecked(True)
        program.pairs.use(str(model), "", anyway=True)
        program.chat.set_speculation(Speculation(mode="off"))
        collector = IdleCollector(lambda: program.chat.is_answering, program)
        # As at a start: what the window loads while it idles is there before anybody has written a message.
        idled: list[bool] = []
        program.preloader.finished.connect(collector.start)
        program.preloader.finished.connect(lambda: idled.append(True))
        program.preloader.start()
        _wait(lambda: bool(idled) and program.engine.state is EngineState.READY, _LOAD_S)
        spent_s, begun = time.thread_time(), time.monotonic()
        program.chat.send(PROMPT)
        _wait(lambda: not program.chat.is_answering, _ANSWER_S)
        spent_s, took_s = time.thread_time() - spent_s, time.monotonic() - begun
        answer = program.chat.last_answer or Answer()
        views = program.window.page.transcript.answers
        result = {"tokens_per_second": answer.tokens_per_second, "tokens": answer.emitted_tokens,
                  "gui_thread_share": round(spent_s / took_s, 4), "renders": views[-1].body.renders if views else 0}
        program.window.close()
        program.close()
    sys.stdout.write(json.dumps(result) + "\n")
    return 0


def measure_engine(model: Path, tokens: int) -> dict[str, object]:
    """tokens/s with the window and with ``generate``, in turn and each first every second time; ``cost_share`` is what
    the window takes by the median of the pairs."""
    window: list[float] = []
    alone: list[float] = []
    shares: list[float] = []
    for number in range(ENGINE_ROUNDS):
        for kind in ("window", "alone") if number % 2 else ("alone", "window"):
            if kind == "alone":
                alone.append(_generate(model, tokens))
            else:
                found = call(["--measure", "engine-once", "--model", str(model), "--engine-tokens", str(tokens)])
                window.append(float(str(found["tokens_per_second"])))
                shares.append(float(str(found["gui_thread_share"])))
    # Each beside the one it was in turn with: a machine does not stay equally fast.
    cost = 1 - statistics.median(w / a for w, a in zip(window, alone, strict=True))
    return {
        "model": model.name, "tokens": tokens, "window_tokens_per_second": [round(each, 2) for each in window],
        "generate_tokens_per_second": [round(each, 2) for each in alone], "cost_share": round(cost, 4),
        "gui_thread_share": [round(each, 4) for each in shares],
    }


def _generate(model: Path, tokens: int) -> float:
    load = LoadSettings()
    arguments = ["generate", "--model", str(model), "--method", "off", "--temperature", "0", "--prompt", PROMPT,
                 "--max-tokens", str(tokens), "--ctx", str(load.ctx_tokens), "--json"]
    done = subprocess.run([*worker_command()[:-1], *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, timeout=_ANSWER_S)
    return float(json.loads(done.stdout)["timings"]["tokens_per_second"])


def call(arguments: Sequence[str], prefix: Sequence[str] = (), places: Mapping[str, str] | None = None
         ) -> dict[str, object]:
    """Run ``frame_bench`` in a process of its own, ``places`` added to its environment; what it prints last."""
    done = subprocess.run([*prefix, sys.executable, "-m", "devtools.window.frame_bench", *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=_LOAD_S + _ANSWER_S,
                          env={**os.environ, **(places or {})})
    lines = done.stdout.decode().strip().splitlines()
    if not lines:
        raise RuntimeError(f"the measurement “{' '.join(arguments)}” gave nothing (exit status {done.returncode})")
    found: dict[str, object] = json.loads(lines[-1])
    return found


def _wait(reached: Callable[[], bool], seconds: float) -> None:
    loop, poll = QEventLoop(), QTimer()
    end = time.monotonic() + seconds

    def look() -> None:
        if reached() or time.monotonic() > end:
            loop.quit()

    poll.setInterval(100)
    poll.timeout.connect(look)
    poll.start()
    loop.exec()
    poll.stop()
    if not reached():
        raise RuntimeError(f"not reached within {seconds:.0f} s")

