"""The files that go with the next message, as a row of chips above the composer."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QToolButton, QWidget

from app.chat.attachment import Attachment
from app.gui.look import layout, theme
from app.gui.look.icons import icon
from app.gui.look.theme import Colours

_NAME_PX = 180
_PER_ROW = 3


def token_words(tokens: int) -> str:
    return f"{tokens:,}"


class AttachmentChips(QWidget):
    removed = Signal(int)
    """The place of the one to remove."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Attached files"))
        self._colours = colours
        # One grid that stays: a layout that is made and deleted leaves PySide6 a wrapper of its spacer, which it then
        # takes for whatever widget comes to lie at that address.
        self._grid = QGridLayout()
        self._grid.setSpacing(4)
        self._grid.setColumnStretch(_PER_ROW, 1)
        self.chips: list[QFrame] = []
        self._shown: list[Attachment] = []
        self._busy = layout.label(self, self.tr("Reading the file…"), role="secondary")
        self._busy.hide()
        layout.column(self, self._grid, self._busy, margins=(0, 0, 0, 0), spacing=4)
        self.hide()

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.show_all(self._shown)

    def show_busy(self, busy: bool) -> None:
        self._busy.setVisible(busy)
        self.setVisible(busy or bool(self._shown))

    def show_all(self, attachments: list[Attachment]) -> None:
        for chip in self.chips:
            chip.hide()
            self._grid.removeWidget(chip)
            chip.deleteLater()
        self.chips, self._shown = [], list(attachments)
        for index, attachment in enumerate(attachments):
            chip = self._make_chip(index, attachment)
            self.chips.append(chip)
            self._grid.addWidget(chip, *divmod(index, _PER_ROW))
        self.setVisible(bool(attachments) or self._busy.isVisibleTo(self))

    def _make_chip(self, index: int, attachment: Attachment) -> QFrame:
        chip = QFrame(self)
        chip.setObjectName("card")
        picture = QLabel(chip)
        picture.setPixmap(icon("file-text", self._colours).pixmap(QSize(16, 16)))
        metrics = QFontMetrics(theme.ui_font())
        name = layout.label(chip, metrics.elidedText(attachment.name, Qt.TextElideMode.ElideMiddle, _NAME_PX),
                            plain=True)
        name.setToolTip(attachment.name)
        known = attachment.tokens > 0
        words = self.tr("{n} tokens").format(n=token_words(attachment.tokens)) if known else self.tr("counting…")
        tokens = layout.label(chip, words, role="secondary", name="chipTokens")
        remove = QToolButton(chip)
        remove.setIcon(icon("x", self._colours))
        label = self.tr("Remove {name}").format(name=attachment.name)
        remove.setToolTip(label)
        remove.setAccessibleName(label)
        remove.clicked.connect(lambda: self.removed.emit(index))
        chip.setAccessibleName(f"{attachment.name}, {words}")
        layout.row(chip, picture, name, tokens, remove, margins=(8, 2, 2, 2), spacing=4)
        return chip
