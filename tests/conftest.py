"""Shared by all tests: real model files, a display for real key events, and the watch for what a test leaves behind."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.paths import models_dir as program_models_dir

# A window of a test must not open on the screen of whoever runs it.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

GRACE_S = 3.0


def _children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def _workers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not thread.daemon}


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fails a test after which a child process or a non-daemon thread lives on.

    What fixtures of a wider scope started before is theirs. A process has a moment to end; so has a thread.
    """
    children, threads = _children(), _workers()
    yield
    _, alive = psutil.wait_procs(_children() - children, timeout=GRACE_S)
    left = [f"process {process.pid}" for process in alive]
    for process in alive:
        process.kill()
    for thread in _workers() - threads:
        thread.join(GRACE_S)
        if thread.is_alive():
            left.append(f"thread {thread.name}")
    if left:
        pytest.fail(f"the test left behind: {', '.join(left)}", pytrace=False)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run in which every test was skipped has tested nothing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or session.config.option.collectonly or exitstatus != pytest.ExitCode.OK:
        return
    if not reporter.stats.get("passed") and not reporter.stats.get("xfailed"):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The folder of the real models, as the program sees it."""
    return program_models_dir()


def _model(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        pytest.fail(f"{name} is not in {folder}: run `python3 dev.py models --test`", pytrace=False)
    return path


@pytest.fixture(scope="session")
def smollm(models_dir: Path) -> Path:
    """SmolLM2 135M Instruct, Q4_1: small enough to load in every test that needs just any model."""
    return _model(models_dir, "SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.fixture(scope="session")
def target_q4(models_dir: Path) -> Path:
    """Qwen2.5-Coder 1.5B as a person has it, Q4_K_M."""
    return _model(models_dir, "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf")


@pytest.fixture(scope="session")
def target_bf16(models_dir: Path) -> Path:
    """The same in BF16: stands for machines on which memory is the limit."""
    return _model(models_dir, "qwen2.5-coder-1.5b-instruct-bf16.gguf")


@pytest.fixture(scope="session")
def target_q8(models_dir: Path) -> Path:
    """The same in Q8_0: bit-exact with flash attention and Q8_0 caches."""
    return _model(models_dir, "qwen2.5-coder-1.5b-instruct-q8_0.gguf")


@pytest.fixture(scope="session")
def draft_q4_0(models_dir: Path) -> Path:
    """Qwen2.5-Coder 0.5B, Q4_0."""
    return _model(models_dir, "qwen2.5-coder-0.5b-instruct-q4_0.gguf")


@pytest.fixture(scope="session")
def draft_q4_k_m(models_dir: Path) -> Path:
    """Qwen2.5-Coder 0.5B as a person has it, Q4_K_M."""
    return _model(models_dir, "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")


@pytest.fixture(scope="session")
def gemma(models_dir: Path) -> Path:
    """Gemma 3 270M: another family, which no Qwen may be drafted by."""
    return _model(models_dir, "gemma-3-270m-q4_k_m.gguf")


@pytest.fixture(scope="session")
def x_display() -> Iterator[str]:
    """The name (":99") of an X server of our own, for tests with real key events (`xdotool`)."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.fail("Xvfb is missing: run `python3 dev.py test`, or install the package xvfb", pytrace=False)
    reading, writing = os.pipe()
    command = [program, "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        try:
            ready, _, _ = select.select([reading], [], [], 15)
            number = os.read(reading, 16).decode().strip() if ready else ""
            if not number:
                pytest.fail("Xvfb did not start within 15 seconds", pytrace=False)
            yield f":{number}"
        finally:
            os.close(reading)
            server.terminate()
