"""The client over a real child process, with a scripted worker in the engine's place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app import protocol
from app.client.process import ProcessClient, worker_command
from app.errors import Code, SlipstreamError
from app.records import LoadSettings
from tests.scripted_worker import ROOT, scripted_worker_command

LOAD = LoadSettings()
ANSWER = protocol.Generate(request_id=0, prompt="two words", method="draft")


@pytest.fixture(autouse=True)
def no_child_and_no_thread() -> Iterator[None]:
    threads = set(threading.enumerate())
    yield
    assert psutil.Process().children(recursive=True) == []
    assert set(threading.enumerate()) <= threads


def client_of(*script: str) -> ProcessClient:
    return ProcessClient(scripted_worker_command(*script))


def failure_of(client: ProcessClient, request: protocol.Generate = ANSWER) -> SlipstreamError:
    with pytest.raises(SlipstreamError) as caught:
        client.generate(request)
    return caught.value


def test_loads_and_streams() -> None:
    events: list[protocol.AnyEvent] = []
    with client_of("--chunks", "5", "--load-s", "0.05") as client:
        loaded = client.load("model.gguf", LOAD, events.append)
        assert loaded.facts.path == "model.gguf"
        assert client.ready is not None
        assert client.load_draft("draft.gguf", LOAD).facts.name == "draft"
        done = client.generate(ANSWER, events.append)
        assert client.tokenize("ab") == [97, 98]
        assert [device.kind for device in client.devices()] == ["cpu"]
        client.unload_draft()
    chunks = [event for event in events if isinstance(event, protocol.Chunk)]
    assert "".join(chunk.text for chunk in chunks) == done.text
    assert len(chunks) == 5
    assert sum(isinstance(event, protocol.LoadProgress) for event in events) == 10


def test_scores_come_for_the_positions_asked_for() -> None:
    with client_of() as client:
        client.load("m", LOAD)
        request = protocol.Score(request_id=0, prompt="x", token_ids=[0, 1, 502], positions=[2])
        assert [score.position for score in client.score(request).scores] == [2]


def test_a_failed_load_is_said_and_the_worker_stays() -> None:
    with client_of("--fail-draft", "draft_incompatible") as client:
        client.load("m", LOAD)
        pid = client.pid
        with pytest.raises(SlipstreamError) as caught:
            client.load_draft("d", LOAD)
        assert caught.value.code == Code.DRAFT_INCOMPATIBLE
        assert caught.value.hint == "Read the script."
        assert client.generate(ANSWER).reason == "eos"
        assert client.pid == pid


def test_a_code_of_a_newer_worker_is_no_mystery() -> None:
    with client_of("--fail-load", "not_invented_yet") as client, pytest.raises(SlipstreamError) as caught:
        client.load("m", LOAD)
    assert caught.value.code == Code.INTERNAL


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGKILL, "memory runs short"), (signal.SIGABRT, "assertion"), (signal.SIGSEGV, "SIGSEGV")],
)
def test_death_amid_an_answer_is_an_error_and_the_next_load_works(number: int, words: str, tmp_path: Path) -> None:
    once = str(tmp_path / "once")
    with client_of("--die-after", "3", "--signal", str(int(number)), "--once", once) as client:
        client.load("m", LOAD)
        first_pid = client.pid
        error = failure_of(client)
        assert error.code == Code.WORKER_DIED
        assert words in error.message
        assert failure_of(client).message == "The engine is not running."
        client.load("m", LOAD)
        assert client.pid not in (None, first_pid)
        assert client.generate(ANSWER).reason == "eos"


def test_last_words_about_memory_are_understood() -> None:
    script = ("--die-after", "0", "--signal", "0", "--last-words", "cudaMalloc failed: out of memory")
    with client_of(*script) as client:
        client.load("m", LOAD)
        assert "memory ran out" in failure_of(client).message


def test_a_death_while_idle_is_noticed_by_the_next_load() -> None:
    with client_of() as client:
        client.load("m", LOAD)
        assert client.pid is not None
        dead = client.pid
        client.kill()
        client.load("m", LOAD)
        assert client.pid != dead


def test_garbage_junk_and_a_full_stderr_do_no_harm() -> None:
    with client_of("--garbage", "50", "--junk", "--stderr-bytes", "1000000") as client:
        client.load("m", LOAD)
        assert client.generate(ANSWER).reason == "eos"


def test_stop_from_another_thread_keeps_the_partial_answer() -> None:
    started = threading.Event()
    with client_of("--chunks", "1000", "--delay-s", "0.02") as client:
        client.load("m", LOAD)
        stopper = threading.Thread(target=lambda: (started.wait(), client.stop()))
        stopper.start()
        done = client.generate(
            ANSWER, lambda event: started.set() if isinstance(event, protocol.Chunk) else None
        )
        stopper.join()
        assert done.reason == "aborted"
        assert 0 < len(done.token_ids) < 2000
        client.stop()
        assert client.tokenize("a") == [97]


def test_stop_while_loading() -> None:
    with client_of("--load-s", "30") as client, pytest.raises(SlipstreamError) as caught:
        client.load("m", LOAD, lambda event: client.stop())
    assert caught.value.code == Code.ABORTED


def test_a_sink_that_raises_stops_the_command() -> None:
    def sink(event: protocol.AnyEvent) -> None:
        raise ValueError("no more")

    with client_of("--chunks", "1000", "--delay-s", "0.02") as client:
        client.load("m", LOAD)
        with pytest.raises(ValueError, match="no more"):
            client.generate(ANSWER, sink)
        assert client.tokenize("a") == [97]


def test_close_ends_a_worker_that_ignores_it_and_one_that_is_busy() -> None:
    client = client_of("--ignore-eof")
    client.load("m", LOAD)
    client.kill()
    client.close()
    busy = client_of("--hang-after", "2")
    busy.load("m", LOAD)
    errors: list[SlipstreamError] = []
    seen = threading.Event()

    def ask() -> None:
        try:
            busy.generate(ANSWER, lambda event: seen.set())
        except SlipstreamError as error:
            errors.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    seen.wait()
    busy.close()
    thread.join()
    assert errors[0].code == Code.WORKER_DIED


def test_closing_twice_and_without_a_worker_is_harmless() -> None:
    client = client_of()
    client.close()
    client.load("m", LOAD)
    client.close()
    client.close()
    assert client.pid is None


def test_a_command_that_does_not_exist_is_said() -> None:
    client = ProcessClient(["/nowhere/slipstream-worker"])
    with pytest.raises(SlipstreamError) as caught:
        client.load("m", LOAD)
    assert caught.value.code == Code.WORKER_START_FAILED


def test_a_worker_that_ends_at_start_says_its_last_words() -> None:
    with client_of("--exit-at-start", "--last-words", "ImportError: no llama") as client:
        with pytest.raises(SlipstreamError) as caught:
            client.load("m", LOAD)
        assert caught.value.code == Code.WORKER_START_FAILED
        assert "no llama" in caught.value.hint


def test_another_protocol_version_is_refused_and_its_worker_ended() -> None:
    with client_of("--protocol-version", "99") as client, pytest.raises(SlipstreamError) as caught:
        client.load("m", LOAD)
    assert caught.value.code == Code.PROTOCOL


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_worker_that_hangs_on_stop_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.client.session.STOP_S", 0.3)
    with client_of("--hang-after", "1", "--ignore-stop") as client:
        client.load("m", LOAD)
        pid = client.pid
        assert pid is not None
        with pytest.raises(SlipstreamError) as caught:
            client.generate(ANSWER, lambda event: client.stop() if isinstance(event, protocol.Chunk) else None)
        assert caught.value.code == Code.WORKER_HUNG
        client.load("m", LOAD)
        assert not psutil.pid_exists(pid)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_the_worker_does_not_outlive_a_parent_that_is_killed() -> None:
    program = (
        "import sys, time\nfrom app.client.process import ProcessClient\nfrom app.records import LoadSettings\n"
        "client = ProcessClient(sys.argv[1:])\nclient.load('m', LoadSettings())\n"
        "print(client.pid, flush=True)\ntime.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, *scripted_worker_command()], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert parent.stdout is not None
    with parent.stdout as out:
        worker = psutil.Process(int(out.readline()))
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    end = time.monotonic() + 20
    while _is_alive(worker) and time.monotonic() < end:
        time.sleep(0.02)
    assert not _is_alive(worker)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_the_worker_is_this_program_wherever_it_is_started(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("raise SystemExit('a stranger’s app')")
    command = worker_command()
    assert command[-1] == "--worker"
    # The same start with another argument: it tells its version instead of becoming an engine.
    result = subprocess.run(
        [*command[:-1], "--version"], cwd=tmp_path, capture_output=True, text=True, env={**os.environ}, check=False
    )
    assert result.stdout.startswith("slipstream ")


def test_a_frozen_program_is_its_own_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert worker_command() == [sys.executable, "--worker"]
