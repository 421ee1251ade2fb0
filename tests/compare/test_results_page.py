"""The page of measurements keeps what is not measured anew."""

from __future__ import annotations

from app.compare.results_page import PREAMBLE, put_section


def test_a_new_page_has_a_heading_and_the_section() -> None:
    page = put_section("", "Pair one", "| a | b |")
    assert page == PREAMBLE.strip("\n") + "\n\n## Pair one\n\n| a | b |\n"


def test_a_section_is_replaced_in_place_and_others_stay() -> None:
    page = put_section(put_section(put_section("", "One", "old"), "Two", "second"), "Three", "third")
    changed = put_section(page, "Two", "new\n\n- more\n")
    assert changed == page.replace("second", "new\n\n- more")


def test_a_title_that_starts_alike_is_another_section() -> None:
    page = put_section(put_section("", "Pair", "first"), "Pair with draft", "second")
    assert put_section(page, "Pair", "new") == page.replace("first", "new")


def test_writing_the_same_again_changes_nothing() -> None:
    page = put_section(put_section("", "One", "text"), "Two", "text")
    assert put_section(page, "One", "text") == page
