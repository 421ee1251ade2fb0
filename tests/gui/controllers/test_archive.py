"""The conversations on disk as the window uses them: in order, never waiting, and tried again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.attachment import Attachment
from app.chat.conversation import AnswerFacts, Conversation, Node
from app.chat.store import Store, Summary
from app.gui.controllers import archive as archive_module
from app.gui.controllers.archive import Archive

QUESTION = Node(id="q", parent_id="", role="user", content="How is bread made?", created_s=1.0)
ANSWER = Node(id="a", parent_id="q", role="assistant", content="Slowly.", created_s=2.0,
              facts=AnswerFacts(reason="eos"))


@pytest.fixture
def archive(qapp: QApplication, tmp_path: Path) -> Iterator[Archive]:
    made = Archive(tmp_path / "data" / "conversations.db")
    yield made
    made.close()


def chat(chat_id: str = "c1", title: str = "Bread") -> Conversation:
    return Conversation(chat_id, title, [QUESTION, ANSWER] if chat_id == "c1" else [], "a", unsent="x")


def listed(archive: Archive, qtbot: QtBot, search: str = "") -> list[Summary]:
    with qtbot.waitSignal(archive.summaries_ready) as told:
        archive.refresh(search)
    return list(told.args[0]) if told.args else []


def loaded(archive: Archive, qtbot: QtBot, chat_id: str = "c1") -> Conversation | None:
    found: list[Conversation | None] = []
    archive.load(chat_id, found.append)
    qtbot.waitUntil(lambda: bool(found))
    return found[0]


def test_what_is_saved_is_listed_searched_and_loaded(archive: Archive, qtbot: QtBot) -> None:
    archive.open()
    whole = chat()
    archive.save_head(whole.head)
    archive.save_node("c1", QUESTION)
    archive.save_node("c1", ANSWER)
    archive.save_unsent_files("c1", [Attachment(name="a.txt", text="A")])
    assert [each.title for each in listed(archive, qtbot)] == ["Bread"]
    assert [each.id for each in listed(archive, qtbot, "slow")] == ["c1"]
    assert listed(archive, qtbot, "cake") == []
    found = loaded(archive, qtbot)
    assert found is not None
    assert [node.content for node in found.path()] == ["How is bread made?", "Slowly."]
    assert (found.unsent, [file.name for file in found.unsent_files]) == ("x", ["a.txt"])
    assert loaded(archive, qtbot, "none") is None


def test_only_the_newest_list_is_made(archive: Archive, qtbot: QtBot) -> None:
    told: list[str] = []
    archive.summaries_ready.connect(lambda _, search: told.append(search))
    archive.open()
    for search in ("b", "br", "bre"):
        archive.refresh(search)
    listed(archive, qtbot, "last")
    assert told[-1] == "last"
    assert len(told) < 5


def test_a_conversation_is_renamed_pinned_moved_deleted_and_brought_back(archive: Archive, qtbot: QtBot) -> None:
    archive.open()
    archive.save_all(chat())
    archive.rename("c1", "Dough")
    archive.pin("c1", True)
    archive.move("c1", "Kitchen")
    summary, = listed(archive, qtbot)
    assert (summary.title, summary.pinned, summary.folder) == ("Dough", True, "Kitchen")
    archive.delete("c1")
    assert listed(archive, qtbot) == []
    archive.restore("c1")
    assert len(listed(archive, qtbot)) == 1


@pytest.mark.parametrize(("name", "holds"), [("out.md", "# Bread"), ("out.json", '"slipstream-conversations"')])
def test_chats_are_exported_by_the_ending_of_the_name(archive: Archive, qtbot: QtBot, tmp_path: Path, name: str,
                                                      holds: str) -> None:
    archive.open()
    archive.save_all(chat())
    with qtbot.waitSignal(archive.exported) as told:
        archive.export([], tmp_path / name)
    assert told.args == [1, name]
    assert holds in (tmp_path / name).read_text(encoding="utf-8")


def test_what_was_exported_can_be_brought_in(archive: Archive, qtbot: QtBot, tmp_path: Path) -> None:
    archive.open()
    archive.save_all(chat())
    with qtbot.waitSignal(archive.exported):
        archive.export(["c1"], tmp_path / "out.json")
    assert len(json.loads((tmp_path / "out.json").read_bytes())["conversations"]) == 1
    with qtbot.waitSignal(archive.imported) as told:
        archive.bring_in(tmp_path / "out.json")
    assert told.args == [1]
    (tmp_path / "none.json").write_text("{}", encoding="utf-8")
    with qtbot.waitSignal(archive.failed) as failed:
        archive.bring_in(tmp_path / "none.json")
    assert failed.args


def test_what_cannot_be_written_is_said_once_and_written_later(
    archive: Archive, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[str] = []
    archive.failed.connect(failures.append)
    monkeypatch.setattr(archive_module, "_RETRY_MS", 10)
    archive.open()
    listed(archive, qtbot)
    real = Store.save_head

    def refuse(self: Store, head: object) -> None:
        self._db.execute("SELECT * FROM no_table")

    def refuse_in_words(self: Store, head: object) -> None:
        from app.chat.store import _in_words
        with _in_words(self.path):
            refuse(self, head)

    monkeypatch.setattr(Store, "save_head", refuse_in_words)
    archive.save_head(chat().head)
    archive.save_node("c1", QUESTION)
    qtbot.waitUntil(lambda: len(failures) == 1)
    monkeypatch.setattr(Store, "save_head", real)
    with qtbot.waitSignal(archive.recovered):
        archive.save_node("c1", ANSWER)
    found = loaded(archive, qtbot)
    assert found is not None
    assert len(found.nodes) == 2
    assert len(failures) == 1


def test_a_file_that_cannot_be_used_is_said_and_the_window_goes_on(qapp: QApplication, qtbot: QtBot, tmp_path: Path
                                                                   ) -> None:
    (tmp_path / "data").write_bytes(b"no folder")
    made = Archive(tmp_path / "data" / "conversations.db")
    with qtbot.waitSignal(made.failed) as told:
        made.open()
    assert "cannot be used" in told.args[0]
    made.save_head(chat().head)
    made.close()


def test_what_waits_is_written_before_the_end(qapp: QApplication, tmp_path: Path) -> None:
    made = Archive(tmp_path / "conversations.db")
    made.open()
    made.save_all(chat())
    made.close()
    store = Store(tmp_path / "conversations.db")
    assert [each.id for each in store.summaries()] == ["c1"]
    store.close()
