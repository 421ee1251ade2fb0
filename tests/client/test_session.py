"""The session's promise: whatever comes, every started command ends in exactly one ending event."""

from __future__ import annotations

import logging

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from app import protocol
from app.client.session import HANDSHAKE_S, STOP_S, ClientSession, KillWorker, Outcome
from app.client.worker_exit import WorkerExit
from app.errors import Code
from app.records import LoadSettings, MemoryFigures, Piece
from tests.fakes import make_done

READY = protocol.Ready(
    request_id=0, protocol_version=protocol.PROTOCOL_VERSION, program_version="0", engine="test", pid=1
)
UNLOADED = protocol.Unloaded(request_id=0, memory=MemoryFigures())


def with_id(event: protocol.AnyEvent, request_id: int) -> bytes:
    return protocol.encode(msgspec.structs.replace(event, request_id=request_id))


def chunk(request_id: int) -> bytes:
    return with_id(protocol.Chunk(request_id=0, pieces=[Piece(text="hé")]), request_id)


def ready_session(**kwargs: int) -> ClientSession:
    session = ClientSession(**kwargs)
    session.worker_started(0.0)
    assert session.feed(protocol.encode(READY), 0.0) == [READY]
    return session


def start(session: ClientSession, command: protocol.AnyCommand, now: float = 0.0) -> int:
    request_id, line = session.start_command(command, now)
    assert protocol.decode_command(line).request_id == request_id
    return request_id


def failures(outcomes: list[Outcome]) -> dict[int, protocol.Failed]:
    return {o.request_id: o for o in outcomes if isinstance(o, protocol.Failed)}


GENERATE = protocol.Generate(request_id=0, prompt="x")
TOKENIZE = protocol.Tokenize(request_id=0, text="x")


def test_ids_count_up_over_restarts() -> None:
    session = ready_session()
    assert [start(session, TOKENIZE), start(session, GENERATE)] == [1, 2]
    session.exited(WorkerExit(status=0), 1.0)
    session.worker_started(2.0)
    session.feed(protocol.encode(READY), 2.0)
    assert start(session, TOKENIZE) == 3


def test_a_line_may_come_byte_by_byte() -> None:
    session = ready_session()
    request_id = start(session, GENERATE)
    line = chunk(request_id)
    events = [event for byte in line for event in session.feed(bytes([byte]), 0.0)]
    assert events == [protocol.decode_event(line)]


def test_many_lines_may_come_at_once() -> None:
    session = ready_session()
    request_id = start(session, GENERATE)
    done = with_id(make_done([1, 2], 10.0), request_id)
    assert [type(e).__name__ for e in session.feed(chunk(request_id) * 3 + done, 0.0)] == ["Chunk"] * 3 + ["Done"]


def test_garbage_is_logged_and_dropped(caplog: pytest.LogCaptureFixture) -> None:
    session = ready_session()
    request_id = start(session, GENERATE)
    with caplog.at_level(logging.WARNING, logger="slipstream.client"):
        events = session.feed(b'llama says hi\n{"type":"nope"}\n\xff\xfe\n\n' + chunk(request_id), 0.0)
    assert [type(e).__name__ for e in events] == ["Chunk"]
    assert len(caplog.records) == 3


def test_a_flood_of_garbage_does_not_flood_the_log(caplog: pytest.LogCaptureFixture) -> None:
    session = ready_session()
    with caplog.at_level(logging.WARNING, logger="slipstream.client"):
        session.feed(b"junk\n" * 5000, 0.0)
    assert len(caplog.records) < 50


def test_events_of_unknown_and_ended_commands_are_dropped() -> None:
    session = ready_session()
    request_id = start(session, GENERATE)
    done = with_id(make_done([1], 10.0), request_id)
    assert len(session.feed(done + done + chunk(request_id) + chunk(77), 0.0)) == 1
    assert session.outstanding == []


def test_an_answer_of_the_wrong_kind_fails_the_command() -> None:
    session = ready_session()
    request_id = start(session, TOKENIZE)
    assert failures(session.feed(with_id(UNLOADED, request_id), 0.0))[request_id].code == Code.PROTOCOL


