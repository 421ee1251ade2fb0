from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from app.models.library import LibraryEntry, ModelLibrary
from app.models.sources import Source, find_files, known_sources
from tests.models import gguf_writer as writer


def write_hub_model(cache: Path, repository: str, revision: str, file: str, content: bytes) -> Path:
    """A file as huggingface-hub keeps it: a link in a snapshot to a blob named by its hash."""
    root = cache / f"models--{repository.replace('/', '--')}"
    blob = root / "blobs" / hashlib.sha256(content).hexdigest()
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)
    link = root / "snapshots" / revision / file
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(os.path.relpath(blob, link.parent))
    return link


def write_ollama_model(models: Path, name: str, tag: str, content: bytes, host: str = "registry.ollama.ai",
                       space: str = "library") -> Path:
    digest = hashlib.sha256(content).hexdigest()
    blob = models / "blobs" / f"sha256-{digest}"
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)
    manifest = models / "manifests" / host / space / name / tag
    manifest.parent.mkdir(parents=True, exist_ok=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:" + "0" * 64, "size": 3},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}", "size": len(content)},
    ]
    manifest.write_text(json.dumps({"schemaVersion": 2, "layers": layers}))
    return blob


def model_bytes(folder: Path, name: str) -> bytes:
    path = writer.write_model(folder / "scratch" / "m.gguf", name)
    content = path.read_bytes()
    path.unlink()
    return content


def scan(home: Path, environment: dict[str, str] | None = None) -> dict[str, LibraryEntry]:
    sources = [source for source in known_sources(home=home, environment=environment or {})
               if source.name != "Slipstream"]
    return {entry.name: entry for entry in ModelLibrary(sources).scan()}


def test_the_hub_cache_is_read_and_revisions_share_a_blob(tmp_path: Path) -> None:
    cache = tmp_path / ".cache/huggingface/hub"
    content = model_bytes(tmp_path, "Cached")
    link = write_hub_model(cache, "some/model", "aaa", "sub/m.gguf", content)
    write_hub_model(cache, "some/model", "bbb", "sub/m.gguf", content)
    (cache / "models--some--model/blobs/half.incomplete").write_bytes(b"GGUF")
    (cache / "datasets--x--y/snapshots/aaa").mkdir(parents=True)
    writer.write_model(cache / "datasets--x--y/snapshots/aaa/not-a-model.gguf")
    entries = scan(tmp_path)
    assert {name: entry.source for name, entry in entries.items()} == {"Cached": "Hugging Face"}
    assert entries["Cached"].path == link


@pytest.mark.parametrize(("variable", "value", "place"), [
    ("HF_HUB_CACHE", "elsewhere", "elsewhere"), ("HF_HOME", "home", "home/hub"),
    ("XDG_CACHE_HOME", "c", "c/huggingface/hub"),
])
def test_the_hub_cache_moves_with_its_variables(tmp_path: Path, variable: str, value: str, place: str) -> None:
    write_hub_model(tmp_path / place, "some/model", "aaa", "m.gguf", model_bytes(tmp_path, "Moved"))
    assert set(scan(tmp_path, {variable: str(tmp_path / value)})) == {"Moved"}


def test_a_split_model_in_the_hub_cache_is_joined(tmp_path: Path) -> None:
    cache = tmp_path / ".cache/huggingface/hub"
    for number in (1, 2):
        name = f"m-{number:05}-of-00002.gguf"
        path = writer.write_model(tmp_path / name, "Split", extra={"split.no": number - 1, "split.count": 2})
        write_hub_model(cache, "some/split", "aaa", name, path.read_bytes())
        path.unlink()
    entry = scan(tmp_path)["Split"]
    assert entry.offered
    assert entry.path.name == "m-00001-of-00002.gguf"


