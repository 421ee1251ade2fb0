"""A question or an answer in the transcript."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QToolButton, QWidget

from app.chat.answer import AnswerState, ChatTurn
from app.chat.thinking import split_thinking
from app.gui.look import layout
from app.gui.look.banner import Banner
from app.gui.look.fitted_browser import FittedBrowser
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.markdown.formulas import Formulas
from app.gui.markdown.view import MarkdownView
from app.gui.transcript.fold import AttachmentFold, ThinkingFold
from app.gui.transcript.pager import Pager
from app.gui.words import figures
from app.gui.words.answers import answer_explanation
from app.gui.words.messages import localise

_MOST_SPOKEN = 2_000
_RENDERS_PER_LINE = 8
"""The line of figures is set anew with every eighth render: it makes the whole transcript lay itself out."""


class QuestionView(QFrame):
    """What the person wrote, as they wrote it."""

    edit_requested = Signal(object)
    """The ``ChatTurn``."""
    branch_chosen = Signal(str)

    def __init__(self, turn: ChatTurn, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("userBubble")
        self.setAccessibleName(self.tr("You"))
        self.turn = turn
        self.text = FittedBrowser(self)
        self.text.show_plain(turn.question)
        self.edit = _tool(self, self.tr("Edit and ask again"))
        self.edit.clicked.connect(lambda: self.edit_requested.emit(self.turn))
        self._colours = colours
        self._pager: Pager | None = None
        self._left_out: QLabel | None = None
        self.files = [AttachmentFold(attachment, colours, self) for attachment in turn.attachments]
        self._inside = inside = layout.column(None, spacing=4)
        for each in self.files:
            inside.addWidget(each)
        if turn.question or not self.files:
            inside.addWidget(self.text)
        else:
            self.text.hide()
        self._row = row = layout.row(self, (inside, 1), margins=(15, 7, 7, 7), spacing=8)
        row.setAlignment(inside, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.edit, 0, Qt.AlignmentFlag.AlignTop)
        self.set_colours(colours)
        self.refresh()

    @property
    def pager(self) -> Pager:
        """Made when it is first wanted."""
        if self._pager is None:
            self._pager = Pager(self._colours, self)
            self._pager.chosen.connect(self.branch_chosen)
            self._row.insertWidget(1, self._pager, 0, Qt.AlignmentFlag.AlignTop)
            self._pager.show_place(self.turn.question_siblings, self.turn.question_id)
        return self._pager

    @property
    def left_out(self) -> QLabel:
        """Made when it is first wanted."""
        if self._left_out is None:
            self._left_out = layout.label(self, self.tr("No longer sent: the context has no room for it"),
                                          role="warning", wraps=True)
            self._left_out.hide()
            self._inside.addWidget(self._left_out)
        return self._left_out

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.edit.setIcon(icon("pencil-simple", colours))
        if self._pager is not None:
            self._pager.set_colours(colours)
        for each in self.files:
            each.set_colours(colours)

    def show_left_out(self, left_out: bool) -> None:
        """Whether the model no longer gets this message and its answer."""
        if left_out or self._left_out is not None:
            self.left_out.setVisible(left_out)

    def refresh(self) -> None:
        if self._pager is not None or len(self.turn.question_siblings) > 1:
            self.pager.show_place(self.turn.question_siblings, self.turn.question_id)


class AnswerView(QWidget):
    """An answer: its text, a line of figures, and what went wrong with it, if anything.

    What few answers need is made when it is first wanted: to make it all would take longer than a frame.
    """

    link_requested = Signal(str)
    help_pressed = Signal()
    """The button of the answer's error was pressed."""
    report_requested = Signal(str)
    """A report is wanted about what the answer's error says."""
    again_requested = Signal(object)
    """The ``ChatTurn`` that is to be answered anew."""
    go_on_requested = Signal(object)
    """The ``ChatTurn`` whose answer was cut and is to be continued."""
    skip_requested = Signal()
    """What the answer waits for is to be skipped."""
    branch_chosen = Signal(str)

    def __init__(self, turn: ChatTurn, colours: Colours, tint: bool, parent: QWidget | None = None,
                 formulas: Formulas | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Answer"))
        self.turn = turn
        self.answer = turn.answer
        self.body = MarkdownView(colours, self, formulas)
        self.body.link_requested.connect(self.link_requested)
        self._colours = colours
        self._thinking: ThinkingFold | None = None
        self._notice: QLabel | None = None
        self._pager: Pager | None = None
        self._go_on: QToolButton | None = None
        self._skip: QToolButton | None = None
        self._problem: Banner | None = None
        self.figures = layout.label(self, role="secondary", wraps=True, plain=True)
        self.figures.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.again = _tool(self, self.tr("Answer again"))
        self.again.clicked.connect(lambda: self.again_requested.emit(self.turn))
        self._is_last = False
        self._copy = _tool(self, self.tr("Copy the answer"))
        self._copy.clicked.connect(self.copy)
        self._foot = foot = layout.row(None, (self.figures, 1), (self.again, 0, Qt.AlignmentFlag.AlignTop),
                                       (self._copy, 0, Qt.AlignmentFlag.AlignTop), spacing=4)
        self._column = layout.column(self, self.body, foot, margins=(16, 4, 16, 0), spacing=4)
        self._renders = 0
        self._grows = False
        self.set_look(colours, tint)
        self.refresh()

    @property
    def thinking(self) -> ThinkingFold:
        """What the model thought, above its answer."""
        if self._thinking is None:
            self._thinking = ThinkingFold(self._colours, self)
            self._column.insertWidget(0, self._thinking)
        return self._thinking

    @property
    def problem(self) -> Banner:
        """Why the answer failed, below its text."""
        if self._problem is None:
            self._problem = Banner(self._colours, self)
            self._problem.pressed.connect(self.help_pressed)
            self._problem.report_requested.connect(self.report_requested)
            self._column.insertWidget(self._column.indexOf(self.body) + 1, self._problem)
        return self._problem

    @property
    def notice(self) -> QLabel:
        """What is to be known of how the answer came about, below it."""
        if self._notice is None:
            self._notice = layout.label(self, role="secondary", wraps=True, plain=True)
            self._notice.hide()
            self._column.addWidget(self._notice)
        return self._notice

    @property
    def pager(self) -> Pager:
        """The other answers to the same question."""
        if self._pager is None:
            self._pager = Pager(self._colours, self)
            self._pager.chosen.connect(self.branch_chosen)
            self._foot.insertWidget(self._foot.indexOf(self.again), self._pager, 0, Qt.AlignmentFlag.AlignTop)
            self._pager.show_place(self.turn.answer_siblings, self.turn.answer_id)
        return self._pager

    @property
    def go_on(self) -> QToolButton:
        """Of an answer that was cut."""
        if self._go_on is None:
            self._go_on = _tool(self, self.tr("Let the model go on with this answer"))
            self._go_on.setText(self.tr("Continue"))
            self._go_on.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self._go_on.clicked.connect(lambda: self.go_on_requested.emit(self.turn))
            self._go_on.setIcon(icon("play", self._colours))
            self._go_on.hide()
            self._foot.insertWidget(1, self._go_on, 0, Qt.AlignmentFlag.AlignTop)
        return self._go_on

    @property
    def skip(self) -> QToolButton:
        """Of an answer that waits for a measurement."""
        if self._skip is None:
            self._skip = _tool(self, self.tr("Go on with what is known; it is measured again when there is time"))
            self._skip.setText(self.tr("Skip"))
            self._skip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            self._skip.clicked.connect(self.skip_requested)
            self._skip.hide()
            self._foot.insertWidget(1, self._skip, 0, Qt.AlignmentFlag.AlignTop)
        return self._skip

    def set_look(self, colours: Colours, tint: bool) -> None:
        self._colours = colours
        self._copy.setIcon(icon("copy", colours))
        self.again.setIcon(icon("arrow-clockwise", colours))
        if self._go_on is not None:
            self._go_on.setIcon(icon("play", colours))
        for part in (self._pager, self._problem, self._thinking):
            if part is not None:
                part.set_colours(colours)
        self.body.set_look(colours, tint)

    def show_last(self, is_last: bool) -> None:
        """Whether nothing follows, so that the answer can be gone on with."""
        self._is_last = is_last
        self._offer_more()

    def _offer_more(self) -> None:
        if (wanted := self._is_last and self.answer.can_go_on) or self._go_on is not None:
            self.go_on.setVisible(wanted)

    def refresh(self) -> None:
        """Show the answer as it is now."""
        answer = self.answer
        if answer.is_over and self._grows:
            self._announce()
        self._grows = not answer.is_over
        parts = split_thinking(answer.text)
        is_thinking = parts.is_thinking and not answer.is_over
        if parts.thinking or is_thinking or self._thinking is not None:
            self.thinking.show_thinking(parts.thinking, is_thinking)
        self.body.setVisible(bool(parts.answer))
        self.body.show_text(parts.answer, answer.drafted, parts.answer_at)
        if answer.skippable or self._skip is not None:
            self.skip.setVisible(answer.skippable)
        self._renders += 1
        if answer.state is AnswerState.WRITING and self._renders % _RENDERS_PER_LINE:
            return
        self.figures.setText(figures.answer_line(answer))
        if answer.is_over:
            self.figures.setToolTip(answer_explanation(answer))
        self._copy.setVisible(answer.is_over and bool(answer.text))
        self.again.setVisible(answer.is_over)
        self._offer_more()
        if self._pager is not None or len(self.turn.answer_siblings) > 1:
            self.pager.show_place(self.turn.answer_siblings, self.turn.answer_id)
        if answer.notices:
            self.notice.setText(localise(answer.notices[-1]))
            self.notice.show()
        if answer.state is AnswerState.FAILED and answer.failed is not None:
            self.problem.say("error", f"{answer.failed.message} {answer.failed.hint}".strip(),
                             self.tr("Start again"), closable=False)
            self.figures.setVisible(bool(answer.text))
        elif self._problem is not None and self._problem.isVisibleTo(self):
            self._problem.hide()
            self.figures.show()

    def _announce(self) -> None:
        """Tell whoever cannot see it that the answer is there."""
        if not QAccessible.isActive():
            return
        words = self.tr("Answer stopped") if self.answer.reason == "aborted" else self.tr("Answer finished")
        if self.answer.state is AnswerState.FAILED and self.answer.failed is not None:
            words = self.tr("The answer failed. {reason}").format(reason=localise(self.answer.failed.message))
        text = split_thinking(self.answer.text).answer[:_MOST_SPOKEN]
        event = QAccessibleAnnouncementEvent(self, f"{words}. {text}")
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
        QAccessible.updateAccessibility(event)

    def copy(self) -> None:
        """The answer, without its thinking, onto the clipboard."""
        QGuiApplication.clipboard().setText(split_thinking(self.answer.text).answer or self.answer.text)


def _tool(parent: QWidget, words: str) -> QToolButton:
    button = layout.tool_button(parent, words)
    # A view that was just made may be painted before it has its height.
    button.setMinimumSize(24, 24)
    return button
