"""The real worker process on a real model, driven as the program drives it."""

from __future__ import annotations

import json
import logging
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app import protocol
from app.client import session as client_session
from app.client.process import ProcessClient, worker_command
from app.errors import Code, SlipstreamError
from app.protocol import AnyEvent, Chunk, Done, Generate, LoadProgress, PrefillProgress
from app.records import LoadSettings, Message, Sampling

pytestmark = pytest.mark.model

SETTINGS = LoadSettings(ctx_tokens=2048)
_log = logging.getLogger(__name__)
GREEDY = Sampling(temperature=0.0)
STOPPED_WITHIN_S = 2.0
"""Half a second is what is promised; a busy machine gets more here."""
LONG_TEXT = "The lighthouse keeper counted the ships that passed in the night. " * 120


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, smollm: Path, target_q4: Path, gemma: Path) -> Iterator[None]:
    """What the workers learn stays out of the person's own cache. (The models have been found before.)"""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def loaded(own_cache: None, smollm: Path) -> Iterator[ProcessClient]:
    with ProcessClient() as client:
        client.load(str(smollm), SETTINGS)
        yield client


def request(prompt: str = "Count from one to a hundred.", **more: object) -> Generate:
    options: dict[str, object] = {"sampling": GREEDY, "method": "off", "max_tokens": 24, **more}
    return Generate(request_id=0, prompt=prompt, **options)  # type: ignore[arg-type]


class StopAt:
    """An event sink that stops the client at the first event that ``at`` says yes to, and notes when."""

    def __init__(self, client: ProcessClient, at: Callable[[AnyEvent], bool]) -> None:
        self.client = client
        self.at = at
        self.stopped_at: float | None = None
        self.events: list[AnyEvent] = []

    def __call__(self, event: AnyEvent) -> None:
        self.events.append(event)
        if self.stopped_at is None and self.at(event):
            self.stopped_at = time.monotonic()
            self.client.stop()

    def check(self) -> None:
        assert self.stopped_at is not None, "it ended before it could be stopped"
        took = time.monotonic() - self.stopped_at
        _log.info("stopped after %.3f s", took)
        assert took < STOPPED_WITHIN_S


def test_loads_and_answers(smollm: Path) -> None:
    events: list[AnyEvent] = []
    with ProcessClient() as client:
        loaded = client.load(str(smollm), SETTINGS, events.append)
        assert loaded.facts.architecture == "llama"
        assert loaded.facts.ctx_tokens == 2048
        assert loaded.memory.worker_rss_bytes > 90e6
        fractions = [event.fraction for event in events if isinstance(event, LoadProgress)]
        assert fractions == sorted(fractions)
        assert fractions[-1] == 1.0
        events.clear()
        done = client.generate(request(), events.append)
        chunks = [event for event in events if isinstance(event, Chunk)]
        assert "".join(chunk.text for chunk in chunks) == done.text != ""
        assert len(done.token_ids) == 24
        assert done.reason == "length"
        timings = done.timings
        assert timings.decode_s == pytest.approx(
            timings.draft_s + timings.verify_s + timings.sample_s + timings.other_s, abs=1e-3
        )


def test_a_stop_in_decode(loaded: ProcessClient) -> None:
    whole = loaded.generate(request(max_tokens=40))
    sink = StopAt(loaded, lambda event: isinstance(event, Chunk) and event.emitted_tokens >= 5)
    done = loaded.generate(request(max_tokens=1500), sink)
    sink.check()
    assert done.reason == "aborted"
    assert len(done.token_ids) >= 5
    length = min(len(done.token_ids), 40)
    assert done.token_ids[:length] == whole.token_ids[:length]
    assert loaded.generate(request(max_tokens=40)).token_ids == whole.token_ids


def test_a_stop_in_prefill(loaded: ProcessClient) -> None:
    sink = StopAt(loaded, lambda event: isinstance(event, PrefillProgress))
    done = loaded.generate(request(LONG_TEXT, cold=True), sink)
    sink.check()
    assert (done.reason, done.token_ids, done.text) == ("aborted", [], "")
    assert loaded.generate(request()).reason in ("length", "eos")


