"""Chats survive every update: each form that the file of conversations ever had is opened by this program.

``schemas/v1.sql`` and its successors are frozen. When the form changes, add a file; never change one that is there.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from app.chat import store as store_module
from app.chat.store import Store
from app.errors import SlipstreamError
from app.settings.settings import Settings, SettingsFile

SCHEMAS = Path(__file__).with_name("schemas")
RELEASED = {int(path.stem[1:]): path.read_text(encoding="utf-8") for path in sorted(SCHEMAS.glob("v*.sql"))}
COLUMNS = "number, id, conversation_id, parent_id, role, content, created_s"
FACTS = '{"reason":"eos","target":"SmolLM2"}'
SETTINGS_OF_0_1 = b"""{"theme":"dark","tint_drafted":true,"target_path":"/m/t.gguf","targets":{"/m/t.gguf":{
"draft_path":"/m/d.gguf","speculation":{"mode":"fixed","max_draft":5},"plain_tokens_per_second":12.5}},"max_tokens":512,
"system_prompt":"Be brief.","load":{"ctx_tokens":8192},"model_folders":["/m"],"window":{"width":900,"height":700}}"""


def make_old(path: Path, version: int) -> None:
    with sqlite3.connect(path) as database:
        database.create_function("pairs", 1, lambda text: text, deterministic=True)
        database.executescript(RELEASED[version])
        database.execute("INSERT INTO conversations (id, title, created_s, updated_s, pinned, leaf_id, unsent)"
                         " VALUES ('c1', 'Phở', 1.0, 2.0, 1, 'n2', 'half a thought')")
        database.execute(f"INSERT INTO nodes ({COLUMNS}) VALUES (1, 'n1', 'c1', '', 'user', 'How is phở made?', 1.0)")
        database.execute(f"INSERT INTO nodes ({COLUMNS}, facts)"
                         " VALUES (2, 'n2', 'c1', 'n1', 'assistant', 'Slowly.', 2.0, ?)", (FACTS,))
    database.close()


@pytest.mark.parametrize("version", RELEASED)
def test_every_released_form_is_opened_with_all_that_is_in_it(tmp_path: Path, version: int) -> None:
    path = tmp_path / "conversations.db"
    make_old(path, version)
    store = Store(path)
    summary, = store.summaries()
    chat = store.load("c1")
    assert chat is not None
    assert (summary.title, summary.pinned, chat.unsent) == ("Phở", True, "half a thought")
    assert [node.content for node in chat.path()] == ["How is phở made?", "Slowly."]
    answer = chat.path()[-1]
    assert answer.facts is not None
    assert answer.facts.target == "SmolLM2"
    assert [found.id for found in store.search("pho")] == ["c1"]
    node = msgspec.structs.replace(answer, content="Slowly, with care.")
    store.save_node("c1", node)
    assert [found.id for found in store.search("care")] == ["c1"]
    assert store.check() == "ok"
    store.close()


@pytest.mark.parametrize("version", RELEASED)
def test_a_backup_is_kept_before_the_form_changes(tmp_path: Path, version: int) -> None:
    path = tmp_path / "conversations.db"
    make_old(path, version)
    Store(path).close()
    backups = [each for each in tmp_path.glob("conversations.*") if "before" in each.name]
    if version == len(store_module._MIGRATIONS):
        assert backups == []
        return
    backup, = backups
    assert backup.stat().st_mode & 0o077 == 0
    with sqlite3.connect(backup) as database:
        assert database.execute("PRAGMA user_version").fetchone()[0] == version
        assert database.execute("SELECT content FROM nodes ORDER BY number").fetchall() == [
            ("How is phở made?",), ("Slowly.",)]
    database.close()


def test_a_change_of_form_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "conversations.db"
    make_old(path, 1)
    monkeypatch.setattr(store_module, "_MIGRATIONS", (RELEASED[1], "CREATE TABLE half (a); SELECT no_such_function();"))
    with pytest.raises(SlipstreamError):
        Store(path)
    monkeypatch.undo()
    store = Store(path)
    assert [summary.title for summary in store.summaries()] == ["Phở"]
    store.close()


def test_every_form_has_been_kept_here() -> None:
    """Whoever changes the form freezes it in ``schemas``."""
    assert list(RELEASED) == list(range(1, len(store_module._MIGRATIONS) + 1))


def test_settings_of_the_first_version_are_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(SETTINGS_OF_0_1)
    settings, trouble = SettingsFile(path).load()
    assert trouble == ""
    assert (settings.theme, settings.tint_drafted, settings.max_tokens) == ("dark", True, 512)
    target = settings.for_target("/m/t.gguf")
    assert (target.draft_path, target.speculation.max_draft, target.plain_tokens_per_second) == ("/m/d.gguf", 5, 12.5)
    assert (settings.load.ctx_tokens, settings.window.width) == (8192, 900)
    assert settings.system_prompt == "Be brief."
    assert isinstance(settings, Settings)
