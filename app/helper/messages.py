"""What the window asks of its helper and what it answers: one JSON object a line, in turn."""

from __future__ import annotations

import msgspec

MOST_FORMULA_CHARACTERS = 2_000


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    pass


class SetFormula(Request, frozen=True, kw_only=True, tag="set_formula"):
    """Set LaTeX ``source`` (without its dollar signs) at ``pixels``. Answered by ``FormulaSet`` or ``Refused``."""

    source: str
    display: bool
    pixels: float


class ReadPdf(Request, frozen=True, kw_only=True, tag="read_pdf"):
    """Take the text out of the PDF file ``path``. Answered by ``PdfRead`` or ``Refused``."""

    path: str
    most_characters: int


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """An outline in the form of an SVG path (M, L, Q, C and Z, absolute); filled when ``stroke`` is 0, else drawn with
    a pen of that many pixels."""

    path: str
    stroke: float = 0.0


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    pass


class FormulaSet(Reply, frozen=True, kw_only=True, tag="formula_set"):
    """Pixels; the baseline begins at (0, 0), y grows downwards."""

    shapes: list[Shape]
    width: float
    ascent: float
    descent: float


class PdfRead(Reply, frozen=True, kw_only=True, tag="pdf_read"):
    """``cut``: there is more text than was asked for."""

    text: str
    pages: int
    cut: bool = False


class Refused(Reply, frozen=True, kw_only=True, tag="refused"):
    """``reason`` completes a sentence: "it …"."""

    reason: str


AnyRequest = SetFormula | ReadPdf
AnyReply = FormulaSet | PdfRead | Refused
