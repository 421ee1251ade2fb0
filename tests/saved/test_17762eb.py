"""What the program of commit 17762eb saved is opened by this one, and nothing of it is lost.

The files are frozen; ``make_17762eb.py`` says how they came about. A value that was written then must be there after
reading and writing with today's code, wherever a field is still kept under its name.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.chat.conversation import Conversation
from app.chat.export import to_json
from app.chat.importing import read_file
from app.chat.store import Store
from app.compare.history import ComparisonHistory
from app.compare.report import Report, as_json, as_markdown, as_table
from app.compare.report_diff import set_beside
from app.engine.backend import AbortFlag
from app.engine.backends.llama import LlamaLibrary
from app.models import header_cache
from app.models.download import Downloads
from app.models.header_cache import HeaderCache
from app.models.hub import Hub
from app.records import LoadSettings, ModelFacts
from app.settings.settings import Settings, SettingsFile
from app.settings.transfer import import_settings
from app.worker import engine_choice
from app.worker.engine_choice import EngineChooser, LoadFeedback, LoadRequest
from app.worker.states import ChatStates
from app.worker.tuning import read_tuning, tuning_file, write_tuning
from tests.machine.neighbours import Neighbours

SAVED = Path(__file__).with_name("17762eb")
MADE: dict[str, Any] = json.loads((SAVED / "made.json").read_text(encoding="utf-8"))
LOAD = msgspec.convert(MADE["load"], LoadSettings)
CHAT, CUT_OFF = "c" * 32, "d" * 32
MOST_BYTES = 300_000


def lost(old: object, new: object, place: str = "") -> list[str]:
    """Where values of ``old`` (JSON) are not in ``new``, which may hold more."""
    if isinstance(old, dict) and isinstance(new, dict):
        missing = [f"{place}.{key}" for key in old if key not in new]
        return missing + [each for key in old if key in new for each in lost(old[key], new[key], f"{place}.{key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [each for index, (a, b) in pairs for each in lost(a, b, f"{place}[{index}]")]
    return [] if old == new and type(old) is type(new) else [f"{place}: {old!r} became {new!r}"]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A copy of the folder, as the program would find it."""
    return Path(shutil.copytree(SAVED, tmp_path / "saved"))


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model that was loaded then, and this machine made to look like that one."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(zlib.decompress((SAVED / "tiny.gguf.z").read_bytes()))
    os.utime(path, ns=(MADE["mtime_ns"], MADE["mtime_ns"]))
    monkeypatch.setattr(platform, "processor", lambda: MADE["processor"])
    monkeypatch.setattr(platform, "machine", lambda: MADE["machine"])
    monkeypatch.setattr(os, "cpu_count", lambda: MADE["cpu_count"])
    return path


def facts_of(model: Path) -> ModelFacts:
    return msgspec.convert({**MADE["facts"], "path": str(model)}, ModelFacts)


def test_the_files_stay_small() -> None:
    assert sum(path.stat().st_size for path in SAVED.rglob("*") if path.is_file()) < MOST_BYTES


@pytest.mark.parametrize(("old", "new", "found"), [
    ({"a": [1, {"b": None}]}, {"a": [1, {"b": None, "c": 2}], "d": 3}, []),
    ({"a": 1, "b": 2}, {"a": 1}, [".b"]),
    ({"a": {"b": 1.5}}, {"a": {"b": 2.5}}, [".a.b: 1.5 became 2.5"]),
    ([1, 2], [1], [": [1, 2] became [1]"]),
    (True, 1, [": True became 1"]),
])
def test_what_counts_as_lost(old: object, new: object, found: list[str]) -> None:
    assert lost(old, new) == found


def test_settings(saved: Path) -> None:
    path = saved / "settings.json"
    before = json.loads(path.read_bytes())
    settings, trouble = SettingsFile(path).load()
    assert trouble == ""
    SettingsFile(path).save(settings)
    assert lost(before, json.loads(path.read_bytes())) == []
    target = settings.for_target(settings.target_path)
    assert target.speculation.method() == "draft:max=6,min=1,p_min=0.5,first=suffix"
    assert settings.load_for(settings.target_path).ctx_tokens == 2048
    assert settings.answering.sampling.seed == 7


