from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devtools import lock
from devtools.lock import only_one

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys
from pathlib import Path
from devtools.lock import only_one
with only_one(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_waits_until_the_first_ends_however_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "some" / "lock"
    command = [sys.executable, "-c", HOLDER, str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        # The first wait ends the holder, so that the second try succeeds.
        waits: list[float] = []

        def end_the_holder(seconds: float) -> None:
            waits.append(seconds)
            holder.kill()
            holder.wait()

        monkeypatch.setattr(lock.time, "sleep", end_the_holder)
        with only_one(file, "fetching model files"):
            assert waits, "the lock was not waited for"
    assert "Another dev.py is fetching model files" in capsys.readouterr().out


def test_a_free_lock_is_taken_in_silence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        with only_one(tmp_path / "lock", "busy"):
            pass
    assert capsys.readouterr().out == ""
