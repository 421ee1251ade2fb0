"""The real window on a real X server, driven by real key and mouse events."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

State = dict[str, Any]
WAIT_S = 30.0


class DrivenWindow:
    def __init__(self, display: str, folder: Path, script: list[str]) -> None:
        self.display = display
        self._state = folder / "state.json"
        environment = dict(os.environ) | {
            "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "SLIPSTREAM_MODELS": str(folder), "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder),
            "LC_ALL": "C.UTF-8",
        }
        driven = Path(__file__).resolve().parents[1] / "driven_window.py"
        self.process = subprocess.Popen([sys.executable, str(driven), str(self._state), *script], env=environment)

    def tell(self, *arguments: str) -> None:
        environment = dict(os.environ) | {"DISPLAY": self.display}
        subprocess.run(["xdotool", *arguments], env=environment, check=True, timeout=60)

    def click(self, place: list[int]) -> None:
        self.tell("mousemove", "--sync", str(place[0]), str(place[1]), "click", "1")

    def wait(self, what: Callable[[State], bool]) -> State:
        end = time.monotonic() + WAIT_S
        state: State = {}
        while time.monotonic() < end:
            if self.process.poll() is not None:
                pytest.fail(f"the window ended with status {self.process.returncode}")
            if self._state.exists():
                state = json.loads(self._state.read_text(encoding="utf-8"))
                if what(state):
                    return state
            time.sleep(0.05)
        pytest.fail(f"did not happen within {WAIT_S:.0f} s; last seen: {state}")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def window(x_display: str, tmp_path: Path) -> Iterator[DrivenWindow]:
    if shutil.which("xdotool") is None:
        pytest.fail("xdotool is missing: run `python3 dev.py test`, or install the package xdotool", pytrace=False)
    driven = DrivenWindow(x_display, tmp_path, ["--chunks", "300", "--delay-s", "0.04"])
    yield driven
    driven.close()


def test_type_read_stop_and_survive_a_kill(window: DrivenWindow) -> None:
    ready = window.wait(lambda state: bool(state["visible"]) and state["state"] == "READY")
    window.click(ready["edit_at"])
    window.tell("type", "--delay", "15", "Hello there")
    window.wait(lambda state: state["written"] == "Hello there")
    window.tell("key", "shift+Return")
    window.tell("type", "--delay", "15", "friend")
    window.wait(lambda state: state["written"] == "Hello there\nfriend")
    window.tell("key", "Return")
    early = window.wait(lambda state: state["answers"] != [] and "word5" in state["answers"][0])
    assert early["written"] == ""
    assert early["button"] == "Stop"
    later = window.wait(lambda state: "word30" in state["answers"][0] and state["points"] > 3)
    window.click(later["button_at"])
    stopped = window.wait(lambda state: state["button"] == "Send")
    assert "stopped" in stopped["lines"][0]
    window.click(stopped["edit_at"])
    window.tell("type", "--delay", "15", "Again")
    window.tell("key", "Return")
    again = window.wait(lambda state: len(state["answers"]) == 2 and "word5" in state["answers"][1])
    os.kill(again["worker"], signal.SIGKILL)
    dead = window.wait(lambda state: state["problems"][1] != "")
    assert "killed" in dead["problems"][1]
    assert "word5" in dead["answers"][1]
    window.tell("type", "--delay", "15", "Once more")
    window.tell("key", "Return")
    alive = window.wait(lambda state: len(state["answers"]) == 3 and "word5" in state["answers"][2])
    assert alive["state"] == "ANSWERING"
    window.tell("key", "Escape")
    window.wait(lambda state: state["button"] == "Send")
