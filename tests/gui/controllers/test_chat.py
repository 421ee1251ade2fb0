"""One chat: questions, answers, branches and its switch, without a widget and without a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.answer import AnswerState
from app.chat.attachment import Attachment
from app.chat.conversation import Conversation
from app.chat.store import Store
from app.gui.controllers.archive import Archive
from app.gui.controllers.chat import ChatController
from app.gui.controllers.engine import EngineController
from app.protocol import Chunk, Generate, Notice, SetSpeculation, Stop
from app.records import Piece
from app.settings.scopes import AnswerChoice
from app.settings.settings import Settings, Speculation
from tests.gui.controllers.fake_worker import DRAFT, FakeWorker, make_engine, make_ready, wanted

FIXED = Speculation(mode="fixed", max_draft=5)
OFF = Speculation(mode="off")


@pytest.fixture
def worker(qapp: QApplication) -> FakeWorker:
    return FakeWorker()


@pytest.fixture
def engine(worker: FakeWorker) -> EngineController:
    made = make_engine(worker)
    make_ready(worker, made, DRAFT)
    return made


@pytest.fixture
def chat(engine: EngineController, tmp_path: Path) -> Iterator[ChatController]:
    archive = Archive(tmp_path / "conversations.db")
    archive.open()
    yield ChatController(engine, archive, Settings(system_prompt="Be brief."))
    archive.close()


def say(worker: FakeWorker, text: str) -> None:
    """A piece of the running answer."""
    worker.say(worker.last(Generate), Chunk(request_id=0, pieces=[Piece(text=text)], emitted_tokens=1))


def answer(worker: FakeWorker, chat: ChatController, question: str, text: str) -> None:
    chat.send(question)
    say(worker, text)
    worker.say_done(text=text, reason="eos")


def asked(worker: FakeWorker) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in worker.last(Generate).messages]


def test_a_question_and_its_answer(worker: FakeWorker, chat: ChatController) -> None:
    answering: list[bool] = []
    chat.answering_changed.connect(answering.append)
    chat.send("How is bread made?")
    assert chat.is_answering
    assert asked(worker) == [("system", "Be brief."), ("user", "How is bread made?")]
    say(worker, "Slow")
    say(worker, "ly.")
    assert chat.turns[0].answer.text == "Slowly."
    worker.say_done(text="Slowly.", reason="eos")
    assert (answering, chat.is_answering) == ([True, False], False)
    assert chat.turns[0].answer.state is AnswerState.DONE
    assert chat.conversation.title == "How is bread made?"


def test_what_was_said_before_goes_with_the_next_question(worker: FakeWorker, chat: ChatController) -> None:
    answer(worker, chat, "One?", "1")
    chat.send("Two?")
    assert asked(worker)[1:] == [("user", "One?"), ("assistant", "1"), ("user", "Two?")]
    chat.send("Three?")
    assert len(chat.turns) == 2, "one answer at a time"


def test_attachments_go_before_the_text(worker: FakeWorker, chat: ChatController) -> None:
    chat.send("What is it?", attachments=[Attachment(name="a.py", text="print(1)")])
    role, content = asked(worker)[-1]
    assert role == "user"
    assert content.index("print(1)") < content.index("What is it?")
    assert chat.turns[0].attachments[0].name == "a.py"


def test_another_answer_and_an_edited_question_are_branches(worker: FakeWorker, chat: ChatController) -> None:
    answer(worker, chat, "One?", "1")
    first = chat.turns[0]
    chat.answer_again(first)
    say(worker, "I")
    worker.say_done(text="I", reason="eos")
    assert [turn.answer.text for turn in chat.turns] == ["I"]
    assert len(chat.conversation.siblings(chat.turns[0].answer_id)) == 2
    chat.show_branch(first.answer_id)
    assert [turn.answer.text for turn in chat.turns] == ["1"]
    chat.edit(chat.turns[0], "Eins?")
    assert asked(worker)[1:] == [("user", "Eins?")]
    assert len(chat.conversation.siblings(chat.turns[0].question_id)) == 2


def test_a_cut_answer_is_gone_on_with(worker: FakeWorker, chat: ChatController) -> None:
    chat.send("Count.")
    say(worker, "One, ")
    worker.say_done(text="One, ", reason="length")
    chat.go_on(chat.turns[0])
    assert worker.last(Generate).begun == "One, "
    say(worker, "two")
    worker.say_done(text="two", reason="eos")
    assert chat.turns[0].answer.text == "One, two"
    count = worker.count(Generate)
    chat.go_on(chat.turns[0])
    assert worker.count(Generate) == count, "it is whole"


def test_a_failure_keeps_what_there_is(worker: FakeWorker, chat: ChatController) -> None:
    chat.send("Count.")
    say(worker, "One")
    worker.say_failed(worker.last(Generate))
    shown = chat.turns[0].answer
    assert (shown.text, shown.state) == ("One", AnswerState.FAILED)
    facts = chat.conversation.node(chat.turns[0].answer_id).facts
    assert facts is not None
    assert facts.failed_message == "It broke."


def test_another_chat_stops_the_answer_and_keeps_it(worker: FakeWorker, chat: ChatController) -> None:
    chat.send("Count.")
    say(worker, "One")
    before = chat.conversation
    chat.new_chat()
    assert worker.last(Stop).target_id == worker.last(Generate).request_id
    assert (chat.turns, chat.is_answering) == ([], False)
    node = before.nodes[-1]
    assert node.content == "One"
    assert node.facts is not None
    assert node.facts.reason == "aborted"
    say(worker, " two")
    worker.say_done(reason="aborted")
    chat.show(before)
    assert chat.turns[0].answer.text == "One"


def test_why_an_answer_does_not_begin_yet(worker: FakeWorker, engine: EngineController, chat: ChatController) -> None:
    engine.select(wanted("/models/other.gguf"))
    chat.send("Hello")
    load = worker.sent[-1]
    worker.say(load, Notice(request_id=0, message="Measuring.", skippable=True))
    assert (chat.turns[0].answer.waiting_for, chat.turns[0].answer.skippable) == ("Measuring.", True)


def test_the_switch_of_a_chat_is_its_own(worker: FakeWorker, chat: ChatController) -> None:
    chat.set_speculation(FIXED)
    assert chat.conversation.choice.speculation == FIXED
    chat.send("One?")
    assert worker.last(Generate).method == "draft:max=5,min=0,p_min=0"
    chat.set_speculation(OFF)
    assert worker.last(SetSpeculation).method == "off", "a running answer follows"
    chat.set_default_speculation(OFF)
    assert chat.conversation.choice.speculation is None, "it is no longer its own"
    chat.new_chat()
    assert chat.speculation == OFF


def test_without_a_draft_nothing_is_drafted_by_one(worker: FakeWorker, engine: EngineController, chat: ChatController
                                                   ) -> None:
    engine.select(wanted())
    chat.set_speculation(FIXED)
    chat.send("One?")
    assert worker.last(Generate).method == "off"


def test_narrower_scopes_win(worker: FakeWorker, chat: ChatController) -> None:
    chat.settings = msgspec.structs.replace(chat.settings, max_tokens=100)
    chat.model_choices = (AnswerChoice(max_tokens=50, temperature=0.5),)
    chat.set_choice(AnswerChoice(temperature=0.25))
    chat.send("One?")
    made = worker.last(Generate)
    assert (made.max_tokens, made.sampling.temperature) == (50, 0.25)


def test_the_oldest_messages_are_left_out_of_a_full_context(worker: FakeWorker, engine: EngineController,
                                                            chat: ChatController) -> None:
    chat.send("One? " + "word " * 200)
    say(worker, "1 " * 200)
    worker.say_done(tokens=200, prompt_tokens=210, text="1 " * 200, reason="eos")
    answer(worker, chat, "Two?", "2")
    engine.select(wanted(ctx_tokens=256))
    worker.say_loaded(ctx_tokens=256)
    fit, whole = chat.fit("Three?")
    assert whole == 256
    assert fit.left_out > 0
    chat.send("Three?")
    assert "One?" not in str(asked(worker))
    assert asked(worker)[0] == ("system", "Be brief.")
    assert asked(worker)[-1] == ("user", "Three?")
    assert len(chat.turns[-1].answer.notices) == 1


def test_everything_is_on_disk_at_the_end(worker: FakeWorker, engine: EngineController, tmp_path: Path, qtbot: QtBot
                                          ) -> None:
    archive = Archive(tmp_path / "kept.db")
    archive.open()
    chat = ChatController(engine, archive, Settings())
    chat.keep_unsent("half a thought", [Attachment(name="a", text="A")])
    answer(worker, chat, "One?", "1")
    chat.keep_unsent("another")
    chat.send("Two?")
    say(worker, "begun")
    chat.close()
    archive.close()
    store = Store(tmp_path / "kept.db")
    kept = store.load(chat.conversation.id)
    store.close()
    assert isinstance(kept, Conversation)
    assert [node.content for node in kept.path()] == ["One?", "1", "Two?", "begun"]
    assert (kept.unsent, kept.unsent_files) == ("", []), "a sent question takes what was unsent"
