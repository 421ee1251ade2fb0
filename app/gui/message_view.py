"""A question or an answer in the transcript."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.gui import figures
from app.gui.answer import Answer, AnswerState
from app.gui.banner import Banner
from app.gui.fitted_browser import FittedBrowser
from app.gui.icons import icon
from app.gui.markdown_view import MarkdownView
from app.gui.theme import Colours


class QuestionView(QFrame):
    """What the person wrote, as they wrote it."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("userBubble")
        self.setAccessibleName(self.tr("You"))
        self.text = FittedBrowser(self)
        self.text.show_plain(text)
        column = QVBoxLayout(self)
        column.setContentsMargins(15, 11, 15, 11)
        column.addWidget(self.text)


class AnswerView(QWidget):
    """An answer: its text, a line of figures, and what went wrong with it, if anything."""

    link_requested = Signal(str)
    help_pressed = Signal()
    """The button of the answer's error was pressed."""

    def __init__(self, answer: Answer, colours: Colours, tint: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Answer"))
        self.answer = answer
        self.body = MarkdownView(colours, self)
        self.body.link_requested.connect(self.link_requested)
        self.figures = QLabel(self)
        self.figures.setProperty("role", "secondary")
        self.figures.setTextFormat(Qt.TextFormat.PlainText)
        self.figures.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.figures.setWordWrap(True)
        self.notice = QLabel(self)
        self.notice.setProperty("role", "secondary")
        self.notice.setTextFormat(Qt.TextFormat.PlainText)
        self.notice.setWordWrap(True)
        self.notice.hide()
        self._copy = QToolButton(self)
        self._copy.setToolTip(self.tr("Copy the answer"))
        self._copy.setAccessibleName(self.tr("Copy the answer"))
        self._copy.clicked.connect(self._copy_text)
        self.problem = Banner(colours, self)
        self.problem.pressed.connect(self.help_pressed)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.figures, 1)
        foot.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 4, 16, 0)
        column.setSpacing(4)
        column.addWidget(self.body)
        column.addWidget(self.problem)
        column.addLayout(foot)
        column.addWidget(self.notice)
        self.set_look(colours, tint)
        self.refresh()

    def set_look(self, colours: Colours, tint: bool) -> None:
        self._copy.setIcon(icon("copy", colours))
        self.problem.set_colours(colours)
        self.body.set_look(colours, tint)

    def refresh(self) -> None:
        """Show the answer as it is now."""
        answer = self.answer
        self.body.setVisible(bool(answer.text))
        self.body.show_text(answer.text, answer.drafted)
        if answer.is_over:
            self.body.flush()
        self.figures.setText(figures.answer_line(answer))
        self._copy.setVisible(answer.is_over and bool(answer.text))
        if answer.notices:
            self.notice.setText(answer.notices[-1])
            self.notice.show()
        if answer.state is AnswerState.FAILED and answer.failed is not None:
            self.problem.say("error", f"{answer.failed.message} {answer.failed.hint}".strip(),
                             self.tr("Start again"), closable=False)
            self.figures.setVisible(bool(answer.text))

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self.answer.text)
