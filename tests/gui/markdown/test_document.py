"""However an answer is cut into pieces, the document ends up as if it had come whole."""

from __future__ import annotations

import random

import pytest
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication

from app.chat.answer import DraftedSpans
from app.gui.look.theme import read_colours
from app.gui.markdown.document import MarkdownDocument

TEXT = '''# Heading
Some **bold** and *italic* `code()` with a [link](https://example.com/?a=1&b=2), ~~gone~~.
Second line. <b>html</b> & <script>x</script>

1. first
2. second **item**

   its paragraph
3. third
   - nested
     ```
     fence in a list
     ```

```python
def f(x: int) -> str:
    """doc
    string"""
    return "`" * 3 + "``"  # comment
```
~~~~
```
not the end
~~~
~~~~

> quote
> goes on

| name | value |
|---|---:|
| alpha | 1 |
| `b` | 2 |

---

Setext
------
Last & end ![pic](http://example.com/a.png)
'''


@pytest.fixture
def document(qapp: QApplication) -> QTextDocument:
    return QTextDocument()


def drafted_text(document: QTextDocument, colour: str) -> str:
    found = []
    block = document.begin()
    while block.isValid():
        for piece in block:
            fragment = piece.fragment()
            if fragment.charFormat().background().color().name().upper() == colour:
                found.append(fragment.text())
        block = block.next()
    return "".join(found)


def whole(text: str, tint: bool = False, spans: DraftedSpans | None = None) -> QTextDocument:
    made = QTextDocument()
    markdown = MarkdownDocument(made, read_colours("light"))
    markdown.set_look(read_colours("light"), tint)
    markdown.render(text, spans or DraftedSpans())
    return made


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tint", [False, True])
def test_in_pieces_as_in_one(document: QTextDocument, seed: int, tint: bool) -> None:
    chance = random.Random(seed)
    markdown = MarkdownDocument(document, read_colours("light"))
    markdown.set_look(read_colours("light"), tint)
    spans = DraftedSpans()
    end = 0
    while end < len(TEXT):
        start, end = end, min(len(TEXT), end + chance.randint(1, 9))
        if chance.random() < 0.6:
            spans.add(start, end)
        markdown.render(TEXT[:end], spans)
    expected = whole(TEXT, tint, spans)
    assert document.toPlainText() == expected.toPlainText()
    assert document.toHtml() == expected.toHtml()


def test_tint_covers_what_was_drafted(document: QTextDocument) -> None:
    text = "Take `a < b` & **bold words** and\n\n```python\nx = 1\nyy = 2\n```\n"
    spans = DraftedSpans()
    for part in ("`a < b`", "bold words", "yy = 2"):
        spans.add(text.index(part), text.index(part) + len(part))
    made = whole(text, True, spans)
    assert drafted_text(made, read_colours("light").drafted) == "a < bbold wordsyy = 2"


def test_html_and_images_stay_text(document: QTextDocument) -> None:
    plain = whole("<img src=file:///etc/passwd> ![pic](http://example.com/a.png)").toPlainText()
    assert "<img src=file:///etc/passwd>" in plain
    assert "image, not loaded: pic" in plain


def test_links_carry_no_scheme_of_ours(document: QTextDocument) -> None:
    made = whole("[a](copy:0) [b](javascript:alert(1))")
    cursor = QTextCursor(made)
    cursor.setPosition(1)
    assert cursor.charFormat().anchorHref() == "model:copy:0"
    assert "[b](javascript:alert(1))" in made.toPlainText()


def test_code_is_kept_for_copying(document: QTextDocument) -> None:
    markdown = MarkdownDocument(document, read_colours("light"))
    text = "One\n\n```py\na = 1\n\nb = 2\n```\n\n- list\n\n  ```\n  c\n  ```\n"
    for end in range(len(text) + 1):
        markdown.render(text[:end], markdown._spans)
    assert markdown.codes == ["a = 1\n\nb = 2", "c"]


def test_a_finished_block_is_not_written_again(document: QTextDocument) -> None:
    markdown = MarkdownDocument(document, read_colours("light"))
    spans = DraftedSpans()
    markdown.render("First paragraph.\n\nSecond", spans)
    changed: list[int] = []
    document.documentLayout()
    document.contentsChange.connect(lambda position, removed, added: changed.append(position))
    markdown.render("First paragraph.\n\nSecond one", spans)
    assert changed
    assert min(changed) >= len("First paragraph.")


@pytest.mark.parametrize("text", ["```", "```py\n", "- ", "|a|\n|-|", "\x00\x01", "a\r\nb\r\n\r\nc", "[x]: y", "* * *",
                                  "> " * 200 + "deep", "- " * 200 + "deep", "**" * 3000, "\u202eevil", "1000000000. x"])
def test_odd_texts_do_no_harm(document: QTextDocument, text: str) -> None:
    markdown = MarkdownDocument(document, read_colours("light"))
    spans = DraftedSpans()
    markdown.render(text[: len(text) // 2], spans)
    markdown.render(text, spans)
    assert document.toPlainText() == whole(text).toPlainText()
