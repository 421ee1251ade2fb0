from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec
import psutil
import pytest

from app.compare.disturbance import LoadMeter, better_of, find_slow_outliers, is_disturbed
from tests.compare.test_result import trial


class Times(NamedTuple):
    user: float
    system: float
    idle: float
    iowait: float


class OwnTimes(NamedTuple):
    user: float
    system: float


class Machine:
    """Clocks of four processors that are told how far to go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = Times(10, 5, 100, 1)
        self.own = OwnTimes(1, 1)
        monkeypatch.setattr(psutil, "cpu_times", lambda: self.times)
        monkeypatch.setattr(psutil.Process, "cpu_times", lambda process: self.own)


def test_the_load_of_others_is_what_is_busy_and_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    meter = LoadMeter(list)
    meter.start()
    machine.times, machine.own = Times(14, 6, 104, 2), OwnTimes(4, 1)
    assert meter.stop() == pytest.approx((5 - 3) / 10)


def test_clocks_that_stand_still_or_run_back_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    meter = LoadMeter(list)
    meter.start()
    assert meter.stop() == 0
    machine.times, machine.own = Times(11, 5, 103, 1), OwnTimes(9, 9)
    assert meter.stop() == 0


@contextmanager
def busy_process() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def test_a_process_that_is_gone_is_no_error() -> None:
    with busy_process() as pid:
        pass
    meter = LoadMeter(lambda: [pid])
    meter.start()
    assert 0 <= meter.stop() <= 1


def test_only_the_same_tokens_make_an_outlier() -> None:
    trials = [trial("p", "off", speed, run) for run, speed in enumerate([10, 10.2, 5, 9.8])]
    trials += [trial("p", "off", 3, 9, tokens=[7])]
    assert [(t.run, t.tokens_per_second) for t in find_slow_outliers(trials)] == [(2, 5)]
    again = [msgspec.structs.replace(t, attempt=2) for t in trials]
    assert find_slow_outliers(again) == []


def test_noise_is_no_outlier() -> None:
    assert find_slow_outliers([trial("p", "off", speed, run) for run, speed in enumerate([10, 8.5, 9, 11])]) == []


def test_the_less_disturbed_attempt_counts() -> None:
    calm, loud = trial("p", "off", 10), msgspec.structs.replace(trial("p", "off", 9), other_load=0.4)
    louder = msgspec.structs.replace(loud, other_load=0.6)
    assert is_disturbed(loud)
    assert not is_disturbed(calm)
    assert better_of(loud, calm) is calm
    assert better_of(loud, louder) is loud
    later = trial("p", "off", 8)
    assert better_of(calm, later) is later
