from __future__ import annotations

import io
import time

import pytest

from devtools import console
from devtools.console import Progress, duration_words, moving


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


def test_whoever_watches_is_told_the_share_and_the_time_left(clock: list[float]) -> None:
    told: list[tuple[float, float | None]] = []
    progress = Progress("building", 100, "steps", io.StringIO(), lambda share, left_s: told.append((share, left_s)))
    progress.update(10)
    clock[0] += 10
    progress.update(35)
    assert told == [(0.1, None), (0.35, 26.0)]


def test_a_long_line_does_not_wrap(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    screen = Terminal()
    with moving("Installing 23 system packages: " + 20 * "libxcb-cursor0 ", stream=screen):
        pass
    assert all(len(line) < 40 for line in screen.getvalue().splitlines())


def wait_for(found: str, stream: io.StringIO) -> None:
    end = time.perf_counter() + 20
    while found not in stream.getvalue() and time.perf_counter() < end:
        time.sleep(0.01)
    assert found in stream.getvalue()


def test_what_takes_longer_moves_on_a_terminal(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "TICK_S", 0.01)
    screen = Terminal()
    with moving("Installing …", lambda: "57 of 148 MB", stream=screen):
        clock[0] += 12
        wait_for("\rInstalling … 0:12, 57 of 148 MB", screen)
    assert screen.getvalue().rstrip().endswith("\rInstalling … 0:12")
    assert screen.getvalue().endswith("\n")


def test_a_log_gets_a_line_a_minute(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "TICK_S", 0.01)
    log = io.StringIO()
    with moving("Installing …", stream=log):
        clock[0] += 61
        wait_for("1:01", log)
    assert log.getvalue().splitlines() == ["Installing …", "Installing … 1:01", "Installing … 1:01"]


def test_what_is_over_soon_can_go_unsaid(clock: list[float]) -> None:
    for stream in (Terminal(), io.StringIO()):
        with moving("Trying …", at_once=False, stream=stream):
            pass
        assert stream.getvalue() == ""


def test_a_failure_leaves_a_whole_line(clock: list[float]) -> None:
    screen = Terminal()
    with pytest.raises(OSError, match="no"), moving("Installing …", stream=screen):
        raise OSError("no")
    assert screen.getvalue().endswith("\n")
