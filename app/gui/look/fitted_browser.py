"""Read-only text that is as high as its content; whatever holds it does the scrolling."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QSize, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QToolTip, QWidget

from app.gui.look import theme

_SCROLL_KEYS = {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up,
                Qt.Key.Key_Down}


class FittedBrowser(QTextBrowser):
    """What the mouse does in it is told to what it lies in, too: a selection may go on in another text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.whole_selection: Callable[[], str] | None = None
        """What is copied, if this text's selection is part of a larger one."""
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().setUndoRedoEnabled(False)
        self.document().setDefaultFont(theme.ui_font())
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def show_plain(self, text: str) -> None:
        """Show ``text`` as it is."""
        self.setPlainText(text)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        made = QTextBlockFormat()
        height = theme.line_height_percent(theme.ui_font())
        made.setLineHeight(height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(made)

    def copied(self) -> QMimeData:
        """What is selected in this text."""
        return super().createMimeDataFromSelection()

    def createMimeDataFromSelection(self) -> QMimeData:
        if self.whole_selection is None:
            return self.copied()
        data = QMimeData()
        data.setText(self.whole_selection())
        return data

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.whole_selection is not None and event.button() == Qt.MouseButton.LeftButton:
            # Else Qt takes the press for the begin of dragging away this text's part of the selection.
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)
        super().mousePressEvent(event)
        event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        event.ignore()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing that a text says makes the program read a file or an address."""
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.document().size())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _SCROLL_KEYS:
            event.ignore()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            link = self.anchorAt(self.viewport().mapFromGlobal(self.cursor().pos()))
            if not link:
                QToolTip.hideText()
                return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def _fit(self, size: QSizeF) -> None:
        height = max(1, math.ceil(self.document().size().height()))
        if height != self.height():
            self.setFixedHeight(height)
