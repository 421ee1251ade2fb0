"""The watch over what tests leave behind is itself tested: with tests that leave something behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

CONFTEST = Path(__file__).with_name("conftest.py")

PROCESS = """
import subprocess, sys
def test_leaves_a_process():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
"""
THREAD = """
import threading
def test_leaves_a_thread():
    threading.Thread(target=threading.Event().wait, args=(6,), name="forgotten").start()
"""
TIDY = """
import subprocess, sys, threading
def test_is_tidy():
    subprocess.run([sys.executable, "-c", ""], check=True)
    thread = threading.Thread(target=print)
    thread.start()
"""
SKIPPED = """
import pytest
@pytest.mark.skip(reason="never")
def test_is_skipped():
    pass
"""
NEEDS_MODEL = """
def test_needs_a_model(smollm):
    assert smollm
"""


def run_pytest(folder: Path, content: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_inner.py").write_text(content)
    (folder / "pytest.ini").write_text("[pytest]\nqt_api = pyside6\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(CONFTEST.parents[1])}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("content", "words"), [(PROCESS, "left behind: process"), (THREAD, "thread forgotten")])
def test_what_is_left_behind_fails_the_test(tmp_path: Path, content: str, words: str) -> None:
    answer = run_pytest(tmp_path, content)
    assert answer.returncode == 1, answer.stdout
    assert words in answer.stdout
    assert not [process for process in psutil.process_iter(["cmdline"]) if "time.sleep(60)" in str(process.info)]


def test_a_tidy_test_passes(tmp_path: Path) -> None:
    assert run_pytest(tmp_path, TIDY).returncode == 0


def test_a_run_of_skipped_tests_has_tested_nothing(tmp_path: Path) -> None:
    assert run_pytest(tmp_path, SKIPPED).returncode == 5


def test_a_missing_model_fails_and_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLIPSTREAM_MODELS", str(tmp_path))
    answer = run_pytest(tmp_path, NEEDS_MODEL)
    assert answer.returncode == 1
    assert "dev.py models --test" in answer.stdout


def test_a_display_answers(x_display: str) -> None:
    if sys.platform.startswith("linux"):
        assert subprocess.run(["xdotool", "getmouselocation"], env={"DISPLAY": x_display}, check=False).returncode == 0
