"""A file that went with a message, folded away until it is wanted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QToolButton, QWidget

from app.chat.attachment import Attachment
from app.gui.look import layout, theme
from app.gui.look.fitted_browser import FittedBrowser
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.transcript.attachment_chips import token_words

_MOST_SHOWN = 20_000
_NAME_PX = 400


class AttachmentFold(QWidget):
    def __init__(self, attachment: Attachment, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._attachment = attachment
        self.button = QToolButton(self)
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        name = QFontMetrics(theme.ui_font()).elidedText(attachment.name, Qt.TextElideMode.ElideMiddle, _NAME_PX)
        size = self.tr("{n} tokens").format(n=token_words(attachment.tokens)) if attachment.tokens else ""
        # A single & would underline the letter behind it.
        self.button.setText("  ·  ".join(part for part in (name.replace("&", "&&"), size) if part))
        self.button.setToolTip(attachment.name)
        self.button.setAccessibleName(self.tr("Show the attached file {name}").format(name=attachment.name))
        self.text = FittedBrowser(self)
        self.text.hide()
        layout.column(self, (self.button, 0, Qt.AlignmentFlag.AlignLeft), self.text, margins=(0, 0, 0, 0), spacing=4)
        self.button.toggled.connect(self._fold)
        self.set_colours(colours)

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.button.setIcon(icon("caret-down" if self.button.isChecked() else "file-text", colours))
        self.text.setStyleSheet(f"color: {colours.secondary};")

    def _fold(self, on: bool) -> None:
        self.set_colours(self._colours)
        if on and not self.text.toPlainText():
            text = self._attachment.text
            rest = len(text) - _MOST_SHOWN
            more = self.tr("… and {n} characters more").format(n=f"{rest:,}")
            self.text.show_plain(text[:_MOST_SHOWN] + (f"\n{more}" if rest > 0 else ""))
        self.text.setVisible(on)
