from __future__ import annotations

import io

import pytest

from devtools import console
from devtools.console import Progress, duration_words


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0:00"), (75.4, "1:15"), (59.6, "1:00"), (3725, "62:05"), (-1, "0:00")]
)
def test_durations_read_like_a_clock(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


def test_a_log_gets_a_line_at_every_quarter(clock: list[float]) -> None:
    log = io.StringIO()
    progress = Progress("model", 100_000_000, stream=log)
    for done in range(0, 100_000_001, 1_000_000):
        clock[0] += 0.1
        progress.update(done)
    progress.end()
    lines = log.getvalue().splitlines()
    assert len(lines) == 5
    assert lines[2].startswith("  model: 50 of 100 MB (50%, 10 MB/s, about 0:05 left")
    assert lines[-1] == "  model: 100 of 100 MB in 0:10"


def test_a_terminal_line_is_rewritten_and_wiped(clock: list[float]) -> None:
    screen = Terminal()
    progress = Progress("building", 140, "steps", stream=screen)
    clock[0] += 10
    progress.update(70)
    progress.update(71)
    progress.update(140)
    progress.end()
    shown = screen.getvalue().split("\r")[1:]
    assert len(shown) == 2, "an update within a tenth of a second is not drawn"
    assert shown[0].startswith("  building: 70 of 140 steps (50%")
    assert len(shown[1].rstrip("\n")) >= len(shown[0])


def test_the_time_left_counts_from_where_the_download_went_on(clock: list[float]) -> None:
    log = io.StringIO()
    progress = Progress("model", 100_000_000, stream=log)
    progress.update(50_000_000)
    clock[0] += 10
    progress.update(75_000_000)
    assert "about 0:10 left" in log.getvalue()


def test_pieces_add_up(clock: list[float]) -> None:
    log = io.StringIO()
    Progress("model", 100_000_000, stream=log).after(90_000_000)(10_000_000)
    assert "100 of 100 MB" in log.getvalue()
