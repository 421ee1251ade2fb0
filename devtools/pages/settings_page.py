"""The tables of docs/settings.md, made from the tables of settings and of methods.

``python -m devtools.pages.settings_page`` writes them anew, ``--check`` only says whether they are as they should be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from app.methods import METHODS, Option
from app.settings.table import GIB, TABLE, Setting, plain

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
_SCOPES = {"all": "every model", "model": "one model", "chat": "one chat"}


def main(arguments: list[str]) -> int:
    present = PAGE.read_text(encoding="utf-8")
    wanted = with_tables(present)
    if "--check" not in arguments:
        PAGE.write_text(wanted, encoding="utf-8")
    elif wanted != present:
        sys.stderr.write("docs/settings.md is not what the tables say; run “python -m devtools.pages.settings_page”.\n")
        return 1
    return 0


def with_tables(page: str) -> str:
    """``page`` with the tables between their marks as they are now. Raises ``ValueError`` where a mark is missing."""
    for name, make in _TABLES.items():
        begin, end = f"<!-- {name}: made by devtools/pages/settings_page.py -->\n", f"<!-- end of {name} -->\n"
        start = page.index(begin) + len(begin)
        page = page[:start] + make() + page[page.index(end, start) :]
    return page


def settings_table() -> str:
    rows = [("Setting", "What it does", "Values", "Default", "Set for", "Command line", "Request")]
    rows += [
        (row.label, row.help, _values(row), _default(row), ", ".join(_SCOPES[scope] for scope in row.scopes)
         + ("; draft" if row.for_draft else ""), f"`{row.flag}`" if row.flag else "",
         ", ".join(f"`{name}`" for name in row.api))
        for row in TABLE
    ]
    return _as_markdown(rows)


def methods_table() -> str:
    rows = [("Method", "What it is", "Parameters (default; values)")]
    rows += [
        (f"`{name}`", kind.title, "<br>".join(f"`{key}`: {option.help} ({_option(option)})"
                                              for key, option in kind.options.items()))
        for name, kind in METHODS.items()
    ]
    return _as_markdown(rows)


_TABLES: dict[str, Callable[[], str]] = {"settings": settings_table, "methods": methods_table}


def _values(row: Setting) -> str:
    if row.kind == "choice":
        return ", ".join(f"`{value}`" for value in row.values)
    if not row.is_number:
        return row.kind
    low, high = (plain(end // GIB if row.unit == "GB" else end) for end in (row.low, row.high))
    return f"{low}{f' ({row.lowest})' if row.lowest else ''} to {high} {row.unit}".rstrip()


def _default(row: Setting) -> str:
    if row.kind in ("choice", "text"):
        return f"`{row.default}`" if row.default else "empty"
    if not isinstance(row.default, int | float):
        return row.placeholder
    if row.lowest and row.default == row.low:
        return row.lowest
    return plain(row.default // GIB if row.unit == "GB" else row.default)


def _option(option: Option) -> str:
    if option.choices:
        return f"{option.default}; {', '.join(option.choices)}"
    if isinstance(option.default, str):
        return option.default or "none"
    return f"{option.default:g}; {option.low:g} to {option.high:g}"


def _as_markdown(rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * lines[0].count(" | ") + "---|", *lines[1:]]) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