def test_lm_studio_old_and_new(tmp_path: Path) -> None:
    writer.write_model(tmp_path / ".lmstudio/models/publisher/repo/new.gguf", "New")
    writer.write_model(tmp_path / ".lmstudio/models/publisher/repo/mmproj-new.gguf", "Eyes",
                       extra={"general.architecture": "clip"})
    writer.write_model(tmp_path / ".cache/lm-studio/models/publisher/repo/old.gguf", "Old")
    entries = scan(tmp_path)
    assert set(entries) == {"New", "Eyes", "Old"}
    assert {entry.source for entry in entries.values()} == {"LM Studio"}
    assert entries["New"].offered
    assert not entries["Eyes"].offered


def test_lm_studio_elsewhere(tmp_path: Path) -> None:
    (tmp_path / ".lmstudio-home-pointer").write_text(f"{tmp_path}/moved\n")
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved/settings.json").write_text(json.dumps({"downloadsFolder": str(tmp_path / "downloads")}))
    writer.write_model(tmp_path / "downloads/p/r/m.gguf", "Downloaded")
    assert set(scan(tmp_path)) == {"Downloaded"}


def test_jan_notes_point_into_its_folder_and_elsewhere(tmp_path: Path) -> None:
    data = tmp_path / ".config/Jan/data"
    writer.write_model(data / "llamacpp/models/one/model.gguf", "Inside")
    writer.write_model(tmp_path / "my models/two.gguf", "Outside")
    notes = {
        "one": "model_path: llamacpp/models/one/model.gguf\nname: Jan One\nsize_bytes: 5\n",
        "publisher/two": f"name: \"Jan Two\"\nmodel_path: '{tmp_path}/my models/two.gguf'\n",
        "gone": "model_path: llamacpp/models/gone/model.gguf\nname: Gone\n",
        "odd": "\x00\x01: [",
    }
    for name, text in notes.items():
        (data / "llamacpp/models" / name).mkdir(parents=True, exist_ok=True)
        (data / "llamacpp/models" / name / "model.yml").write_text(text)
    entries = scan(tmp_path)
    assert {name: entry.source for name, entry in entries.items()} == {"Jan One": "Jan", "Jan Two": "Jan"}


def test_ollama_manifests_lead_to_blobs(tmp_path: Path) -> None:
    models = tmp_path / ".ollama/models"
    blob = write_ollama_model(models, "qwen2.5", "0.5b", model_bytes(tmp_path, "Qwen"))
    write_ollama_model(models, "mine", "latest", model_bytes(tmp_path, "Mine"), space="someone")
    write_ollama_model(models, "far", "q4", model_bytes(tmp_path, "Far"), host="hf.co", space="x")
    (models / "blobs" / ("sha256-" + "0" * 64)).write_bytes(b"template")
    (models / "manifests/registry.ollama.ai/library/broken").mkdir(parents=True)
    (models / "manifests/registry.ollama.ai/library/broken/latest").write_text('{"layers": [3, {"digest": "../../x"}]}')
    entries = scan(tmp_path)
    assert set(entries) == {"qwen2.5:0.5b", "someone/mine:latest", "hf.co/x/far:q4"}
    assert entries["qwen2.5:0.5b"].path == blob
    assert entries["qwen2.5:0.5b"].offered
    assert set(scan(tmp_path, {"OLLAMA_MODELS": str(tmp_path / "nowhere")})) == set()


def test_programs_that_are_not_there_are_no_sources(tmp_path: Path) -> None:
    assert [source.name for source in known_sources(home=tmp_path, environment={})] == ["Slipstream"]


def test_given_folders_are_sources(tmp_path: Path) -> None:
    sources = known_sources({"Archive": tmp_path / "a"}, home=tmp_path, environment={})
    assert sources[1] == Source("Archive", tmp_path / "a")
    assert list(find_files(sources[1])) == []


def test_a_file_that_two_programs_know_is_one_entry(tmp_path: Path) -> None:
    path = writer.write_model(tmp_path / ".lmstudio/models/p/r/m.gguf", "Shared")
    note = tmp_path / ".config/Jan/data/llamacpp/models/shared/model.yml"
    note.parent.mkdir(parents=True)
    note.write_text(f"model_path: {path}\nname: Shared\n")
    assert len(scan(tmp_path)) == 1
