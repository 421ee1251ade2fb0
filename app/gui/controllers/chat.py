"""One chat: its conversation, the answer that is being written, this chat's speculation switch. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app import protocol
from app.chat.answer import Answer, AnswerState, ChatTurn
from app.chat.attachment import Attachment, with_attachments
from app.chat.context import (
    TOKENS_PER_MESSAGE,
    Fit,
    answer_reserve,
    estimate_tokens,
    fit_sizes,
    tokens_per_character,
)
from app.chat.conversation import AnswerFacts, Conversation, Node, make_title
from app.chat.speed_series import PlainRate, SpeedSeries
from app.gui.controllers.archive import Archive
from app.gui.controllers.engine import EngineController
from app.gui.controllers.token_counter import TokenCounter
from app.protocol import Chunk, Generate
from app.records import Message
from app.settings.scopes import AnswerChoice, Answering, apply_answers
from app.settings.settings import Settings, Speculation

SAVE_MS = 400
"""A growing answer is on disk at most this long behind the screen."""


class ChatController(QObject):
    turns_changed = Signal()
    """Another chat or another branch is shown."""
    turn_added = Signal(object)
    answer_changed = Signal(object)
    """The ``Answer`` that grew, once for all that came together, ended or failed."""
    answering_changed = Signal(bool)
    speculation_changed = Signal(object)
    head_changed = Signal(object)
    """The ``Head`` of the conversation on the screen was saved."""

    def __init__(self, engine: EngineController, archive: Archive, settings: Settings,
                 parent: QObject | None = None, counter: TokenCounter | None = None) -> None:
        super().__init__(parent)
        self._engine, self._archive = engine, archive
        self.counter = counter
        self.settings = settings
        self.conversation = Conversation()
        self.turns: list[ChatTurn] = []
        self.series = SpeedSeries()
        self.plain_rate = PlainRate()
        self.default_speculation = Speculation()
        """The switch of chats that have none of their own."""
        self.speculation = Speculation()
        self.model_choices: tuple[AnswerChoice, ...] = ()
        """What the model file and the person ask for with this target, the narrower scope last."""
        self._current: ChatTurn | None = None
        self._answering_in: Conversation | None = None
        self._has_grown = False
        """Since ``answer_changed`` told of it."""
        self._timer = QTimer(self)
        self._timer.setInterval(SAVE_MS)
        self._timer.timeout.connect(self._save_answer)
        engine.load_noticed.connect(self._wait_for)
        engine.burst_over.connect(self._tell_growth)

    @property
    def is_answering(self) -> bool:
        return self._current is not None

    @property
    def last_answer(self) -> Answer | None:
        return self.turns[-1].answer if self.turns else None

    def show(self, conversation: Conversation) -> None:
        """Another conversation; an answer that is being written is stopped and kept."""
        if self._current is not None:
            self._engine.abandon()
            self._current.answer.reason = "aborted"
            self._current.answer.state = AnswerState.DONE
            self._save_answer()
            self._abandon()
        self.conversation = conversation
        self.series = SpeedSeries()
        self._follow_speculation()
        self._show_path()

    def new_chat(self) -> None:
        """Begin an empty chat."""
        self.show(Conversation())

    def use_target(self, speculation: Speculation, plain_tokens_per_second: float) -> None:
        """Another target was chosen: its switch and its plain rate hold from now on."""
        self.plain_rate = PlainRate(plain_tokens_per_second)
        self.set_default_speculation(speculation)

    def set_default_speculation(self, speculation: Speculation) -> None:
        """The switch of chats that have none of their own, with the target in use."""
        self.default_speculation = speculation
        if self.conversation.choice.speculation == speculation:
            self.set_choice(msgspec.structs.replace(self.conversation.choice, speculation=None))
        self._follow_speculation()

    def set_speculation(self, speculation: Speculation) -> None:
        """This chat's switch; a running answer follows from its next step on."""
        own = None if speculation == self.default_speculation else speculation
        self.set_choice(msgspec.structs.replace(self.conversation.choice, speculation=own))

    def set_choice(self, choice: AnswerChoice) -> None:
        """What is set for this chat alone."""
        if choice == self.conversation.choice:
            return
        self.conversation.choice = choice
        self._save_head()
        self._follow_speculation()

    @property
    def answering(self) -> Answering:
        """How the next answer is made: what holds for all, the model file's own, the model's and this chat's choice."""
        return apply_answers(self.settings.answering, (*self.model_choices, self.conversation.choice))

    def _follow_speculation(self) -> None:
        speculation = self.conversation.choice.speculation or self.default_speculation
        if speculation == self.speculation:
            return
        self.speculation = speculation
        if self.is_answering:
            self._engine.set_method(self._method())
        self.speculation_changed.emit(speculation)

    def send(self, question: str, parent_id: str | None = None, attachments: Sequence[Attachment] = ()) -> None:
        """Ask ``question`` at the end of the shown branch, or below ``parent_id``; ignored while one is answered."""
        if self.is_answering:
            return
        chat = self.conversation
        branches = parent_id is not None and parent_id != chat.leaf_id
        node = chat.add("user", question, parent_id, attachments=attachments)
        chat.title = chat.title or make_title(question or (attachments[0].name if attachments else ""))
        if parent_id is None:
            # What was begun before an earlier message was edited is still to be sent.
            chat.unsent = ""
            self._keep_files(())
        self._save_head()
        self._archive.save_node(chat.id, node)
        self._ask(node, branches)

    def answer_again(self, turn: ChatTurn) -> None:
        """Another answer to the question of ``turn``, beside the one that is there."""
        if not self.is_answering:
            self._ask(self.conversation.node(turn.question_id), branches=True)

    def go_on(self, turn: ChatTurn) -> None:
        """Let the model go on with the answer of ``turn``, the last one, which was cut."""
        if self.is_answering or not turn.answer.can_go_on or turn.answer_id != self.conversation.leaf_id:
            return
        turn.answer.go_on()
        self._begin(turn, self.conversation.node(turn.question_id))

    def edit(self, turn: ChatTurn, question: str, attachments: Sequence[Attachment] = ()) -> None:
        """Ask ``question`` in the place of the one of ``turn``, which stays as a branch."""
        if not self.is_answering:
            self.send(question, self.conversation.node(turn.question_id).parent_id, attachments)

    def show_branch(self, node_id: str) -> None:
        """Show the branch through the message ``node_id``."""
        if not self.is_answering:
            self.conversation.select(node_id)
            self._save_head()
            self._show_path()

    def keep_unsent(self, text: str, files: Sequence[Attachment] = ()) -> None:
        """Remember what is written and attached and not sent."""
        changed = list(files) != self.conversation.unsent_files
        if changed or text != self.conversation.unsent:
            self.conversation.unsent = text
            self._save_head()
        if changed:
            self._keep_files(files)

    def _keep_files(self, files: Sequence[Attachment]) -> None:
        if files or self.conversation.unsent_files:
            self.conversation.unsent_files = list(files)
            self._archive.save_unsent_files(self.conversation.id, files)

    def rename(self, title: str) -> None:
        self.conversation.title = title

    def stop(self) -> None:
        if self.is_answering:
            self._engine.stop()

    def close(self) -> None:
        """Keep what there is of a running answer."""
        self._save_answer()

    def _ask(self, question: Node, branches: bool) -> None:
        chat = self.conversation
        answer = chat.add("assistant", "", question.id, AnswerFacts())
        self._archive.save_node(chat.id, answer)
        self._save_head()
        turn = self._make_turn(question, answer)
        turn.answer = Answer()
        if branches:
            self._show_path(turn)
        else:
            self.turns.append(turn)
            self.turn_added.emit(turn)
        self._begin(turn, question)

    def _begin(self, turn: ChatTurn, question: Node) -> None:
        chat = self.conversation
        self._current, self._answering_in = turn, chat
        self.series = SpeedSeries()
        self.plain_rate.begin()
        self._timer.start()
        self.answering_changed.emit(True)
        how = self.answering
        messages = self._fitting(chat.messages(question.id), turn.answer, how)
        turn.answer.waiting_for, turn.answer.skippable = self._engine.load_notice, self._engine.load_is_skippable
        self.answer_changed.emit(turn.answer)
        self._engine.generate(Generate(
            request_id=0, messages=messages, sampling=how.sampling, method=self._method(), max_tokens=how.max_tokens,
            thinking=how.wants_thinking, on_full=how.on_full, begun=turn.answer.begun,
        ), self._take, chat.id)

    def fit(self, text: str = "", attachments: Sequence[Attachment] = ()) -> tuple[Fit, int]:
        """What the shown branch and a message that is being written take of the context, and how many of the oldest
        messages have no room; then the context's tokens, 0 while unknown. Exact where the model has counted."""
        target = self._engine.target
        messages = self.conversation.messages()
        if text or attachments:
            messages.append(Message(role="user", content=with_attachments(text, attachments)))
        how = self.answering
        sizes, taken = self._sizes(messages), self._size(how.system_prompt.strip())
        whole = target.ctx_tokens if target is not None else 0
        if not whole:
            return Fit(0, sum(sizes) + taken), 0
        if not messages or messages[-1].role != "user":
            # Nothing is written: what would be left out with the next, short, message.
            sizes.append(TOKENS_PER_MESSAGE)
        fit = fit_sizes(sizes, whole - taken, answer_reserve(how.max_tokens, whole))
        return Fit(fit.left_out, fit.tokens + taken), whole

    def texts(self) -> list[str]:
        """What has to be counted for ``fit`` to be exact."""
        return [message.content for message in self.conversation.messages()]

    def _sizes(self, messages: Sequence[Message]) -> list[int]:
        # Once for all: it looks through the whole chat.
        rate = tokens_per_character(self.conversation.path())
        return [self._size(message.content, rate) for message in messages]

    def _size(self, text: str, rate: float | None = None) -> int:
        if not text:
            return 0
        known = self.counter.known(text) if self.counter is not None else None
        if known is not None:
            return known + TOKENS_PER_MESSAGE
        return estimate_tokens(text, tokens_per_character(self.conversation.path()) if rate is None else rate)

    def _fitting(self, messages: list[Message], answer: Answer, how: Answering) -> list[Message]:
        """``messages`` after the system prompt, without the oldest that the context has no room for; says so."""
        prompt = how.system_prompt.strip()
        system = [Message(role="system", content=prompt)] if prompt else []
        target = self._engine.target
        if target is None or target.ctx_tokens <= 0:
            return [*system, *messages]
        taken = self._size(prompt) + self._size(answer.begun)
        reserve = answer_reserve(how.max_tokens, target.ctx_tokens)
        fit = fit_sizes(self._sizes(messages), target.ctx_tokens - taken, reserve)
        if fit.left_out:
            words = self.tr("The context is full: the oldest {count} messages were left out.")
            answer.notices.append(words.format(count=fit.left_out))
        return [*system, *messages[fit.left_out :]]

    def _show_path(self, new: ChatTurn | None = None) -> None:
        """Make the turns of the shown branch anew, keeping those that are there already."""
        known = {turn.answer_id or turn.question_id: turn for turn in self.turns}
        turns: list[ChatTurn] = []
        path = self.conversation.path()
        for index, node in enumerate(path):
            if node.role != "user":
                continue
            follows = path[index + 1] if index + 1 < len(path) else None
            turn = self._make_turn(node, follows)
            kept = known.get(turn.answer_id or turn.question_id)
            if kept is not None:
                turn.answer = kept.answer
            turns.append(new if new is not None and new.answer_id == turn.answer_id else turn)
        self.turns = turns
        self.turns_changed.emit()

    def _make_turn(self, question: Node, answer: Node | None) -> ChatTurn:
        made = Answer.from_node(answer) if answer is not None else Answer(state=AnswerState.DONE)
        return ChatTurn(
            question.content, made, question.id, answer.id if answer is not None else "",
            self.conversation.siblings(question.id),
            self.conversation.siblings(answer.id) if answer is not None else [],
            list(question.attachments),
        )

    def _wait_for(self, sentence: str, skippable: bool) -> None:
        """The engine says why an answer that is wanted does not begin yet."""
        if self._current is not None:
            self._current.answer.waiting_for, self._current.answer.skippable = sentence, skippable
            self.answer_changed.emit(self._current.answer)

    def _method(self) -> str:
        wanted = self._engine.wanted
        has_draft = wanted is not None and bool(wanted.draft_path)
        if self.speculation.needs_draft and not has_draft:
            return "off"
        return self.speculation.method()

    def _take(self, event: protocol.AnyEvent) -> None:
        turn = self._current
        if turn is None:
            return
        answer = turn.answer
        answer.take(event)
        if isinstance(event, Chunk):
            self.series.add(event)
            self.plain_rate.add(event)
        self._has_grown = not answer.is_over
        if self._has_grown:
            return
        if answer.num_draft_tokens:
            answer.speed_up = self.plain_rate.speed_up(answer.tokens_per_second)
        self._save_answer()
        self._abandon()
        self.answer_changed.emit(answer)

    def _tell_growth(self) -> None:
        if self._has_grown and self._current is not None:
            self._has_grown = False
            self.answer_changed.emit(self._current.answer)

    def _abandon(self) -> None:
        self._timer.stop()
        self._current = self._answering_in = None
        self.answering_changed.emit(False)

    def _save_answer(self) -> None:
        turn, chat = self._current, self._answering_in
        if turn is None or chat is None:
            return
        target = self._engine.target.name if self._engine.target is not None else ""
        draft = self._engine.draft.name if self._engine.draft is not None else ""
        node = chat.node(turn.answer_id)
        node = msgspec.structs.replace(node, content=turn.answer.text, facts=turn.answer.facts(target, draft))
        chat.replace(node)
        self._archive.save_node(chat.id, node)

    def _save_head(self) -> None:
        self._archive.save_head(self.conversation.head)
        self.head_changed.emit(self.conversation.head)
