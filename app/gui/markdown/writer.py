"""Markdown tokens written into a ``QTextDocument``, block by block, always at its end.

Nothing here loads a resource: images become their text, links keep their address for a question before they open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import (
    QColor,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextListFormat,
    QTextTableFormat,
)

from app.chat.answer import DraftedSpans
from app.gui.look import theme
from app.gui.markdown.blocks import Block
from app.gui.markdown.code_colours import coloured
from app.gui.markdown.formulas import FormulaPainter, Formulas, Key
from app.gui.markdown.maths import BLOCK, INLINE, OPEN, closing_of

if TYPE_CHECKING:
    from markdown_it.token import Token

MODEL_LINK = "model:"
"""Before the address of a link that a model wrote; our own links in a document have other prefixes."""
COPY_LINK = "copy:"
INDENT_PX = 24
_TABLE_COLUMNS = 64
_INDENTATION = re.compile(r"(\s*\n\s*|\s{2,})")


class Locator:
    """Where a piece of rendered text stands in its source, so that the drafted part of it can be tinted."""

    def __init__(self, source: str, start: int, end: int, spans: DraftedSpans, offset: int) -> None:
        self._source, self._position, self._end = source, start, end
        self._spans, self._offset = spans, offset

    def parts(self, text: str) -> list[tuple[str, bool]]:
        """``text`` cut into drafted and other parts; all other when it is not found literally."""
        at = self._source.find(text, self._position, self._end)
        if at < 0 or not text:
            return [(text, False)]
        self._position = at + len(text)
        parts, done = [], 0
        for low, high in self._spans.within(at + self._offset, at + self._offset + len(text)):
            low, high = low - at - self._offset, high - at - self._offset
            if low > done:
                parts.append((text[done:low], False))
            parts.append((text[low:high], True))
            done = high
        if done < len(text):
            parts.append((text[done:], False))
        return parts


@dataclass
class _Style:
    bold: int = 0
    italic: int = 0
    strike: int = 0
    link: str = ""
    pixels: int = theme.TEXT_PX
    colour: str = ""


@dataclass(frozen=True)
class WaitingFormula:
    """A formula that stands as its source, ``text``, selected by ``place``, until it is set."""

    key: Key
    text: str
    place: QTextCursor
    format: QTextCharFormat


class DocumentWriter:
    """Appends blocks to ``document``. ``spans`` marks drafted text and is None when it is not to be shown. Without
    ``formulas``, formulas stand as their source."""

    def __init__(self, document: QTextDocument, colours: theme.Colours, spans: DraftedSpans | None,
                 formulas: Formulas | None = None, painter: FormulaPainter | None = None) -> None:
        self._document = document
        self.colours = colours
        self.spans = spans
        self._line_height = theme.line_height_percent(theme.ui_font())
        self._code_line_height = theme.line_height_percent(theme.code_font(), 1.45)
        self._code_formats: dict[str, QTextCharFormat] = {}
        self._formulas, self._painter = formulas, painter
        self.waiting: list[WaitingFormula] = []
        self.codes: list[str] = []
        """Every code block's text; the link ``copy:N`` copies number N."""
        self.fresh = True
        """Whether the document ends in an empty block that the next block takes."""

    def write(self, block: Block, source: str, offset: int) -> None:
        """``source`` is the text that was parsed, which starts at ``offset`` in the whole answer."""
        cursor = self._end()
        spans = self.spans or DraftedSpans()
        locator = Locator(source, block.start, block.end, spans, offset)
        self._write_tokens(cursor, block.tokens, locator)

    def open_code(self, language: str) -> int:
        """Begin a code block at the end; returns its number. Lines follow by ``append_code``."""
        cursor = self._end()
        self._begin_frame(cursor)
        frame = QTextFrameFormat()
        frame.setBackground(QColor(self.colours.code_ground))
        frame.setBorder(1)
        frame.setBorderBrush(QColor(self.colours.border))
        frame.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        frame.setPadding(8)
        frame.setTopMargin(4)
        frame.setBottomMargin(10)
        cursor.insertFrame(frame)
        number = len(self.codes)
        self.codes.append("")
        header = self._format(_Style(pixels=theme.SMALL_PX, colour=self.colours.secondary))
        cursor.setBlockFormat(self._paragraph(bottom=4))
        cursor.insertText((_printable(language) or QCoreApplication.translate("Code", "code")) + "   ", header)
        copy = QTextCharFormat(header)
        copy.setAnchor(True)
        copy.setAnchorHref(f"{COPY_LINK}{number}")
        copy.setForeground(QColor(self.colours.accent))
        cursor.insertText(QCoreApplication.translate("Code", "Copy"), copy)
        cursor.insertBlock(self._code_line())
        return number

    def append_code(self, cursor: QTextCursor, text: str, language: str, locator: Locator | None) -> None:
        """Insert code at ``cursor``, which is inside the frame of ``open_code``."""
        for part, colour in coloured(text, language, self.colours):
            plain = self._code_format(colour)
            if locator is None:
                cursor.insertText(part, plain)
                continue
            for piece, drafted in locator.parts(part):
                # Indentation is left plain: a tint on nothing only makes code harder to read.
                for run in _INDENTATION.split(piece) if drafted else [piece]:
                    blank = not drafted or _INDENTATION.fullmatch(run) is not None
                    cursor.insertText(run, plain if blank else self._tinted(plain))

    def close_code(self) -> None:
        """The block that Qt keeps behind a frame is the one the next block takes."""
        self._end().setBlockFormat(_gap())
        self.fresh = True

    def _begin_frame(self, cursor: QTextCursor) -> None:
        """A frame follows the last paragraph; an empty block before it is made so low that it is not seen."""
        if self.fresh:
            if cursor.currentList() is not None:
                cursor.currentList().remove(cursor.block())
            cursor.setBlockFormat(_gap())

    def _end(self) -> QTextCursor:
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _begin_block(self, cursor: QTextCursor, block_format: QTextBlockFormat) -> None:
        if self.fresh:
            if cursor.currentList() is not None:
                cursor.currentList().remove(cursor.block())
            cursor.setBlockFormat(block_format)
            self.fresh = False
        else:
            cursor.insertBlock(block_format, QTextCharFormat())
        cursor.setBlockCharFormat(self._format(_Style()))

    def _write_tokens(self, cursor: QTextCursor, tokens: list[Token], locator: Locator) -> None:
        lists: list[tuple[str, int]] = []
        marker: list[QTextListFormat] = []
        quotes = 0
        style = _Style()
        index = 0
        while index < len(tokens):
            token = tokens[index]
            kind = token.type
            if kind in ("bullet_list_open", "ordered_list_open"):
                lists.append((kind, int(token.attrGet("start") or 1)))
            elif kind in ("bullet_list_close", "ordered_list_close"):
                lists.pop()
            elif kind == "list_item_open":
                marker = [_list_format(lists[-1], len(lists))]
                lists[-1] = (lists[-1][0], lists[-1][1] + 1)
            elif kind == "blockquote_open":
                quotes += 1
            elif kind == "blockquote_close":
                quotes -= 1
            elif kind == "heading_open":
                style = _Style(bold=1, pixels=theme.HEADING_PX if token.tag in ("h1", "h2") else theme.TEXT_PX)
            elif kind in ("heading_close", "paragraph_close"):
                style = _Style()
            elif kind == "inline":
                if quotes:
                    style.colour = self.colours.secondary
                self._write_paragraph(cursor, token, locator, style, len(lists), quotes, marker)
                marker = []
            elif kind in ("fence", "code_block"):
                self._write_code(token, locator)
                cursor = self._end()
            elif kind in (BLOCK, OPEN):
                self._write_formula_block(cursor, token, locator, len(lists), quotes, marker)
                marker = []
            elif kind == "hr":
                self._write_rule(cursor)
            elif kind == "table_open":
                index = self._write_table(cursor, tokens, index, locator)
                cursor = self._end()
            index += 1

    def _write_paragraph(self, cursor: QTextCursor, token: Token, locator: Locator, style: _Style, depth: int,
                         quotes: int, marker: list[QTextListFormat]) -> None:
        made = self._paragraph(bottom=4 if depth else 8, top=8 if style.bold else 0)
        made.setLeftMargin(16 * quotes)
        if style.bold:
            made.setHeadingLevel(2)
        if depth and not marker:
            made.setIndent(depth)
        self._begin_block(cursor, made)
        if marker:
            cursor.createList(marker[0])
        self._write_inline(cursor, token.children or [], locator, style)

    def _write_inline(self, cursor: QTextCursor, children: list[Token], locator: Locator, style: _Style) -> None:
        for child in children:
            match child.type:
                case "strong_open" | "strong_close":
                    style.bold += child.nesting
                case "em_open" | "em_close":
                    style.italic += child.nesting
                case "s_open" | "s_close":
                    style.strike += child.nesting
                case "link_open":
                    style.link = str(child.attrGet("href") or "")
                case "link_close":
                    style.link = ""
                case "softbreak" | "hardbreak":
                    cursor.insertText("\u2028", self._format(style))
                case "code_inline":
                    made = self._code_format("")
                    made.setBackground(QColor(self.colours.code_ground))
                    self._insert(cursor, child.content, locator, made)
                case _ if child.type == INLINE:
                    self._write_formula(cursor, child, locator, self._format(style))
                case "image":
                    self._insert_image_text(cursor, child, style)
                case _:
                    self._insert(cursor, child.content, locator, self._format(style))

    def _write_formula_block(self, cursor: QTextCursor, token: Token, locator: Locator, depth: int, quotes: int,
                             marker: list[QTextListFormat]) -> None:
        made = self._paragraph(bottom=8, top=4, height=1.0)
        made.setLeftMargin(16 * quotes)
        if depth and not marker:
            made.setIndent(depth)
        is_set = token.type == BLOCK
        if is_set and not marker:
            made.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._begin_block(cursor, made)
        if marker:
            cursor.createList(marker[0])
        if is_set:
            self._write_formula(cursor, token, locator, self._format(_Style()))
        else:
            self._insert(cursor, token.content.replace("\n", "\u2028"), locator, self._code_format(""))

    def _write_formula(self, cursor: QTextCursor, token: Token, locator: Locator, made: QTextCharFormat) -> None:
        source = token.markup + token.content + closing_of(token.markup)
        if self.spans is not None and any(drafted for _, drafted in locator.parts(source)):
            made = self._tinted(made)
        key = (token.content.strip(), token.markup in ("$$", "\\["))
        known = self._formulas is None or self._formulas.is_known(key)
        if self.put_formula(cursor, key, source, made):
            return
        text = source.replace("\n", "\u2028")
        place = QTextCursor(cursor)
        begin = cursor.position()
        shown = self._code_format("")
        shown.setBackground(made.background())
        cursor.insertText(text, shown)
        if not known:
            place.setPosition(begin)
            place.setPosition(cursor.position(), QTextCursor.MoveMode.KeepAnchor)
            place.setKeepPositionOnInsert(True)
            self.waiting.append(WaitingFormula(key, text, place, made))

    def put_formula(self, cursor: QTextCursor, key: Key, source: str, made: QTextCharFormat) -> bool:
        """Insert the formula in the place of what is selected; False, and nothing done, if it cannot be set."""
        formula = self._formulas.find(key) if self._formulas is not None else None
        if formula is None or self._painter is None:
            return False
        cursor.insertText("\ufffc", self._painter.make_format(formula, source, made))
        return True

    def _insert(self, cursor: QTextCursor, text: str, locator: Locator, made: QTextCharFormat) -> None:
        if self.spans is None:
            cursor.insertText(text, made)
            return
        for piece, drafted in locator.parts(text):
            cursor.insertText(piece, self._tinted(made) if drafted else made)

    def _insert_image_text(self, cursor: QTextCursor, token: Token, style: _Style) -> None:
        address = str(token.attrGet("src") or "")
        words = QCoreApplication.translate("Code", "[image, not loaded: {name}]").format(name=token.content or address)
        shown = _Style(bold=style.bold, italic=1, link=address, pixels=style.pixels)
        cursor.insertText(words, self._format(shown))

    def _write_code(self, token: Token, locator: Locator) -> None:
        language = token.info.strip().split(" ")[0] if token.info else ""
        number = self.open_code(language)
        code = token.content.removesuffix("\n")
        self.codes[number] = code
        # The frame's last position is one before the block that follows the frame.
        cursor = self._end()
        cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        self.append_code(cursor, code, language, locator if self.spans is not None else None)
        self.close_code()

    def _write_rule(self, cursor: QTextCursor) -> None:
        made = self._paragraph(bottom=4, top=12, height=1.0)
        made.setProperty(
            QTextFormat.Property.BlockTrailingHorizontalRulerWidth,
            QTextLength(QTextLength.Type.PercentageLength, 100),
        )
        self._begin_block(cursor, made)

    def _write_table(self, cursor: QTextCursor, tokens: list[Token], start: int, locator: Locator) -> int:
        end = next(i for i in range(start, len(tokens)) if tokens[i].type == "table_close")
        rows: list[list[Token]] = []
        for token in tokens[start:end]:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(token)
        columns = max(1, min(_TABLE_COLUMNS, max((len(row) for row in rows), default=1)))
        made = QTextTableFormat()
        made.setBorder(1)
        made.setBorderBrush(QColor(self.colours.border))
        made.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        made.setBorderCollapse(True)
        made.setCellPadding(6)
        made.setTopMargin(4)
        made.setBottomMargin(10)
        made.setHeaderRowCount(1)
        self._begin_frame(cursor)
        table = cursor.insertTable(max(1, len(rows)), columns, made)
        for r, row in enumerate(rows):
            for c, cell in enumerate(row[:columns]):
                inside = table.cellAt(r, c).firstCursorPosition()
                inside.setBlockFormat(self._paragraph(bottom=0, height=1.3))
                self._write_inline(inside, cell.children or [], locator, _Style(bold=1 if r == 0 else 0))
        self.close_code()
        return end

    def _paragraph(self, bottom: float, top: float = 0, height: float = 0.0) -> QTextBlockFormat:
        made = QTextBlockFormat()
        percent = height * 100 if height else self._line_height
        made.setLineHeight(percent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        made.setBottomMargin(bottom)
        made.setTopMargin(top)
        return made

    def _code_line(self) -> QTextBlockFormat:
        made = QTextBlockFormat()
        made.setLineHeight(self._code_line_height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        return made

    def _format(self, style: _Style) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(theme.ui_font(style.pixels, bold=style.bold > 0))
        made.setForeground(QColor(style.colour or self.colours.text))
        made.setFontItalic(style.italic > 0)
        made.setFontStrikeOut(style.strike > 0)
        if style.link:
            made.setAnchor(True)
            made.setAnchorHref(MODEL_LINK + style.link)
            made.setForeground(QColor(self.colours.accent))
            made.setFontUnderline(True)
            made.setToolTip(_printable(style.link, 300))
        return made

    def _code_format(self, colour: str) -> QTextCharFormat:
        kept = self._code_formats.get(colour)
        if kept is None:
            kept = self._code_formats[colour] = self._make_code_format(colour)
        return QTextCharFormat(kept)

    def _make_code_format(self, colour: str) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(theme.code_font())
        made.setForeground(QColor(colour or self.colours.text))
        return made

    def _tinted(self, made: QTextCharFormat) -> QTextCharFormat:
        tinted = QTextCharFormat(made)
        tinted.setBackground(QColor(self.colours.drafted))
        tinted.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        tinted.setUnderlineColor(QColor(self.colours.drafted_mark))
        return tinted


def _gap() -> QTextBlockFormat:
    made = QTextBlockFormat()
    made.setLineHeight(4, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    return made


def _list_format(kind: tuple[str, int], depth: int) -> QTextListFormat:
    made = QTextListFormat()
    if kind[0] == "ordered_list_open":
        made.setStyle(QTextListFormat.Style.ListDecimal)
        made.setStart(min(kind[1], 2**31 - 2))
    else:
        made.setStyle(QTextListFormat.Style.ListDisc if depth % 2 else QTextListFormat.Style.ListCircle)
    made.setIndent(min(depth, 12))
    return made


def _printable(text: str, longest: int = 40) -> str:
    return "".join(c for c in text[:longest] if c.isprintable())
