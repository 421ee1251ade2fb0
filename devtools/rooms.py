"""Rules of the rooms that import-linter cannot see, since it knows outside packages by their first name alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

BANNED = {
    "app/gui/controllers": ("PySide6.QtWidgets", "pyqtgraph"),
    "app/gui/words": ("PySide6.QtWidgets", "PySide6.QtGui", "pyqtgraph"),
}
"""A folder, and what no module of it imports. ``dev.py check`` holds this."""


def find_faults(root: Path) -> list[str]:
    """Imports against the rules in the checkout ``root``, as “file:line imports what”."""
    faults = []
    for folder, banned in BANNED.items():
        for path in sorted((root / folder).rglob("*.py")):
            for line, module in imports_of(path):
                if any(module == name or module.startswith(f"{name}.") for name in banned):
                    place = path.relative_to(root).as_posix()
                    faults.append(f"{place}:{line} imports {module}, which {folder} does without")
    return faults


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of all that a file imports; ``from a import b`` counts as a.b, whatever b is."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