@pytest.mark.parametrize("ends_with_newline", [True, False])
def test_an_overlong_line_ends_the_worker(ends_with_newline: bool) -> None:
    session = ready_session(max_line_bytes=1000)
    request_id = start(session, GENERATE)
    outcomes = session.feed(b"x" * 1001 + b"\n" * ends_with_newline, 0.0)
    assert failures(outcomes)[request_id].code == Code.PROTOCOL
    assert isinstance(outcomes[-1], KillWorker)
    assert session.feed(chunk(request_id), 0.0) == []


def test_a_long_line_below_the_limit_is_read() -> None:
    session = ready_session()
    request_id = start(session, GENERATE)
    line = with_id(protocol.Chunk(request_id=0, pieces=[Piece(text="x" * 300_000)]), request_id)
    events = [e for i in range(0, len(line), 4096) for e in session.feed(line[i : i + 4096], 0.0)]
    assert events == [protocol.decode_event(line)]


def test_a_command_too_long_to_send_fails_by_itself() -> None:
    session = ready_session(max_line_bytes=1000)
    request_id, line = session.start_command(protocol.Tokenize(request_id=0, text="x" * 2000), 0.0)
    assert line == b""
    assert failures(session.tick(0.0))[request_id].code == Code.PROTOCOL
    assert session.is_running


def test_another_protocol_version_is_refused_in_words() -> None:
    session = ClientSession()
    session.worker_started(0.0)
    request_id = start(session, TOKENIZE)
    outcomes = session.feed(protocol.encode(msgspec.structs.replace(READY, protocol_version=99)), 0.0)
    failed = failures(outcomes)[request_id]
    assert failed.code == Code.PROTOCOL
    assert "99" in failed.message
    assert isinstance(outcomes[-1], KillWorker)
    later, line = session.start_command(TOKENIZE, 1.0)
    assert line == b""
    assert "99" in failures(session.tick(1.0))[later].message


def test_events_before_the_handshake_are_dropped() -> None:
    session = ClientSession()
    session.worker_started(0.0)
    request_id = start(session, TOKENIZE)
    assert session.feed(with_id(protocol.Tokens(request_id=0, token_ids=[1]), request_id), 0.0) == []
    assert session.outstanding == [request_id]


def test_commands_without_a_worker_fail_with_the_next_tick() -> None:
    session = ClientSession()
    request_id, line = session.start_command(GENERATE, 0.0)
    assert (line, session.outstanding) == (b"", [request_id])
    assert failures(session.tick(0.0))[request_id].code == Code.WORKER_DIED
    assert (session.tick(0.0), session.outstanding) == ([], [])


def test_starting_twice_is_a_mistake_of_the_caller() -> None:
    session = ready_session()
    with pytest.raises(RuntimeError):
        session.worker_started(1.0)


def test_a_launch_that_fails_ends_its_commands() -> None:
    session = ClientSession()
    session.worker_started(0.0)
    request_id = start(session, GENERATE)
    failed = failures([*session.start_failed("No such file", 0.0)])[request_id]
    assert failed.code == Code.WORKER_START_FAILED
    assert "No such file" in failed.message


@pytest.mark.parametrize(
    ("exit_", "words"),
    [
        (WorkerExit(signal_number=6), "The engine stopped itself (assertion)."),
        (WorkerExit(signal_number=9), "The engine was killed, which is what the system does when memory runs short."),
        (WorkerExit(signal_number=11), "The engine crashed (SIGSEGV)."),
        (WorkerExit(signal_number=15), "The engine was ended by another program."),
        (WorkerExit(signal_number=99), "The engine crashed (signal 99)."),
        (WorkerExit(status=0), "The engine was closed before it had answered."),
        (WorkerExit(status=7), "The engine ended unexpectedly (exit status 7)."),
        (WorkerExit(status=0xC0000005), "The engine crashed (status 0xC0000005)."),
        (WorkerExit(signal_number=6, stderr_tail="cudaMalloc failed: out of memory\n"),
         "The engine stopped because the memory ran out."),
        (WorkerExit(status=1, stderr_tail="terminate: std::bad_alloc"),
         "The engine stopped because the memory ran out."),
        (WorkerExit(status=1, stderr_tail="ggml_backend_cpu_buffer: failed to allocate buffer of size 9"),
         "The engine stopped because the memory ran out."),
    ],
)
def test_the_way_it_ended_is_said(exit_: WorkerExit, words: str) -> None:
    session = ready_session()
    request_id = start(session, GENERATE)
    failed = failures([*session.exited(exit_, 1.0)])[request_id]
    assert (failed.code, failed.message) == (Code.WORKER_DIED, words)
    assert failed.hint


