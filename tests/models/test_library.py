from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from app.models.catalog import load_catalog
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.header_cache import HeaderCache
from app.models.library import (
    LibraryEntry,
    ModelLibrary,
    Source,
    draft_candidates,
    recognise_models,
    recommend_pair,
    suggest_for,
)
from tests.models import gguf_writer as writer


def scan(folder: Path, cache: HeaderCache | None = None) -> dict[str, LibraryEntry]:
    return {entry.path.name: entry for entry in ModelLibrary([Source("Test", folder)], cache).scan()}


def write_parts(folder: Path, stem: str, count: int, numbers: list[int]) -> None:
    for number in numbers:
        writer.write_model(folder / f"{stem}-{number:05}-of-{count:05}.gguf", "Split Model", extra={
            "split.no": number - 1, "split.count": count, "split.tensors.count": 10,
        })


def test_finds_models_in_folders_below_and_reads_the_disk_afresh(tmp_path: Path) -> None:
    writer.write_model(tmp_path / "one.gguf", "One")
    writer.write_model(tmp_path / "publisher/repo/Hai có dấu 模型.GGUF", "Two")
    (tmp_path / "notes.txt").write_text("no model")
    (tmp_path / "half.gguf.part").write_bytes(b"GGUF")
    library = ModelLibrary([Source("Test", tmp_path)])
    assert [(e.name, e.offered, e.source) for e in library.scan()] == [("One", True, "Test"), ("Two", True, "Test")]
    (tmp_path / "one.gguf").unlink()
    writer.write_model(tmp_path / "three.gguf", "Three")
    assert [entry.name for entry in library.scan()] == ["Three", "Two"]
    assert ModelLibrary([Source("Gone", tmp_path / "nowhere")]).scan() == []


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = writer.write_model(tmp_path / "m.gguf", "Before")
    cache = HeaderCache(tmp_path / "cache/headers")
    assert scan(tmp_path, cache)["m.gguf"].name == "Before"
    writer.write_model(path, "Behind")
    assert scan(tmp_path, cache)["m.gguf"].name == "Behind"
    path.write_bytes(b"GGUF")
    assert not scan(tmp_path, cache)["m.gguf"].offered


def test_headers_are_kept_over_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for index in range(5):
        writer.write_model(tmp_path / f"m{index}.gguf", f"Model {index}")
    (tmp_path / "bad.gguf").write_bytes(b"nothing")
    place = tmp_path / "cache/headers"
    before = scan(tmp_path, HeaderCache(place))
    assert len(before) == 6
    monkeypatch.setattr("app.models.header_cache.read_header", lambda *a, **k: pytest.fail("a header was read again"))
    assert scan(tmp_path, HeaderCache(place)) == before


@pytest.mark.parametrize("content", [b"", b"\xc1 rubbish", msgspec.msgpack.encode({"version": 99, "files": {}}),
                                     msgspec.msgpack.encode({"version": 3, "files": {"x": {"stamp": "no"}}})])
def test_a_damaged_cache_is_forgotten(tmp_path: Path, content: bytes) -> None:
    writer.write_model(tmp_path / "m.gguf")
    place = tmp_path / "headers"
    place.write_bytes(content)
    assert scan(tmp_path, HeaderCache(place))["m.gguf"].offered


def test_a_split_model_is_one_entry_opened_at_its_first_part(tmp_path: Path) -> None:
    """C26."""
    write_parts(tmp_path, "big", 3, [1, 2, 3])
    entries = scan(tmp_path)
    assert list(entries) == ["big-00001-of-00003.gguf"]
    entry = entries["big-00001-of-00003.gguf"]
    assert entry.offered
    assert len(entry.part_paths) == 3
    assert entry.facts is not None
    single = read_facts(read_header(entry.path))
    assert entry.facts.weights_bytes == 3 * single.weights_bytes
    assert entry.file_bytes == 3 * entry.path.stat().st_size


