"""The messages of a chat, centred, that follow a growing answer only while the reader is at the end."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.gui.answer import Answer, Turn
from app.gui.icons import icon
from app.gui.message_view import AnswerView, QuestionView
from app.gui.theme import Colours

WIDEST = 760
_END_PX = 8


class Transcript(QScrollArea):
    link_requested = Signal(str)
    help_pressed = Signal()

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("Conversation"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._colours = colours
        self._tint = False
        self._follows = True
        self._answers: list[AnswerView] = []
        self._questions: list[QuestionView] = []
        body = QWidget(self)
        body.setObjectName("transcriptBody")
        self._column_widget = QWidget(body)
        self._column_widget.setMaximumWidth(WIDEST)
        self._column = QVBoxLayout(self._column_widget)
        self._column.setContentsMargins(0, 16, 0, 16)
        self._column.setSpacing(16)
        self._column.addStretch(1)
        self._outer = outer = QHBoxLayout(body)
        outer.setContentsMargins(16, 0, 16, 0)
        outer.addStretch(1)
        outer.addWidget(self._column_widget, 1000)
        outer.addStretch(1)
        self.setWidget(body)
        self._to_end = QToolButton(self)
        self._to_end.setProperty("kind", "floating")
        self._to_end.setText(self.tr("Latest"))
        self._to_end.setToolTip(self.tr("Go to the end and follow the answer"))
        self._to_end.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._to_end.clicked.connect(self.follow)
        self._to_end.hide()
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._keep_at_end)
        bar.valueChanged.connect(self._notice_scroll)
        self.set_look(colours, False)

    @property
    def follows(self) -> bool:
        """Whether new text scrolls the view along."""
        return self._follows

    @property
    def answers(self) -> list[AnswerView]:
        return list(self._answers)

    def add_turn(self, turn: Turn) -> None:
        question = QuestionView(turn.question, self._column_widget)
        view = AnswerView(turn.answer, self._colours, self._tint, self._column_widget)
        view.link_requested.connect(self.link_requested)
        view.help_pressed.connect(self.help_pressed)
        self._questions.append(question)
        self._answers.append(view)
        last = self._column.count() - 1
        self._column.insertWidget(last, question)
        self._column.insertWidget(last + 1, view)
        self.follow()

    def refresh(self, answer: Answer) -> None:
        """Show what has been added to ``answer``."""
        for view in reversed(self._answers):
            if view.answer is answer:
                view.refresh()
                return

    def clear(self) -> None:
        for widget in (*self._questions, *self._answers):
            self._column.removeWidget(widget)
            widget.deleteLater()
        self._questions.clear()
        self._answers.clear()
        self._follows = True
        self._to_end.hide()

    def set_look(self, colours: Colours, tint: bool) -> None:
        self._colours, self._tint = colours, tint
        self._to_end.setIcon(icon("arrow-down", colours))
        for view in self._answers:
            view.set_look(colours, tint)

    def follow(self) -> None:
        self._follows = True
        self._to_end.hide()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    def _keep_at_end(self, _low: int, high: int) -> None:
        # The text stays in the middle of the view, scroll bar or not, in line with what is above and below.
        taken = self.verticalScrollBar().sizeHint().width() if high > 0 else 0
        self._outer.setContentsMargins(16, 0, 16 - taken, 0)
        if self._follows:
            self.verticalScrollBar().setValue(high)

    def _notice_scroll(self, value: int) -> None:
        at_end = value >= self.verticalScrollBar().maximum() - _END_PX
        if at_end != self._follows:
            self._follows = at_end
            self._to_end.setVisible(not at_end)
            self._place_button()

    def _place_button(self) -> None:
        self._to_end.adjustSize()
        view = self.viewport()
        self._to_end.move((view.width() - self._to_end.width()) // 2, view.height() - self._to_end.height() - 12)
        self._to_end.raise_()
