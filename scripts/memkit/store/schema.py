"""The store's schema as numbered migrations, and the one way to run them.

Migration N takes a database from `PRAGMA user_version` N-1 to N. A migration that has been released is never edited;
a change is a new one at the end, and `tests/data/store/schema-1.sql` holds the first as it was released.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memkit.errors import StorageError

APPLICATION_ID = 0x6D6B6974  # "mkit": tells memkit's file from any other program's database

Migration = Sequence[str]  # its statements, run in one transaction

_FIRST: Migration = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    # A session as its rollout file tells it, what became of it, and the user's switches.
    """CREATE TABLE sessions (
        id TEXT PRIMARY KEY NOT NULL, path TEXT NOT NULL, cwd TEXT NOT NULL, branch TEXT NOT NULL,
        remote TEXT NOT NULL, source TEXT NOT NULL, thread_source TEXT NOT NULL, originator TEXT NOT NULL,
        provider TEXT NOT NULL, cli_version TEXT NOT NULL, memory_mode TEXT NOT NULL, forked_from TEXT NOT NULL,
        started_at REAL NOT NULL, updated_at REAL NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        state TEXT NOT NULL, reason TEXT, detail TEXT NOT NULL DEFAULT '', until REAL,
        bad_lines INTEGER NOT NULL DEFAULT 0, unknown_lines INTEGER NOT NULL DEFAULT 0,
        generate INTEGER NOT NULL DEFAULT 1, "use" INTEGER NOT NULL DEFAULT 1,
        tokens_used INTEGER NOT NULL DEFAULT 0)""",
    # Every rollout file ever seen; several can hold the same session.
    """CREATE TABLE files (
        path TEXT PRIMARY KEY NOT NULL, session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, updated_at REAL NOT NULL)""",
    "CREATE INDEX files_by_session ON files (session_id)",
    # taken: up to where the session was extracted. tried: what it was when it last failed.
    # lease: what it was when its owner took it. Times of all three are whole seconds.
    """CREATE TABLE jobs (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, version TEXT NOT NULL,
        taken_at INTEGER, taken_size INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0, tried_at INTEGER, tried_size INTEGER, retry_at REAL,
        owner TEXT, leased_at REAL, lease_time INTEGER, lease_size INTEGER,
        PRIMARY KEY (session_id, version))""",
    """CREATE TABLE records (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, version TEXT NOT NULL,
        updated_at INTEGER NOT NULL, path TEXT NOT NULL, cwd TEXT NOT NULL, branch TEXT NOT NULL,
        remote TEXT NOT NULL, rollout_summary TEXT NOT NULL, slug TEXT NOT NULL, raw_memory TEXT NOT NULL,
        generated_at INTEGER NOT NULL, usage_count INTEGER NOT NULL, last_usage INTEGER, engine TEXT NOT NULL,
        flagged INTEGER NOT NULL, selected INTEGER NOT NULL, PRIMARY KEY (session_id, version))""",
    # Which session has already counted as a user of which record.
    """CREATE TABLE usages (
        rollout_id TEXT NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (rollout_id, session_id)) WITHOUT ROWID""",
    # A scope or section of NULL means everywhere; an empty one must not be taken for it.
    """CREATE TABLE claims (
        section TEXT NOT NULL, text TEXT NOT NULL, scope TEXT, created_at INTEGER NOT NULL, source TEXT NOT NULL,
        thread_id TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX one_claim ON claims (section, scope IS NULL, ifnull(scope, ''), text, thread_id)",
    """CREATE TABLE tombstones (
        subject TEXT NOT NULL, text TEXT NOT NULL, scope TEXT, section TEXT, created_at INTEGER NOT NULL,
        source TEXT NOT NULL, thread_id TEXT NOT NULL)""",
    """CREATE UNIQUE INDEX one_tombstone ON tombstones (
        scope IS NULL, ifnull(scope, ''), ifnull(section, ''), subject, text, thread_id)""",
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY, stage TEXT NOT NULL, started_at REAL NOT NULL, ended_at REAL NOT NULL,
        error TEXT NOT NULL, tokens_used INTEGER NOT NULL)""",
    "CREATE TABLE line_tokens (hash TEXT PRIMARY KEY NOT NULL, tokens INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID",
)

# Answers of a model that nothing was made of yet.
_SECOND: Migration = (
    "CREATE TABLE answers (key TEXT PRIMARY KEY NOT NULL, about TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID",
)

MIGRATIONS: Sequence[Migration] = (_FIRST, _SECOND)


def migrate(db: sqlite3.Connection, *, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> bool:
    """Bring the database to the newest schema, one transaction a migration; True when it was empty before.

    path only names the file in errors. Foreign keys must be off, so that a migration can rebuild a table; they are
    checked before each commit. Raises StorageError as `schema_of` does, sqlite3.Error as SQLite does.
    """
    created = False
    while (found := schema_of(db, path=path, newest=len(migrations))) < len(migrations):
        db.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have done this step while we waited for the lock.
            if _pragma(db, "user_version") == found:
                for statement in migrations[found]:
                    db.execute(statement)
                if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
                    raise RuntimeError(f"migration {found + 1} leaves rows without their session")
                db.execute(f"PRAGMA user_version = {found + 1}")
                created = created or found == 0
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
    return created


def schema_of(db: sqlite3.Connection, *, path: Path, newest: int = len(MIGRATIONS)) -> int:
    """The number of the database's schema, 0 for an empty file.

    Raises StorageError when it is newer than `newest` or the database belongs to another program.
    """
    # One statement, thus one snapshot: another process may be migrating.
    found, owner, tables = db.execute(
        "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_user_version, pragma_application_id"
    ).fetchone()
    if owner != APPLICATION_ID and (owner or found or tables):
        raise StorageError(f"{path} is a database of another program", mend="move it out of memkit's home")
    if found > newest:
        raise StorageError(
            f"{path} was made by a newer memkit (schema {found}, this one knows {newest})", mend="upgrade memkit"
        )
    return int(found)


def _pragma(db: sqlite3.Connection, name: str) -> Any:
    return db.execute(f"PRAGMA {name}").fetchone()[0]