def test_a_stop_while_loading(target_q4: Path, smollm: Path) -> None:
    with ProcessClient() as client:
        sink = StopAt(client, lambda event: isinstance(event, LoadProgress))
        with pytest.raises(SlipstreamError) as caught:
            client.load(str(target_q4), SETTINGS, sink)
        sink.check()
        assert caught.value.code == Code.ABORTED
        pid = client.pid
        client.load(str(smollm), SETTINGS)
        assert client.pid == pid


def test_a_draft_of_another_family_is_refused_and_the_target_stays(loaded: ProcessClient, gemma: Path) -> None:
    with pytest.raises(SlipstreamError) as caught:
        loaded.load_draft(str(gemma), SETTINGS)
    assert caught.value.code == Code.DRAFT_INCOMPATIBLE
    assert caught.value.message.startswith("This model cannot draft for ")
    assert len(caught.value.message) > 50, "with the reason"
    assert len(loaded.generate(request()).token_ids) == 24


@pytest.mark.parametrize("content", [None, b"", b"not a model", b"GGUF\x03\x00\x00\x00" + b"\xff" * 100])
def test_a_file_that_is_no_model(loaded: ProcessClient, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ghost.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SlipstreamError) as caught:
        loaded.load_draft(str(path), SETTINGS)
    assert caught.value.code != Code.INTERNAL
    assert caught.value.hint
    with ProcessClient() as client:
        with pytest.raises(SlipstreamError) as caught:
            client.load(str(path), SETTINGS)
        assert caught.value.code in (Code.MODEL_NOT_FOUND, Code.MODEL_LOAD_FAILED, Code.MODEL_UNREADABLE)
        assert "ghost.gguf" in caught.value.message
    assert len(loaded.generate(request()).token_ids) == 24


def test_itself_as_draft_and_a_change_in_the_middle(loaded: ProcessClient, smollm: Path) -> None:
    expected = loaded.generate(request(max_tokens=48))
    loaded.load_draft(str(smollm), SETTINGS)
    changed = threading.Event()
    drafters: list[str] = []

    def sink(event: AnyEvent) -> None:
        if isinstance(event, Chunk):
            drafters.append(event.drafter)
            if event.emitted_tokens >= 6 and not changed.is_set():
                changed.set()
                # what the window does over its own pipe; here beside the running command
                process = loaded._process
                assert process is not None
                process.send(protocol.encode(protocol.SetSpeculation(request_id=10_000, method="draft:max=4")))

    try:
        done = loaded.generate(request(max_tokens=48), sink)
    finally:
        loaded.unload_draft()
    assert set(drafters) == {"", "draft"}
    assert drafters[0] == ""
    assert done.speculation.num_accepted_draft_tokens > 0
    assert len(done.token_ids) == len(expected.token_ids) == 48


def test_the_second_answer_of_a_chat_finds_the_first(loaded: ProcessClient) -> None:
    talk = [Message(role="user", content="Name a colour.")]
    first = loaded.generate(Generate(request_id=0, messages=talk, sampling=GREEDY, method="off", max_tokens=12))
    talk += [Message(role="assistant", content=first.text), Message(role="user", content="Another one.")]
    second = loaded.generate(Generate(request_id=0, messages=talk, sampling=GREEDY, method="off", max_tokens=12))
    assert first.prompt_tokens - 1 <= second.cached_tokens < second.prompt_tokens
    again = loaded.generate(
        Generate(request_id=0, messages=talk, sampling=GREEDY, method="off", max_tokens=12, cold=True)
    )
    assert again.cached_tokens == 0
    assert len(again.token_ids) == len(second.token_ids)


class Raw:
    """A worker spoken to by hand."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            worker_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command: protocol.Command) -> None:
        self.write(protocol.encode(command))

    def read(self) -> AnyEvent:
        assert self.process.stdout is not None
        return protocol.decode_event(self.process.stdout.readline())

    def read_until(self, wanted: Callable[[AnyEvent], bool]) -> AnyEvent:
        while not wanted(event := self.read()):
            pass
        return event

    def close_stdin(self) -> float:
        """Seconds until it has ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        started = time.monotonic()
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait(30)
        return time.monotonic() - started


