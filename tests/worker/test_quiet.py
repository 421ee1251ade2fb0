"""What was measured beside other programs: not kept, and measured again when they rest."""

from __future__ import annotations

import queue
from collections.abc import Callable

import pytest

from app import protocol
from app.engine.auto.calibration import calibrate
from app.protocol import AnyCommand
from app.worker.quiet import CALM_S, PAUSE_S, Chore, QuietTime, take_commands
from app.worker.session import EngineSession
from app.worker.tuning import read_tuning
from tests.machine.neighbours import Neighbours
from tests.worker.test_session import Bench, as_done, bench  # noqa: F401 - a fixture


@pytest.fixture
def neighbours() -> Neighbours:
    return Neighbours()


@pytest.fixture
def shared(bench: Bench, neighbours: Neighbours) -> Bench:  # noqa: F811 - a fixture
    """A session on a machine that it shares with ``neighbours``."""
    bench.session = EngineSession(bench.library, bench.events.append, neighbours.rest)  # type: ignore[arg-type]
    return bench


def answer(shared: Bench, method: str = "auto") -> protocol.Generate:
    command = shared.generate(method=method)
    shared.run(command)
    return command


def do_chores(shared: Bench) -> None:
    for _, chore in shared.session.chores():
        shared.session.do_quietly(chore)


def notices(shared: Bench, command: AnyCommand) -> list[protocol.Notice]:
    return [event for event in shared.of(command) if isinstance(event, protocol.Notice)]


def test_costs_measured_under_load_serve_and_are_measured_again_at_rest(shared: Bench, neighbours: Neighbours) -> None:
    shared.load()
    shared.load_draft()
    neighbours.work(1.5)
    measuring = notices(shared, answer(shared))
    assert measuring[0].skippable
    assert (measuring[1].message, measuring[1].skippable) == ("", False), "it is over"
    assert read_tuning(shared.session._tuning).costs.verify_s == {}
    assert not any(notice.skippable for notice in notices(shared, answer(shared))), "they serve until it is quiet"
    assert len(shared.session.chores()) == 1
    caches = [list(model.tokens) for model in shared.library.loaded]
    neighbours.work(0.0)
    do_chores(shared)
    assert shared.session.chores() == []
    assert [list(model.tokens) for model in shared.library.loaded] == caches
    costs = read_tuning(shared.session._tuning).costs
    target, draft = shared.library.loaded
    assert costs.verify_s == pytest.approx(calibrate(target, draft).verify_s)
    assert costs.draft_s > 0


def test_measuring_again_under_load_is_not_kept_either(shared: Bench, neighbours: Neighbours) -> None:
    shared.load()
    neighbours.work(1.5)
    answer(shared)
    do_chores(shared)
    assert len(shared.session.chores()) == 1
    assert read_tuning(shared.session._tuning).costs.verify_s == {}


def test_a_command_ends_measuring_again(shared: Bench, neighbours: Neighbours) -> None:
    shared.load()
    neighbours.work(1.5)
    first = answer(shared)
    neighbours.work(0.0)
    target = shared.library.loaded[0]
    before, passes = list(target.tokens), target.passes
    command = shared.generate(method="auto")
    target.at_pass[passes + 5] = lambda: shared.session.announce(command)
    do_chores(shared)
    assert target.passes == passes + 4
    assert list(target.tokens) == before
    assert len(shared.session.chores()) == 1
    shared.session.carry_out(command)
    done = as_done(shared.of(command)[-1])
    assert done.token_ids == as_done(shared.of(first)[-1]).token_ids
    assert done.reason == "length"
    do_chores(shared)
    assert shared.session.chores() == []


def test_what_waits_comes_first(shared: Bench, neighbours: Neighbours) -> None:
    shared.load()
    neighbours.work(1.5)
    answer(shared)
    neighbours.work(0.0)
    passes = shared.library.loaded[0].passes
    shared.session.announce(shared.generate())
    do_chores(shared)
    assert shared.library.loaded[0].passes == passes


def test_a_loaded_answer_leaves_all_but_counts(shared: Bench, neighbours: Neighbours) -> None:
    shared.load()
    shared.load_draft()
    target, draft = shared.library.loaded
    draft.cost = lambda tokens: 0.05 * tokens
    answer(shared)
    before = read_tuning(shared.session._tuning)
    assert before.costs.verify_s
    neighbours.work(1.5)
    target.cost = lambda tokens: 40.0 + tokens**2
    answer(shared)
    after = read_tuning(shared.session._tuning)
    assert after.costs == before.costs
    assert after.seconds() == before.seconds()
    assert after.draft != before.draft, "how often guesses stand is no matter of load"


