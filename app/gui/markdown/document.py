"""An answer's document while it grows: finished blocks are written once, the tail again and again.

Cost: a render parses and writes the unfinished tail alone. An open code fence, which can be as long as the answer, is
not parsed at all while it is open: its new lines are appended.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextCursor, QTextDocument

from app.chat.answer import DraftedSpans
from app.gui.look.theme import Colours, ui_font
from app.gui.markdown.blocks import Block, make_parser, split_blocks
from app.gui.markdown.code_colours import MAX_CHARACTERS
from app.gui.markdown.formulas import FormulaPainter, Formulas, Key
from app.gui.markdown.writer import INDENT_PX, DocumentWriter, Locator

_WHOLE_CHARACTERS = 500
_OVER_LINES = ('"""', "'''", "/*", "<!--", "`", "{-", "=begin", "<<")
"""What can open a string or a comment that goes over lines; code without it has the same colours line by line."""


@dataclass
class _Fence:
    """An open fence. ``code_at`` is the source offset of its first line of code, ``line_at`` of the line that is
    still being written; ``first`` and ``position`` are those places in the document."""

    marker: str
    indent: int
    language: str
    number: int
    code_at: int
    line_at: int
    first: int
    position: int

    def closes(self, line: str) -> bool:
        stripped = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        return indent < 4 and len(stripped) >= len(self.marker) and set(stripped) == {self.marker[0]}

    def may_close(self, line: str) -> bool:
        """Whether an unfinished line could still become the closing one."""
        return line.strip() != "" and set(line.strip()) == {self.marker[0]}

    def dedented(self, line: str) -> str:
        cut = min(self.indent, len(line) - len(line.lstrip(" ")))
        return line[cut:]


class MarkdownDocument:
    """Keeps ``document`` showing the text last given to ``render``."""

    def __init__(self, document: QTextDocument, colours: Colours, formulas: Formulas | None = None) -> None:
        self.document = document
        self._formulas = formulas
        self._painter = FormulaPainter(document) if formulas is not None else None
        self._parser = make_parser()
        self._colours = colours
        self._tint = False
        self._text = ""
        self._spans = DraftedSpans()
        self._base = 0
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setIndentWidth(INDENT_PX)
        document.setDefaultFont(ui_font())
        self._reset()

    @property
    def codes(self) -> list[str]:
        """Texts of the code blocks, by the number in their copy link."""
        return self._writer.codes

    def _reset(self) -> None:
        self.document.clear()
        if self._painter is not None:
            self._painter.clear()
        self._writer = DocumentWriter(self.document, self._colours, self._spans if self._tint else None,
                                      self._formulas, self._painter)
        self._tail_at = 0
        self._tail_position = 0
        self._tail_fresh = True
        self._tail_codes = 0
        self._fence: _Fence | None = None

    def set_look(self, colours: Colours, tint: bool) -> None:
        """Other colours, or drafted text tinted or not: everything is written again."""
        if (colours, tint) == (self._colours, self._tint):
            return
        self._colours, self._tint = colours, tint
        self._reset()
        self.render(self._text, self._spans, self._base)

    def render(self, text: str, spans: DraftedSpans, base: int = 0) -> None:
        """Show ``text``, which continues what was shown before (anything else starts anew).

        ``base`` is where ``text`` begins in the text that ``spans`` speaks of.
        """
        if not text.startswith(self._text) or spans is not self._spans or base != self._base:
            self._spans, self._base = spans, base
            self._reset()
        self._text = text
        edit = QTextCursor(self.document)
        edit.beginEditBlock()
        try:
            if self._fence is not None:
                self._continue_fence(self._fence)
            if self._fence is None:
                self._render_tail()
        finally:
            edit.endEditBlock()

    def take_settled(self, keys: set[Key]) -> bool:
        """Put formulas that were set meanwhile in the place of their source; returns whether there were any."""
        waiting = [each for each in self._writer.waiting if each.place.hasSelection()]
        self._writer.waiting = [each for each in waiting if each.key not in keys]
        settled = [each for each in waiting if each.key in keys and each.place.selectedText() == each.text]
        edit = QTextCursor(self.document)
        edit.beginEditBlock()
        try:
            for each in settled:
                begin, length = each.place.selectionStart(), len(each.text.encode("utf-16-le")) // 2
                if self._writer.put_formula(each.place, each.key, each.text.replace("\u2028", "\n"), each.format):
                    self._shift(begin, 1 - length)
        finally:
            edit.endEditBlock()
        return bool(settled)

    def _shift(self, behind: int, by: int) -> None:
        """The document grew by ``by`` at a place before what is remembered."""
        if self._tail_position > behind:
            self._tail_position += by
        fence = self._fence
        if fence is not None and fence.first > behind:
            fence.first += by
            fence.position += by

    def _render_tail(self) -> None:
        while self._fence is None:
            self._remove_tail()
            source = self._text[self._tail_at :]
            blocks = split_blocks(self._parser, source)
            for block in blocks[:-1]:
                self._writer.write(block, source, self._base + self._tail_at)
            if len(blocks) > 1:
                self._commit(self._tail_at + blocks[-1].start)
            if not blocks:
                return
            if not self._open_fence(blocks[-1], source):
                offset = self._tail_at - (blocks[-1].start if len(blocks) > 1 else 0)
                self._writer.write(blocks[-1], source, self._base + offset)
                return

    def _remove_tail(self) -> None:
        cursor = QTextCursor(self.document)
        cursor.setPosition(self._tail_position)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        if cursor.hasSelection():
            cursor.removeSelectedText()
        self._writer.fresh = self._tail_fresh
        del self._writer.codes[self._tail_codes :]

    def _commit(self, source_offset: int) -> None:
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self._tail_at = source_offset
        self._tail_position = cursor.position()
        self._tail_fresh = self._writer.fresh
        self._tail_codes = len(self._writer.codes)

    def _open_fence(self, block: Block, source: str) -> bool:
        if not block.is_fence:
            return False
        first_line, newline, _ = source[block.start :].partition("\n")
        if not newline:
            return False
        token = block.tokens[0]
        language = token.info.strip().split(" ")[0]
        base = len(self._text) - len(source)
        number = self._writer.open_code(language)
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        position = cursor.position() - 1
        code_at = base + block.start + len(first_line) + 1
        indent = len(first_line) - len(first_line.lstrip(" "))
        self._fence = _Fence(token.markup, indent, language, number, code_at, code_at, position, position)
        self._writer.close_code()
        self._continue_fence(self._fence)
        return True

    def _continue_fence(self, fence: _Fence) -> None:
        cursor = QTextCursor(self.document)
        cursor.setPosition(fence.position)
        end = QTextCursor(self.document)
        end.movePosition(QTextCursor.MoveOperation.End)
        cursor.setPosition(end.position() - 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        lines = self._text[fence.line_at :].replace("\r", " ").split("\n")
        complete: list[str] = []
        for line in lines[:-1]:
            if fence.closes(line):
                self._append(fence, cursor, complete, "")
                self._close_fence(fence, fence.line_at + len(line) + 1)
                return
            complete.append(line)
            # Offsets below count from the first line that is not yet written.
            if len(complete) >= 256:
                self._append(fence, cursor, complete, "")
                complete = []
        last = lines[-1]
        self._append(fence, cursor, complete, "" if fence.may_close(last) else last)

    def _append(self, fence: _Fence, cursor: QTextCursor, complete: list[str], last: str) -> None:
        """Write whole lines for good, and ``last`` so that the next call replaces it."""
        source = self._text
        if complete:
            begin = fence.line_at
            fence.line_at += sum(len(line) + 1 for line in complete)
            whole = source[fence.code_at : fence.line_at]
            if len(whole) <= _WHOLE_CHARACTERS and _goes_over_lines(whole):
                # Strings go over lines, so short code is coloured as a whole with every new line.
                complete = whole.replace("\r", " ").split("\n")[:-1]
                begin = fence.code_at
                cursor.setPosition(fence.first, QTextCursor.MoveMode.KeepAnchor)
                cursor.removeSelectedText()
            text = "".join(fence.dedented(line) + "\n" for line in complete)
            locator = Locator(source, begin, fence.line_at, self._spans, self._base) if self._tint else None
            self._writer.append_code(cursor, text, fence.language, locator)
            fence.position = cursor.position()
        if last:
            locator = Locator(source, fence.line_at, len(source), self._spans, self._base) if self._tint else None
            self._writer.append_code(cursor, fence.dedented(last), fence.language, locator)
        self._writer.codes[fence.number] = self._code_of(fence)

    def _code_of(self, fence: _Fence) -> str:
        lines = self._text[fence.code_at : fence.line_at].split("\n")[:-1]
        return "\n".join(fence.dedented(line) for line in lines)

    def _close_fence(self, fence: _Fence, after: int) -> None:
        """The fence is complete: write it once more as a whole, since strings can go over lines."""
        code = self._code_of(fence)
        cursor = QTextCursor(self.document)
        cursor.setPosition(fence.first)
        end = QTextCursor(self.document)
        end.movePosition(QTextCursor.MoveOperation.End)
        if len(code) <= MAX_CHARACTERS and _goes_over_lines(code):
            cursor.setPosition(end.position() - 1, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            locator = Locator(self._text, fence.code_at, fence.line_at, self._spans, self._base) if self._tint else None
            self._writer.append_code(cursor, code, fence.language, locator)
        else:
            cursor.setPosition(end.position() - 1)
            cursor.deletePreviousChar()
        self._writer.codes[fence.number] = code
        self._fence = None
        self._writer.close_code()
        self._commit(after)


def _goes_over_lines(code: str) -> bool:
    return any(mark in code for mark in _OVER_LINES)
