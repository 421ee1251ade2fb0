"""Where models lie on a machine: in our folder, in those that a person added, and in other programs' (read only)."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app import paths

Layout = Literal["folder", "hub", "jan", "ollama"]

MAX_DEPTH = 8
MAX_FOLDERS = 20_000
MAX_FILES = 20_000
MAX_WATCHED = 256
_MAX_NOTE_BYTES = 1024 * 1024
_DIGEST = re.compile(r"^sha256[:-]([0-9a-f]{64})$")
_YAML_LINE = re.compile(r"^(model_path|name)\s*:\s*(.+?)\s*$")
_OLLAMA_MODEL = "application/vnd.ollama.image.model"


@dataclass(frozen=True)
class Source:
    """A place with models and how its owner is called (``Slipstream``, ``LM Studio``, …).

    ``layout`` says how it is ordered: plain folders; the hub's cache; Jan's notes (``model.yml``) that point to files
    anywhere; Ollama's manifests that point to blobs.
    """

    name: str
    folder: Path
    layout: Layout = "folder"


@dataclass(frozen=True)
class FoundFile:
    """A file and the name that its owner gives the model, "" if none."""

    path: Path
    label: str = ""


def known_sources(extra_folders: Mapping[str, Path] | None = None, home: Path | None = None,
                  environment: Mapping[str, str] | None = None) -> list[Source]:
    """Our own folder, those given (name to folder), and those of other programs that are there.

    Args:
        home, environment: whose programs to look for; None takes this user's.
    """
    given = [Source(name, folder) for name, folder in (extra_folders or {}).items()]
    root = home or Path.home()
    others = _other_sources(root, os.environ if environment is None else environment)
    others.insert(0, Source("Slipstream", paths.bundled_models_dir()))
    return [Source("Slipstream", paths.models_dir()), *given, *(s for s in others if s.folder.is_dir())]


def find_files(source: Source) -> Iterator[FoundFile]:
    """Every model file of a source; nothing when it is gone or closed to us."""
    if source.layout == "ollama":
        yield from _find_ollama(source.folder)
    elif source.layout == "jan":
        yield from _find_jan(source.folder)
    elif source.layout == "hub":
        for repository in _list_folders(source.folder):
            if repository.name.startswith("models--"):
                yield from _walk(repository / "snapshots")
    else:
        yield from _walk(source.folder)


def list_folders(source: Source) -> list[Path]:
    """The folders in which a change means that the source should be read again, at most ``MAX_WATCHED``."""
    found: list[Path] = []
    stack = [(source.folder, 0)]
    seen: set[tuple[int, int]] = set()
    while stack and len(found) < MAX_WATCHED:
        place, depth = stack.pop()
        try:
            status = place.stat()
            if (status.st_dev, status.st_ino) in seen or not place.is_dir():
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(place) as items:
                below = [Path(item.path) for item in items if item.is_dir()]
        except OSError:
            continue
        found.append(place)
        if depth < MAX_DEPTH:
            stack += [(folder, depth + 1) for folder in sorted(below, reverse=True)]
    return found


def hub_cache_dir(home: Path, environment: Mapping[str, str]) -> Path:
    """Cache folder of huggingface-hub, by its own variables."""
    if environment.get("HF_HUB_CACHE"):
        return Path(environment["HF_HUB_CACHE"]).expanduser()
    if environment.get("HF_HOME"):
        return Path(environment["HF_HOME"]).expanduser() / "hub"
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else home / ".cache") / "huggingface" / "hub"


def _other_sources(home: Path, environment: Mapping[str, str]) -> list[Source]:
    found = [Source("Hugging Face", hub_cache_dir(home, environment), "hub")]
    found += [Source("LM Studio", folder) for folder in _lm_studio_folders(home)]
    found += [Source("Jan", folder, "jan") for folder in _jan_folders(home, environment)]
    ollama = [Path(environment["OLLAMA_MODELS"])] if environment.get("OLLAMA_MODELS") else [home / ".ollama" / "models"]
    if sys.platform.startswith("linux") and home == Path.home():
        ollama.append(Path("/usr/share/ollama/.ollama/models"))
    return found + [Source("Ollama", folder, "ollama") for folder in ollama]


def _lm_studio_folders(home: Path) -> list[Path]:
    """``~/.lmstudio/models`` or wherever its pointer and settings say, and the older ``~/.cache/lm-studio/models``."""
    pointed = _read_note(home / ".lmstudio-home-pointer").strip()
    roots = [Path(pointed)] if pointed else [home / ".lmstudio"]
    folders: list[Path] = []
    for root in roots:
        chosen = _read_json(root / "settings.json").get("downloadsFolder")
        folders.append(Path(chosen) if isinstance(chosen, str) and chosen else root / "models")
    return [*folders, home / ".cache" / "lm-studio" / "models"]


def _jan_folders(home: Path, environment: Mapping[str, str]) -> list[Path]:
    """Jan's data folders: the usual places by system, or the one that its settings name."""
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    share = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    roots = [config / "Jan", share / "Jan", home / "Library" / "Application Support" / "Jan"]
    if environment.get("APPDATA"):
        roots.append(Path(environment["APPDATA"]) / "Jan")
    folders: list[Path] = []
    for root in roots:
        chosen = _read_json(root / "settings.json").get("data_folder")
        folders.append(Path(chosen) if isinstance(chosen, str) and chosen else root / "data")
    return [*dict.fromkeys(folders), home / "jan"]