def test_a_worker_that_never_came_up_says_its_last_words() -> None:
    session = ClientSession()
    session.worker_started(0.0)
    request_id = start(session, GENERATE)
    exit_ = WorkerExit(status=1, stderr_tail="Traceback (most recent call last):\n  …\nImportError: no llama\x1b[0m\n")
    failed = failures([*session.exited(exit_, 1.0)])[request_id]
    assert failed.code == Code.WORKER_START_FAILED
    assert "ImportError: no llama" in failed.hint
    assert "\x1b" not in failed.hint


def test_return_codes_below_zero_are_signals() -> None:
    assert WorkerExit.from_returncode(-9) == WorkerExit(signal_number=9)
    assert WorkerExit.from_returncode(3, "x") == WorkerExit(status=3, stderr_tail="x")


def test_no_handshake_in_time() -> None:
    session = ClientSession()
    session.worker_started(0.0)
    request_id = start(session, TOKENIZE)
    assert session.tick(HANDSHAKE_S - 1) == []
    outcomes = session.tick(HANDSHAKE_S)
    assert failures(outcomes)[request_id].code == Code.WORKER_HUNG
    assert isinstance(outcomes[-1], KillWorker)


def test_silence_ends_a_command_and_signs_of_life_push_the_end_on() -> None:
    session = ready_session()
    request_id = start(session, TOKENIZE)
    other = start(session, GENERATE)
    assert session.tick(800) == []
    session.feed(chunk(other), 800)
    assert session.tick(1600) == []
    outcomes = session.tick(1800)
    assert {f.code for f in failures(outcomes).values()} == {Code.WORKER_HUNG}
    assert set(failures(outcomes)) == {request_id, other}
    assert isinstance(outcomes[-1], KillWorker)
    assert session.tick(9000) == []


def test_a_short_command_has_a_short_patience_once_the_long_one_has_ended() -> None:
    session = ready_session()
    answer = start(session, GENERATE)
    request_id = start(session, TOKENIZE)
    session.feed(with_id(make_done([1], 10.0), answer), 500)
    assert session.tick(550) == []
    assert set(failures(session.tick(561))) == {request_id}


def test_idle_silence_is_no_fault() -> None:
    session = ready_session()
    assert session.tick(1e6) == []
    start(session, TOKENIZE, now=1e6)
    assert session.tick(1e6 + 30) == []


def test_what_is_stopped_must_end_whatever_it_still_says() -> None:
    session = ready_session()
    answer = start(session, GENERATE)
    stop = start(session, protocol.Stop(request_id=0, target_id=answer), now=10)
    session.feed(with_id(protocol.Stopping(request_id=0, target_id=answer), stop), 10)
    for second in range(10, 10 + int(STOP_S)):
        session.feed(chunk(answer), second)
        assert session.tick(second) == []
    assert failures(session.tick(10 + STOP_S))[answer].code == Code.WORKER_HUNG


def test_stopping_in_time_leaves_the_worker_alone() -> None:
    session = ready_session()
    answer = start(session, GENERATE)
    stop = start(session, protocol.Stop(request_id=0, target_id=answer))
    session.feed(with_id(protocol.Stopping(request_id=0, target_id=answer), stop), 1)
    session.feed(with_id(make_done([1], 1.0), answer), 2)
    assert session.tick(1000) == []
    assert session.is_ready


def test_scores_get_time_for_each_token() -> None:
    session = ready_session()
    start(session, protocol.Score(request_id=0, token_ids=[1] * 1000))
    assert session.tick(2500) == []
    assert session.tick(2901) != []