@pytest.mark.parametrize(("present", "words"), [
    ([1, 3], "One of its 3 parts is missing: “big-00002-of-00003.gguf”."),
    ([2, 3], "One of its 3 parts is missing: “big-00001-of-00003.gguf”."),
    ([2], "2 of its 3 parts are missing: “big-00001-of-00003.gguf”, “big-00003-of-00003.gguf”."),
])
def test_a_missing_part_is_named(tmp_path: Path, present: list[int], words: str) -> None:
    """C26."""
    write_parts(tmp_path, "big", 3, present)
    (entry,) = scan(tmp_path).values()
    assert entry.trouble == words
    assert not entry.offered
    assert entry.path.name == "big-00001-of-00003.gguf"


def test_parts_that_do_not_belong_together_are_told(tmp_path: Path) -> None:
    write_parts(tmp_path, "big", 2, [1, 2])
    (tmp_path / "big-00002-of-00002.gguf").write_bytes((tmp_path / "big-00001-of-00002.gguf").read_bytes())
    (entry,) = scan(tmp_path).values()
    assert "do not belong together" in entry.trouble


def test_a_part_under_another_name_is_told(tmp_path: Path) -> None:
    write_parts(tmp_path, "big", 2, [1])
    (tmp_path / "big-00001-of-00002.gguf").rename(tmp_path / "renamed.gguf")
    (entry,) = scan(tmp_path).values()
    assert "part 1 of 2" in entry.trouble


@pytest.mark.parametrize(
    ("metadata", "kind"),
    [
        ({"general.architecture": "clip", "clip.has_vision_encoder": True}, "projector"),
        ({"general.type": "mmproj"}, "projector"),
        ({"general.type": "adapter", "adapter.type": "lora"}, "adapter"),
        ({"llama.pooling_type": 1}, "embedding"),
        ({"general.architecture": "eagle3"}, "draft-head"),
        ({"general.architecture": "dflash"}, "draft-head"),
        ({"general.architecture": "gemma4-assistant"}, "draft-head"),
    ],
)
def test_files_beside_models_are_recognised_and_not_offered(
    tmp_path: Path, metadata: dict[str, writer.Plain], kind: str
) -> None:
    """C17."""
    writer.write_model(tmp_path / "model.gguf", "Model")
    writer.write_model(tmp_path / "other.gguf", "Other", extra=metadata)
    entries = scan(tmp_path)
    assert entries["model.gguf"].offered
    other = entries["other.gguf"]
    assert other.facts is not None
    assert other.facts.kind == kind
    assert not other.offered
    assert other.note
    (tmp_path / "other.gguf").unlink()
    assert list(scan(tmp_path)) == ["model.gguf"]


def test_a_sidecar_with_later_layers_only_is_a_draft_head(tmp_path: Path) -> None:
    path = tmp_path / "mtp.gguf"
    path.write_bytes(writer.build({**writer.model_metadata(), **writer.tokenizer(writer.words(8))},
                                  [("blk.32.nextn.eh_proj.weight", (256, 512), "Q8_0")]))
    (entry,) = scan(tmp_path).values()
    assert entry.facts is not None
    assert entry.facts.draft_method == "draft-mtp"
    assert not entry.offered


def test_a_vocabulary_without_weights_is_not_offered(tmp_path: Path) -> None:
    metadata = {**writer.model_metadata(), **writer.tokenizer(writer.words(8))}
    (tmp_path / "vocab.gguf").write_bytes(writer.build(metadata))
    (entry,) = scan(tmp_path).values()
    assert "no weights" in entry.note


def test_an_unreadable_file_is_listed_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "cut.gguf").write_bytes(writer.write_model(tmp_path / "whole.gguf").read_bytes()[:-5000])
    entries = scan(tmp_path)
    assert not entries["cut.gguf"].offered
    assert "cut short" in entries["cut.gguf"].trouble
    assert entries["whole.gguf"].offered


