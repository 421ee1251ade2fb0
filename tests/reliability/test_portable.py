"""A program on a stick: with a marker beside it, all that it keeps lies beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app import paths
from tests.scripted_worker import ROOT

FOLDERS = (paths.cache_dir, paths.models_dir, paths.data_dir, paths.config_dir, paths.log_dir)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A packaged program's folder; ``HOME`` is elsewhere."""
    folder = tmp_path / "stick" / "Slipstream"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "SLIPSTREAM_MODELS",
                 "APPIMAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(folder / "slipstream"))
    return folder


def test_without_the_marker_data_is_the_persons(program: Path) -> None:
    assert paths.portable_dir() is None
    assert all(program not in make().parents for make in FOLDERS)


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_with_the_marker_everything_is_beside_the_program(program: Path, kind: str) -> None:
    marker = program / "portable"
    marker.touch() if kind == "file" else marker.mkdir()
    places = [make() for make in FOLDERS]
    assert all(place.is_relative_to(program / "slipstream-data") for place in places)
    assert len(set(places)) == len(places)


def test_beside_an_app_image(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stick" / "portable").touch()
    monkeypatch.setenv("APPIMAGE", str(tmp_path / "stick" / "Slipstream.AppImage"))
    assert paths.portable_dir() == tmp_path / "stick" / "slipstream-data"


def test_beside_an_app_bundle(tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "Slipstream.app" / "Contents" / "MacOS"
    inside.mkdir(parents=True)
    (tmp_path / "portable").touch()
    monkeypatch.setattr(sys, "executable", str(inside / "slipstream"))
    assert paths.portable_dir() == tmp_path / "slipstream-data"


def test_a_whole_run_leaves_nothing_elsewhere(tmp_path: Path) -> None:
    """The command line of a copy of the program, which writes a log, beside a marker."""
    copy = tmp_path / "copy"
    for name in ("app", "resources", "models_catalog"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "portable").touch()
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("XDG_", "SLIPSTREAM_"))}
    environment |= {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from app.__main__ import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program, str(copy), "inspect", str(tmp_path / "none.gguf")],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
    )
    assert ran.returncode == 1, ran.stderr
    assert [path for path in home.rglob("*") if path.is_file()] == []
    log = copy / "slipstream-data" / "logs" / "command-line.log"
    assert log.is_file()
    assert log.stat().st_mode & 0o077 == 0
