"""An answer's text: rendered as it grows, with links that ask before they open."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QToolTip, QWidget

from app.chat.answer import DraftedSpans
from app.gui.look.fitted_browser import FittedBrowser
from app.gui.look.theme import Colours
from app.gui.markdown.document import MarkdownDocument
from app.gui.markdown.formulas import SOURCE, Formulas
from app.gui.markdown.writer import COPY_LINK, MODEL_LINK


class MarkdownView(FittedBrowser):
    link_requested = Signal(str)
    """A person clicked a link that a model wrote."""

    def __init__(self, colours: Colours, parent: QWidget | None = None, formulas: Formulas | None = None) -> None:
        super().__init__(parent)
        self._ground = QColor(colours.background)
        # It paints its own ground: with every line, what lies behind it up to the window would be painted too.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._content = MarkdownDocument(self.document(), colours, formulas)
        if formulas is not None:
            formulas.settled.connect(self._content.take_settled)
        self.renders = 0
        self.anchorClicked.connect(self._follow)

    def show_text(self, text: str, spans: DraftedSpans, base: int = 0) -> None:
        """Show ``text``; ``base`` is where it begins in the text that ``spans`` speaks of."""
        self._content.render(text, spans, base)
        self.renders += 1

    def set_look(self, colours: Colours, tint: bool) -> None:
        self._ground = QColor(colours.background)
        self._content.set_look(colours, tint)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._ground)
        painter.end()
        super().paintEvent(event)

    def copied(self) -> QMimeData:
        """What is selected, formulas as they were written."""
        data = super().copied()
        chosen = self.textCursor()
        if "\ufffc" not in chosen.selectedText():
            return data
        at = QTextCursor(self.document())
        at.setPosition(chosen.selectionStart())
        sources: list[str] = []
        while at.position() < chosen.selectionEnd():
            at = self.document().find("\ufffc", at)
            if at.isNull() or at.selectionEnd() > chosen.selectionEnd():
                break
            sources.append(str(at.charFormat().property(SOURCE) or ""))
        parts = chosen.selection().toPlainText().split("\ufffc")
        text = "".join(part + source for part, source in zip(parts, [*sources, ""], strict=False))
        copied = QMimeData()
        copied.setText(text)
        return copied

    def _follow(self, url: QUrl) -> None:
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        if address.startswith(COPY_LINK):
            number = address.removeprefix(COPY_LINK)
            if number.isdecimal() and int(number) < len(self._content.codes):
                QGuiApplication.clipboard().setText(self._content.codes[int(number)])
                QToolTip.showText(self.cursor().pos(), self.tr("Copied"), self)
        elif address.startswith(MODEL_LINK):
            self.link_requested.emit(address.removeprefix(MODEL_LINK))
