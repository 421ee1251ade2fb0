"""Formulas in answers: recognised, set by the real helper, put in the place of their source, copied as written."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QPainter, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.answer import DraftedSpans
from app.gui.controllers.helper_process import HelperProcess, OnReply
from app.gui.look.theme import read_colours
from app.gui.markdown.blocks import make_parser
from app.gui.markdown.document import MarkdownDocument
from app.gui.markdown.formulas import SOURCE, Formulas, Key
from app.gui.markdown.view import MarkdownView
from app.helper.messages import AnyReply, AnyRequest, FormulaSet, Refused, SetFormula, Shape

BOX = FormulaSet(shapes=[Shape(path="M 0 0 L 20 0 L 20 -10 L 0 -10 Z")], width=20.0, ascent=10.0, descent=0.0)
TEXT = r"""Roots of $ax^2$ are \(x=\frac{1}{2}\), a ticket costs $5 and two cost $10.

Then
$$
\int_0^1 x
$$
and $\bad$.

- item $a$
- \[ b \]

$$c$$

| a |
|---|
| $d$ |

```
$not$
```
End $e$.
"""


class FakeHelper(HelperProcess):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__(command=["none"])
        self.asked: list[tuple[SetFormula, OnReply]] = []

    def ask(self, request: AnyRequest, seconds: float, on_reply: OnReply) -> None:
        assert isinstance(request, SetFormula)
        self.asked.append((request, on_reply))

    def answer(self) -> None:
        asked, self.asked = self.asked, []
        for request, on_reply in asked:
            reply: AnyReply = Refused(reason="is bad") if "bad" in request.source else BOX
            on_reply(reply)


def kinds(text: str) -> list[tuple[str, str]]:
    tokens = [token for whole in make_parser().parse(text) for token in (whole, *(whole.children or []))]
    return [(token.type, token.content) for token in tokens if token.type.startswith("math")]


@pytest.mark.parametrize(("text", "found"), [
    ("a $x$ b", ["x"]), ("$$x$$", ["x"]), (r"\(x\) \[y\]", ["x", "y"]),
    ("**$x$**", ["x"]), ("$x_1$ and $y_2$", ["x_1", "y_2"]),
    ("it costs $5 and $6", []), ("between $5-$10", []), ("US$5 or CA$6", []), ("`$x$`", []), ("$HOME and $PATH", []),
    ("$ x$", []), ("$x $", []), (r"\$x$", []), (r"$a\$b$", [r"a\$b"]), ("$x\n\ny$", []), (r"\\(x\\)", []),
    ("$$ $$", []),
    ("    $$\n    x\n    $$", []), ("> $$\n> x\n> $$", ["\nx\n"]), ("text\n$$\nx\n$$\nmore", ["\nx\n"]),
    ("$$\nx\n\n$$\n\nmore", []), ("$$x$$ is it", ["x"]), ("a [$x$](http://e)", ["x"]), ("$" * 5000, []),
])
def test_what_is_a_formula(text: str, found: list[str]) -> None:
    assert [content for _, content in kinds(text)] == found


def test_an_unfinished_formula_is_kept_together() -> None:
    assert kinds("$$\na_1 * b_2 * c\n") == [("math_open", "$$\na_1 * b_2 * c")]
    assert kinds("text\n$$\nx") == []


@pytest.mark.parametrize("seed", range(6))
def test_in_pieces_as_in_one(qapp: QApplication, seed: int) -> None:
    chance = random.Random(seed)
    helper = FakeHelper()
    formulas = Formulas(helper=helper)
    documents = QTextDocument(), QTextDocument()
    growing, whole = (MarkdownDocument(document, read_colours("light"), formulas) for document in documents)
    spans = DraftedSpans()
    keys: set[Key] = set()
    formulas.settled.connect(keys.update)
    end = 0
    while end < len(TEXT):
        end = min(len(TEXT), end + chance.randint(1, 9))
        growing.render(TEXT[:end], spans)
        if chance.random() < 0.3:
            helper.answer()
            formulas._announce()
            growing.take_settled(set(keys))
    helper.answer()
    while formulas._news:
        formulas._announce()
    growing.take_settled(set(keys))
    whole.render(TEXT, spans)
    assert documents[0].toPlainText() == documents[1].toPlainText()
    assert documents[0].toPlainText().count("\ufffc") == 8
    assert r"$\bad$" in documents[0].toPlainText()
    assert "costs $5 and two cost $10" in documents[0].toPlainText()
    assert documents[0].toHtml() == documents[1].toHtml()
    formulas.close()


def test_the_real_helper_sets_it_and_copying_gives_the_source(qtbot: QtBot) -> None:
    formulas = Formulas()
    view = MarkdownView(read_colours("dark"), None, formulas)
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show_text(r"Area $\pi r^2$ of 🎉 a circle $r$, and $\nonsuchthing$", DraftedSpans())
    assert "$\\pi r^2$" in view.toPlainText()
    qtbot.waitUntil(lambda: view.toPlainText().count("\ufffc") == 2, timeout=30_000)
    view.selectAll()
    copied = view.createMimeDataFromSelection().text()
    assert copied == r"Area $\pi r^2$ of 🎉 a circle $r$, and $\nonsuchthing$"
    cursor = view.document().find("\ufffc")
    assert cursor.charFormat().property(SOURCE) == r"$\pi r^2$"
    formulas.close()


def test_it_is_drawn_in_the_colour_of_the_text(qapp: QApplication) -> None:
    helper = FakeHelper()
    formulas = Formulas(helper=helper)
    document = QTextDocument()
    markdown = MarkdownDocument(document, read_colours("light"), formulas)
    markdown.render("$x$", DraftedSpans())
    helper.answer()
    markdown.take_settled({("x", False)})
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    document.drawContents(painter)
    painter.end()
    inked = {image.pixelColor(x, y).name().upper() for x in range(60) for y in range(40)}
    assert read_colours("light").text in inked
    formulas.close()


def test_a_helper_that_never_answers_is_ended_and_the_next_question_answered(qtbot: QtBot, tmp_path: Path) -> None:
    script = tmp_path / "helper.py"
    script.write_text("import sys, time\nfor line in sys.stdin:\n    if 'slow' in line:\n        time.sleep(600)\n"
                      "    print('{\"type\":\"refused\",\"reason\":\"is what it is\"}', flush=True)\n")
    helper = HelperProcess(command=[sys.executable, str(script)])
    replies: list[AnyReply] = []
    helper.ask(SetFormula(source="quick", display=False, pixels=1), 1.0, replies.append)
    qtbot.waitUntil(lambda: len(replies) == 1, timeout=20_000)
    first = helper.pid
    helper.ask(SetFormula(source="slow", display=False, pixels=1), 0.2, replies.append)
    helper.ask(SetFormula(source="quick", display=False, pixels=1), 1.0, replies.append)
    qtbot.waitUntil(lambda: len(replies) == 3, timeout=20_000)
    assert replies[1] == Refused(reason="took too long to read")
    assert replies[2] == Refused(reason="is what it is")
    assert helper.pid not in (0, first)
    helper.close()
    assert helper.pid == 0


def test_a_program_that_is_not_there_is_a_refusal(qtbot: QtBot) -> None:
    helper = HelperProcess(command=["/nonexistent/helper"])
    replies: list[AnyReply] = []
    helper.ask(SetFormula(source="x", display=False, pixels=1), 1.0, replies.append)
    qtbot.waitUntil(lambda: bool(replies), timeout=20_000)
    assert isinstance(replies[0], Refused)
    helper.close()
