"""The rules of the rooms hold, and each of them catches a wrong import."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from devtools import rooms

ROOT = Path(__file__).resolve().parents[2]
BROKEN = " BROKEN"


class Wrong(NamedTuple):
    """``importer`` does not import ``imported``, by the contract whose name begins with ``contract``."""

    contract: str
    importer: str
    imported: str


WRONG = [Wrong(*line) for line in [
    ("Layers", "app.models.catalog", "app.client.session"),
    ("Layers", "app.settings.settings", "app.protocol"),
    ("Layers", "app.records", "app.methods"),
    ("Rooms of the window", "app.gui.chat.page", "app.gui.compare.page"),
    ("Rooms of the window", "app.gui.models.page", "app.gui.settings.dialog"),
    ("Rooms of the window", "app.gui.transcript.pager", "app.gui.chat.page"),
    ("Rooms of the window", "app.gui.controllers.chat", "app.gui.look.theme"),
    ("Rooms of the window", "app.gui.words.figures", "app.gui.controllers.chat"),
    ("Rooms of the window", "app.gui.look.icons", "app.gui.window.rail"),
    ("Rooms of the window", "app.gui.failures.dialog", "app.gui.window.rail"),
    ("Verbs of the command line", "app.cli.bench", "app.cli.generate"),
    ("Rooms of the engine", "app.engine.drafters.lookup", "app.engine.auto.cost"),
    ("The engine knows a library", "app.engine.generate", "app.engine.backends.llama"),
    ("Libraries that run", "app.worker.session", "llama_cpp"),
    ("Libraries that run", "app.engine.generate", "ik_llama_cpp"),
    ("The engine stays", "app.gui.look.icons", "app.engine.stats"),
    ("The engine knows no process", "app.engine.generate", "app.protocol"),
    ("Qt lives in gui", "app.chat.store", "PySide6"),
    ("Qt is not loaded", "app.server.host", "PySide6"),
    ("Nothing that only developers", "app.gui.program", "devtools"),
    ("Nothing that only developers", "app.client.session", "tests"),
    ("Ground modules", "app.errors", "app.paths"),
]]
LOOSE = {"app.stray": "Layers", "app.gui.stray": "Rooms of the window"}
"""A module that has no room, and the contract that says so."""


def contract_names() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return [str(each["name"]) for each in tomllib.load(file)["tool"]["importlinter"]["contracts"]]


def copy_with(folder: Path, wrong: Sequence[Wrong] = (), loose: Sequence[str] = ()) -> Path:
    """A copy of ``app`` and its rules, with these wrong imports written into it and these empty modules added."""
    shutil.copytree(ROOT / "app", folder / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for line in wrong:
        path = file_of(folder, line.importer)
        path.write_text(f"{path.read_text(encoding='utf-8')}\nimport {line.imported}\n", encoding="utf-8")
    for name in loose:
        file_of(folder, name).write_text("", encoding="utf-8")
    return folder


def file_of(folder: Path, module: str) -> Path:
    return folder.joinpath(*module.split(".")).with_suffix(".py")


def complaints(root: Path) -> dict[str, str]:
    """What ``lint-imports`` says under each broken contract, by the contract's name."""
    program = Path(sys.executable).with_name("lint-imports")
    surroundings = {**os.environ, "PYTHONPATH": str(root), "COLUMNS": "400"}
    answer = subprocess.run(
        [program, "--no-cache"], cwd=root, capture_output=True, text=True, check=False, env=surroundings
    )
    broken = [line.partition(BROKEN)[0] for line in answer.stdout.splitlines() if BROKEN in line]
    assert bool(broken) == bool(answer.returncode), answer.stdout + answer.stderr
    # Below the list of contracts each broken one has a heading, its name, and its complaints.
    said: dict[str, str] = {}
    name = ""
    for line in answer.stdout.partition("Broken contracts")[2].splitlines():
        name = line if line in broken else name
        said[name] = said.get(name, "") + line + "\n"
    return {each: said[each] for each in broken}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return complaints(copy_with(tmp_path_factory.mktemp("wrong"), WRONG, [*LOOSE]))


def test_as_it_stands_no_contract_is_broken(tmp_path: Path) -> None:
    assert complaints(copy_with(tmp_path)) == {}


def test_every_contract_is_tried() -> None:
    for name in contract_names():
        assert any(name.startswith(wrong.contract) for wrong in WRONG), f"no wrong import is tried on “{name}”"


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong.importer} -> {wrong.imported}")
def test_a_wrong_import_is_caught_by_its_rule(found: dict[str, str], wrong: Wrong) -> None:
    (said,) = [text for name, text in found.items() if name.startswith(wrong.contract)]
    assert f"{wrong.importer} -> {wrong.imported} (l." in said


@pytest.mark.parametrize("module", LOOSE)
def test_a_module_without_a_room_is_caught(found: dict[str, str], module: str) -> None:
    (said,) = [text for name, text in found.items() if name.startswith(LOOSE[module])]
    assert "stray" in said


def test_the_rooms_are_clean() -> None:
    assert all((ROOT / folder).is_dir() for folder in rooms.BANNED)
    assert rooms.find_faults(ROOT) == []


@pytest.mark.parametrize("line", [
    "from PySide6.QtWidgets import QWidget", "import PySide6.QtWidgets", "from PySide6 import QtWidgets",
    "def later() -> None:\n    from PySide6.QtWidgets import QWidget",
])
@pytest.mark.parametrize("folder", ["app/gui/controllers", "app/gui/words"])
def test_a_widget_where_there_is_none_is_found(tmp_path: Path, line: str, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "chat.py").write_text(f"from PySide6.QtCore import QObject\n{line}\n", encoding="utf-8")
    (fault,) = rooms.find_faults(tmp_path)
    assert fault.startswith(f"{folder}/chat.py:")
