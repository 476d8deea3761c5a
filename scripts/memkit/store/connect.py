"""The connection: how the file is opened and made whole, and what SQLite's errors mean to a user.

The journal is a write-ahead log: readers and the writer don't wait for each other, and a commit costs a fiftieth of one
with a rollback journal (0.8 instead of 40 ms for a lease and its result, measured on a busy disk). What it takes: the
last one to close the file empties and removes the log, where deleted text may have been; a folder that can't be written
is read without it. What the user said is on the disk when the call returns; what can be read again from the session
files need not wait for the disk, so a power cut may undo the last of it, never tear it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memkit.errors import StorageError
from memkit.store.schema import MIGRATIONS, migrate, schema_of

_BUSY_SECONDS = 10.0
_PRIVATE = 0o600
_NO_INDEX = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_ALONE = "mode=ro&immutable=1"  # without a log nobody writes, and the file alone is the whole store

Row = tuple[Any, ...]


def open_to_write(path: Path) -> tuple[sqlite3.Connection, bool]:
    """A connection to the file, made and migrated where needed, and whether it was empty before.

    Raises StorageError, sqlite3.Error or OSError; what is not memkit's to open is left as it is.
    """
    try:
        # Never open a file that is there: closing that descriptor would drop this process's SQLite locks on it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE))
    except FileExistsError:
        if stat.S_IMODE(path.stat().st_mode) != _PRIVATE and path.is_file():
            with suppress(PermissionError):
                path.chmod(_PRIVATE)
    connection = _connect(path, "mode=rw")
    try:
        schema_of(connection, path=path, newest=len(MIGRATIONS))
        _log_ahead(connection)
        fresh = migrate(connection, path=path, migrations=MIGRATIONS)
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection, fresh


def _log_ahead(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        # This one statement does not wait; whoever has the file open is switching it, or the next open does.
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise


def open_to_read(path: Path) -> tuple[sqlite3.Connection, bool]:
    """A connection that can only read: to the file, or to a copy in memory where that has to be migrated first.

    Raises as `open_to_write` does.
    """
    if not path.exists():
        return _in_memory(path, source=None)
    try:
        return _opened_to_read(path, _reading(path))
    except sqlite3.OperationalError as error:
        # On a full disk there is no room for the log's index, and os.access does not know all that forbids to write;
        # without a log neither is needed.
        if error.sqlite_errorcode & 0xFF not in _NO_INDEX or _has_log(path):
            raise
    return _opened_to_read(path, _ALONE)


def open_to_look(path: Path) -> tuple[sqlite3.Connection, bool]:
    """As `open_to_read`, but no byte of the file, of its log or of the log's index changes by it.

    Raises StorageError for a log that a killed writer left without an index.
    """
    if not _has_log(path):
        return _opened_to_read(path, _ALONE)
    if not path.with_name(path.name + "-shm").exists():
        raise _interrupted(path)
    return _opened_to_read(path, "mode=ro&readonly_shm=1")


def held(path: Path) -> bool:
    """Whether another process has the file locked against writers, by SQLite's own lock bytes; nothing is written.

    Not to be asked while this process has the file open: closing a handle would drop its locks.
    """
    spots = ((path, 0x40000001), (path.with_name(path.name + "-shm"), 120))  # RESERVED_BYTE; WAL_WRITE_LOCK
    return any(_locked(each, byte) for each, byte in spots)


def _locked(path: Path, byte: int) -> bool:
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False  # not there, or not ours to lock; opening it says which
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EAGAIN)
    finally:
        os.close(handle)
    return False


def _opened_to_read(path: Path, how: str) -> tuple[sqlite3.Connection, bool]:
    connection = _connect(path, how)
    try:
        if schema_of(connection, path=path, newest=len(MIGRATIONS)) == len(MIGRATIONS):
            connection.execute("PRAGMA query_only = ON")
            return connection, False
        copy, fresh = _in_memory(path, source=connection)
    except BaseException:
        connection.close()
        raise
    connection.close()
    return copy, fresh


def _reading(path: Path) -> str:
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return "mode=rw"  # SQLite needs the log's index, and finishes what a killed writer left
    if not _has_log(path):
        return _ALONE
    if not path.with_name(path.name + "-shm").exists():
        raise _interrupted(path)  # SQLite would have to make the index that finds the log's pages
    return "mode=ro"


def _has_log(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


def _in_memory(path: Path, *, source: sqlite3.Connection | None) -> tuple[sqlite3.Connection, bool]:
    connection = _prepared(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))
    try:
        if source is not None:
            source.backup(connection)
        fresh = migrate(connection, path=path, migrations=MIGRATIONS)
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection, fresh


def _connect(path: Path, how: str) -> sqlite3.Connection:
    return _prepared(
        sqlite3.connect(
            f"{path.absolute().as_uri()}?{how}",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,  # transactions are begun and ended here, never by the driver
            check_same_thread=False,
        )
    )


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.row_factory = _decoded
    try:
        connection.execute("PRAGMA secure_delete = ON")
        # Temporary tables would put the store's text into files outside the home.
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite refuses into one StorageError; a wrong statement stays a bug."""
    try:
        yield
    except sqlite3.Error as error:
        refusal = _refusal(path, error)
        if refusal is None:
            raise
        raise refusal from error


def _interrupted(path: Path) -> StorageError:
    return StorageError(
        f"{path} has an interrupted write that can't be finished in a read-only folder",
        mend="run `memkit status` once where the folder can be written",
    )


def _refusal(path: Path, error: sqlite3.Error) -> StorageError | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    if code in (
        sqlite3.SQLITE_READONLY_ROLLBACK,
        sqlite3.SQLITE_READONLY_RECOVERY,
        sqlite3.SQLITE_READONLY_CANTINIT,
    ):
        return _interrupted(path)
    primary = code & 0xFF
    if primary in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return StorageError(
            f"{path} is damaged or no database",
            mend="move it away and run again: it is rebuilt from the committed memory and the session files",
        )
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StorageError(f"{path} is locked by another program", mend="run again when that has ended")
    if primary == sqlite3.SQLITE_FULL:
        return StorageError(f"no space is left to write {path}", mend="free some space and run again; nothing is lost")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StorageError(f"{path} can't be written", mend=f"check that {path.parent} is yours to write")
    if primary == sqlite3.SQLITE_CANTOPEN:
        return StorageError(f"can't open {path}", mend=f"check that {path.parent} exists and is yours")
    if primary == sqlite3.SQLITE_IOERR:
        return StorageError(f"can't read or write {path}: {error}", mend="check the disk; nothing is lost")
    return None


def _decoded(_cursor: sqlite3.Cursor, row: Row) -> Row:
    if bytes not in map(type, row):
        return row
    return tuple(value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value for value in row)
