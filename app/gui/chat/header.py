"""The line above the transcript: target, its draft, their state, and the memory bar."""

from __future__ import annotations

import time

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QToolButton, QWidget

from app.chat.answer import Answer, AnswerState
from app.gui.chat.memory_bar import MemoryBar
from app.gui.controllers.chat import ChatController
from app.gui.controllers.engine import EngineController, EngineState
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.look import theme
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.gui.words.messages import localise
from app.gui.words.names import pair_title

_NARROW = 820
_LEAST_SHARE = 0.1
"""So much of a measurement must have been seen before the rest of its time is said."""


class ChatHeader(QFrame):
    pick_requested = Signal()
    new_chat_requested = Signal()
    panel_toggled = Signal(bool)
    list_toggled = Signal(bool)

    def __init__(self, engine: EngineController, models: ModelsController, chat: ChatController, pairs: PairController,
                 colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._engine, self._models, self._chat, self._pairs = engine, models, chat, pairs
        self.setObjectName("header")
        self.setFixedHeight(48)
        self._text = ""
        self._state_before = ""
        self._is_measuring = False
        self._first_seen: tuple[float, float] | None = None
        """Progress and time when measuring first told of progress."""
        self.pair = QPushButton(self)
        self.pair.setObjectName("targetButton")
        self.pair.setProperty("kind", "plain")
        self.pair.setToolTip(self.tr("Choose target and draft (Ctrl+M)"))
        self.pair.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.pair.setIconSize(QSize(16, 16))
        self.pair.clicked.connect(self.pick_requested)
        self.state = QLabel(self)
        self.state.setProperty("role", "secondary")
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(96)
        self.progress.setRange(0, 1000)
        self.skip = QPushButton(self.tr("Skip"), self)
        self.skip.setToolTip(self.tr("Go on with what is known; it is measured again when there is time"))
        self.skip.clicked.connect(engine.skip)
        self.skip.hide()
        self.cancel = QPushButton(self.tr("Cancel"), self)
        self.cancel.clicked.connect(engine.stop)
        self.memory = MemoryBar(colours, self)
        self.new_chat = QPushButton(self.tr("New chat"), self)
        self.new_chat.setToolTip(self.tr("Start an empty chat (Ctrl+N)"))
        self.new_chat.clicked.connect(self.new_chat_requested)
        self.panel = QToolButton(self)
        self.panel.setCheckable(True)
        self.panel.setIconSize(QSize(20, 20))
        self.panel.setAccessibleName(self.tr("Speed panel"))
        self.panel.setToolTip(self.tr("Show or hide the speed panel (Ctrl+Shift+S)"))
        self.panel.toggled.connect(self.panel_toggled)
        self.listing = QToolButton(self)
        self.listing.setCheckable(True)
        self.listing.setIconSize(QSize(20, 20))
        self.listing.setAccessibleName(self.tr("Conversations"))
        self.listing.setToolTip(self.tr("Show or hide the conversations (Ctrl+Shift+L)"))
        self.listing.toggled.connect(self.list_toggled)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self.listing, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.pair, 1)
        for widget in (self.state, self.progress, self.skip, self.cancel, self.memory, self.new_chat, self.panel):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self.set_colours(colours)
        engine.state_changed.connect(self.follow_engine)
        engine.load_progressed.connect(self.show_progress)
        engine.load_noticed.connect(self.show_notice)
        pairs.pair_changed.connect(self.follow_pair)
        chat.turns_changed.connect(self.follow_pair)
        chat.answer_changed.connect(self._follow_answer)
        self.follow_engine()

    def set_colours(self, colours: Colours) -> None:
        self.memory.set_colours(colours)
        self.pair.setIcon(icon("cube", colours))
        self.new_chat.setIcon(icon("plus", colours))
        self.panel.setIcon(icon("gauge", colours))
        self.listing.setIcon(icon("list", colours))

    def follow_engine(self) -> None:
        """Say what the engine is doing now."""
        state = self._engine.state
        self._show_pair_and({
            EngineState.EMPTY: "",
            EngineState.LOADING_TARGET: self.tr("Loading the target…"),
            EngineState.LOADING_DRAFT: self.tr("Loading the draft…"),
            EngineState.READY: self.tr("Ready"),
            EngineState.ANSWERING: self.tr("Answering"),
            EngineState.DOWN: self.tr("Not loaded"),
        }[state])
        self.show_progress(0.0 if self._engine.is_loading else None)
        if state is not EngineState.ANSWERING:
            # An answer's first frame has enough to do, and the bar measures by itself soon.
            self.memory.watch(self._engine.worker_pid)
        self._models.held_bytes = self.memory.returned_bytes

    def follow_pair(self) -> None:
        """Name the pair in use, and what it gained in the last answer."""
        self._show_pair_and(self.state.text())

    def _follow_answer(self, answer: Answer) -> None:
        if answer.state is AnswerState.DONE:
            self.follow_pair()

    def _show_pair_and(self, state: str) -> None:
        if not self._pairs.target_path:
            self.show_pair(self.tr("Choose a model"), "")
            return
        answer = self._chat.last_answer
        gain = answer.speed_up if answer is not None and answer.state is AnswerState.DONE else 0.0
        target, draft = self._name(self._pairs.target_path), self._name(self._pairs.draft_path)
        self.show_pair(pair_title(target, draft, gain), state)
        self.show_engine(self._engine.engine_sentence)

    def _name(self, path: str) -> str:
        facts = self._models.facts(path) if path else None
        return facts.name if facts is not None and facts.name else path

    def show_pair(self, text: str, state: str) -> None:
        """``text`` names the pair, ``state`` what it is doing."""
        self._text = text
        if state != self.state.text():
            self._end_measuring()
        self.state.setText(state)
        if not self._is_measuring:
            self.state.setToolTip("")
        self.state.setVisible(bool(state))
        self.pair.setAccessibleName(f"{text}. {state}")
        self._elide()

    def show_notice(self, sentence: str, skippable: bool) -> None:
        """What takes time before the model is there: as a tip and, if it can be skipped, in a few words."""
        if self._is_measuring and not skippable:
            self.state.setText(self._state_before)
        self._end_measuring()
        self.state.setToolTip(localise(sentence))
        if skippable:
            self._is_measuring, self._state_before = True, self.state.text()
            self.state.setText(self.tr("Comparing two engines…"))
            self.skip.show()

    def _end_measuring(self) -> None:
        self._is_measuring, self._first_seen = False, None
        self.skip.hide()

    def _say_left(self, fraction: float) -> None:
        """How long measuring will still take, by how far it came in the time since it first told."""
        now = time.monotonic()
        if fraction <= 0:
            return
        if self._first_seen is None:
            self._first_seen = fraction, now
        first, began = self._first_seen
        if fraction - first >= _LEAST_SHARE:
            left = figures.duration((1.0 - fraction) * (now - began) / (fraction - first))
            self.state.setText(self.tr("Comparing two engines: {time} left").format(time=left))

    def show_engine(self, sentence: str) -> None:
        """Which engine runs the target and why, as a tip on the pair; "" for none."""
        tip = self.tr("Choose target and draft (Ctrl+M)")
        self.pair.setToolTip("\n".join(filter(None, (tip, localise(sentence)))))

    def show_progress(self, fraction: float | None) -> None:
        """Progress of loading, None when nothing is loaded."""
        if fraction is None:
            self._end_measuring()
        elif self._is_measuring:
            self._say_left(fraction)
        self.progress.setVisible(fraction is not None)
        self.cancel.setVisible(fraction is not None)
        self.memory.setVisible(fraction is None)
        self.progress.setValue(round(1000 * (fraction or 0.0)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < _NARROW
        self.memory.set_compact(narrow)
        self.new_chat.setText("" if narrow else self.tr("New chat"))
        self._elide()

    def _elide(self) -> None:
        metrics = QFontMetrics(theme.ui_font(bold=True))
        room = max(40, self.pair.width() - 48)
        shown = metrics.elidedText(self._text, Qt.TextElideMode.ElideMiddle, room)
        self.pair.setText(f" {shown}")
