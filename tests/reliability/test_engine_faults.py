"""What the engine process can do to the window: die in every way, hang, starve, talk nonsense, lose its model."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app import protocol
from app.client import session as client_session
from app.client.clock import AwakeClock
from app.client.process import ProcessClient
from app.errors import Code, SlipstreamError
from app.protocol import AnyEvent, Generate
from app.records import LoadSettings, Sampling
from tests.reliability.driver import Window, kept_answers, make_quick, wait_gone
from tests.reliability.faulty_worker import faulty_worker_command

pytestmark = [pytest.mark.model, pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of Unix"),
              pytest.mark.timeout(900)]
SETTINGS = LoadSettings(ctx_tokens=1024, threads=1)
_log = logging.getLogger(__name__)

DEATHS = {
    "segv": "The engine crashed (SIGSEGV). Load the model again.",
    "abort": "The engine stopped itself (assertion). Load the model again.",
    "assert": "The engine stopped itself (assertion). Load the model again.",
    "bus": "The model file changed or went away while it was in use.",
    "exit": "The engine ended unexpectedly (exit status 7). Load the model again.",
    "cut": "The engine was closed before it had answered. Load the model again.",
    "flood": "The engine sent a line that is too long to be an answer, so it was ended. Load the model again.",
    "memory": "The engine ran out of memory.",
}


def request(max_tokens: int = 16) -> Generate:
    return Generate(request_id=0, prompt="Tell me of the sea.", method="off", max_tokens=max_tokens,
                    sampling=Sampling(temperature=0.0))


def rss_mb(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def test_every_death_is_a_sentence_and_the_next_message_is_answered(smollm: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("\n".join(DEATHS), encoding="ascii")
    home = tmp_path / "home"
    make_quick(home, smollm)
    with Window(home, "--worker", "faulty", "--plan", str(plan), "--after", "2") as window:
        pid = window.ready(smollm)["pid"]
        before = rss_mb(pid)
        shown: list[str] = []
        for turn, (fault, words) in enumerate(DEATHS.items(), start=1):
            window.tell(ask=f"Question {turn}: count from one to one hundred, in words, one a line.")
            state = window.wait(lambda s, turn=turn: len(s["problems"]) == turn and not s["answering"], fault)  # type: ignore[misc]
            assert state["problems"][-1].startswith(words), fault
            assert state["answers"][-1], f"{fault}: what had been written stays"
            assert not state["banner"]
            shown = state["answers"]
            wait_for_text(home, shown)
        grown = rss_mb(pid) - before
        _log.info("the window grew by %.1f MB over %d deaths", grown, len(DEATHS))
        # The flood alone sends 64 MB that are given back.
        assert grown < 100
        final = window.answer("And now a short answer, please.")
        assert final["answers"][-1]
        assert len(final["problems"]) == len(DEATHS)
        assert window.quit() == 0
        window.assert_no_orphan()
    assert kept_answers(home) == final["answers"]
    log = (home / "state" / "slipstream" / "window.log").read_text(encoding="utf-8")
    assert "GGML_ASSERT" in log
    assert "Question 1" not in log
    assert all(line not in log for answer in shown for line in answer.splitlines() if len(line) > 20)


def wait_for_text(home: Path, answers: list[str]) -> None:
    end = time.monotonic() + 60
    while kept_answers(home) != answers:
        assert time.monotonic() < end, (kept_answers(home), answers)
        time.sleep(0.05)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_something_else_ends(smollm: Path, how: int) -> None:
    with ProcessClient(faulty_worker_command()) as client:
        client.load(str(smollm), SETTINGS)

        def end_it(event: AnyEvent) -> None:
            if isinstance(event, protocol.Chunk) and client.pid:
                os.kill(client.pid, how)

        with pytest.raises(SlipstreamError) as caught:
            client.generate(request(500), end_it)
        assert caught.value.code == Code.WORKER_DIED
        assert caught.value.hint
        client.load(str(smollm), SETTINGS)
        assert client.generate(request()).text


def test_a_hung_engine_is_ended_at_its_deadline(smollm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(client_session._SILENCE_S, protocol.Generate, 20.0)
    with ProcessClient(faulty_worker_command("--fault", "hang", "--after", "3")) as client:
        client.load(str(smollm), SETTINGS)
        hung = client.pid
        events: list[AnyEvent] = []

        def hasten(event: AnyEvent) -> None:
            events.append(event)
            if sum(isinstance(each, protocol.Chunk) for each in events) == 2:
                client_session._SILENCE_S[protocol.Generate] = 2.0

        with pytest.raises(SlipstreamError) as caught:
            client.generate(request(200), hasten)
        assert caught.value.code == Code.WORKER_HUNG
        assert "no sign of life" in caught.value.message
        assert hung is not None
        wait_gone(hung)
        monkeypatch.undo()
        client.load(str(smollm), SETTINGS)
        assert len([event for event in events if isinstance(event, protocol.Chunk)]) == 2


def test_two_megabytes_of_garbage_amid_an_answer_do_no_harm(smollm: Path) -> None:
    with ProcessClient(faulty_worker_command("--fault", "garbage", "--after", "3")) as client:
        client.load(str(smollm), SETTINGS)
        events: list[AnyEvent] = []
        done = client.generate(request(), events.append)
        texts = [event.text for event in events if isinstance(event, protocol.Chunk)]
        assert "".join(texts) == done.text != ""


def test_too_little_address_space_to_load(target_q4: Path, smollm: Path) -> None:
    limit = 1_400_000_000
    with ProcessClient(faulty_worker_command("--address-space", str(limit))) as client:
        with pytest.raises(SlipstreamError) as caught:
            client.load(str(target_q4), SETTINGS)
        assert caught.value.code in (Code.OUT_OF_MEMORY, Code.MODEL_LOAD_FAILED, Code.WORKER_DIED), caught.value
        assert caught.value.hint
        # The way on: a smaller model, in the same worker or in a new one.
        client.load(str(smollm), SETTINGS)
        assert client.generate(request()).text


@pytest.fixture
def memory_group() -> Iterator[Path]:
    """A control group with 450 MB, or the closest this system lets us make; its processes are gone at the end."""
    name = f"slipstream-test-{os.getpid()}"
    for base, limit_name in ((Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
                             (Path("/sys/fs/cgroup"), "memory.max")):
        group = base / name
        try:
            group.mkdir()
        except OSError:
            continue
        if (group / limit_name).exists():
            break
        group.rmdir()
    else:
        pytest.skip("control groups need root, or a part of them that is ours")
    (group / limit_name).write_text("450000000", encoding="ascii")
    with contextlib.suppress(OSError):
        (group / "memory.swap.max").write_text("0", encoding="ascii")
    yield group
    end = time.monotonic() + 10
    while True:
        try:
            group.rmdir()
            break
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)


def test_the_system_kills_it_for_memory(target_q4: Path, smollm: Path, memory_group: Path) -> None:
    with ProcessClient(faulty_worker_command()) as client:
        client.load(str(smollm), SETTINGS)
        (memory_group / "cgroup.procs").write_text(str(client.pid), encoding="ascii")
        with pytest.raises(SlipstreamError) as caught:
            client.load(str(target_q4), SETTINGS)
        assert caught.value.code in (Code.WORKER_DIED, Code.OUT_OF_MEMORY)
        assert "memory" in caught.value.message
        assert "smaller" in caught.value.hint
        client.load(str(smollm), SETTINGS)
        assert client.generate(request()).text


def test_the_model_is_deleted_while_loaded(smollm: Path, tmp_path: Path) -> None:
    model = tmp_path / "gone.gguf"
    shutil.copyfile(smollm, model)
    with ProcessClient(faulty_worker_command()) as client:
        client.load(str(model), SETTINGS)
        expected = client.generate(request()).text
        model.unlink()
        assert client.generate(request()).text == expected
        with pytest.raises(SlipstreamError) as caught:
            client.load(str(model), SETTINGS)
        assert caught.value.code == Code.MODEL_NOT_FOUND
        assert "gone.gguf" in caught.value.message


@pytest.mark.parametrize("mapped", [False, True])
def test_the_model_is_replaced_or_cut_while_loaded(smollm: Path, tmp_path: Path, mapped: bool) -> None:
    """A mapped file that loses its end takes the engine with it, which is said; a file that was read does not."""
    model = tmp_path / "changed.gguf"
    shutil.copyfile(smollm, model)
    with ProcessClient(faulty_worker_command(*(["--map-files"] if mapped else []))) as client:
        client.load(str(model), SETTINGS)
        expected = client.generate(request()).text
        other = tmp_path / "other.gguf"
        other.write_bytes(b"something else")
        os.replace(other, model)
        assert client.generate(request()).text == expected, "a file put in its place is another file"
        shutil.copyfile(smollm, model)
        client.load(str(model), SETTINGS)
        os.truncate(model, 1_800_000)
        if mapped:
            with pytest.raises(SlipstreamError) as caught:
                client.generate(request())
            assert caught.value.code == Code.WORKER_DIED
            assert "model file changed" in caught.value.message
        else:
            assert client.generate(request()).text == expected
        with pytest.raises(SlipstreamError) as caught:
            client.load(str(model), SETTINGS)
        assert caught.value.code in (Code.MODEL_LOAD_FAILED, Code.MODEL_UNREADABLE)
        client.load(str(smollm), SETTINGS)
        assert client.generate(request()).text == expected


def test_sleep_is_no_silence() -> None:
    readings = [0.0]
    clock = AwakeClock(lambda: readings[0])
    assert clock.now() == 0.0
    readings[0] = 0.25
    assert clock.now() == 0.25
    readings[0] = 30_000.0
    assert clock.now() == pytest.approx(5.25), "eight hours of sleep count as the longest gap"
    readings[0] = 29_000.0
    assert clock.now() == pytest.approx(5.25), "a clock that goes back does not"
    readings[0] = 29_000.25
    assert clock.now() == pytest.approx(5.5)


@pytest.mark.long
def test_both_processes_sleep_longer_than_the_deadline(smollm: Path, tmp_path: Path) -> None:
    make_quick(tmp_path / "home", smollm, 2000)
    with Window(tmp_path / "home", "--silence-s", "20") as window:
        window.ready(smollm)
        state = window.writing("Write a long story about a lighthouse and the people who kept it.")
        both = (state["pid"], state["worker"])
        for pid in both:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(40)
        for pid in both:
            os.kill(pid, signal.SIGCONT)
        length = len(state["answers"][-1])
        state = window.wait(lambda s: not s["answering"] or len(s["answers"][-1]) > length + 100, "more text")
        assert state["problems"] == []
        assert state["worker"] == both[1]
        window.tell(stop="")
        window.wait(lambda s: not s["answering"], "the stop")
        assert window.quit() == 0
        window.assert_no_orphan()
