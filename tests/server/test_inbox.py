"""Events from the engine's thread to the loop: nothing is lost, and nobody sleeps on."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from app.protocol import AnyEvent, Chunk, Done, PrefillProgress
from app.records import MemoryFigures, Piece, SpeculationFigures, Timings
from app.server.inbox import Inbox

DONE = Done(request_id=0, reason="eos", text="", token_ids=[], prompt_tokens=0, timings=Timings(),
            speculation=SpeculationFigures(method="off"), memory=MemoryFigures())


def chunk(number: int) -> Chunk:
    return Chunk(request_id=0, pieces=[Piece(text=f"{number} ")])


async def take_all(inbox: Inbox) -> list[list[AnyEvent]]:
    """What came, by handfuls, until the ending."""
    handfuls = [await inbox.take(10.0)]
    while handfuls[-1] and not isinstance(handfuls[-1][-1], Done):
        handfuls.append(await inbox.take(10.0))
    return handfuls


@pytest.mark.parametrize("pause_s", [0.0, 0.0005, 0.003])
def test_everything_comes_in_order(pause_s: float) -> None:
    async def run() -> list[list[AnyEvent]]:
        inbox = Inbox()

        def write() -> None:
            for number in range(200):
                inbox.put(chunk(number))
                time.sleep(pause_s)
            inbox.put(DONE)

        thread = threading.Thread(target=write)
        thread.start()
        try:
            return await asyncio.wait_for(take_all(inbox), 30.0)
        finally:
            thread.join()

    handfuls = asyncio.run(run())
    events = [event for handful in handfuls for event in handful]
    assert events == [*(chunk(number) for number in range(200)), DONE]
    assert all(handfuls)


def test_whoever_waits_is_woken_at_once() -> None:
    async def run() -> None:
        inbox = Inbox()
        for event in (chunk(0), DONE):
            task = asyncio.ensure_future(inbox.take(60.0))
            await asyncio.sleep(0)
            assert not task.done()
            threading.Thread(target=inbox.put, args=(event,)).start()
            assert await asyncio.wait_for(task, 20.0) == [event]

    asyncio.run(run())


def test_what_came_while_nobody_waited_comes_together() -> None:
    async def run() -> list[AnyEvent]:
        inbox = Inbox()
        inbox.put(chunk(0))
        inbox.put(chunk(1))
        return await inbox.take(60.0)

    assert asyncio.run(run()) == [chunk(0), chunk(1)]


def test_an_ending_that_came_before_anybody_asked_is_found() -> None:
    async def run() -> list[AnyEvent]:
        inbox = Inbox()
        inbox.put(DONE)
        return await asyncio.wait_for(inbox.take(60.0), 20.0)

    assert asyncio.run(run()) == [DONE]


def test_nothing_is_said_after_the_patience() -> None:
    async def run() -> None:
        inbox = Inbox()
        assert await inbox.take(0.01) == []
        assert not inbox.has_heard
        inbox.put(PrefillProgress(request_id=0, done_tokens=1, total_tokens=2))
        assert inbox.has_heard
        assert await inbox.take(0.01) == []

    asyncio.run(run())


def test_who_wants_the_whole_answer_hears_of_its_end_alone() -> None:
    async def run() -> list[AnyEvent]:
        inbox = Inbox(only_ending=True)
        for number in range(50):
            inbox.put(chunk(number))
        inbox.put(DONE)
        return await inbox.take(10.0)

    assert asyncio.run(run()) == [DONE]
