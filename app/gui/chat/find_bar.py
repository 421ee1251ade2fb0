"""Find in the chat: a line above the transcript, every hit marked, one after the other brought into view."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QLineEdit, QTextEdit, QToolButton, QWidget

from app.chat.thinking import split_thinking
from app.gui.look import layout
from app.gui.look.fitted_browser import FittedBrowser
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.transcript.transcript import Transcript

_SEARCH_MS = 120
_LAYOUT_MS = 60
_MOST_HITS = 5_000


@dataclass(frozen=True)
class _Hit:
    """The ``number``-th one in the question or the answer of a turn."""

    turn: int
    in_answer: bool
    number: int


class FindBar(QFrame):
    closed = Signal()

    def __init__(self, transcript: Transcript, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self.setAccessibleName(self.tr("Find in this chat"))
        self._transcript, self._colours = transcript, colours
        self._hits: list[_Hit] = []
        self._at = -1
        self.edit = _FindEdit(self)
        self.edit.setPlaceholderText(self.tr("Find in this chat"))
        self.edit.setAccessibleName(self.tr("Find in this chat"))
        self.edit.setClearButtonEnabled(True)
        self.count = layout.label(self, role="secondary")
        self.back = self._tool(self.tr("Previous (Shift+Enter)"))
        self.forward = self._tool(self.tr("Next (Enter)"))
        self.close_button = self._tool(self.tr("Close (Esc)"))
        layout.row(self, (self.edit, 1), self.count, self.back, self.forward, self.close_button, margins=(0, 0, 0, 0),
                   spacing=4)
        self._timer = self._single_shot(_SEARCH_MS)
        self._timer.timeout.connect(self.search)
        self._settle = self._single_shot(_LAYOUT_MS)
        self._settle.timeout.connect(self._show_hit)
        self.edit.textChanged.connect(lambda: self._timer.start())
        self.edit.next_pressed.connect(lambda: self.go(1))
        self.edit.back_pressed.connect(lambda: self.go(-1))
        self.edit.escaped.connect(self.leave)
        self.back.clicked.connect(lambda: self.go(-1))
        self.forward.clicked.connect(lambda: self.go(1))
        self.close_button.clicked.connect(self.leave)
        self.set_colours(colours)
        self.hide()

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        for button, name in ((self.back, "caret-up"), (self.forward, "caret-down"), (self.close_button, "x")):
            button.setIcon(icon(name, colours))
        self._mark()

    def begin(self) -> None:
        """Show the bar and search for what it holds."""
        self.show()
        holder = self.parentWidget()
        layout = holder.layout() if holder is not None else None
        if layout is not None:
            # Without this it is painted once in the size that it had before it was ever shown.
            layout.activate()
        self.edit.setFocus()
        self.edit.selectAll()
        self.search()

    def leave(self) -> None:
        """Away with it and its marks."""
        self._timer.stop()
        self._settle.stop()
        self.hide()
        self._hits, self._at = [], -1
        self._mark()
        self.closed.emit()

    def search(self) -> None:
        """Find again; the hit nearest to the end is the first to be shown, as one reads a chat from there."""
        self._timer.stop()
        text = self.edit.text().casefold()
        self._hits = []
        for index, turn in enumerate(self._transcript.turns if text else []):
            answer = split_thinking(turn.answer.text).answer
            for in_answer, content in ((False, turn.question), (True, answer)):
                self._hits += [_Hit(index, in_answer, n) for n in range(content.casefold().count(text))]
        del self._hits[_MOST_HITS:]
        self._at = len(self._hits) - 1
        self._show_count()
        self._mark()
        if self._hits:
            self._go_to_hit()

    def go(self, step: int) -> None:
        """To the next hit or, with -1, the one before, around the end."""
        if self._timer.isActive():
            self.search()
        elif self._hits:
            self._at = (self._at + step) % len(self._hits)
            self._show_count()
            self._go_to_hit()

    def _go_to_hit(self) -> None:
        self._transcript.reveal(self._hits[self._at].turn)
        # Views that were just made have their height after the next layout.
        self._settle.start()

    def _show_hit(self) -> None:
        if not 0 <= self._at < len(self._hits):
            return
        self._mark()
        hit = self._hits[self._at]
        question, answer = self._transcript.reveal(hit.turn)
        browser: FittedBrowser = answer.body if hit.in_answer else question.text
        found = _find_all(browser, self.edit.text())
        if not found:
            self._transcript.scroll_to(browser, 0, 40)
            return
        cursor = found[min(hit.number, len(found) - 1)]
        browser.setExtraSelections([self._mark_of(each, each == cursor) for each in found])
        box = browser.cursorRect(cursor)
        self._transcript.scroll_to(browser, box.top(), box.bottom())

    def _mark(self) -> None:
        """Mark every hit in the views that there are."""
        text = self.edit.text() if self.isVisible() else ""
        for browser in (*(view.text for view in self._transcript.questions),
                        *(view.body for view in self._transcript.answers)):
            found = _find_all(browser, text) if text else []
            if found or browser.extraSelections():
                browser.setExtraSelections([self._mark_of(cursor, False) for cursor in found])

    def _mark_of(self, cursor: QTextCursor, current: bool) -> QTextEdit.ExtraSelection:
        made = QTextEdit.ExtraSelection()
        made.cursor = cursor
        form = cursor.charFormat()
        form.setBackground(QColor(self._colours.accent if current else self._colours.warning_ground))
        form.setForeground(QColor(self._colours.on_accent if current else self._colours.warning_text))
        made.format = form
        return made

    def _show_count(self) -> None:
        if not self.edit.text():
            self.count.setText("")
        elif not self._hits:
            self.count.setText(self.tr("Not found"))
        else:
            self.count.setText(self.tr("{n} of {all}").format(n=self._at + 1, all=len(self._hits)))
        for button in (self.back, self.forward):
            button.setEnabled(bool(self._hits))

    def _tool(self, words: str) -> QToolButton:
        button = layout.tool_button(self, words)
        button.setIconSize(QSize(16, 16))
        return button

    def _single_shot(self, milliseconds: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        return timer


class _FindEdit(QLineEdit):
    next_pressed = Signal()
    back_pressed = Signal()
    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self.back_pressed if back else self.next_pressed).emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)


def _find_all(browser: FittedBrowser, text: str) -> list[QTextCursor]:
    found: list[QTextCursor] = []
    cursor = browser.document().find(text)
    while not cursor.isNull() and len(found) < _MOST_HITS:
        found.append(cursor)
        cursor = browser.document().find(text, cursor)
    return found
