from __future__ import annotations

import pytest

from devtools.pages import settings_page
from devtools.pages.settings_page import PAGE, main, settings_table, with_tables


def test_the_page_is_what_the_tables_say() -> None:
    """“python -m devtools.pages.settings_page” writes it."""
    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page) == page
    assert settings_table() in page


def test_a_stale_page_is_said(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    page = tmp_path / "settings.md"
    page.write_text(PAGE.read_text(encoding="utf-8").replace("Temperature |", "Heat |"), encoding="utf-8")
    monkeypatch.setattr(settings_page, "PAGE", page)
    assert main(["--check"]) == 1
    assert main([]) == 0
    assert main(["--check"]) == 0
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


def test_a_page_without_marks_is_no_page() -> None:
    with pytest.raises(ValueError, match="substring"):
        with_tables("# Settings")