def test_links_neither_double_a_model_nor_lead_in_circles(tmp_path: Path) -> None:
    path = writer.write_model(tmp_path / "store/blob.gguf")
    (tmp_path / "link.gguf").symlink_to(path)
    (tmp_path / "store/loop").symlink_to(tmp_path)
    (tmp_path / "dangling.gguf").symlink_to(tmp_path / "nowhere")
    assert len(scan(tmp_path)) == 1


def test_a_folder_that_cannot_be_opened_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer.write_model(tmp_path / "open.gguf")
    writer.write_model(tmp_path / "closed/hidden.gguf")
    scandir = os.scandir

    def refuse(place: Path) -> object:
        if Path(place).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refuse)
    assert list(scan(tmp_path)) == ["open.gguf"]


@pytest.mark.skipif("not __import__('sys').platform.startswith('linux')", reason="names are bytes on Linux alone")
def test_a_name_that_is_no_text_is_listed_and_said(tmp_path: Path) -> None:
    content = writer.write_model(tmp_path / "m.gguf").read_bytes()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff.gguf")).write_bytes(content)
    cache = HeaderCache(tmp_path / "cache/headers")
    entries = ModelLibrary([Source("Test", tmp_path)], cache).scan()
    assert sorted(entry.offered for entry in entries) == [False, True]
    assert any("rename it" in entry.trouble for entry in entries)
    assert (tmp_path / "cache/headers").is_file()


def test_candidates_carry_their_vocabulary_or_their_trouble(tmp_path: Path) -> None:
    writer.write_model(tmp_path / "a.gguf", "A")
    writer.write_model(tmp_path / "b.gguf", "B", extra={"tokenizer.ggml.model": "strange"})
    writer.write_model(tmp_path / "c.gguf", "C", extra={"general.architecture": "clip"})
    cache = HeaderCache(None)
    entries = ModelLibrary([Source("Test", tmp_path)], cache).scan()
    candidates = {c.facts.name: c for c in draft_candidates(entries, cache, {str(tmp_path / "a.gguf"): 7})}
    assert candidates["A"].vocabulary is not None
    assert candidates["A"].needed_bytes == 7
    assert "strange" in candidates["B"].trouble
    assert candidates["C"].vocabulary is None


def test_thirty_small_models_are_all_listed_with_their_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C07."""
    target = writer.write_model(tmp_path / "target.gguf", "Target", layers=30)
    for index in range(28):
        writer.write_model(tmp_path / f"other{index}.gguf", f"Other {index}", tokens=writer.words(300))
    writer.write_model(tmp_path / "fits.gguf", "Fits")
    writer.write_model(tmp_path / "near.gguf", "Near", tokens=writer.words(64, salt="x"))
    place = tmp_path / "cache/headers"
    cache = HeaderCache(place)
    entries = ModelLibrary([Source("Test", tmp_path)], cache).scan()
    (chosen,) = [entry for entry in entries if entry.path == target]
    suggestions = suggest_for(chosen, entries, cache)
    assert len(suggestions) == 30
    assert suggestions[0].facts.name == "Fits"
    assert suggestions[0].recommended
    assert [s.facts.name for s in suggestions if s.verdict.compatible] == ["Fits"]
    assert all(suggestion.verdict.reason for suggestion in suggestions)
    assert any("Token 5" in suggestion.verdict.reason for suggestion in suggestions)
    monkeypatch.setattr("app.models.header_cache.read_header", lambda *a, **k: pytest.fail("a header was read again"))
    again = HeaderCache(place)
    assert suggest_for(chosen, ModelLibrary([Source("Test", tmp_path)], again).scan(), again) == suggestions


@pytest.mark.model
def test_the_recommended_pair_is_never_the_test_rig(models_dir: Path) -> None:
    entries = ModelLibrary([Source("Slipstream", models_dir)]).scan()
    catalog = load_catalog()
    assert any("bf16" in entry.path.name for entry in entries)
    known = recognise_models(entries, catalog)
    assert known
    assert not any("bf16" in path.name for path in known)
    pair = recommend_pair(entries, catalog)
    assert pair is not None
    assert pair[0].path.name == "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    assert pair[1].path.name == "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
