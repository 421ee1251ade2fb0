"""One chat: its turns, the answer that is being written, this chat's speculation switch. Knows no widget."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app import protocol
from app.gui.answer import Answer, Turn
from app.gui.engine_controller import EngineController
from app.gui.speed_series import PlainRate, SpeedSeries
from app.protocol import Chunk, Generate
from app.settings import Settings, Speculation
from app.terms import Message


class ChatController(QObject):
    cleared = Signal()
    turn_added = Signal(object)
    answer_changed = Signal(object)
    """The ``Answer`` that grew, ended or failed."""
    answering_changed = Signal(bool)
    speculation_changed = Signal(object)

    def __init__(self, engine: EngineController, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self.settings = settings
        self.turns: list[Turn] = []
        self.series = SpeedSeries()
        self.plain_rate = PlainRate()
        self.speculation = Speculation()
        self._current: Answer | None = None
        engine.answer_event.connect(self._take)

    @property
    def is_answering(self) -> bool:
        return self._current is not None

    @property
    def last_answer(self) -> Answer | None:
        return self.turns[-1].answer if self.turns else None

    def new_chat(self) -> None:
        """Begin an empty chat with the target's own defaults."""
        self.stop()
        self._current = None
        self.turns = []
        self.series = SpeedSeries()
        self.answering_changed.emit(False)
        self.cleared.emit()

    def use_target(self, speculation: Speculation, plain_tokens_per_second: float) -> None:
        """Another target was chosen: its switch and its plain rate hold from now on."""
        self.plain_rate = PlainRate(plain_tokens_per_second)
        self.set_speculation(speculation)

    def set_speculation(self, speculation: Speculation) -> None:
        """This chat's switch; a running answer follows from its next step on."""
        if speculation == self.speculation:
            return
        self.speculation = speculation
        if self.is_answering:
            self._engine.set_method(self._method())
        self.speculation_changed.emit(speculation)

    def send(self, question: str) -> None:
        """Ask ``question``; ignored while an answer is running."""
        if self.is_answering:
            return
        history = [message for turn in self.turns for message in turn.messages()]
        turn = Turn(question)
        self.turns.append(turn)
        self._current = turn.answer
        self.series = SpeedSeries()
        system = self.settings.system_prompt.strip()
        messages = [
            *([Message(role="system", content=system)] if system else []),
            *history,
            Message(role="user", content=question),
        ]
        self.turn_added.emit(turn)
        self.answering_changed.emit(True)
        self._engine.generate(Generate(
            request_id=0, messages=messages, sampling=self.settings.sampling, method=self._method(),
            max_tokens=self.settings.max_tokens,
        ))

    def stop(self) -> None:
        if self.is_answering:
            self._engine.stop()

    def _method(self) -> str:
        wanted = self._engine.wanted
        has_draft = wanted is not None and bool(wanted.draft_path)
        if self.speculation.needs_draft and not has_draft:
            return "off"
        return self.speculation.method()

    def _take(self, event: protocol.AnyEvent) -> None:
        answer = self._current
        if answer is None:
            return
        answer.take(event)
        if isinstance(event, Chunk):
            self.series.add(event)
            self.plain_rate.add(event)
        if answer.is_over:
            self._current = None
            plain = self.plain_rate.tokens_per_second
            if plain > 0 and answer.num_draft_tokens and answer.tokens_per_second > 0:
                answer.speed_up = answer.tokens_per_second / plain
            self.answer_changed.emit(answer)
            self.answering_changed.emit(False)
        else:
            self.answer_changed.emit(answer)
