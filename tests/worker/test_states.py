"""Kept states of chats: what comes back, what is ignored, what is thrown away."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from app import protocol
from app.engine.backends.llama import LlamaLibrary
from app.protocol import AnyEvent
from app.records import LoadSettings, Message, ModelFacts, Sampling
from app.state_files import remove_states
from app.worker.session import EngineSession
from app.worker.states import LEAST_TOKENS, ChatStates, state_key

PLENTY = 1024**3
SETTINGS = LoadSettings(ctx_tokens=4000)


class Cache:
    """A model that is nothing but a cache; ``takes`` says whether it accepts a state."""

    def __init__(self, path: Path, count: int = LEAST_TOKENS, takes: bool = True, ctx_tokens: int = 4000) -> None:
        self.tokens: Sequence[int] = list(range(count))
        self.data = bytes(range(256)) * 40
        self.takes = takes
        self.facts = ModelFacts(
            path=str(path), name="m", architecture="", description="", parameters=1, size_bytes=1,
            ctx_tokens=ctx_tokens, ctx_train_tokens=1, vocab_size=1000, has_chat_template=False,
        )

    def copy_state(self) -> memoryview:
        return memoryview(self.data)

    def put_state(self, data: bytearray, tokens: Sequence[int]) -> bool:
        self.data, self.tokens = bytes(data), list(tokens)
        return self.takes


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF and more")
    return path


def states(tmp_path: Path, library: str = "llama 1") -> ChatStates:
    return ChatStates(tmp_path / "states", library)


def files(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "states"
    return sorted(folder.iterdir()) if folder.exists() else []


def keep(tmp_path: Path, model_file: Path, name: str = "chat") -> Path:
    before = set(files(tmp_path))
    assert states(tmp_path).save(name, [(Cache(model_file), SETTINGS)], PLENTY) > 10_000
    return next(path for path in files(tmp_path) if path not in before)


def restore(tmp_path: Path, model_file: Path, name: str = "chat", **more: object) -> int:
    return states(tmp_path).restore(name, [(Cache(model_file, 0, **more), SETTINGS)])[0]  # type: ignore[arg-type]


def test_a_state_comes_back_whole(tmp_path: Path, model_file: Path) -> None:
    keep(tmp_path, model_file)
    empty = Cache(model_file, 0)
    empty.data = b""
    assert states(tmp_path).restore("chat", [(empty, SETTINGS), (None, SETTINGS)]) == [LEAST_TOKENS, 0]
    assert (empty.data, empty.tokens) == (Cache(model_file).data, list(range(LEAST_TOKENS)))
    assert restore(tmp_path, model_file, "another chat") == 0


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_only_the_owner_can_read_them(tmp_path: Path, model_file: Path) -> None:
    path = keep(tmp_path, model_file)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "chat" not in path.name


def test_short_chats_and_what_is_no_cache_are_not_kept(tmp_path: Path, model_file: Path) -> None:
    assert states(tmp_path).save("a", [(Cache(model_file, LEAST_TOKENS - 1), SETTINGS)], PLENTY) == 0
    assert states(tmp_path).save("a", [(object(), SETTINGS), (None, SETTINGS)], PLENTY) == 0
    assert states(tmp_path).save("a", [(Cache(model_file), SETTINGS)], 5000) == 0
    assert files(tmp_path) == []


@pytest.mark.parametrize("change", ["file", "time", "library", "settings", "gone"])
def test_anything_else_does_not_take_it(tmp_path: Path, model_file: Path, change: str) -> None:
    keep(tmp_path, model_file)
    library, settings = "llama 1", SETTINGS
    if change == "file":
        time_ns = model_file.stat().st_mtime_ns
        model_file.write_bytes(b"GGUF and mord")
        os.utime(model_file, ns=(time_ns, time_ns))
    elif change == "time":
        os.utime(model_file, (1, 1))
    elif change == "library":
        library = "llama 2"
    elif change == "settings":
        settings = LoadSettings(ctx_tokens=4000, cache_type_k="q8_0")
    else:
        model_file.unlink()
    assert states(tmp_path, library).restore("chat", [(Cache(model_file, 0), settings)]) == [0]


def test_threads_and_layers_do_not_matter(model_file: Path) -> None:
    other = LoadSettings(ctx_tokens=4000, threads=7, gpu_layers=3)
    assert state_key(str(model_file), "l", SETTINGS) == state_key(str(model_file), "l", other)


def test_a_longer_chat_than_the_context_is_refused(tmp_path: Path, model_file: Path) -> None:
    keep(tmp_path, model_file)
    assert restore(tmp_path, model_file, ctx_tokens=LEAST_TOKENS - 1) == 0


def test_every_damage_is_ignored_and_removed(tmp_path: Path, model_file: Path) -> None:
    path = keep(tmp_path, model_file)
    whole = path.read_bytes()
    damages = [b"", whole[:10], whole[:200], whole[:-1], whole + b"x", b"x" + whole[1:], b"\xff" * len(whole)]
    places = (20, 40, 120, 700, 5000, len(whole) - 1)
    damages += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in places]
    for number, damage in enumerate(damages):
        path.write_bytes(damage)
        assert restore(tmp_path, model_file) == 0, number
        assert not path.exists(), number
    path.write_bytes(whole)
    assert restore(tmp_path, model_file) == LEAST_TOKENS


def test_a_model_that_refuses_it_has_none(tmp_path: Path, model_file: Path) -> None:
    keep(tmp_path, model_file)
    assert restore(tmp_path, model_file, takes=False) == 0


def test_the_least_recently_used_go_first(tmp_path: Path, model_file: Path) -> None:
    kept = {}
    for number, name in enumerate("abc"):
        kept[name] = keep(tmp_path, model_file, name)
        os.utime(kept[name], (1000 + number, 1000 + number))
    assert restore(tmp_path, model_file, "a") > 0
    size = kept["a"].stat().st_size
    assert states(tmp_path).save("d", [(Cache(model_file), SETTINGS)], 3 * size) == size
    assert {name for name, path in kept.items() if path.exists()} == {"a", "c"}
    assert states(tmp_path).save("e", [(Cache(model_file), SETTINGS)], 0) == 0
    assert files(tmp_path) == []


def test_what_a_killed_worker_left_goes(tmp_path: Path, model_file: Path) -> None:
    keep(tmp_path, model_file)
    old, new = tmp_path / "states" / ".state-old", tmp_path / "states" / ".state-new"
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (1000, 1000))
    keep(tmp_path, model_file, "another")
    assert not old.exists()
    assert new.exists()


def test_a_chat_is_forgotten_whole(tmp_path: Path, model_file: Path) -> None:
    kept = keep(tmp_path, model_file, "secret")
    other = keep(tmp_path, model_file, "other")
    remove_states("secret", tmp_path / "states")
    assert not kept.exists()
    assert other.exists()
    remove_states("secret", tmp_path / "nowhere")


def test_a_disk_that_takes_nothing_is_no_failure(tmp_path: Path, model_file: Path) -> None:
    (tmp_path / "states").write_text("a file")
    assert states(tmp_path).save("a", [(Cache(model_file), SETTINGS)], PLENTY) == 0
    assert restore(tmp_path, model_file) == 0


class Worker:
    """A session with real models, and what it sent."""

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []
        self.session = EngineSession(LlamaLibrary(lambda _: None), self.events.append)  # type: ignore[arg-type]

    def run(self, command: protocol.AnyCommand) -> AnyEvent:
        self.session.announce(command)
        self.session.carry_out(command)
        return self.events[-1]

    def ask(self, messages: list[Message], method: str = "off") -> protocol.Done:
        ending = self.run(protocol.Generate(
            request_id=9, messages=messages, sampling=Sampling(temperature=0), method=method, max_tokens=8,
        ))
        assert isinstance(ending, protocol.Done), ending
        return ending


@pytest.mark.model
def test_a_real_model_goes_on_where_it_was(tmp_path: Path, smollm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.worker.session.cache_dir", lambda: tmp_path)
    talk = [Message(role="user", content="Tell me of the sea and the wind. " * 40)]
    load = protocol.Load(request_id=1, path=str(smollm), settings=LoadSettings(ctx_tokens=1024))
    first = Worker()
    first.run(load)
    answer = first.ask(talk)
    saved = first.run(protocol.SaveState(request_id=2, name="chat", limit_bytes=PLENTY))
    assert isinstance(saved, protocol.StateSaved)
    assert saved.saved_bytes > 1_000_000
    first.session.close()
    second = Worker()
    second.run(load)
    assert second.run(protocol.RestoreState(request_id=3, name="other")) == protocol.StateRestored(
        request_id=3, tokens=0, draft_tokens=0)
    back = second.run(protocol.RestoreState(request_id=4, name="chat"))
    assert isinstance(back, protocol.StateRestored)
    assert back.tokens == answer.prompt_tokens + len(answer.token_ids) - 1
    again = second.ask(talk)
    assert again.cached_tokens == answer.prompt_tokens - 1
    assert again.token_ids == answer.token_ids
    second.session.close()


@pytest.mark.model
@pytest.mark.long
def test_a_long_chat_answers_in_a_fifth_of_its_prefill(
    tmp_path: Path, target_q4: Path, draft_q4_0: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The bar of the issue: 3,000 tokens with the 1.5B model, drafting, in a worker that starts anew."""
    monkeypatch.setattr("app.worker.session.cache_dir", lambda: tmp_path)
    talk = [Message(role="user", content="Explain what this function does.\n" + "def add(a, b): return a + b\n" * 290)]
    settings = LoadSettings(ctx_tokens=4096)
    load = protocol.Load(request_id=1, path=str(target_q4), settings=settings)
    load_draft = protocol.LoadDraft(request_id=2, path=str(draft_q4_0), settings=settings)
    first = Worker()
    first.run(load)
    first.run(load_draft)
    cold = first.ask(talk, "draft:max=3")
    assert cold.prompt_tokens >= 3000
    began = time.perf_counter()
    saved = first.run(protocol.SaveState(request_id=3, name="chat", limit_bytes=PLENTY))
    save_s = time.perf_counter() - began
    assert isinstance(saved, protocol.StateSaved)
    first.session.close()
    second = Worker()
    second.run(load)
    second.run(load_draft)
    talk += [Message(role="assistant", content=cold.text), Message(role="user", content="Go on.")]
    began = time.perf_counter()
    second.run(protocol.RestoreState(request_id=4, name="chat"))
    restore_s = time.perf_counter() - began
    warm = second.ask(talk, "draft:max=3")
    second.session.close()
    again_s = restore_s + warm.timings.time_to_first_token_s
    with capsys.disabled():
        sys.stdout.write(
            f"\n{cold.prompt_tokens} tokens: prefill {cold.timings.prefill_s:.1f} s, first token "
            f"{cold.timings.time_to_first_token_s:.1f} s; kept {saved.saved_bytes / 1e6:.0f} MB in {save_s:.2f} s; "
            f"restored in {restore_s:.2f} s, first token of the next answer after {again_s:.2f} s "
            f"({again_s / cold.timings.prefill_s:.3f} of the prefill)\n"
        )
    assert warm.cached_tokens >= 3000
    assert again_s < cold.timings.prefill_s / 5
