"""Conversations in a SQLite file that survives a kill at any moment. For one thread at a time."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from app import paths
from app.chat.attachment import Attachment
from app.chat.conversation import AnswerFacts, Conversation, Head, Node
from app.chat.search_text import escape, is_unspaced, match_pairs, pairs, snippet, words_of
from app.errors import Code, SlipstreamError
from app.records import Record
from app.settings.ranges import bring_in
from app.settings.scopes import AnswerChoice

_MIGRATIONS = (
    """
    CREATE TABLE conversations (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, created_s REAL NOT NULL, updated_s REAL NOT NULL,
        pinned INTEGER NOT NULL DEFAULT 0, folder TEXT NOT NULL DEFAULT '', leaf_id TEXT NOT NULL DEFAULT '',
        unsent TEXT NOT NULL DEFAULT '', deleted_s REAL
    );
    CREATE INDEX conversations_by_time ON conversations (deleted_s, pinned DESC, updated_s DESC);
    CREATE TABLE nodes (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        parent_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, created_s REAL NOT NULL, facts TEXT
    );
    CREATE INDEX nodes_by_conversation ON nodes (conversation_id, number);
    CREATE VIRTUAL TABLE search USING fts5 (
        content, content='nodes', content_rowid='number', tokenize='unicode61 remove_diacritics 2', prefix='2 3'
    );
    CREATE TRIGGER nodes_inserted AFTER INSERT ON nodes BEGIN
        INSERT INTO search (rowid, content) VALUES (new.number, new.content);
    END;
    CREATE TRIGGER nodes_deleted AFTER DELETE ON nodes BEGIN
        INSERT INTO search (search, rowid, content) VALUES ('delete', old.number, old.content);
    END;
    CREATE TRIGGER nodes_changed AFTER UPDATE OF content ON nodes BEGIN
        INSERT INTO search (search, rowid, content) VALUES ('delete', old.number, old.content);
        INSERT INTO search (rowid, content) VALUES (new.number, new.content);
    END;
    """,
    "ALTER TABLE conversations ADD COLUMN choice TEXT NOT NULL DEFAULT '';",
    """
    ALTER TABLE nodes ADD COLUMN attachments TEXT;
    CREATE VIRTUAL TABLE unspaced USING fts5 (pairs, content='',
        tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*'");
    INSERT INTO unspaced (rowid, pairs) SELECT number, pairs(content) FROM nodes WHERE pairs(content) != '';
    CREATE TRIGGER unspaced_inserted AFTER INSERT ON nodes WHEN pairs(new.content) != '' BEGIN
        INSERT INTO unspaced (rowid, pairs) VALUES (new.number, pairs(new.content));
    END;
    CREATE TRIGGER unspaced_deleted AFTER DELETE ON nodes WHEN pairs(old.content) != '' BEGIN
        INSERT INTO unspaced (unspaced, rowid, pairs) VALUES ('delete', old.number, pairs(old.content));
    END;
    CREATE TRIGGER unspaced_left AFTER UPDATE OF content ON nodes WHEN pairs(old.content) != '' BEGIN
        INSERT INTO unspaced (unspaced, rowid, pairs) VALUES ('delete', old.number, pairs(old.content));
    END;
    CREATE TRIGGER unspaced_come AFTER UPDATE OF content ON nodes WHEN pairs(new.content) != '' BEGIN
        INSERT INTO unspaced (rowid, pairs) VALUES (new.number, pairs(new.content));
    END;
    """,
    """
    ALTER TABLE conversations ADD COLUMN unsent_files TEXT;
    CREATE TABLE growing (
        id TEXT PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE, content TEXT NOT NULL, facts TEXT
    );
    """,
)
_BACKUP_DAYS = 14
_BUSY_MS = 5000
_MOST_HITS = 6000
_NODE_VALUES = ("(id, conversation_id, parent_id, role, content, created_s, facts, attachments)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
_Hit = tuple[str, str, float, int, str, str]


class Summary(Record, frozen=True, kw_only=True):
    """A line of the list of conversations; ``snippet`` is text around a search's hit."""

    id: str
    title: str
    updated_s: float
    pinned: bool = False
    folder: str = ""
    snippet: str = ""


class Store:
    """Raises ``SlipstreamError`` (``FILE`` or ``DISK_FULL``) wherever the file cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _in_words(path):
            paths.private_dir(path.parent)
            self._db = sqlite3.connect(path, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except (sqlite3.Error, SlipstreamError):
                self._db.close()
                raise

    def close(self) -> None:
        """Forget for good what was deleted, and close the file."""
        with _in_words(self.path):
            self.purge()
            self._db.close()

    def summaries(self, limit: int = 10_000) -> list[Summary]:
        """Pinned ones first, then by the time of the last change."""
        with _in_words(self.path):
            rows = self._db.execute(
                "SELECT id, title, updated_s, pinned, folder FROM conversations WHERE deleted_s IS NULL"
                " ORDER BY pinned DESC, updated_s DESC LIMIT ?", (limit,),
            ).fetchall()
        return [Summary(id=i, title=t, updated_s=u, pinned=bool(p), folder=f) for i, t, u, p, f in rows]

    def search(self, text: str, limit: int = 100) -> list[Summary]:
        """The latest conversations in which one message, or the title, holds every word of ``text`` at the start of
        a word; accents do not count."""
        words = words_of(text)
        if not words:
            return self.summaries(limit)
        in_title = " AND ".join("title LIKE ? ESCAPE '\\'" for _ in words)
        like = [f"%{escape(word)}%" for word in words]
        with _in_words(self.path):
            titles = self._db.execute(
                f"SELECT id, title, updated_s, pinned, folder, '' FROM conversations"
                f" WHERE deleted_s IS NULL AND {in_title} ORDER BY updated_s DESC LIMIT ?", (*like, limit),
            ).fetchall()
            hits = self._search_messages(words, like, limit)
        found: dict[str, Summary] = {}
        for row in (*titles, *hits):
            if row[0] not in found or (row[5] and not found[row[0]].snippet):
                found[row[0]] = Summary(id=row[0], title=row[1], updated_s=row[2], pinned=bool(row[3]), folder=row[4],
                                        snippet=row[5])
        return list(found.values())[:limit]

    def load(self, conversation_id: str) -> Conversation | None:
        """The whole tree, or None when there is no such conversation."""
        with _in_words(self.path):
            head = self._db.execute(
                "SELECT title, leaf_id, unsent, choice, unsent_files FROM conversations"
                " WHERE id = ? AND deleted_s IS NULL",
                (conversation_id,),
            ).fetchone()
            if head is None:
                return None
            rows = self._db.execute(
                "SELECT n.id, parent_id, role, coalesce(g.content, n.content), created_s, coalesce(g.facts, n.facts),"
                " attachments FROM nodes n LEFT JOIN growing g ON g.id = n.id"
                " WHERE conversation_id = ? ORDER BY number", (conversation_id,),
            ).fetchall()
        nodes = [Node(id=i, parent_id=p, role=r, content=c, created_s=t, facts=_read_facts(f),
                      attachments=_read_attachments(a)) for i, p, r, c, t, f, a in rows]
        return Conversation(conversation_id, head[0], nodes, head[1], head[2], _read_choice(head[3]),
                            _read_attachments(head[4]))

    def save_head(self, head: Head) -> None:
        """Make the conversation known, or update its title, shown branch, unsent text and settings."""
        now = time.time()
        choice = "" if head.choice == AnswerChoice() else msgspec.json.encode(head.choice).decode()
        with _in_words(self.path):
            self._db.execute(
                "INSERT INTO conversations (id, title, created_s, updated_s, leaf_id, unsent, choice)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET title = excluded.title, leaf_id = excluded.leaf_id,"
                " unsent = excluded.unsent, choice = excluded.choice",
                (head.id, head.title, now, now, head.leaf_id, head.unsent, choice),
            )

    def save_unsent_files(self, conversation_id: str, files: Sequence[Attachment]) -> None:
        """Keep what is attached to the message that is being written; its conversation is there."""
        self._set(conversation_id, "unsent_files", msgspec.json.encode(files).decode() if files else None)

    def save_node(self, conversation_id: str, node: Node) -> None:
        """Add ``node`` at the end of the shown branch, or update its text and facts.

        An answer that is still being written comes several times a second: until it is over it lies apart, so that
        its whole text does not go through the indexes each time.
        """
        row = _node_row(conversation_id, node)
        grows = node.facts is not None and not node.facts.reason
        with _in_words(self.path), self._transaction():
            if grows:
                self._db.execute(f"INSERT INTO nodes {_NODE_VALUES} ON CONFLICT (id) DO NOTHING", row)
                self._db.execute(
                    "INSERT INTO growing (id, content, facts) VALUES (?, ?, ?)"
                    " ON CONFLICT (id) DO UPDATE SET content = excluded.content, facts = excluded.facts",
                    (node.id, node.content, row[6]),
                )
            else:
                self._db.execute(
                    f"INSERT INTO nodes {_NODE_VALUES}"
                    " ON CONFLICT (id) DO UPDATE SET content = excluded.content, facts = excluded.facts", row,
                )
                self._db.execute("DELETE FROM growing WHERE id = ?", (node.id,))
            self._db.execute("UPDATE conversations SET updated_s = ? WHERE id = ?", (time.time(), conversation_id))

    def save_all(self, conversation: Conversation, updated_s: float | None = None) -> None:
        """Write a whole conversation at once, all or nothing."""
        with self._transaction():
            self.save_head(conversation.head)
            for node in conversation.nodes:
                self._db.execute(f"INSERT OR IGNORE INTO nodes {_NODE_VALUES}", _node_row(conversation.id, node))
            if updated_s is not None:
                self._db.execute("UPDATE conversations SET updated_s = ? WHERE id = ?", (updated_s, conversation.id))

    def rename(self, conversation_id: str, title: str) -> None:
        self._set(conversation_id, "title", title)

    def pin(self, conversation_id: str, pinned: bool) -> None:
        self._set(conversation_id, "pinned", int(pinned))

    def move(self, conversation_id: str, folder: str) -> None:
        self._set(conversation_id, "folder", folder)

    def delete(self, conversation_id: str) -> None:
        """Hide it; ``restore`` brings it back until ``purge``."""
        self._set(conversation_id, "deleted_s", time.time())

    def restore(self, conversation_id: str) -> None:
        self._set(conversation_id, "deleted_s", None)

    def purge(self) -> None:
        """Remove what was deleted, and conversations in which nothing was ever said."""
        with _in_words(self.path), self._transaction():
            self._db.execute("DELETE FROM conversations WHERE deleted_s IS NOT NULL")
            self._db.execute(
                "DELETE FROM conversations WHERE unsent = '' AND unsent_files IS NULL AND NOT EXISTS"
                " (SELECT 1 FROM nodes WHERE nodes.conversation_id = conversations.id)"
            )

    def check(self) -> str:
        """"ok", or what SQLite finds wrong with the file."""
        with _in_words(self.path):
            return str(self._db.execute("PRAGMA integrity_check").fetchone()[0])

    def _set(self, conversation_id: str, column: str, value: str | float | None) -> None:
        with _in_words(self.path):
            self._db.execute(f"UPDATE conversations SET {column} = ? WHERE id = ?",
                             (value, conversation_id))

    def _search_messages(self, words: list[str], like: list[str], limit: int) -> list[_Hit]:
        columns = "c.id, c.title, c.updated_s, c.pinned, c.folder"
        if any(map(is_unspaced, words)):
            every = " AND ".join("n.content LIKE ? ESCAPE '\\'" for _ in words)
            rows = self._db.execute(
                f"SELECT {columns}, substr(n.content, max(1, instr(n.content, ?) - 20), 80) FROM"
                " (SELECT rowid FROM unspaced WHERE unspaced MATCH ? ORDER BY rowid DESC LIMIT ?) u"
                " JOIN nodes n ON n.number = u.rowid JOIN conversations c ON c.id = n.conversation_id"
                f" WHERE c.deleted_s IS NULL AND {every} GROUP BY c.id ORDER BY c.updated_s DESC LIMIT ?",
                (words[0], match_pairs(words), _MOST_HITS, *like, limit),
            ).fetchall()
            return [(*row[:5], " ".join(row[5].split())) for row in rows]
        query = " ".join(f'"{word}"*' for word in words if len(word) > 1)
        if not query:
            return []
        # Newest messages first is the order of the index itself, so nothing is sorted or ranked.
        hits = self._db.execute(
            "SELECT n.conversation_id, n.number FROM search JOIN nodes n ON n.number = search.rowid"
            " WHERE search MATCH ? ORDER BY search.rowid DESC LIMIT ?", (query, _MOST_HITS),
        ).fetchall()
        newest: dict[str, int] = {}
        for conversation_id, number in hits:
            newest.setdefault(conversation_id, number)
        rows = [
            self._db.execute(
                f"SELECT {columns}, n.content FROM conversations c JOIN nodes n ON n.number = ?"
                " WHERE c.id = ? AND c.deleted_s IS NULL", (number, conversation_id),
            ).fetchone()
            for conversation_id, number in list(newest.items())[:limit]
        ]
        return [(*row[:5], snippet(row[5], words[0])) for row in rows if row is not None]

    def _prepare(self) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "secure_delete = ON",
                       f"busy_timeout = {_BUSY_MS}"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.create_function("pairs", 1, pairs, deterministic=True)
        os.chmod(self.path, 0o600)
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if version > len(_MIGRATIONS):
            raise SlipstreamError(
                Code.FILE, "The conversations were written by a newer version of this program.",
                f"Install that version, or move {self.path} away to start afresh.",
            )
        self._keep_backup(version)
        for number in range(version, len(_MIGRATIONS)):
            script = f"BEGIN IMMEDIATE; {_MIGRATIONS[number]} PRAGMA user_version = {number + 1}; COMMIT;"
            self._db.executescript(script)
        self._db.execute("SELECT count(*) FROM conversations").fetchone()
        self._take_in_grown()

    def _take_in_grown(self) -> None:
        """Answers that the end of the program cut off take their place among the others."""
        if self._db.execute("SELECT 1 FROM growing LIMIT 1").fetchone() is None:
            return
        with self._transaction():
            self._db.execute("UPDATE nodes SET content = g.content, facts = g.facts FROM growing g"
                             " WHERE g.id = nodes.id")
            self._db.execute("DELETE FROM growing")

    def _keep_backup(self, version: int) -> None:
        """A file of an earlier form is copied before it is changed; the copy goes after two weeks, since it also holds
        what is deleted meanwhile."""
        beside = f"{self.path.stem}.before-update-"
        if 0 < version < len(_MIGRATIONS):
            place = self.path.with_name(f"{beside}{version}{self.path.suffix}")
            place.unlink(missing_ok=True)
            copy = sqlite3.connect(place)
            try:
                os.chmod(place, 0o600)
                self._db.backup(copy)
            finally:
                copy.close()
            return
        for old in self.path.parent.glob(f"{beside}*"):
            if time.time() - old.stat().st_mtime > 86400 * _BACKUP_DAYS:
                old.unlink(missing_ok=True)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except (sqlite3.Error, SlipstreamError, KeyError):
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def open_store(path: Path | None = None) -> tuple[Store, str]:
    """The store, and a sentence if its file was damaged: it is then kept aside and a new one begun.

    Raises:
        SlipstreamError: the file cannot be opened for another reason.
    """
    place = path or paths.data_dir() / "conversations.db"
    try:
        return Store(place), ""
    except SlipstreamError as error:
        if not isinstance(error.__cause__, sqlite3.DatabaseError) or isinstance(
            error.__cause__, sqlite3.OperationalError
        ):
            raise
    aside = place.with_name(f"{place.stem}.damaged-{int(time.time())}{place.suffix}")
    os.replace(place, aside)
    for suffix in ("-wal", "-shm"):
        place.with_name(place.name + suffix).unlink(missing_ok=True)
    return Store(place), f"The file of conversations was damaged. It is kept as {aside.name}, and a new one was begun."


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        full = "full" in str(error)
        raise SlipstreamError(
            Code.DISK_FULL if full else Code.FILE,
            "The disk is full, so the conversation is not saved." if full
            else f"The conversations in {path} cannot be used ({error}).",
            "Make room on the disk." if full else "Check the folder, or whether another program holds the file.",
        ) from error
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, f"The folder {path.parent} cannot be used ({error.strerror}).", "Check that it can be written."
        ) from error


def _node_row(conversation_id: str, node: Node) -> tuple[str | float | None, ...]:
    facts = msgspec.json.encode(node.facts).decode() if node.facts is not None else None
    attachments = msgspec.json.encode(node.attachments).decode() if node.attachments else None
    return (node.id, conversation_id, node.parent_id, node.role, node.content, node.created_s, facts, attachments)


def _read_attachments(text: str | None) -> list[Attachment]:
    if text is None:
        return []
    try:
        return msgspec.json.decode(text, type=list[Attachment])
    except msgspec.DecodeError:
        return []


def _read_facts(text: str | None) -> AnswerFacts | None:
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=AnswerFacts)
    except msgspec.DecodeError:
        return None


def _read_choice(text: str) -> AnswerChoice:
    """A choice that cannot be read is none: the chat then follows its model. Values outside their ranges become the
    nearest."""
    if not text:
        return AnswerChoice()
    try:
        choice: AnswerChoice = bring_in(msgspec.json.decode(text, type=AnswerChoice), [])
    except msgspec.DecodeError:
        return AnswerChoice()
    return choice
