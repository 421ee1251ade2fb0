from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.chat.attachment import Attachment
from app.chat.conversation import AnswerFacts, Conversation
from app.chat.search_text import pairs
from app.chat.store import _MIGRATIONS, Store, open_store
from app.errors import Code, SlipstreamError
from app.settings.scopes import AnswerChoice, Speculation

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "data" / "chats.db")
    yield made
    made.close()


def conversation(question: str, answer: str, title: str = "") -> Conversation:
    chat = Conversation(title=title or question)
    chat.add("user", question)
    chat.add("assistant", answer, facts=AnswerFacts(reason="eos", tokens=3, drafted=[0, 2]))
    return chat


def test_round_trip(store: Store) -> None:
    chat = conversation("Câu hỏi?", "Đáp án 答え 🎉\x00")
    chat.add("assistant", "another", parent_id=chat.path()[0].id)
    chat.unsent = "half a thou"
    store.save_all(chat)
    again = store.load(chat.id)
    assert again is not None
    assert again.nodes == chat.nodes
    assert again.leaf_id == chat.leaf_id
    assert (again.title, again.unsent) == (chat.title, chat.unsent)
    assert store.load("nothing") is None


def test_what_is_set_for_a_chat_is_kept(store: Store) -> None:
    chat = conversation("q", "a")
    chat.choice = AnswerChoice(temperature=0.1, system_prompt="Kurz.", thinking="off",
                               speculation=Speculation(mode="fixed", drafter="suffix", options={"max": 9}))
    store.save_all(chat)
    again = store.load(chat.id)
    assert again is not None
    assert again.choice == chat.choice
    for damage, kept in (("{", AnswerChoice()), ("[]", AnswerChoice()),
                         ('{"temperature": 99}', AnswerChoice(temperature=5)),
                         ('{"speculation": {"drafter": "nonsense"}, "top_k": 3}', AnswerChoice(top_k=3))):
        store._db.execute("UPDATE conversations SET choice = ?", (damage,))
        again = store.load(chat.id)
        assert again is not None
        assert again.choice == kept


def test_a_growing_answer(store: Store) -> None:
    chat = Conversation(title="t")
    question = chat.add("user", "q")
    answer = chat.add("assistant", "")
    store.save_head(chat.head)
    store.save_node(chat.id, question)
    for end in range(1, 6):
        store.save_node(chat.id, msgspec.structs.replace(answer, content="alpha beta"[: 2 * end]))
    again = store.load(chat.id)
    assert again is not None
    assert [node.content for node in again.path()] == ["q", "alpha beta"]
    assert [hit.id for hit in store.search("beta")] == [chat.id]
    assert store.search("alphab") == []


def test_an_answer_that_is_being_written_goes_through_the_indexes_once(store: Store) -> None:
    chat = Conversation(title="t")
    store.save_head(chat.head)
    store.save_node(chat.id, chat.add("user", "q"))
    answer = chat.add("assistant", "", facts=AnswerFacts())
    for text in ("", "alpha", "alpha beta"):
        store.save_node(chat.id, msgspec.structs.replace(answer, content=text, facts=AnswerFacts(tokens=len(text))))
    again = store.load(chat.id)
    assert again is not None
    assert again.path()[-1].content == "alpha beta"
    assert again.path()[-1].facts == AnswerFacts(tokens=10)
    assert store.search("beta") == []
    store.save_node(chat.id, msgspec.structs.replace(answer, content="alpha gamma", facts=AnswerFacts(reason="eos")))
    again = store.load(chat.id)
    assert again is not None
    assert again.path()[-1].content == "alpha gamma"
    assert [hit.id for hit in store.search("gamma")] == [chat.id]
    assert store._db.execute("SELECT count(*) FROM growing").fetchone() == (0,)
    assert store.check() == "ok"


def test_an_answer_that_was_cut_off_is_found_after_the_next_start(tmp_path: Path) -> None:
    first = Store(tmp_path / "chats.db")
    chat = Conversation(title="t")
    first.save_head(chat.head)
    first.save_node(chat.id, chat.add("user", "q"))
    answer = chat.add("assistant", "", facts=AnswerFacts())
    first.save_node(chat.id, msgspec.structs.replace(answer, content="alpha beta", facts=AnswerFacts(tokens=2)))
    # As after a kill: it is not closed.
    second = Store(tmp_path / "chats.db")
    again = second.load(chat.id)
    assert again is not None
    assert (again.path()[-1].content, again.path()[-1].facts) == ("alpha beta", AnswerFacts(tokens=2))
    assert [hit.id for hit in second.search("beta")] == [chat.id]
    second.delete(chat.id)
    second.close()
    assert first._db.execute("SELECT count(*) FROM growing").fetchone() == (0,)
    first.close()