def test_lines_that_are_no_commands_are_passed_over() -> None:
    with Raw() as worker:
        assert isinstance(worker.read(), protocol.Ready)
        for line in (b"hello", b"", b"{}", b"[1]", b'{"type":"nonsense","request_id":1}', b"\xff\xfe\x00",
                     b"[" * 50_000, b'{"type":"load"}', b'{"type":"load","request_id":"x","path":3}'):
            worker.write(line + b"\n")
        worker.send(protocol.Tokenize(request_id=7, text="x"))
        event = worker.read()
        assert isinstance(event, protocol.Failed)
        assert (event.request_id, event.code) == (7, Code.NO_MODEL_LOADED)
        assert worker.close_stdin() < 3.0
        assert worker.process.returncode == 0


@pytest.mark.parametrize("busy", ["idle", "decode", "prefill"])
def test_the_end_of_stdin_ends_it(smollm: Path, busy: str) -> None:
    with Raw() as worker:
        worker.send(protocol.Load(request_id=1, path=str(smollm), settings=SETTINGS))
        worker.read_until(lambda event: isinstance(event, protocol.Loaded))
        if busy == "decode":
            worker.send(protocol.Generate(request_id=2, prompt="Hi", method="off", max_tokens=2000))
            worker.read_until(lambda event: isinstance(event, Chunk))
        elif busy == "prefill":
            worker.send(protocol.Generate(request_id=2, prompt=LONG_TEXT, method="off"))
            worker.read_until(lambda event: isinstance(event, PrefillProgress))
        took = worker.close_stdin()
        _log.info("ended after %.3f s (%s)", took, busy)
        assert took < 3.0
        assert worker.process.returncode == 0


@pytest.fixture(scope="module")
def endless(own_cache: None, smollm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small model with a chat template that never ends, of the same length as its own."""
    whole = smollm.read_bytes()
    key = b"tokenizer.chat_template"
    start = whole.index(key) + len(key) + 4 + 8
    length = int.from_bytes(whole[start - 8 : start], "little")
    loop = b"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    assert len(loop) <= length < 10_000
    path = tmp_path_factory.mktemp("model") / "endless.gguf"
    path.write_bytes(whole[:start] + loop.ljust(length) + whole[start + length :])
    return path


def test_a_template_that_never_ends_is_ended_with_the_worker(
    endless: Path, smollm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(client_session._SILENCE_S, protocol.Generate, 3.0)
    with ProcessClient() as client:
        client.load(str(endless), SETTINGS)
        with pytest.raises(SlipstreamError) as caught:
            client.generate(request())
        assert caught.value.code == Code.WORKER_HUNG
        monkeypatch.undo()
        client.load(str(smollm), SETTINGS)
        assert isinstance(client.generate(request(max_tokens=3)), Done)


def test_the_end_of_stdin_ends_an_endless_template_too(endless: Path) -> None:
    with Raw() as worker:
        worker.send(protocol.Load(request_id=1, path=str(endless), settings=SETTINGS))
        worker.read_until(lambda event: isinstance(event, protocol.Loaded))
        worker.send(protocol.Generate(request_id=2, prompt="Hi"))
        time.sleep(0.5)
        assert worker.close_stdin() < 4.0


def test_native_output_does_not_get_into_the_protocol(smollm: Path) -> None:
    with Raw() as worker:
        worker.send(protocol.Load(request_id=1, path=str(smollm), settings=SETTINGS))
        worker.send(protocol.Generate(request_id=2, prompt="Hi", method="off", max_tokens=4))
        assert worker.process.stdin is not None
        assert worker.process.stdout is not None
        lines = []
        while not lines or json.loads(lines[-1])["type"] not in ("done", "failed"):
            lines.append(worker.process.stdout.readline())
        types = [json.loads(line)["type"] for line in lines]
        assert types[0] == "ready"
        assert types[-1] == "done"
        assert worker.close_stdin() < 3.0
