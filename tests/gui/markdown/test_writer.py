"""Blocks of Markdown in a document: what each kind looks like, what is tinted, and what is never loaded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextDocument, QTextListFormat, QTextTable
from PySide6.QtWidgets import QApplication

from app.chat.answer import DraftedSpans
from app.gui.look import theme
from app.gui.look.theme import read_colours
from app.gui.markdown.blocks import make_parser, split_blocks
from app.gui.markdown.writer import COPY_LINK, MODEL_LINK, DocumentWriter, Locator

COLOURS = read_colours("light")


@pytest.fixture
def document(qapp: QApplication) -> QTextDocument:
    return QTextDocument()


def write(document: QTextDocument, text: str, spans: DraftedSpans | None = None, offset: int = 0) -> DocumentWriter:
    writer = DocumentWriter(document, COLOURS, spans)
    for block in split_blocks(make_parser(), text):
        writer.write(block, text, offset)
    return writer


def blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def runs(document: QTextDocument) -> list[tuple[str, QTextCharFormat]]:
    found = []
    for block in blocks(document):
        for piece in block:
            fragment = piece.fragment()
            found.append((fragment.text(), fragment.charFormat()))
    return found


def format_of(document: QTextDocument, text: str) -> QTextCharFormat:
    return next(made for found, made in runs(document) if text in found)


def tinted(document: QTextDocument) -> str:
    return "".join(text for text, made in runs(document) if made.background().color().name() == COLOURS.drafted.lower())


def test_words_have_the_marks_they_were_given(document: QTextDocument) -> None:
    write(document, "plain **bold** *italic* ~~gone~~ `code`")
    assert document.toPlainText() == "plain bold italic gone code"
    assert format_of(document, "bold").font().bold()
    assert format_of(document, "italic").fontItalic()
    assert format_of(document, "gone").fontStrikeOut()
    plain = format_of(document, "plain")
    assert format_of(document, "code").font().families() == theme.code_font().families() != plain.font().families()
    assert [plain.font().bold(), plain.fontItalic(), plain.fontStrikeOut()] == 3 * [False]


def test_a_heading_is_larger_and_the_text_after_it_is_not(document: QTextDocument) -> None:
    write(document, "# Title\n\nText")
    title, text = format_of(document, "Title").font(), format_of(document, "Text").font()
    assert title.pixelSize() > text.pixelSize()
    assert (title.bold(), text.bold()) == (True, False)


def test_lists_are_numbered_as_they_say_and_indented_by_depth(document: QTextDocument) -> None:
    write(document, "3. three\n4. four\n   - inner\n")
    lists = {block.text(): block.textList() for block in blocks(document) if block.textList() is not None}
    assert lists["three"].format().start() == 3
    assert lists["three"].format().style() == QTextListFormat.Style.ListDecimal
    assert lists["inner"].format().style() == QTextListFormat.Style.ListCircle
    assert lists["inner"].format().indent() > lists["four"].format().indent()


def test_code_has_its_language_a_link_to_copy_and_is_kept(document: QTextDocument) -> None:
    writer = write(document, "```python\nx = 1\n\ny = 2\n```\n\n```\nz\n```\n")
    assert writer.codes == ["x = 1\n\ny = 2", "z"]
    plain = document.toPlainText()
    assert "python" in plain
    links = [made.anchorHref() for _, made in runs(document) if made.isAnchor()]
    assert links == [f"{COPY_LINK}0", f"{COPY_LINK}1"]
    assert format_of(document, "1").foreground().color().name() == COLOURS.code_number.lower()


def test_a_table_holds_its_cells(document: QTextDocument) -> None:
    write(document, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |\n")
    table = document.rootFrame().childFrames()[0]
    assert isinstance(table, QTextTable)
    assert (table.rows(), table.columns()) == (3, 2)
    assert [table.cellAt(row, column).firstCursorPosition().block().text()
            for row in range(3) for column in range(2)] == ["a", "b", "1", "2", "3", ""]
    assert format_of(document, "a").font().bold()
    assert not format_of(document, "1").font().bold()


def test_links_keep_their_address_for_a_question_and_images_stay_words(document: QTextDocument) -> None:
    write(document, "[site](https://example.com/x) ![pic](http://example.com/a.png)")
    assert format_of(document, "site").anchorHref() == f"{MODEL_LINK}https://example.com/x"
    assert "pic" in document.toPlainText()
    assert "\ufffc" not in document.toPlainText(), "an object of Qt would be loaded"
    assert not [made for _, made in runs(document) if made.isImageFormat()]


def test_a_quote_is_quiet_and_what_follows_is_not(document: QTextDocument) -> None:
    write(document, "- > said\n\n  after")
    assert format_of(document, "said").foreground().color().name() == COLOURS.secondary.lower()
    assert format_of(document, "after").foreground().color().name() == COLOURS.text.lower()


def test_drafted_text_is_tinted_wherever_the_answer_begins(document: QTextDocument) -> None:
    text = "one **two** three\n\n```\nfour five\n```\n"
    spans = DraftedSpans()
    for word in ("two", "five"):
        spans.add(100 + text.index(word), 100 + text.index(word) + len(word))
    write(document, text, spans, offset=100)
    assert tinted(document) == "twofive"


def test_without_spans_nothing_is_tinted(document: QTextDocument) -> None:
    write(document, "one two")
    assert tinted(document) == ""


def test_formulas_without_a_painter_stand_as_their_source(document: QTextDocument) -> None:
    writer = write(document, "It is $x^2$.\n\n$$\ny\n$$\n")
    assert "x^2" in document.toPlainText()
    assert writer.waiting == []


@pytest.mark.parametrize(("text", "parts"), [
    ("abcdef", [("ab", False), ("cd", True), ("ef", False)]),
    ("cd", [("cd", True)]),
    ("not there", [("not there", False)]),
    ("", [("", False)]),
])
def test_where_a_text_stands_in_its_source(text: str, parts: list[tuple[str, bool]]) -> None:
    spans = DraftedSpans()
    spans.add(12, 14)
    assert Locator("abcdef", 0, 6, spans, 10).parts(text) == parts


def test_the_same_words_are_found_one_after_the_other() -> None:
    spans = DraftedSpans()
    spans.add(3, 5)
    locator = Locator("ab ab", 0, 5, spans, 0)
    assert [locator.parts("ab"), locator.parts("ab")] == [[("ab", False)], [("ab", True)]]
