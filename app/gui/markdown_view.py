"""One message's text: a document that grows, as high as its content, with links that ask before they open."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QSize, QSizeF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QToolTip, QWidget

from app.gui.answer import DraftedSpans
from app.gui.document_writer import COPY_LINK, MODEL_LINK
from app.gui.markdown_document import MarkdownDocument
from app.gui.theme import Colours

RENDER_INTERVAL_MS = 34
"""No more than 30 renders a second, however fast the tokens come."""


class MarkdownView(QTextBrowser):
    link_requested = Signal(str)
    """A person clicked a link that a model wrote."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.viewport().setAutoFillBackground(False)
        self._content = MarkdownDocument(self.document(), colours)
        self._pending: tuple[str, DraftedSpans] | None = None
        self.renders = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(RENDER_INTERVAL_MS)
        self._timer.timeout.connect(self.flush)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.anchorClicked.connect(self._follow)

    def show_text(self, text: str, spans: DraftedSpans) -> None:
        """Show ``text`` at the next render."""
        self._pending = (text, spans)
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Render now what is waiting."""
        self._timer.stop()
        if self._pending is not None:
            (text, spans), self._pending = self._pending, None
            self._content.render(text, spans)
            self.renders += 1

    def set_look(self, colours: Colours, tint: bool) -> None:
        self.flush()
        self._content.set_look(colours, tint)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing that a model writes makes the program read a file or an address."""
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.document().size())

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The transcript scrolls, not the message.
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up,
                           Qt.Key.Key_Down):
            event.ignore()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and not self._link_under_pointer():
            QToolTip.hideText()
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def _link_under_pointer(self) -> bool:
        return bool(self.anchorAt(self.viewport().mapFromGlobal(self.cursor().pos())))

    def _fit(self, size: QSizeF) -> None:
        height = max(1, math.ceil(self.document().size().height()))
        if height != self.height():
            self.setFixedHeight(height)

    def _follow(self, url: QUrl) -> None:
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        if address.startswith(COPY_LINK):
            number = address.removeprefix(COPY_LINK)
            if number.isdecimal() and int(number) < len(self._content.codes):
                QGuiApplication.clipboard().setText(self._content.codes[int(number)])
                QToolTip.showText(self.cursor().pos(), self.tr("Copied"), self)
        elif address.startswith(MODEL_LINK):
            self.link_requested.emit(address.removeprefix(MODEL_LINK))