def test_a_stopped_prepare_may_finish_the_file_it_is_writing() -> None:
    session = ready_session()
    prepare = start(session, protocol.Prepare(request_id=0, path="d", destination="o"))
    stop = start(session, protocol.Stop(request_id=0, target_id=prepare))
    session.feed(protocol.encode(protocol.Stopping(request_id=stop, target_id=prepare)), 1)
    assert session.tick(800) == []
    assert session.tick(901) != []


COMMANDS: list[protocol.AnyCommand] = [
    protocol.Load(request_id=0, path="m", settings=LoadSettings()), GENERATE, TOKENIZE,
    protocol.UnloadDraft(request_id=0), protocol.Devices(request_id=0), protocol.Stop(request_id=0, target_id=1),
]
ENDINGS: list[protocol.AnyEvent] = [
    make_done([1], 1.0), UNLOADED, protocol.Tokens(request_id=0, token_ids=[1]),
    protocol.DeviceList(request_id=0, devices=[]), protocol.Stopping(request_id=0, target_id=1),
    protocol.Failed(request_id=0, code="busy", message="Busy."),
]

EVENTS: list[protocol.AnyEvent] = [*ENDINGS, protocol.Chunk(request_id=0, pieces=[Piece(text="é")]), READY]


class Life(RuleBasedStateMachine):
    """Commands, events in any pieces, garbage, silence and deaths in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.session = ClientSession(max_line_bytes=4096)
        self.now = 0.0
        self.alive = False
        self.started: set[int] = set()
        self.ended: set[int] = set()

    def take(self, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, KillWorker):
                continue
            if isinstance(outcome, protocol.Ready):
                assert outcome.protocol_version == protocol.PROTOCOL_VERSION
                continue
            assert outcome.request_id in self.started - self.ended
            if protocol.is_ending(outcome):
                self.ended.add(outcome.request_id)

    @precondition(lambda self: not self.alive)
    @rule(version=st.sampled_from([protocol.PROTOCOL_VERSION] * 4 + [99, None]))
    def launch(self, version: int | None) -> None:
        self.session.worker_started(self.now)
        self.alive = True
        if version is not None:
            ready = msgspec.structs.replace(READY, protocol_version=version)
            self.take(self.session.feed(protocol.encode(ready), self.now))

    @rule(command=st.sampled_from(COMMANDS))
    def command(self, command: protocol.AnyCommand) -> None:
        request_id, _ = self.session.start_command(command, self.now)
        assert request_id not in self.started
        self.started.add(request_id)

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def events(self, data: st.DataObject) -> None:
        lines = b""
        for _ in range(data.draw(st.integers(1, 4))):
            request_id = data.draw(st.integers(0, len(self.started) + 1))
            lines += with_id(data.draw(st.sampled_from(EVENTS)), request_id)
            lines += data.draw(st.sampled_from([b"", b"junk\n", b"\xff\n", b"{}\n", b"\n", b"\x00" * 3 + b"\n"]))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=4)))
        for a, b in zip([0, *cuts], [*cuts, len(lines)], strict=True):
            self.take(self.session.feed(lines[a:b], self.now))

    @precondition(lambda self: self.alive)
    @rule(data=st.binary(max_size=60) | st.just(b"x" * 5000))
    def garbage(self, data: bytes) -> None:
        self.take(self.session.feed(data, self.now))

    @rule(seconds=st.sampled_from([0.1, 1.0, STOP_S, 70.0, 1000.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.take(self.session.tick(self.now))

    @precondition(lambda self: self.alive)
    @rule(exit_=st.sampled_from([WorkerExit(status=0), WorkerExit(status=1), WorkerExit(signal_number=9)]))
    def die(self, exit_: WorkerExit) -> None:
        self.alive = False
        self.take([*self.session.exited(exit_, self.now)])
        assert self.started == self.ended

    @invariant()
    def nothing_is_forgotten(self) -> None:
        assert set(self.session.outstanding) == self.started - self.ended

    def teardown(self) -> None:
        if self.alive:
            self.die(WorkerExit(status=0))
        self.take(self.session.tick(self.now))
        assert self.started == self.ended


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=150, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
