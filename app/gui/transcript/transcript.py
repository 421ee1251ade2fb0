"""The messages of a chat, centred, that follow a growing answer only while the reader is at the end.

Of a long chat only the latest turns are made at once; older ones follow when the reader comes near them.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QToolButton, QWidget

from app.chat.answer import Answer, ChatTurn
from app.gui.look import layout
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.markdown.formulas import Formulas
from app.gui.transcript.message_view import AnswerView, QuestionView
from app.gui.transcript.selection import TranscriptSelection

WIDEST = 760
FIRST_TURNS = 4
MORE_TURNS = 8
_END_PX = 8
_NEAR_TOP_PX = 400
_SETTLE_MS = 80


class Transcript(QScrollArea):
    link_requested = Signal(str)
    help_pressed = Signal()
    report_requested = Signal(str)
    again_requested = Signal(object)
    skip_requested = Signal()
    """What an answer waits for is to be skipped."""
    go_on_requested = Signal(object)
    """The ``ChatTurn`` whose answer was cut and is to be continued."""
    edit_requested = Signal(object)
    branch_chosen = Signal(str)

    def __init__(self, colours: Colours, parent: QWidget | None = None, formulas: Formulas | None = None) -> None:
        super().__init__(parent)
        self._formulas = formulas
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("Conversation"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._colours = colours
        self._tint = False
        self._follows = True
        self._from_end: int | None = None
        self._growths = self._seen = self._left_out = 0
        self._older: list[ChatTurn] = []
        self._coming: list[ChatTurn] = []
        """Added, and without views until the next idle turn of the event loop."""
        self._answers: list[AnswerView] = []
        self._questions: list[QuestionView] = []
        body = QWidget(self)
        body.setObjectName("transcriptBody")
        self._column_widget = QWidget(body)
        self._column_widget.setMaximumWidth(WIDEST)
        self._column = layout.column(self._column_widget, 1, margins=(0, 16, 0, 16), spacing=16)
        self._outer = layout.row(body, 1, (self._column_widget, 1000), 1, margins=(16, 0, 16, 0))
        self.setWidget(body)
        self._selection = TranscriptSelection(self)
        self._to_end = QToolButton(self)
        self._to_end.setProperty("kind", "floating")
        self._to_end.setText(self.tr("Latest"))
        self._to_end.setToolTip(self.tr("Go to the end and follow the answer"))
        self._to_end.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._to_end.clicked.connect(self.follow)
        self._to_end.hide()
        self._more = QTimer(self)
        self._more.setSingleShot(True)
        self._more.timeout.connect(self._make_older)
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
        self._make_coming()
        return list(self._answers)

    @property
    def questions(self) -> list[QuestionView]:
        self._make_coming()
        return list(self._questions)

    @property
    def turns(self) -> list[ChatTurn]:
        """All of them, also those that have no view yet."""
        return [*self._older, *(view.turn for view in self._answers), *self._coming]

    def views_of(self, index: int) -> tuple[QuestionView, AnswerView] | None:
        """The views of the turn at ``index``, if they have been made."""
        self._make_coming()
        place = index - len(self._older)
        return (self._questions[place], self._answers[place]) if 0 <= place < len(self._answers) else None

    def reveal(self, index: int) -> tuple[QuestionView, AnswerView]:
        """The views of the turn at ``index``, made now if need be; the view no longer follows the end."""
        self._follows = False
        self._from_end = None
        turns, self._older = self._older[index:], self._older[:index]
        if turns:
            self._paint_later()
        for place, turn in enumerate(turns):
            self._insert(turn, place)
        if turns:
            self._mark()
        found = self.views_of(index)
        assert found is not None
        return found

    def scroll_to(self, widget: QWidget, top: int, bottom: int) -> None:
        """Bring the part of ``widget`` from ``top`` to ``bottom`` into view."""
        body = self.widget()
        assert body is not None
        high, low = (widget.mapTo(body, QPoint(0, y)).y() for y in (top, bottom))
        bar, room = self.verticalScrollBar(), self.viewport().height()
        if not (bar.value() + 8 <= high and low <= bar.value() + room - 8):
            bar.setValue(high - room // 3)

    def copy_last(self) -> None:
        """The last answer onto the clipboard."""
        self._make_coming()
        if self._answers:
            self._answers[-1].copy()

    def mark_left_out(self, messages: int) -> None:
        """The oldest ``messages``, questions and answers in turn, are no longer sent to the model: say so there."""
        if messages != self._left_out:
            self._left_out = messages
            self._mark()

    def _mark(self) -> None:
        last = len(self._answers) - 1
        for place, (question, answer) in enumerate(zip(self._questions, self._answers, strict=True)):
            question.show_left_out(2 * (place + len(self._older)) < self._left_out)
            answer.show_last(place == last)

    def show_turns(self, turns: list[ChatTurn]) -> None:
        """Show these turns, keeping the views of those at the beginning that are there already."""
        self._make_coming()
        shown = [view.turn for view in self._answers]
        rest = turns[len(self._older) :] if turns[: len(self._older)] == self._older else []
        same = 0
        while same < min(len(shown), len(rest)) and _is_same(shown[same], rest[same]):
            same += 1
        if not same:
            self.clear()
            self._older, rest = turns[:-FIRST_TURNS], turns[-FIRST_TURNS:]
        self._drop_from(same)
        for index, turn in enumerate(rest):
            if index < same:
                self._questions[index].turn = self._answers[index].turn = turn
                self._questions[index].refresh()
                self._answers[index].refresh()
            else:
                self._insert(turn, len(self._answers))
        self._mark()
        self.follow()

    def add_turn(self, turn: ChatTurn) -> None:
        """Its views follow soon: sending, making them and painting them are a frame each."""
        self._coming.append(turn)
        QTimer.singleShot(0, self, self._make_coming)
        self.follow()

    def _make_coming(self) -> None:
        if not self._coming:
            return
        turns, self._coming = self._coming, []
        self._paint_later()
        for turn in turns:
            self._insert(turn, len(self._answers))
        self._mark()
        if self._follows:
            self.follow()

    def refresh(self, answer: Answer) -> None:
        """Show what has been added to ``answer``."""
        for view in reversed(self._answers):
            if view.answer is answer:
                view.refresh()
                return

    def clear(self) -> None:
        self._older, self._coming = [], []
        self._drop_from(0)
        self._follows = True
        self._to_end.hide()

    def set_look(self, colours: Colours, tint: bool) -> None:
        self._colours, self._tint = colours, tint
        self._to_end.setIcon(icon("arrow-down", colours))
        for question in self._questions:
            question.set_colours(colours)
        for view in self._answers:
            view.set_look(colours, tint)

    def follow(self) -> None:
        self._follows = True
        self._to_end.hide()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Also of what was pressed on a message."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._selection.begin(event.position().toPoint())
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._selection.extend(event.position().toPoint())
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._selection.end()
        super().mouseReleaseEvent(event)

    def _insert(self, turn: ChatTurn, index: int) -> None:
        question = QuestionView(turn, self._colours, self._column_widget)
        view = AnswerView(turn, self._colours, self._tint, self._column_widget, self._formulas)
        question.edit_requested.connect(self.edit_requested)
        question.branch_chosen.connect(self.branch_chosen)
        view.branch_chosen.connect(self.branch_chosen)
        view.again_requested.connect(self.again_requested)
        view.go_on_requested.connect(self.go_on_requested)
        view.skip_requested.connect(self.skip_requested)
        view.link_requested.connect(self.link_requested)
        view.help_pressed.connect(self.help_pressed)
        view.report_requested.connect(self.report_requested)
        self._questions.insert(index, question)
        self._answers.insert(index, view)
        self._column.insertWidget(2 * index, question)
        self._column.insertWidget(2 * index + 1, view)

    def _paint_later(self) -> None:
        """Nothing is painted before it has been laid out, and both together would be a long frame."""
        body = self.widget()
        assert body is not None
        body.setUpdatesEnabled(False)
        QTimer.singleShot(0, body, lambda: body.setUpdatesEnabled(True))

    def _drop_from(self, index: int) -> None:
        self._from_end = None
        for widget in (*self._questions[index:], *self._answers[index:]):
            self._selection.forget(widget)
            self._column.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        del self._questions[index:]
        del self._answers[index:]

    def _make_older(self) -> None:
        """Put some older turns before the first, without moving what is being read."""
        if not self._older:
            return
        turns, self._older = self._older[-MORE_TURNS:], self._older[:-MORE_TURNS]
        bar = self.verticalScrollBar()
        if not self._follows:
            # What is being read keeps its distance from the end while the layout settles.
            self._from_end = bar.maximum() - bar.value()
            self._growths = self._seen = 0
            QTimer.singleShot(_SETTLE_MS, self, self._let_go)
        for index, turn in enumerate(turns):
            self._insert(turn, index)
        self._mark()

    def _let_go(self) -> None:
        if not self._growths or self._growths != self._seen:
            # The layout comes in several goes, and late on a busy machine.
            self._seen = self._growths
            QTimer.singleShot(_SETTLE_MS, self, self._let_go)
            return
        self._from_end = None
        self._look_for_older()

    def _keep_at_end(self, _low: int, high: int) -> None:
        # The text stays in the middle of the view, scroll bar or not, in line with what is above and below.
        taken = self.verticalScrollBar().sizeHint().width() if high > 0 else 0
        self._outer.setContentsMargins(16, 0, 16 - taken, 0)
        if self._follows:
            self.verticalScrollBar().setValue(high)
        elif self._from_end is not None:
            self._growths += 1
            self.verticalScrollBar().setValue(high - self._from_end)
        self._look_for_older()

    def _notice_scroll(self, value: int) -> None:
        if self._from_end is not None:
            self._from_end = self.verticalScrollBar().maximum() - value
        at_end = value >= self.verticalScrollBar().maximum() - _END_PX
        if at_end != self._follows:
            self._follows = at_end
            self._to_end.setVisible(not at_end)
            self._place_button()
        self._look_for_older()

    def _look_for_older(self) -> None:
        settled = self._from_end is None
        if settled and self._older and self.verticalScrollBar().value() < _NEAR_TOP_PX and not self._more.isActive():
            self._more.start()

    def _place_button(self) -> None:
        self._to_end.adjustSize()
        view = self.viewport()
        self._to_end.move((view.width() - self._to_end.width()) // 2, view.height() - self._to_end.height() - 12)
        self._to_end.raise_()


def _is_same(one: ChatTurn, other: ChatTurn) -> bool:
    return (one.question_id, one.answer_id) == (other.question_id, other.answer_id) and one.answer is other.answer
