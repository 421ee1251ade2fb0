"""What can happen to the window itself: killed, crashed, its disk full or closed to it."""

from __future__ import annotations

import errno
import json
import logging
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.gui.failures.crash_record import FILE
from app.settings.settings import SettingsFile
from tests.reliability.driver import Window, as_root_in_a_namespace, kept_answers, make_quick
from tests.scripted_worker import ROOT

pytestmark = [pytest.mark.skipif(not sys.platform.startswith("linux"), reason="namespaces and signals of Linux"),
              pytest.mark.timeout(900)]
_log = logging.getLogger(__name__)
MODEL = "/models/some-chat.gguf"
SLOW = ("--worker", "scripted", "--chunks", "2000", "--chunk-tokens", "1", "--delay-s", "0.02")
QUICK = ("--worker", "scripted", "--chunks", "20")


@pytest.mark.model
def test_killed_while_a_real_answer_streams(smollm: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_quick(home, smollm, 1500)
    with Window(home) as window:
        window.ready(smollm)
        seen = window.writing("Write a long story about a lighthouse and the people who kept it.", 60)["answers"][-1]
        # What was on the screen when these seconds began is older than half a second when they end.
        time.sleep(2)
        last = window.look()["answers"][-1]
        window.kill(signal.SIGKILL)
        window.process.wait()
        window.assert_no_orphan()
    kept = kept_answers(home)[-1]
    assert kept.startswith(seen)
    assert last.startswith(kept) or kept.startswith(last)
    _log.info("shown %d characters, kept %d", len(last), len(kept))
    with Window(home) as again:
        state = again.wait(lambda s: s["visible"], "the window")
        assert state["dialog"] == "", "a kill from outside is no crash of ours"
        assert again.quit() == 0


def test_killed_while_streaming_loses_half_a_second(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Window(home, *SLOW) as window:
        window.ready(MODEL)
        seen = window.writing("Tell me everything.", 200)["answers"][-1]
        time.sleep(1.0)
        window.kill(signal.SIGKILL)
        window.process.wait()
        window.assert_no_orphan()
    assert kept_answers(home)[-1].startswith(seen)


SAVER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from app.settings.settings import Settings, SettingsFile
file = SettingsFile(Path(sys.argv[2]))
number = 1
print("ready", flush=True)
while True:
    number += 1
    file.save(Settings(max_tokens=number, system_prompt="x" * (number * 997 % 100_000)))
"""


def test_killed_while_saving_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    chance = random.Random(7)
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-c", SAVER, str(ROOT), str(path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        with process.stdout as out:
            out.readline()
            time.sleep(chance.uniform(0.02, 0.3))
            process.kill()
            process.wait()
        settings, trouble = SettingsFile(path).load()
        assert trouble == ""
        assert len(settings.system_prompt) == settings.max_tokens * 997 % 100_000


def full_disk(home: Path, size: str) -> list[str]:
    """Before a command line: the data folder is a disk of ``size`` that this process tree alone sees."""
    data = home / "data"
    data.mkdir(parents=True)
    script = f'mount -t tmpfs -o size={size},mode=700 none "{data}" && exec "$@"'
    return [*as_root_in_a_namespace("--mount"), "sh", "-c", script, "sh"]


def test_a_disk_that_fills_up_and_is_emptied_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Window(home, *QUICK, around=full_disk(home, "4m")) as window:
        pid = window.ready(MODEL)["pid"]
        window.answer("The first question.")
        inside = Path(f"/proc/{pid}/root{home}/data")
        filler = inside / "filler"
        fill(filler)
        window.tell(ask="The second question. " + "With much text. " * 2000)
        state = window.wait(lambda s: s["turns"] == 2 and not s["answering"] and s["banner"], "the warning")
        assert "disk is full" in state["banner"]
        assert "Make room" in state["banner"]
        assert state["answers"][-1].endswith("word39 "), "the chat goes on"
        filler.unlink()
        window.wait(lambda s: "saved again" in s["banner"], "the second attempt")
        state = window.answer("The third question.")
        assert window.look()["pid"] == pid
        kept = kept_in(pid, home / "data", 3)
        assert kept == state["answers"], "what could not be saved then is saved now"
        assert window.quit() == 0


def fill(path: Path) -> None:
    """Write until the disk takes no more."""
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017 - the last write is not the only one


READER = """
import json, sqlite3, sys
from pathlib import Path
database = sqlite3.connect(next(Path(sys.argv[1]).rglob("conversations.db")))
print(json.dumps([row[0] for row in database.execute(
    "SELECT content FROM nodes WHERE role = 'assistant' ORDER BY number")]))
"""


def kept_in(pid: int, data: Path, count: int) -> list[str]:
    """The answers on the disk that only the process ``pid`` sees."""
    end = time.monotonic() + 60
    while True:
        ran = subprocess.run(["nsenter", "--target", str(pid), "--mount", sys.executable, "-c", READER, str(data)],
                             capture_output=True, text=True, check=True)
        found: list[str] = json.loads(ran.stdout)
        if (len(found) == count and all(found)) or time.monotonic() > end:
            return found
        time.sleep(0.1)


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    script = f'mount -t tmpfs -o ro none "{home}" && exec "$@"'
    around = [*as_root_in_a_namespace("--mount"), "sh", "-c", script, "sh"]
    with Window(home, *QUICK, around=around) as window:
        state = window.ready(MODEL)
        assert "cannot be used" in state["banner"] or "could not be saved" in state["banner"]
        assert str(home) in state["banner"]
        state = window.answer("Are you there all the same?")
        assert state["answers"][-1].startswith("word0 word1")
        assert window.quit() == 0
        window.assert_no_orphan()


def test_a_crash_of_the_window_is_offered_at_the_next_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    secret = "Xyzzy is my secret question"
    with Window(home, *QUICK) as window:
        window.ready(MODEL)
        window.answer(secret)
        window.tell(crash="")
        assert window.process.wait(120) == -signal.SIGSEGV
        window.assert_no_orphan()
    record = home / "state" / "slipstream" / FILE
    assert "Segmentation fault" in record.read_text(encoding="utf-8")
    assert record.stat().st_mode & 0o077 == 0
    with Window(home, *QUICK) as again:
        state = again.wait(lambda s: s["dialog"], "the offer")
        assert "Your chats are kept" in state["dialog"]
        report = state["report"]
        assert "Segmentation fault" in report
        assert "Slipstream 0" in report
        assert "Xyzzy" not in report
        assert "word0" not in report
        assert str(home) not in report
        assert again.quit() == 0
    assert kept_answers(home)[-1].startswith("word0")
    with Window(home, *QUICK) as third:
        assert third.ready(MODEL)["dialog"] == "", "offered once"
        assert third.quit() == 0


def test_a_mistake_of_the_program_is_told_once_and_the_window_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Window(home, *QUICK) as window:
        window.ready(MODEL)
        window.tell(mistake="")
        end = time.monotonic() + 120
        while not window.look()["dialog"]:
            assert time.monotonic() < end
            time.sleep(0.05)
        state = window.look()
        assert "the window goes on" in state["dialog"]
        assert "builtins.IndexError" in state["report"]
        window.tell(ask="Do you still answer?")
        while window.look()["turns"] == 0 or window.look()["answering"]:
            assert time.monotonic() < end
            time.sleep(0.05)
        assert window.quit() == 0


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    previous = os.umask(0o022)
    try:
        with Window(home, *QUICK) as window:
            window.ready(MODEL)
            window.answer("A private question")
            seen = dict(modes(home))
            assert window.quit() == 0
    finally:
        os.umask(previous)
    seen |= modes(home)
    assert any(name.endswith("conversations.db") for name in seen)
    assert any(name.endswith("-wal") for name in seen)
    assert any(name.endswith("settings.json") for name in seen)
    assert {name: oct(mode) for name, mode in seen.items() if mode & 0o077} == {}


def modes(home: Path) -> dict[str, int]:
    """Mode of every file of ours and of the folders that hold them."""
    found = {}
    for folder in ("cache", "config", "data", "state"):
        for path in (home / folder).rglob("*"):
            if "slipstream" in path.parts and path.exists():
                found[str(path.relative_to(home))] = path.stat().st_mode & 0o777
    return found
