"""The tables. A change of them is a step more in `STEPS`; a database of any earlier step is brought up to date."""

from __future__ import annotations

from typing import Final

STEPS: Final = (
    """
    CREATE TABLE commits (
        id TEXT PRIMARY KEY, record TEXT NOT NULL, time INTEGER NOT NULL, patch TEXT,
        moved_to TEXT, copy_of TEXT, scored_by TEXT, problem TEXT, skew REAL
    ) STRICT;
    CREATE INDEX commits_patch ON commits (patch);
    CREATE INDEX commits_moved_to ON commits (moved_to);

    CREATE TABLE logs (
        source TEXT NOT NULL, name TEXT NOT NULL, fingerprint TEXT NOT NULL, read_at REAL NOT NULL,
        understood INTEGER NOT NULL, not_understood INTEGER NOT NULL, problems TEXT NOT NULL,
        PRIMARY KEY (source, name)
    ) STRICT;
    CREATE TABLE sessions (
        source TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL, log TEXT NOT NULL,
        PRIMARY KEY (source, id)
    ) STRICT;
    CREATE TABLE messages (
        source TEXT NOT NULL, session TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL,
        PRIMARY KEY (source, session, id)
    ) STRICT;
    CREATE TABLE edits (
        source TEXT NOT NULL, session TEXT NOT NULL, edit TEXT NOT NULL,
        position INTEGER NOT NULL, time REAL, record BLOB NOT NULL,
        PRIMARY KEY (source, session, edit)
    ) STRICT;
    CREATE INDEX edits_time ON edits (time);

    CREATE TABLE links (
        source TEXT NOT NULL, session TEXT NOT NULL, edit TEXT NOT NULL,
        commit_id TEXT NOT NULL, evidence TEXT NOT NULL,
        PRIMARY KEY (source, session, edit)
    ) STRICT;
    CREATE INDEX links_commit ON links (commit_id);

    CREATE TABLE results (
        source TEXT NOT NULL, session TEXT NOT NULL, edit TEXT NOT NULL,
        commit_id TEXT, record BLOB NOT NULL,
        PRIMARY KEY (source, session, edit)
    ) STRICT;
    CREATE INDEX results_commit ON results (commit_id);
    CREATE TABLE conversations (
        source TEXT NOT NULL, session TEXT NOT NULL, commit_id TEXT NOT NULL, record TEXT NOT NULL,
        PRIMARY KEY (source, session, commit_id)
    ) STRICT;
    CREATE TABLE survival (
        source TEXT NOT NULL, session TEXT NOT NULL, edit TEXT NOT NULL, day INTEGER NOT NULL, record TEXT NOT NULL,
        PRIMARY KEY (source, session, edit, day)
    ) STRICT;

    CREATE TABLE outbox (
        sink TEXT NOT NULL, key TEXT NOT NULL, commit_id TEXT NOT NULL, payload TEXT, state TEXT NOT NULL,
        reference TEXT, attempts INTEGER NOT NULL DEFAULT 0, changed_at REAL NOT NULL, problem TEXT,
        PRIMARY KEY (sink, key)
    ) STRICT;
    CREATE INDEX outbox_state ON outbox (state);
    """,
    """
    CREATE TABLE untold (commit_id TEXT PRIMARY KEY) STRICT;
    """,
    """
    CREATE INDEX messages_id ON messages (id);
    """,
)