def test_an_answer_that_was_disturbed_in_the_middle_alone_is_not_kept(shared: Bench, neighbours: Neighbours) -> None:
    shared.load()
    answer(shared)
    before = read_tuning(shared.session._tuning)
    target = shared.library.loaded[0]
    target.at_pass[target.passes + 8] = lambda: neighbours.work(1.5)
    target.at_pass[target.passes + 12] = lambda: neighbours.work(0.0)
    answer(shared)
    assert neighbours.rest.is_calm
    after = read_tuning(shared.session._tuning)
    assert (after.costs, after.seconds()) == (before.costs, before.seconds())


def test_skip_ends_measuring_and_the_answer_goes_on(shared: Bench) -> None:
    shared.load()
    shared.load_draft()
    command = shared.generate(method="auto")
    target, draft = shared.library.loaded
    skip = protocol.Skip(request_id=99, target_id=command.request_id)
    target.at_pass[2] = lambda: shared.session.skip(skip)
    done = as_done(shared.run(command))
    assert done.reason == "length"
    assert shared.events.count(protocol.Skipping(request_id=99, target_id=command.request_id)) == 1
    assert target.decoded[:3] == [1, 1, 2], "what little must be known: a warm-up, one token, two tokens"
    assert draft.decoded[:3] == [1, 1, 2]
    assert read_tuning(shared.session._tuning).costs.verify_s == {}
    assert len(shared.session.chores()) == 1, "it is measured when there is time"
    do_chores(shared)
    assert len(read_tuning(shared.session._tuning).costs.verify_s) > 2


def test_a_skip_of_something_else_skips_nothing(shared: Bench) -> None:
    shared.load()
    command = shared.generate(method="auto")
    skip = protocol.Skip(request_id=99, target_id=command.request_id + 1)
    shared.library.loaded[0].at_pass[2] = lambda: shared.session.skip(skip)
    shared.run(command)
    assert shared.session.chores() == []


def test_nothing_is_measured_again_without_a_model(shared: Bench, neighbours: Neighbours) -> None:
    shared.load()
    neighbours.work(1.5)
    answer(shared)
    shared.session.close()
    assert shared.session.chores() == []


def test_the_figures_say_what_others_used(shared: Bench, neighbours: Neighbours) -> None:
    shared.load()
    calm = as_done(shared.of(answer(shared, "off"))[-1]).timings
    assert (calm.other_cores, calm.cores, calm.threads) == (0.0, 2, 2)
    neighbours.work(1.3)
    timings = as_done(shared.of(answer(shared, "off"))[-1]).timings
    assert timings.other_cores == pytest.approx(1.3)
    assert (timings.cores, timings.threads) == (2, 1)


class Chores:
    """Things to do, counted."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.done: list[str] = []

    def chores(self) -> list[Chore]:
        return [(name, self._doing(name)) for name in self.names]

    def do_quietly(self, chore: Callable[[], None]) -> None:
        chore()

    def _doing(self, name: str) -> Callable[[], None]:
        return lambda: self.done.append(name)


def test_a_quiet_moment_is_two_calm_seconds_and_each_thing_waits_a_minute(neighbours: Neighbours) -> None:
    chores, clock = Chores("engines", "costs"), [0.0]
    quiet = QuietTime(chores, neighbours.rest, lambda: clock[0])

    def pass_time(seconds: float) -> None:
        for _ in range(round(seconds / 0.5)):
            clock[0] += 0.5
            quiet.look()

    neighbours.work(1.0)
    pass_time(10)
    assert chores.done == []
    neighbours.work(0.0)
    pass_time(CALM_S)
    assert chores.done == []
    quiet.interrupt()
    pass_time(CALM_S)
    assert chores.done == [], "a command begins the wait anew"
    pass_time(1)
    assert chores.done == ["engines", "costs"]
    pass_time(PAUSE_S - 5)
    assert len(chores.done) == 2
    pass_time(6)
    assert len(chores.done) == 4


def test_commands_come_in_order_and_end(neighbours: Neighbours) -> None:
    todo: queue.SimpleQueue[AnyCommand | None] = queue.SimpleQueue()
    for number in range(3):
        todo.put(protocol.Unload(request_id=number))
    todo.put(None)
    chores = Chores("costs")
    taken = take_commands(todo, chores, QuietTime(chores, neighbours.rest))
    assert [command.request_id for command in taken] == [0, 1, 2]


def test_the_worker_looks_for_quiet_while_nothing_is_asked(
    neighbours: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.worker.quiet.LOOK_S", 0.001)
    todo: queue.SimpleQueue[AnyCommand | None] = queue.SimpleQueue()

    class Last(Chores):
        def do_quietly(self, chore: Callable[[], None]) -> None:
            super().do_quietly(chore)
            todo.put(None)

    chores, clock = Last("costs"), iter(range(1000))
    quiet = QuietTime(chores, neighbours.rest, lambda: float(next(clock)))
    assert list(take_commands(todo, chores, quiet)) == []
    assert chores.done == ["costs"]