def test_settings_to_take_along(saved: Path) -> None:
    path = saved / "settings-export.json"
    taken = import_settings(path, Settings())
    before = json.loads(path.read_bytes())["settings"]
    here = {"window", "model_folders", "target_path", "hub"}
    assert lost({key: value for key, value in before.items() if key not in here}, msgspec.to_builtins(taken)) == []


def load_chat(store: Store, chat_id: str) -> Conversation:
    chat = store.load(chat_id)
    assert chat is not None
    return chat


def test_conversations(saved: Path) -> None:
    store = Store(saved / "conversations.db")
    chat = load_chat(store, CHAT)
    raw, = json.loads((saved / "chats.json").read_bytes())["conversations"]
    assert lost(raw["nodes"], msgspec.to_builtins(chat.nodes)) == []
    assert (chat.title, chat.leaf_id, chat.unsent) == ("Phở", "a3", "half a thought")
    assert [node.id for node in chat.path()] == ["q1", "a1", "q2", "a3"]
    assert chat.siblings("a1") == ["a1", "a2"]
    assert chat.siblings("q1") == ["q1", "q1b"]
    assert [file.name for file in chat.unsent_files] == ["main.py"]
    assert chat.choice.temperature == 0.75
    assert chat.choice.speculation is not None
    assert chat.choice.speculation.method() == "draft:max=4,min=0,p_min=0"
    answer = chat.node("a1").facts
    assert answer is not None
    assert (answer.tokens_per_second, answer.drafted) == (21.75, [4, 9, 20, 31])
    first = store.summaries()[0]
    assert (first.id, first.pinned, first.folder) == (CHAT, True, "Kitchen")
    assert [[found.id for found in store.search(words)] for words in ("pho", "意思", "bread")] == 3 * [[CHAT]]
    assert store.check() == "ok"
    store.close()


def test_an_answer_that_was_cut_off_is_kept_as_far_as_it_came(saved: Path) -> None:
    store = Store(saved / "conversations.db")
    answer = load_chat(store, CUT_OFF).node("b2")
    assert answer.content == "One, two, three"
    assert answer.facts is not None
    assert (answer.facts.target, answer.facts.reason) == ("SmolLM2", "")
    store.close()


def test_chats_that_were_exported(saved: Path) -> None:
    path = saved / "chats.json"
    chats = read_file(path)
    before, after = json.loads(path.read_bytes()), json.loads(to_json(chats))
    # Whoever imports gets a chat of its own beside the one that is there.
    keep = {"title", "nodes"}
    for old, new in zip(before["conversations"], after["conversations"], strict=True):
        assert [node["content"] for node in old["nodes"]] == [node["content"] for node in new["nodes"]]
        plain = [[{k: v for k, v in node.items() if k not in ("id", "parent_id")} for node in each["nodes"]]
                 for each in (old, new)]
        assert lost(*plain) == []
        assert {key: old[key] for key in keep - {"nodes"}} == {key: new[key] for key in keep - {"nodes"}}


def test_a_comparison_that_the_window_kept(saved: Path) -> None:
    history = ComparisonHistory(saved / "comparisons")
    summary, = history.list()
    before = json.loads((saved / "comparisons" / f"{summary.id}.json").read_bytes())
    report = history.load(summary.id)
    assert lost(before["summary"], msgspec.to_builtins(summary)) == []
    history.update(summary.id, report)
    after = json.loads((saved / "comparisons" / f"{summary.id}.json").read_bytes())
    assert lost(before, after) == []
    table = as_table(report)
    assert "It was busy." in table
    assert "' a' 10.000 against ' b' 9.875" in table
    assert "| all | auto |" in as_markdown(report)


def test_a_comparison_of_the_command_line(saved: Path) -> None:
    data = (saved / "bench.json").read_bytes()
    report = msgspec.json.decode(data, type=Report)
    assert lost(json.loads(data), json.loads(as_json(report))) == []
    beside = set_beside(report, report)
    assert (beside.prompts, beside.differences) == (2, [])
    assert [row.change for row in beside.rows] == pytest.approx([1.0, 1.0, 1.0])


