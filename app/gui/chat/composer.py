"""Where a message is written: Enter sends, Shift+Enter breaks the line, Send turns into Stop."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QPlainTextEdit,
    QToolButton,
    QWidget,
)

from app.chat.attachment import MOST_ATTACHMENTS, Attachment
from app.gui.look import layout
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.transcript.attachment_chips import AttachmentChips

_LINES = 8


class ComposerEdit(QPlainTextEdit):
    send_pressed = Signal()
    up_pressed = Signal()
    """Arrow up with nothing written."""
    focus_changed = Signal(bool)
    files_pasted = Signal(list)
    """``Path``s."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.viewport().setAutoFillBackground(False)
        # It paints its own ground: with every blink of the cursor, what lies behind would be painted too.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._ground = QColor(0, 0, 0, 0)
        self._fit()

    def set_ground(self, colour: str) -> None:
        self._ground = QColor(colour)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._ground)
        painter.end()
        super().paintEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Text is being composed (Telex, pinyin, kana…) while the input method shows a preedit string."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        breaks = event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier)
        if is_enter and self._composing:
            # The Enter that confirms a candidate belongs to the input method.
            event.accept()
            return
        if is_enter and not breaks:
            event.accept()
            self.send_pressed.emit()
            return
        if is_enter:
            self.insertPlainText("\n")
            self.ensureCursorVisible()
            event.accept()
            return
        if event.key() == Qt.Key.Key_Up and not self.toPlainText() and not self._composing:
            event.accept()
            self.up_pressed.emit()
            return
        super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Files are not for the text: what holds the composer takes them when they are dropped."""
        return not file_paths(source) and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = file_paths(source)
        if paths:
            self.files_pasted.emit(paths)
        elif source.hasText():
            self.insertPlainText(source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._composing = False
        self.focus_changed.emit(False)

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        lines = max(1, min(_LINES, round(self.document().size().height())))
        self.setFixedHeight(lines * line + 2 * round(self.document().documentMargin()) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.fontMetrics().lineSpacing())


class Composer(QWidget):
    """Emits ``send_requested`` with the text; the owner takes ``attachments`` too and then calls ``clear``."""

    send_requested = Signal(str)
    stop_requested = Signal()
    edit_cancelled = Signal()
    up_pressed = Signal()
    files_chosen = Signal(list)
    """``Path``s to be attached."""
    changed = Signal()
    """The text or the attachments."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answering = self._reading = False
        self._attachments: list[Attachment] = []
        self._colours = colours
        self._box = QFrame(self)
        self._box.setObjectName("composerBox")
        self.edit = ComposerEdit(self._box)
        self.edit.setPlaceholderText(self.tr("Write a message"))
        self.edit.setAccessibleName(self.tr("Message"))
        self.edit.setToolTip(self.tr("Enter sends, Shift+Enter starts a new line"))
        self.chips = AttachmentChips(colours, self)
        self.attach = QToolButton(self._box)
        self.attach.setIconSize(QSize(20, 20))
        self.attach.setToolTip(self.tr("Attach text, code or PDF files (Ctrl+Shift+A)"))
        self.attach.setAccessibleName(self.tr("Attach files"))
        self.button = layout.button(self._box, kind="primary")
        self.button.setIconSize(QSize(16, 16))
        # A click leaves the focus in the field, also when the button is disabled by it.
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        layout.row(self._box, (self.attach, 0, Qt.AlignmentFlag.AlignBottom),
                   (self.edit, 1, Qt.AlignmentFlag.AlignVCenter), (self.button, 0, Qt.AlignmentFlag.AlignBottom),
                   margins=(12, 8, 8, 8), spacing=8)
        self._editing = QWidget(self)
        words = layout.label(self._editing, self.tr("Editing an earlier message. It stays as another version."),
                             role="secondary")
        self.cancel_edit = layout.button(self._editing, self.tr("Cancel"), kind="plain")
        layout.row(self._editing, (words, 1), self.cancel_edit, margins=(4, 0, 0, 0))
        self._editing.hide()
        layout.column(self, self._editing, self.chips, self._box, margins=(0, 0, 0, 0), spacing=4)
        self.cancel_edit.clicked.connect(self.edit_cancelled)
        self.edit.up_pressed.connect(self.up_pressed)
        self.setMaximumWidth(760)
        self.edit.send_pressed.connect(self._send)
        self.edit.textChanged.connect(self._show_state)
        self.edit.focus_changed.connect(self._mark_focus)
        self.button.clicked.connect(self._press)
        self.attach.clicked.connect(self.choose_files)
        self.edit.files_pasted.connect(self.files_chosen)
        self.edit.textChanged.connect(self.changed)
        self.chips.removed.connect(self._remove)
        self.edit.set_ground(colours.surface)
        self._show_state()

    def set_answering(self, answering: bool) -> None:
        self._answering = answering
        self._show_state()

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.edit.set_ground(colours.surface)
        self.chips.set_colours(colours)
        self._show_state()

    @property
    def attachments(self) -> list[Attachment]:
        return list(self._attachments)

    def add_attachment(self, attachment: Attachment) -> bool:
        """False when there are too many already."""
        if len(self._attachments) >= MOST_ATTACHMENTS:
            return False
        self._attachments.append(attachment)
        self._show_attachments()
        return True

    def set_attachments(self, attachments: list[Attachment]) -> None:
        if attachments != self._attachments:
            self._attachments = list(attachments)
            self._show_attachments()

    def note_tokens(self, attachments: list[Attachment]) -> None:
        """The same attachments with their tokens counted."""
        if attachments != self._attachments and len(attachments) == len(self._attachments):
            self._attachments = list(attachments)
            self.chips.show_all(self._attachments)

    def set_reading(self, reading: bool) -> None:
        """Whether a file is being read, so that nothing can be sent yet."""
        self._reading = reading
        self.chips.show_busy(reading)
        self._show_state()

    def choose_files(self) -> None:
        dialog = QFileDialog(self, self.tr("Attach files"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.files_chosen.emit([Path(name) for name in names]))
        dialog.open()

    def _remove(self, index: int) -> None:
        if index < len(self._attachments):
            del self._attachments[index]
            self._show_attachments()
            self.edit.setFocus()

    def _show_attachments(self) -> None:
        self.chips.show_all(self._attachments)
        self._show_state()
        self.changed.emit()

    def set_editing(self, editing: bool) -> None:
        """Whether what is written takes the place of an earlier message."""
        self._editing.setVisible(editing)

    def show_text(self, text: str) -> None:
        """Put ``text`` in, ready to be gone on with."""
        self.edit.setPlainText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)
        self.edit.setFocus()

    def clear(self) -> None:
        self.edit.clear()
        self.set_attachments([])

    def _press(self) -> None:
        if self._answering:
            self.stop_requested.emit()
        else:
            self._send()

    def _send(self) -> None:
        text = self.edit.toPlainText().strip()
        if (text or self._attachments) and not self._answering and not self._reading:
            self.send_requested.emit(text)

    def _show_state(self) -> None:
        colours = self._colours
        text = (bool(self.edit.toPlainText().strip()) or bool(self._attachments)) and not self._reading
        self.attach.setIcon(icon("paperclip", colours))
        label, name = (self.tr("Stop"), "stop") if self._answering else (self.tr("Send"), "paper-plane-right")
        enabled = self._answering or text
        self.button.setText(label)
        self.button.setAccessibleName(label)
        self.button.setToolTip(self.tr("Stop the answer (Esc)") if self._answering else self.tr("Send (Enter)"))
        self.button.setIcon(icon(name, colours, colours.on_accent if enabled else colours.secondary))
        self.button.setEnabled(enabled)

    def _mark_focus(self, focused: bool) -> None:
        self._box.setProperty("focused", focused)
        self._box.style().unpolish(self._box)
        self._box.style().polish(self._box)


def file_paths(source: QMimeData) -> list[Path]:
    """The files of this computer that ``source`` names."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
