"""The one dialog for what went wrong: what happened, what to do, and a report to copy."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QWidget

from app.gui.failures.crash_report import Failure
from app.gui.look import layout
from app.gui.look.icons import icon
from app.gui.look.theme import Colours, code_font
from app.gui.words.messages import localise

_WIDTH = 560
_AROUND_PX = 88
"""What margins and the mark take of it."""
_REPORT_HEIGHT = 240
_COPIED_MS = 2500


class FailureDialog(QDialog):
    """``report`` may be replaced while it is open, when more is known."""

    def __init__(self, failure: Failure, report: str, log_folder: Path, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Slipstream"))
        self._log_folder = log_folder
        mark = QLabel(self)
        mark.setPixmap(icon("warning-circle", colours, colours.error_text).pixmap(24, 24))
        title = _label(failure.title, "heading", self)
        self.message = _label(localise(failure.message), "", self)
        self.hint = _label(localise(failure.hint), "", self)
        self.hint.setVisible(bool(failure.hint))
        promise = _label(
            self.tr("The report holds versions, devices, settings and the last log lines. It holds no chat text, and "
                    "it leaves this computer only if you paste it somewhere."), "secondary", self,
        )
        # Not the dialog itself: in some languages its buttons need more.
        promise.setMinimumWidth(_WIDTH - _AROUND_PX)
        self.report = QPlainTextEdit(self)
        self.report.setReadOnly(True)
        self.report.setFont(code_font(12))
        self.report.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.report.setFixedHeight(_REPORT_HEIGHT)
        self.report.setAccessibleName(self.tr("Report"))
        self.report.setTabChangesFocus(True)
        self.report.hide()
        self.show_report(report)
        self.copy = layout.button(self, self.tr("Copy report"), self._copy)
        self.copy.setIcon(icon("copy", colours))
        self.look = layout.button(self, self.tr("Show report"), self._toggle, kind="plain")
        folder = layout.button(self, self.tr("Open log folder"), self._open_folder, kind="plain")
        close = layout.button(self, self.tr("Close"), self.accept, kind="primary")
        close.setDefault(True)
        words = layout.column(None, title, self.message, self.hint, spacing=8)
        words.addSpacing(4)
        words.addWidget(promise)
        top = layout.row(None, (mark, 0, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=16)
        row = layout.row(None, self.copy, self.look, folder, 1, close, spacing=8)
        layout.column(self, top, self.report, row, margins=(24, 24, 24, 16), spacing=16)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(lambda: self.copy.setText(self.tr("Copy report")))
        close.setFocus()

    def show_report(self, report: str) -> None:
        self.report.setPlainText(report)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.copy.setText(self.tr("Copied"))
        self._copied.start()

    def _toggle(self) -> None:
        shown = self.report.isHidden()
        self.report.setVisible(shown)
        self.look.setText(self.tr("Hide report") if shown else self.tr("Show report"))
        self.adjustSize()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._log_folder)))


def _label(text: str, role: str, parent: QWidget) -> QLabel:
    label = layout.label(parent, text, wraps=True, plain=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
