"""What was learned, on disk."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.engine.auto.acceptance import Counts
from app.engine.auto.cost import CostSnapshot
from app.engine.auto.learned import Learned
from app.records import LoadSettings, ModelFacts
from app.worker.tuning import read_tuning, tuning_file, write_tuning

FACTS = ModelFacts(
    path="a.gguf", name="A", architecture="x", description="x 1B Q4", parameters=10, size_bytes=20, ctx_tokens=1,
    ctx_train_tokens=1, vocab_size=5, has_chat_template=False,
)
LEARNED = Learned(
    costs=CostSnapshot(verify_s={1: 0.1, 4: 0.2}, draft_s=0.01), draft=[Counts(stood=1.5, judged=2.5)],
    draft_worth=0.25,
)


def test_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "x.json"
    write_tuning(path, LEARNED)
    assert read_tuning(path) == LEARNED
    assert [file.name for file in path.parent.iterdir()] == ["x.json"]


@pytest.mark.parametrize("raw", [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"costs": 3}', b'{"costs": {"verify_s": {"a": 1}}}', b"[" * 100_000,
    b'{"costs": {"verify_s": {"1": 0.0}, "draft_s": 0.01}}', b'{"costs": {"verify_s": {"1": -1.0}}}',
    b'{"costs": {"verify_s": {"0": 0.1}}}', b'{"costs": {"verify_s": {"1": 0.1}, "draft_s": -5}}',
    b'{"draft_worth": 1e400}', b'{"draft": [{"stood": 5, "judged": -4}]}', b'{"draft": [{"stood": 5, "judged": 1}]}',
])
def test_a_damaged_file_is_as_none(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(raw)
    assert read_tuning(path) == Learned()


def test_no_file_and_no_disk(tmp_path: Path) -> None:
    assert read_tuning(tmp_path / "none.json") == Learned()
    assert read_tuning(tmp_path) == Learned()
    (tmp_path / "file").write_text("")
    write_tuning(tmp_path / "file" / "x.json", LEARNED)


def test_one_file_for_each_pair_and_setting(tmp_path: Path) -> None:
    other = msgspec.structs.replace(FACTS, size_bytes=21)
    settings = LoadSettings()
    names = {
        tuning_file(tmp_path, "llama", FACTS, None, settings),
        tuning_file(tmp_path, "llama", FACTS, other, settings),
        tuning_file(tmp_path, "llama", other, None, settings),
        tuning_file(tmp_path, "llama", other, FACTS, settings),
        tuning_file(tmp_path, "ik", FACTS, None, settings),
        tuning_file(tmp_path, "llama", FACTS, None, LoadSettings(threads=3)),
        tuning_file(tmp_path, "llama", FACTS, None, LoadSettings(cache_type_k="q8_0")),
        tuning_file(tmp_path, "llama", FACTS, other, settings, LoadSettings(threads=3)),
        tuning_file(tmp_path, "llama", FACTS, other, settings, LoadSettings(cache_type_k="q8_0")),
    }
    assert len(names) == 9
    moved = msgspec.structs.replace(FACTS, path="elsewhere.gguf", name="B")
    assert tuning_file(tmp_path, "llama", moved, None, settings) in names
    assert tuning_file(tmp_path, "llama", FACTS, None, settings, LoadSettings(threads=3)) in names, "there is no draft"


@pytest.mark.parametrize("place", [0, 300_000, 999_999])
def test_fine_tunes_of_one_size_are_told_apart_and_a_moved_file_is_known(tmp_path: Path, place: int) -> None:
    content = bytearray(1_000_000)
    paths = [tmp_path / "a.gguf", tmp_path / "moved.gguf", tmp_path / "tuned.gguf"]
    for path in paths:
        if path.name == "tuned.gguf":
            content[max(0, place - 200_000) : place + 1] = b"\x01" * len(content[max(0, place - 200_000) : place + 1])
        path.write_bytes(content)
    first, moved, tuned = (
        tuning_file(tmp_path, "llama", msgspec.structs.replace(FACTS, path=str(path)), None, LoadSettings())
        for path in paths
    )
    assert first == moved != tuned
