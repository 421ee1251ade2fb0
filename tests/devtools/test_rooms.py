"""The rules of the rooms hold, and each of them catches a wrong import."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools import rooms

ROOT = Path(__file__).resolve().parents[2]


def test_the_rooms_are_clean() -> None:
    assert all((ROOT / folder).is_dir() for folder in rooms.BANNED)
    assert rooms.find_faults(ROOT) == []


@pytest.mark.parametrize("line", [
    "from PySide6.QtWidgets import QWidget", "import PySide6.QtWidgets", "from PySide6 import QtWidgets",
    "def later() -> None:\n    from PySide6.QtWidgets import QWidget",
])
def test_a_widget_in_a_controller_is_found(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "app" / "gui" / "controllers"
    folder.mkdir(parents=True)
    (folder / "chat.py").write_text(f"from PySide6.QtCore import QObject\n{line}\n", encoding="utf-8")
    (fault,) = rooms.find_faults(tmp_path)
    assert fault.startswith("app/gui/controllers/chat.py:")
