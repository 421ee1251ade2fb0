from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from devtools.meanwhile import run_while_building

WORDS = "import sys; print('building'); sys.exit(int(sys.argv[1]))"


@pytest.mark.parametrize("code", [0, 1])
def test_the_window_runs_beside_the_build_and_its_status_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    log = tmp_path / "logs" / "building.log"
    assert run_while_building([sys.executable, "-c", WORDS, str(code)], log, lambda: 3, {}) == 3
    assert log.read_text(encoding="utf-8").strip() == "building"
    assert ("could not be built" in capsys.readouterr().err) == bool(code)


def test_an_interruption_ends_the_build(tmp_path: Path) -> None:
    def interrupt() -> int:
        raise KeyboardInterrupt

    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(KeyboardInterrupt):
        run_while_building(command, tmp_path / "building.log", interrupt, {})


def test_the_end_of_the_build_is_told_while_the_window_is_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []

    def window() -> int:
        end = time.monotonic() + 20
        while not any("is built" in words for words in told) and time.monotonic() < end:
            told.append("".join(capsys.readouterr()))
            time.sleep(0.05)
        return 0

    assert run_while_building([sys.executable, "-c", WORDS, "0"], tmp_path / "building.log", window, {}) == 0
    assert "start again" in "".join(told)
