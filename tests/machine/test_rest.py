"""Whether the machine is at rest, on scripted clocks."""

from __future__ import annotations

import pytest

from tests.machine.neighbours import Neighbours


def test_a_tenth_of_the_machine_is_the_limit() -> None:
    neighbours = Neighbours()
    neighbours.work(0.19)
    assert neighbours.rest.is_calm
    neighbours.work(0.21)
    assert not neighbours.rest.is_calm
    mark = neighbours.rest.mark()
    neighbours.work(0.21)
    assert not neighbours.rest.was_calm_since(mark)
    assert neighbours.rest.others_since(mark) == pytest.approx(0.21)
    neighbours.work(0.0)
    mark = neighbours.rest.mark()
    neighbours.work(0.1)
    assert neighbours.rest.was_calm_since(mark)


def test_nothing_is_kept_before_all_threads_are_back() -> None:
    neighbours = Neighbours()
    neighbours.work(1.5)
    neighbours.others = 0.0
    neighbours.meter.read()
    assert neighbours.rest.is_calm
    assert neighbours.rest.threads == 1
    mark = neighbours.rest.mark()
    assert not neighbours.rest.was_calm_since(mark)
    neighbours.work(0.0)
    assert neighbours.rest.was_calm_since(mark)


def test_what_children_computed_is_no_work_of_others_afterwards() -> None:
    neighbours = Neighbours()
    neighbours.work(0.0)
    with neighbours.rest.without_children():
        neighbours.work(2.0)
        assert neighbours.rest.threads == 1
    neighbours.others = 0.0
    assert neighbours.rest.is_calm
    assert neighbours.rest.threads == 2
    neighbours.meter.read()
    assert neighbours.rest.is_calm
