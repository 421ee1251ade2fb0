from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from app.log import start_logging, stop_logging


@pytest.fixture(autouse=True)
def closed() -> object:
    yield
    stop_logging()


def test_the_log_is_private_and_off_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = start_logging(tmp_path / "logs", "test")
    assert path is not None
    logging.getLogger("slipstream.part").warning("something")
    assert "something" in path.read_text()
    assert capsys.readouterr().err == ""
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o077 == 0


def test_the_log_stays_small(tmp_path: Path) -> None:
    start_logging(tmp_path, "test")
    for _ in range(400):
        logging.getLogger("slipstream").warning("x" * 10_000)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 4_000_000


def test_a_folder_that_cannot_be_made_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert start_logging(tmp_path / "file" / "logs", "test") is None
    logging.getLogger("slipstream").warning("nowhere")


def test_starting_twice_writes_once(tmp_path: Path) -> None:
    start_logging(tmp_path, "test")
    path = start_logging(tmp_path, "test")
    assert path is not None
    logging.getLogger("slipstream").warning("once")
    assert path.read_text().count("once") == 1
