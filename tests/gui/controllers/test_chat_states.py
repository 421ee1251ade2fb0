from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.controllers import chat_states
from app.gui.controllers.chat_states import ChatStates
from app.protocol import AnyCommand, RestoreState, SaveState
from app.state_files import state_file, states_dir


class Sent(list[tuple[str, str]]):
    """What was asked for, and of which chat."""

    def take(self, command: AnyCommand) -> int:
        assert isinstance(command, SaveState | RestoreState)
        self.append((type(command).__name__, command.name))
        return len(self)


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def states(qapp: QApplication, sent: Sent) -> ChatStates:
    made = ChatStates(sent.take)
    made.set_limit(1000)
    return made


def test_a_chat_is_brought_back_when_it_is_entered_and_kept_when_it_is_left(states: ChatStates, sent: Sent) -> None:
    states.enter("a")
    states.enter("a")
    states.note_answer()
    assert states.is_unsaved
    states.enter("b")
    assert sent == [("RestoreState", "a"), ("SaveState", "a"), ("RestoreState", "b")]
    assert not states.is_unsaved


def test_nothing_new_is_not_kept_again(states: ChatStates, sent: Sent) -> None:
    states.enter("a")
    states.note_answer()
    states.save()
    states.save()
    assert sent.count(("SaveState", "a")) == 1


def test_after_a_while_without_a_question_it_is_kept_by_itself(
    states: ChatStates, sent: Sent, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_states, "IDLE_MS", 1)
    soon = ChatStates(sent.take)
    soon.set_limit(1000)
    soon.enter("a")
    soon.note_answer()
    qtbot.waitUntil(lambda: ("SaveState", "a") in sent)


def test_without_room_and_without_a_chat_nothing_is_kept(states: ChatStates, sent: Sent) -> None:
    states.set_limit(0)
    states.enter("a")
    states.note_answer()
    states.enter("b")
    assert sent == []
    states.set_limit(1000)
    states.enter("")
    states.note_answer()
    states.save()
    assert sent == []


def test_what_the_engine_has_forgotten_is_not_kept_and_comes_back(states: ChatStates, sent: Sent) -> None:
    states.enter("a")
    states.note_answer()
    states.drop()
    states.enter("a")
    assert sent == [("RestoreState", "a"), ("RestoreState", "a")]


def test_of_a_deleted_chat_nothing_stays(
    states: ChatStates, sent: Sent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    states_dir().mkdir(parents=True)
    mine, other = (state_file(states_dir(), name, "key") for name in ("a", "b"))
    for path in (mine, other):
        path.write_bytes(b"x")
    states.enter("a")
    states.note_answer()
    states.forget("a")
    assert not states.is_unsaved
    assert (mine.exists(), other.exists()) == (False, True)
