-- form 1
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
-- form 2
ALTER TABLE conversations ADD COLUMN choice TEXT NOT NULL DEFAULT '';
-- form 3
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
-- form 4
ALTER TABLE conversations ADD COLUMN unsent_files TEXT;
CREATE TABLE growing (
    id TEXT PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE, content TEXT NOT NULL, facts TEXT
);
PRAGMA user_version = 4;
