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

INNER_TESTS = """
import subprocess, sys, threading

def test_process():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(61)"])

def test_thread():
    threading.Thread(target=threading.Event().wait, args=(6,), name="forgotten").start()

def test_tidy():
    subprocess.run([sys.executable, "-c", ""], check=True)
    threading.Thread(target=print).start()

def test_model(smollm):
    assert smollm
"""
SKIPPED_TEST = """
import pytest

@pytest.mark.skip(reason="never")
def test_skipped():
    pass
"""


def run_pytest(folder: Path, content: str) -> subprocess.CompletedProcess[str]:
    """pytest over ``content`` with our conftest, in a process and a folder of its own, where no model is."""
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_inner.py").write_text(content)
    (folder / "pytest.ini").write_text("[pytest]\n")
    environment = {
        **os.environ,
        "PYTHONPATH": str(CONFTEST.parents[1]),
        "SLIPSTREAM_MODELS": str(folder),
        "COLUMNS": "240",
    }
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "-p", "no:pytest-qt", str(folder)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def inner(tmp_path_factory: pytest.TempPathFactory) -> str:
    answer = run_pytest(tmp_path_factory.mktemp("inner"), INNER_TESTS)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    return answer.stdout


def test_a_process_left_behind_fails_the_test_and_is_ended(inner: str) -> None:
    assert "ERROR test_inner.py::test_process - Failed: the test left behind: process " in inner
    assert not [process for process in psutil.process_iter(["cmdline"]) if "time.sleep(61)" in str(process.info)]


def test_a_thread_left_behind_fails_the_test(inner: str) -> None:
    assert "ERROR test_inner.py::test_thread - Failed: the test left behind: thread forgotten" in inner


def test_a_tidy_test_passes(inner: str) -> None:
    assert "PASSED test_inner.py::test_tidy" in inner
    assert "ERROR test_inner.py::test_tidy" not in inner


def test_a_missing_model_fails_and_says_what_to_run(inner: str) -> None:
    assert "ERROR test_inner.py::test_model - Failed: SmolLM2-135M-Instruct.Q4_1.gguf is not in" in inner
    assert "dev.py models --test" in inner


def test_a_run_of_skipped_tests_has_tested_nothing(tmp_path: Path) -> None:
    assert run_pytest(tmp_path, SKIPPED_TEST).returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_display_answers(x_display: str) -> None:
    if sys.platform.startswith("linux"):
        assert subprocess.run(["xdotool", "getmouselocation"], env={"DISPLAY": x_display}, check=False).returncode == 0
