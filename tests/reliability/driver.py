"""Starts a window of its own, tells it what to do, looks at it, and finds out what it left behind."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.client.clock import AwakeClock
from app.records import LoadSettings, Sampling
from app.settings.settings import Settings, SettingsFile, Speculation, TargetSettings
from tests.scripted_worker import ROOT

PATIENCE_S = 120.0
"""What a busy machine may take for anything here, not counting when we were asleep; nothing is judged by time."""
CHILD = Path(__file__).with_name("window_child.py")


def folders(home: Path) -> dict[str, str]:
    """An environment in which all that the program keeps lies below ``home``; models are where they are."""
    from app.paths import models_dir

    return {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"), "XDG_STATE_HOME": str(home / "state"),
        "SLIPSTREAM_MODELS": os.environ.get("SLIPSTREAM_MODELS", str(models_dir())),
    }


def make_quick(home: Path, model: Path, max_tokens: int = 400) -> None:
    """Settings for a real model on a busy machine: one thread, no speculation and so nothing to be measured first, and
    the same answer every time."""
    off = TargetSettings(speculation=Speculation(mode="off"))
    load = LoadSettings(ctx_tokens=2048, threads=1)
    SettingsFile(home / "config" / "slipstream" / "settings.json").save(
        Settings(max_tokens=max_tokens, load=load, targets={str(model): off}, sampling=Sampling(temperature=0.0)))


class Window:
    """A window in a child process. ``around`` is put before the command line: ``unshare -n``, ``strace …``.

    The state is written beside ``home``, so that a disk that is full or read-only does not blind us.
    """

    def __init__(self, home: Path, *options: str, around: Sequence[str] = (), environment: dict[str, str] | None = None,
                 state: Path | None = None) -> None:
        self.home = home
        self.state_file = state or home.parent / f"{home.name}-state.json"
        self.state_file.unlink(missing_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [*around, sys.executable, "-P", str(CHILD), str(self.state_file), *options],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=environment or folders(home),
        )
        self._orders = self.process.stdin
        self.seen_workers: set[int] = set()

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        for pipe in (self.process.stdin, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def tell(self, **order: str) -> None:
        assert self._orders is not None
        self._orders.write(json.dumps(order).encode() + b"\n")
        self._orders.flush()

    def look(self) -> dict[str, Any]:
        """The latest state; {} before the first."""
        try:
            state: dict[str, Any] = json.loads(self.state_file.read_bytes())
        except FileNotFoundError:
            return {}
        if state.get("worker"):
            self.seen_workers.add(state["worker"])
        return state

    def wait(self, until: Callable[[dict[str, Any]], object], what: str = "") -> dict[str, Any]:
        clock = AwakeClock()
        while clock.now() < PATIENCE_S:
            state = self.look()
            if state and until(state):
                return state
            if "did not work as it should" in state.get("dialog", ""):
                pytest.fail(f"a mistake of the program instead of {what}: {state['report'][-3000:]}")
            if self.process.poll() is not None:
                pytest.fail(f"the window ended ({self.process.returncode}) instead of {what}: {self.last_words()}")
            time.sleep(0.05)
        pytest.fail(f"waited in vain for {what or until}: {self.look()}")

    def ready(self, model: Path | str) -> dict[str, Any]:
        self.wait(lambda state: state["visible"], "the window")
        self.tell(load=str(model))
        return self.wait(lambda state: state["state"] == "READY", "the model")

    def answer(self, question: str) -> dict[str, Any]:
        """Ask and wait for the whole answer."""
        turns = int(self.look().get("turns", 0))
        self.tell(ask=question)
        return self.wait(lambda state: state["turns"] > turns and not state["answering"], "an answer")

    def writing(self, question: str, characters: int = 40) -> dict[str, Any]:
        """Ask and come back while the answer is being written."""
        turns = int(self.look().get("turns", 0))
        self.tell(ask=question)
        return self.wait(lambda state: state["turns"] > turns and state["answering"]
                         and len(state["answers"][-1]) >= characters, "a piece of an answer")

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the window itself (not what is put around it) a signal."""
        os.kill(int(self.look()["pid"]), number)

    def quit(self) -> int:
        """Close the window as a person does."""
        self.tell(quit="")
        return self.process.wait(PATIENCE_S)

    def end(self) -> None:
        if self.process.poll() is None:
            for child in psutil.Process(self.process.pid).children(recursive=True):
                child.kill()
            self.process.kill()
        self.process.wait(PATIENCE_S)

    def last_words(self) -> str:
        if self.process.poll() is None or self.process.stderr is None:
            return ""
        return self.process.stderr.read().decode("utf-8", "replace")[-2000:]

    def assert_no_orphan(self) -> None:
        """No worker that was seen lives on."""
        for pid in self.seen_workers:
            wait_gone(pid)


def wait_gone(pid: int, patience_s: float = PATIENCE_S) -> None:
    clock = AwakeClock()
    while is_alive(pid):
        if clock.now() > patience_s:
            os.kill(pid, signal.SIGKILL)
            pytest.fail(f"the worker {pid} outlived its window")
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def kept_answers(home: Path) -> list[str]:
    """The texts of all answers on disk, oldest first, also of those that were growing when the program ended."""
    found = list((home / "data").rglob("conversations.db"))
    if not found:
        return []
    with sqlite3.connect(found[0]) as database:
        rows = database.execute(
            "SELECT coalesce(g.content, n.content) FROM nodes n LEFT JOIN growing g ON g.id = n.id"
            " WHERE n.role = 'assistant' ORDER BY n.number"
        ).fetchall()
    database.close()
    return [row[0] for row in rows]


def as_root_in_a_namespace(*kinds: str) -> list[str]:
    """The start of a command line that runs in namespaces of its own; skips where this system allows none."""
    for extra in ([], ["--map-root-user"]):
        command = ["unshare", *kinds, *extra]
        try:
            if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
                return command
        except FileNotFoundError:
            break
    pytest.skip("namespaces need root, or user namespaces that the system allows")
