"""Threads that follow the load, on scripted clocks."""

from __future__ import annotations

import pytest

from app.machine import load
from app.machine.cores import Cores
from app.machine.load import LoadMeter, Others, Use, others_between, read_use
from app.machine.threads import PATIENCE_S, ThreadGovernor


class Machine:
    """``work`` lets time pass in which others use so many cores."""

    def __init__(self, cores: Cores) -> None:
        self.use = Use(0.0, 0.0, 0.0, 0.0)
        self.meter = LoadMeter(cores.all, lambda: self.use)
        self.governor = ThreadGovernor(cores, self.meter, lambda: self.use.wall_s)

    def work(self, seconds: float, others: float, nice: float = 0.0, own: float = 1.0) -> int:
        counts = []
        for _ in range(round(seconds / 0.1)):
            use = self.use
            self.use = Use(
                use.wall_s + 0.1, use.busy_s + 0.1 * (others + nice + own), use.nice_s + 0.1 * nice,
                use.own_s + 0.1 * own,
            )
            self.meter.read()
            counts.append(self.governor.count())
        return counts[-1]


def test_each_core_of_other_work_takes_a_thread() -> None:
    machine = Machine(Cores(8, 8))
    assert machine.work(0.2, others=0.1) == 8
    assert machine.work(0.2, others=1.0) == 7
    assert machine.work(0.2, others=3.6) == 4
    assert machine.work(0.2, others=20.0) == 1, "there is always one"


def test_they_come_back_when_it_has_been_quiet_for_a_moment_and_not_in_a_pause_of_a_build() -> None:
    machine = Machine(Cores(2, 2))
    assert machine.work(0.2, others=1.3) == 1
    assert machine.work(PATIENCE_S - 0.2, others=0.0) == 1
    assert machine.work(0.2, others=1.3) == 1
    assert machine.work(PATIENCE_S - 0.2, others=0.0) == 1, "the wait begins again"
    assert machine.work(0.5, others=0.0) == 2
    assert PATIENCE_S + load.INTERVAL_S < 3, "the issue's bound"


def test_what_runs_at_low_priority_gives_way() -> None:
    machine = Machine(Cores(2, 2))
    assert machine.work(0.3, others=0.1, nice=1.4) == 2
    assert not machine.meter.is_calm, "but nothing is measured beside it"
    assert machine.meter.now == Others(pytest.approx(1.5), pytest.approx(0.1))


def test_other_work_on_efficiency_cores_leaves_the_performance_cores() -> None:
    machine = Machine(Cores(12, 4))
    assert machine.work(0.2, others=3.0) == 4
    assert machine.work(0.2, others=10.0) == 2


def test_a_limited_group_on_a_large_machine_keeps_its_share() -> None:
    machine = Machine(Cores(64, 64, limit=2.0))
    assert machine.work(0.2, others=30.0) == 2


def test_one_core_is_one_thread() -> None:
    assert Machine(Cores(1, 1)).work(0.2, others=0.9) == 1


def test_a_stretch_of_time_is_measured_by_its_ends() -> None:
    machine = Machine(Cores(2, 2))
    mark = machine.meter.mark()
    machine.work(1.0, others=0.5)
    assert machine.meter.since(mark).cores == pytest.approx(0.5)
    assert not machine.meter.was_calm_since(mark)
    assert others_between(machine.use, machine.use) == Others(), "no time has passed"


def test_this_machine_is_read_without_harm() -> None:
    before = read_use()
    found = others_between(before, read_use())
    assert found.cores >= 0
    assert found.pressing >= 0
    with_thread = LoadMeter(2, interval_s=0.001).start()
    with_thread.close()
