"""Text folded away under a button until it is wanted: a file that went with a message, the thinking of an answer."""

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


class _Fold(QWidget):
    def __init__(self, folded_icon: str, bottom: int, colours: Colours, parent: QWidget | None = None) -> None:
        """``folded_icon`` names the icon of the folded text; ``bottom`` is the margin below, in pixels."""
        super().__init__(parent)
        self._folded_icon = folded_icon
        self.button = QToolButton(self)
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.text = FittedBrowser(self)
        self.text.hide()
        layout.column(self, (self.button, 0, Qt.AlignmentFlag.AlignLeft), self.text, margins=(0, 0, 0, bottom),
                      spacing=4)
        self.button.toggled.connect(self._fold)
        self.set_colours(colours)

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.button.setIcon(icon("caret-down" if self.button.isChecked() else self._folded_icon, colours))
        self.text.setStyleSheet(f"color: {colours.secondary};")

    def _fold(self, on: bool) -> None:
        self.set_colours(self._colours)
        if on:
            self._fill()
        self.text.setVisible(on)

    def _fill(self) -> None:
        """Write the text, which is about to be seen."""
        raise NotImplementedError


class AttachmentFold(_Fold):
    def __init__(self, attachment: Attachment, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__("file-text", 0, colours, parent)
        self._attachment = attachment
        name = QFontMetrics(theme.ui_font()).elidedText(attachment.name, Qt.TextElideMode.ElideMiddle, _NAME_PX)
        size = self.tr("{n} tokens").format(n=token_words(attachment.tokens)) if attachment.tokens else ""
        # A single & would underline the letter behind it.
        self.button.setText("  ·  ".join(part for part in (name.replace("&", "&&"), size) if part))
        self.button.setToolTip(attachment.name)
        self.button.setAccessibleName(self.tr("Show the attached file {name}").format(name=attachment.name))

    def _fill(self) -> None:
        if self.text.toPlainText():
            return
        text = self._attachment.text
        rest = len(text) - _MOST_SHOWN
        more = self.tr("… and {n} characters more").format(n=f"{rest:,}")
        self.text.show_plain(text[:_MOST_SHOWN] + (f"\n{more}" if rest > 0 else ""))


class ThinkingFold(_Fold):
    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__("caret-right", 4, colours, parent)
        self._thinking = ""
        self.hide()

    def show_thinking(self, thinking: str, goes_on: bool) -> None:
        """``goes_on``: the thinking has not ended."""
        self.setVisible(bool(thinking) or goes_on)
        self.button.setText(self.tr("Thinking…") if goes_on else self.tr("Thinking"))
        self.button.setAccessibleName(self.tr("Show the thinking"))
        self._thinking = thinking
        if self.button.isChecked():
            self._fill()

    def _fill(self) -> None:
        self.text.show_plain(self._thinking)
