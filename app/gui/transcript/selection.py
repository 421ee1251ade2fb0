"""Text selected by the mouse over several messages, and what is copied of it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QScrollArea, QWidget

from app.gui.look.fitted_browser import FittedBrowser

_SCROLL_MS = 30
_FASTEST_PX = 60
"""Of one step of scrolling, however far beyond the edge the mouse is."""


class TranscriptSelection(QObject):
    """Follows a drag over the texts inside ``area``; positions are those of its viewport.

    Inside one text the selection is Qt's own. Each selected text copies all that is selected.
    """

    def __init__(self, area: QScrollArea) -> None:
        super().__init__(area)
        self._area = area
        self._anchor: tuple[FittedBrowser, int] | None = None
        self._at = QPoint()
        self._taken: list[FittedBrowser] = []
        self._timer = QTimer(self)
        self._timer.setInterval(_SCROLL_MS)
        self._timer.timeout.connect(self._scroll)

    def begin(self, at: QPoint) -> None:
        """The button went down at ``at``: what was selected before is let go."""
        self.clear()
        texts = self._texts()
        found = self._nearest(texts, at)
        self._anchor = (found, self._position(found, at)) if found is not None else None
        for text in texts:
            if text is not found and text.textCursor().hasSelection():
                _let_go(text)

    def extend(self, at: QPoint) -> None:
        """The mouse was moved to ``at`` with the button down."""
        if self._anchor is None:
            return
        self._at = at
        self._mark()
        outside = not 0 <= at.y() < self._area.viewport().height()
        if outside and not self._timer.isActive():
            self._timer.start()
        elif not outside:
            self._timer.stop()

    def end(self) -> None:
        """The button was let go."""
        self._timer.stop()
        self._anchor = None
        clipboard = QGuiApplication.clipboard()
        if self._taken and clipboard.supportsSelection():
            clipboard.setText(self.text(), clipboard.Mode.Selection)

    def clear(self) -> None:
        """Select nothing over several messages any more."""
        taken, self._taken = self._taken, []
        for text in taken:
            _let_go(text)

    def text(self) -> str:
        """All that is selected over several messages; empty if one or none is touched."""
        return "\n\n".join(part for part in (text.copied().text() for text in self._taken) if part)

    def forget(self, widget: QWidget) -> None:
        """``widget`` is about to go, with the texts in it."""
        if self._anchor is not None and widget.isAncestorOf(self._anchor[0]):
            self._timer.stop()
            self._anchor = None
        self._taken = [text for text in self._taken if not widget.isAncestorOf(text)]

    def _mark(self) -> None:
        assert self._anchor is not None
        first, start = self._anchor
        if not self._taken and 0 <= self._inside(first, self._at).y() < first.height():
            return  # inside one text, which is most of all drags
        texts = self._texts()
        last = self._nearest(texts, self._at)
        if last is None or first not in texts:
            return
        before, self._taken = self._taken, []
        if last is not first:
            here, there = texts.index(first), texts.index(last)
            self._taken = texts[min(here, there) : max(here, there) + 1]
        for text in before:
            if text not in self._taken:
                _let_go(text)
        if last is first:
            if before:
                _select(first, start, self._position(first, self._at))
            return
        down = texts.index(last) > texts.index(first)
        for text in self._taken:
            end = text.document().characterCount() - 1
            low, high = (0, end) if down else (end, 0)
            _select(text, start if text is first else low,
                    self._position(text, self._at) if text is last else high)
            text.whole_selection = self.text

    def _scroll(self) -> None:
        height = self._area.viewport().height()
        beyond = self._at.y() if self._at.y() < 0 else self._at.y() - height + 1
        bar = self._area.verticalScrollBar()
        bar.setValue(bar.value() + max(-_FASTEST_PX, min(_FASTEST_PX, beyond)))
        if self._anchor is not None:
            self._mark()

    def _texts(self) -> list[FittedBrowser]:
        body = self._area.widget()
        assert body is not None
        shown = [text for text in body.findChildren(FittedBrowser) if text.isVisible()]
        return sorted(shown, key=lambda text: text.mapTo(body, QPoint(0, 0)).y())

    def _nearest(self, texts: list[FittedBrowser], at: QPoint) -> FittedBrowser | None:
        def distance(text: FittedBrowser) -> int:
            top = text.mapTo(self._area, QPoint(0, 0)).y() - self._area.viewport().y()
            return max(top - at.y(), at.y() - (top + text.height() - 1), 0)

        return min(texts, key=distance, default=None)

    def _inside(self, text: FittedBrowser, at: QPoint) -> QPoint:
        return text.viewport().mapFromGlobal(self._area.viewport().mapToGlobal(at))

    def _position(self, text: FittedBrowser, at: QPoint) -> int:
        inside = self._inside(text, at)
        if inside.y() < 0:
            return 0
        if inside.y() >= text.viewport().height():
            return text.document().characterCount() - 1
        return text.cursorForPosition(inside).position()


def _let_go(text: FittedBrowser) -> None:
    text.whole_selection = None
    at = text.textCursor().position()
    _select(text, at, at)


def _select(text: FittedBrowser, start: int, end: int) -> None:
    cursor = QTextCursor(text.document())
    last = text.document().characterCount() - 1
    cursor.setPosition(min(start, last))
    cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