def _find_jan(data: Path) -> Iterator[FoundFile]:
    """Files that ``llamacpp/models/**/model.yml`` names, then those that lie there without a note."""
    seen: set[Path] = set()
    for base in (data / "llamacpp" / "models", data / "models"):
        for note in _walk_notes(base):
            values = _read_yaml_lines(note)
            given = values.get("model_path", "")
            if not given:
                continue
            place = Path(given)
            path = place if place.is_absolute() else data / place
            if path.is_file() and path not in seen:
                seen.add(path)
                yield FoundFile(path, values.get("name", ""))
        for file in _walk(base):
            if file.path not in seen:
                seen.add(file.path)
                yield file


def _find_ollama(models: Path) -> Iterator[FoundFile]:
    """Blobs that manifests (``manifests/<host>/<space>/<model>/<tag>``) name as models."""
    root = models / "manifests"
    for manifest in _walk_all(root):
        for layer in _list_layers(_read_json(manifest)):
            digest = _DIGEST.match(str(layer.get("digest", "")))
            if layer.get("mediaType") != _OLLAMA_MODEL or digest is None:
                continue
            blob = models / "blobs" / f"sha256-{digest[1]}"
            if blob.is_file():
                yield FoundFile(blob, _ollama_name(manifest.relative_to(root)))


def _ollama_name(manifest: Path) -> str:
    """``registry.ollama.ai/library/qwen2.5/0.5b`` → ``qwen2.5:0.5b``, as Ollama prints it."""
    *host, space, model, tag = manifest.parts if len(manifest.parts) >= 3 else ("", *manifest.parts)
    prefix = "" if space == "library" else f"{space}/"
    if host and host[0] not in ("", "registry.ollama.ai"):
        prefix = f"{host[0]}/{prefix}"
    return f"{prefix}{model}:{tag}"


def _list_layers(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    layers = manifest.get("layers")
    return [layer for layer in layers if isinstance(layer, dict)] if isinstance(layers, list) else []


def _walk(folder: Path) -> Iterator[FoundFile]:
    for path in _walk_all(folder):
        if path.name.lower().endswith(".gguf") and not path.name.startswith("."):
            yield FoundFile(path)


def _walk_notes(folder: Path) -> Iterator[Path]:
    return (path for path in _walk_all(folder) if path.name == "model.yml")


def _walk_all(folder: Path) -> Iterator[Path]:
    """Files below a folder, following links to folders without going in circles."""
    visited: set[tuple[int, int]] = set()
    stack = [(folder, 0)]
    files = 0
    while stack and len(visited) < MAX_FOLDERS:
        place, depth = stack.pop()
        try:
            status = place.stat()
            if (status.st_dev, status.st_ino) in visited:
                continue
            visited.add((status.st_dev, status.st_ino))
            with os.scandir(place) as items:
                found = sorted(items, key=lambda item: item.name)
        except OSError:
            # A folder that is gone or closed to us holds no models for us.
            continue
        if depth < MAX_DEPTH:
            stack += [(Path(item.path), depth + 1) for item in reversed(found) if item.is_dir()]
        for item in found:
            if item.is_file():
                files += 1
                if files > MAX_FILES:
                    return
                yield Path(item.path)


def _list_folders(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def _read_note(path: Path) -> str:
    """A small text file of another program, "" when it is not there or not one."""
    try:
        if path.stat().st_size > _MAX_NOTE_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_read_note(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _read_yaml_lines(path: Path) -> dict[str, str]:
    """The two plain values that are needed of Jan's notes; a YAML reader would be more than they ask for."""
    values: dict[str, str] = {}
    for line in _read_note(path).splitlines():
        match = _YAML_LINE.match(line)
        if match is not None:
            values[match[1]] = match[2].strip("\"'")
    return values