def test_unsent_files_are_kept(store: Store) -> None:
    chat = Conversation()
    files = [Attachment(name="a.py", text="x = 1", tokens=4), Attachment(name="b.txt", text="b")]
    store.save_head(chat.head)
    store.save_unsent_files(chat.id, files)
    store.purge()
    again = store.load(chat.id)
    assert again is not None
    assert again.unsent_files == files
    store.save_unsent_files(chat.id, [])
    store.purge()
    assert store.load(chat.id) is None


def test_list_is_by_pin_and_time(store: Store) -> None:
    chats = [conversation(f"chat {n}", "a") for n in range(4)]
    for number, chat in enumerate(chats):
        store.save_all(chat, updated_s=1000.0 + number)
    store.pin(chats[1].id, True)
    assert [s.title for s in store.summaries()] == ["chat 1", "chat 3", "chat 2", "chat 0"]
    store.rename(chats[0].id, "renamed")
    store.move(chats[0].id, "work")
    last = store.summaries()[-1]
    assert (last.title, last.folder) == ("renamed", "work")


def test_delete_can_be_undone_until_it_is_purged(store: Store) -> None:
    chat = conversation("secret matter", "yes")
    store.save_all(chat)
    store.delete(chat.id)
    assert store.summaries() == []
    assert store.search("secret") == []
    assert store.load(chat.id) is None
    store.restore(chat.id)
    assert [s.id for s in store.summaries()] == [chat.id]
    store.delete(chat.id)
    store.purge()
    store.restore(chat.id)
    assert store.summaries() == []
    assert store.search("secret") == []


def test_empty_conversations_go_and_unsent_text_stays(store: Store) -> None:
    empty, unsent = Conversation(), Conversation()
    unsent.unsent = "not yet"
    store.save_head(empty.head)
    store.save_head(unsent.head)
    store.purge()
    assert [s.id for s in store.summaries()] == [unsent.id]


@pytest.mark.parametrize(("text", "found"), [
    ("palindrome", True), ("PALIN", True), ("check palindrome", True), ("palindrome banana", False), ("dien", True),
    ("điện", True), ("答え", True), ("え", True), ('"; DROP', False), ("100%", False), ("", True), ("_", False),
    ("NOT AND OR", False), ("title", True),
])
def test_search(store: Store, text: str, found: bool) -> None:
    chat = conversation("Please check a palindrome", "máy tính diện tử, điện thoại, 答えです", title="A title")
    store.save_all(chat)
    assert [hit.id for hit in store.search(text)] == ([chat.id] if found else [])


def test_the_snippet_shows_the_hit(store: Store) -> None:
    store.save_all(conversation("q", "word " * 200 + "needle in hay " + "word " * 200))
    assert "needle" in store.search("needle")[0].snippet


def test_only_the_owner_may_read(store: Store) -> None:
    assert store.path.stat().st_mode & 0o077 == 0


def test_two_connections_do_not_harm_each_other(store: Store) -> None:
    other = Store(store.path)
    first, second = conversation("one", "1"), conversation("two", "2")
    store.save_all(first)
    other.save_all(second)
    assert {s.title for s in store.summaries()} == {"one", "two"}
    assert other.check() == "ok"
    other.close()


def test_a_newer_file_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(SlipstreamError) as raised:
        open_store(path)
    assert raised.value.code is Code.FILE
    assert "newer version" in raised.value.message


def test_a_damaged_file_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    path.write_bytes(b"this is no database at all" * 200)
    store, sentence = open_store(path)
    assert "damaged" in sentence
    assert store.summaries() == []
    store.close()
    aside = next(p for p in tmp_path.iterdir() if "damaged" in p.name)
    assert aside.read_bytes().startswith(b"this is no database")


def test_many_conversations_are_found_by_index(store: Store) -> None:
    words = ["alpha", "beta", "gamma", "delta", "code", "list", "python", "merge", "sort", "tree"]
    chance = random.Random(1)
    for number in range(200):
        chat = Conversation(title=f"chat {number}")
        for _ in range(25):
            chat.add("user", " ".join(chance.choices(words, k=20)))
            chat.add("assistant", " ".join(chance.choices(words, k=60)))
        store.save_all(chat)
    plan = store._db.execute("EXPLAIN QUERY PLAN SELECT id FROM nodes WHERE conversation_id = 'x' ORDER BY number")
    assert "USING INDEX" in str(plan.fetchall())
    assert len(store.summaries()) == 200
    assert len(store.search("gamma python")) == 100


_WRITER = """
import sys, time
import msgspec
from pathlib import Path
from app.chat.conversation import AnswerFacts, Conversation
from app.chat.store import Store
store = Store(Path(sys.argv[1]))
chat = Conversation(title="kill")
question = chat.add("user", "q")
answer = chat.add("assistant", "")
store.save_head(chat.head); store.save_node(chat.id, question)
for n in range(100000):
    # As in a window: most of it while it grows, and now and then it is over.
    facts = AnswerFacts(reason="eos" if n % 7 == 6 else "")
    store.save_node(chat.id, msgspec.structs.replace(answer, content="word " * (n % 500 + 1), facts=facts))
    print(n % 500 + 1, flush=True)
"""


