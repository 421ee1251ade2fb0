"""Turns: between origins first, then between the programs of one; limits for all and for each."""

from __future__ import annotations

import pytest

from app.server.queue import Client, FairQueue, QueueFullError


def fill(queue: FairQueue[str], asked: list[tuple[str, str]]) -> list[str]:
    """Who is served, in order, when each of ``asked`` (origin, program) wants one answer."""
    for number, (origin, program) in enumerate(asked):
        queue.put(Client(origin, program), f"{origin}{program}{number}")
    return [job[:2] for job in (queue.take() for _ in asked) if job is not None]


def test_who_asks_often_waits_no_less_for_it() -> None:
    served = fill(FairQueue(100, 100), [("a", "x")] * 5 + [("b", "x")] * 2)
    assert served == ["ax", "bx", "ax", "bx", "ax", "ax", "ax"]


def test_many_names_gain_nothing() -> None:
    served = fill(FairQueue(100, 100), [("a", name) for name in "uvw"] + [("b", "x")] * 3)
    assert [origin for origin, _ in served] == ["a", "b", "a", "b", "a", "b"]


def test_programs_of_one_origin_take_turns() -> None:
    assert fill(FairQueue(100, 100), [("a", "x")] * 3 + [("a", "y")]) == ["ax", "ay", "ax", "ax"]


def test_limits() -> None:
    queue: FairQueue[str] = FairQueue(3, 2)
    queue.put(Client("a"), "1")
    queue.put(Client("a"), "2")
    with pytest.raises(QueueFullError) as mine:
        queue.put(Client("a"), "3")
    assert mine.value.mine
    queue.put(Client("b"), "4")
    with pytest.raises(QueueFullError) as full:
        queue.put(Client("c"), "5")
    assert not full.value.mine
    assert queue.take() == "1"
    queue.put(Client("c"), "5")
    assert len(queue) == 3


def test_what_is_removed_is_not_served() -> None:
    queue: FairQueue[str] = FairQueue(9, 9)
    for job in ("1", "2", "3"):
        queue.put(Client("a"), job)
    assert queue.remove("2")
    assert not queue.remove("2")
    assert (queue.take(), queue.take()) == ("1", "3")
    assert not queue.remove("1")
    assert len(queue) == 0


def test_closing_ends_the_wait_and_what_waits_can_be_told() -> None:
    queue: FairQueue[str] = FairQueue(9, 9)
    queue.put(Client("a"), "1")
    queue.close()
    assert queue.take() is None
    assert queue.drain() == ["1"]
    assert len(queue) == 0