class Cache:
    """A model that is nothing but a cache."""

    def __init__(self, facts: ModelFacts) -> None:
        self.facts = facts
        self.tokens: Sequence[int] = []
        self.data = b""

    def copy_state(self) -> memoryview:
        return memoryview(self.data)

    def put_state(self, data: bytearray, tokens: Sequence[int]) -> bool:
        self.data, self.tokens = bytes(data), list(tokens)
        return True


def test_the_kept_state_of_a_chat(saved: Path, model: Path) -> None:
    """Under the name that today's code asks for: with the same library it is brought back, and whole."""
    file, = (saved / "states").iterdir()
    raw = file.read_bytes()
    cache = Cache(facts_of(model))
    found, = ChatStates(saved / "states", MADE["engine"]).restore(CHAT, [(cache, LOAD)])
    assert found == len(cache.tokens) >= MADE["prompt_tokens"]
    assert raw.endswith(cache.data)
    assert 0 < len(cache.data) < MADE["state_bytes"] == len(raw)


def test_what_auto_learned(saved: Path, model: Path) -> None:
    path = tuning_file(saved / "tuning", LlamaLibrary.name, facts_of(model), None, LOAD)
    before = json.loads(path.read_bytes())
    learned = read_tuning(path)
    assert learned.costs.verify_s
    write_tuning(path, learned)
    assert lost(before, json.loads(path.read_bytes())) == []


def test_which_engine_was_found_to_be_faster(saved: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The way of measuring has changed since, on purpose; with the same way the file is the one that is read.
    monkeypatch.setattr(engine_choice, "MEASUREMENT", 2)
    file, = (saved / "tuning").glob("engine-*.json")
    before = json.loads(file.read_bytes())
    busy = Neighbours()
    busy.work(1.9)
    versions = {"llama": MADE["engine"], "ik": MADE["ik"]}
    chooser = EngineChooser(saved / "tuning", ["must", "not", "be", "started"], versions, busy.rest)
    wish = LoadRequest(path=str(model), settings=msgspec.structs.replace(LOAD, engine="auto"))
    decision = chooser.decide(wish, AbortFlag(), LoadFeedback(lambda _: None, lambda _: None))
    assert lost(before, json.loads(msgspec.json.encode(decision))) == []


def test_headers_that_were_read_before(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files themselves are gone: all that is said of them was in the cache."""
    old = msgspec.msgpack.decode((saved / "headers.msgpack").read_bytes())
    files = {known["stamp"][0]: (Path(name), known) for name, known in old["files"].items()}
    stamps = {path: tuple(known["stamp"]) for path, known in files.values()}
    monkeypatch.setattr(header_cache, "_stamp", stamps.__getitem__)
    cache = HeaderCache(saved / "headers.msgpack")
    (broken, known), (tiny, told) = (files[size] for size in sorted(files))
    assert cache.read(broken) == (None, known["trouble"])
    facts, trouble = cache.read(tiny)
    assert trouble == ""
    assert lost(json.loads(msgspec.json.encode(told["facts"])), json.loads(msgspec.json.encode(facts))) == []
    verdict = cache.known_verdict(tiny, tiny)
    assert lost(old["judged"][0]["verdict"], msgspec.to_builtins(verdict)) == []


def test_a_download_that_was_stopped(saved: Path) -> None:
    note, = (saved / "models" / ".downloads").glob("*.json")
    before = json.loads(note.read_bytes())
    downloads = Downloads(saved / "models", Hub("http://127.0.0.1:9", offline=True))
    downloads.restore()
    state, = downloads.states()
    assert (state.repo, state.file, state.total_bytes) == (before["repo"], before["file"], before["bytes"])
    assert (state.id, state.status, state.done_bytes) == (note.stem, "paused", 1700)
    assert Path(state.path).is_relative_to(saved / "models")
    assert lost(before, json.loads(note.read_bytes())) == []
    downloads.close()