def _kill_a_writer(path: Path, after_s: float) -> None:
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    writer.stdout.readline()
    time.sleep(after_s)
    os.kill(writer.pid, signal.SIGKILL)
    written = [line for line in writer.stdout.read().splitlines() if line.isdecimal()]
    writer.wait()
    writer.stdout.close()
    store = Store(path)
    assert store.check() == "ok"
    newest = store.summaries()[0]
    chat = store.load(newest.id)
    assert chat is not None
    kept = chat.path()[-1].content.count("word")
    # All that was said to be written is there; the last one may have been written without being said.
    assert not written or kept in (int(written[-1]), int(written[-1]) % 500 + 1)
    store.close()


def test_a_killed_writer_loses_nothing_that_was_written(tmp_path: Path) -> None:
    for number in range(3):
        _kill_a_writer(tmp_path / "chats.db", 0.05 * number)


@pytest.mark.long
def test_fifty_kills(tmp_path: Path) -> None:
    chance = random.Random(2)
    for _ in range(50):
        _kill_a_writer(tmp_path / "chats.db", chance.uniform(0, 0.4))


@pytest.mark.parametrize("version", range(1, len(_MIGRATIONS)))
def test_a_file_of_every_earlier_form_is_brought_up(tmp_path: Path, version: int) -> None:
    path = tmp_path / "chats.db"
    db = sqlite3.connect(path)
    db.create_function("pairs", 1, pairs, deterministic=True)
    for script in _MIGRATIONS[:version]:
        db.executescript(script)
    db.execute(f"PRAGMA user_version = {version}")
    db.execute("INSERT INTO conversations (id, title, created_s, updated_s, leaf_id) VALUES ('c', 'Old', 1, 2, 'b')")
    columns = "number, id, conversation_id, parent_id, role, content, created_s, facts"
    db.execute(f"INSERT INTO nodes ({columns}) VALUES (1, 'a', 'c', '', 'user', 'Was ist 電話番号?', 1.0, NULL)")
    db.execute(f"INSERT INTO nodes ({columns}) VALUES (2, 'b', 'c', 'a', 'assistant', 'A number', 2.0, ?)",
               ('{"reason":"eos"}',))
    db.commit()
    db.close()
    store = Store(path)
    chat = store.load("c")
    assert chat is not None
    assert [node.content for node in chat.path()] == ["Was ist 電話番号?", "A number"]
    assert [node.attachments for node in chat.path()] == [[], []]
    assert [hit.id for hit in store.search("話番")] == ["c"]
    assert [hit.id for hit in store.search("number")] == ["c"]
    store.save_node("c", msgspec.structs.replace(chat.path()[0], content="新しい"))
    assert store.search("話番") == []
    assert [hit.id for hit in store.search("しい")] == ["c"]
    assert store.check() == "ok"
    store.close()
    copy = tmp_path / f"chats.before-update-{version}.db"
    assert copy.stat().st_mode & 0o077 == 0
    kept = sqlite3.connect(copy)
    assert kept.execute("PRAGMA user_version").fetchone() == (version,)
    assert kept.execute("SELECT count(*) FROM nodes").fetchone() == (2,)
    kept.close()


def test_the_copy_goes_after_two_weeks(tmp_path: Path) -> None:
    Store(tmp_path / "chats.db").close()
    copies = [tmp_path / f"chats.before-update-{n}.db" for n in (1, 2)]
    for copy in copies:
        copy.write_bytes(b"")
    os.utime(copies[0], (1, 1))
    Store(tmp_path / "chats.db").close()
    assert [copy.exists() for copy in copies] == [False, True]


def test_attachments_are_kept(store: Store) -> None:
    chat = Conversation(title="t")
    chat.add("user", "q", attachments=[Attachment(name="a.py", text="x = 1", tokens=4)])
    store.save_head(chat.head)
    store.save_node(chat.id, chat.path()[0])
    again = store.load(chat.id)
    assert again is not None
    assert again.nodes == chat.nodes


@pytest.mark.parametrize(("text", "found"), [
    ("電", True), ("号", True), ("電話", True), ("話番号", True), ("電番", False), ("番号 です", True),
    ("番号x", False), ("SQL電話", True), ("กา", True), ("電%", True),
])
def test_scripts_without_spaces_are_found_anywhere(store: Store, text: str, found: bool) -> None:
    chat = conversation("SQL電話番号です", "ภาษาไทยการเขียน")
    store.save_all(chat)
    assert bool(store.search(text)) == found
    store.delete(chat.id)
    store.purge()
    assert store.search("電話") == []
