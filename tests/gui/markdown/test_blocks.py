from __future__ import annotations

import pytest

from app.gui.markdown.blocks import make_parser, split_blocks

TEXT = "# Title\n\nOne\ntwo.\n\n- a\n- b\n\n  more b\n\n```py\nx = 1\n```\n\n4. four\n5. five\n"


def pieces(text: str) -> list[str]:
    return [text[block.start : block.end] for block in split_blocks(make_parser(), text)]


def test_blocks_are_the_text_cut_up() -> None:
    assert [piece.strip() for piece in pieces(TEXT)] == [
        "# Title", "One\ntwo.", "- a", "- b\n\n  more b", "```py\nx = 1\n```", "4. four", "5. five"]
    assert "".join(pieces(TEXT)) == TEXT


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_ends_of_lines_are_counted(end: str) -> None:
    text = f"One{end}{end}Two{end}"
    assert [piece.strip() for piece in pieces(text)] == ["One", "Two"]


def test_items_keep_their_numbers() -> None:
    first, second = split_blocks(make_parser(), "4. four\n5. five\n")
    assert [block.tokens[0].attrGet("start") for block in (first, second)] == [4, 5]


@pytest.mark.parametrize("length", range(1, len(TEXT)))
def test_what_is_finished_stays_as_it_was(length: int) -> None:
    """All but the last block are the same, whatever follows."""
    before, after = pieces(TEXT[:length])[:-1], pieces(TEXT)
    assert before == after[: len(before)]


def test_code_is_told_apart_and_html_is_text() -> None:
    paragraph, code = split_blocks(make_parser(), "<b>x</b>\n\n```\ny\n```\n")
    assert (paragraph.is_fence, code.is_fence) == (False, True)
    assert paragraph.tokens[0].type == "paragraph_open"
