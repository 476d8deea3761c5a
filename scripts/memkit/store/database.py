"""The connection: how the file is opened, made whole, read and written, and what SQLite's errors mean to a user.

The journal is SQLite's rollback journal, not WAL: a reader works in a folder that it can't write, text that was
deleted does not linger in a side file, and the home holds one file. Writers are short and wait for each other.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memkit.errors import StorageError
from memkit.store.schema import MIGRATIONS, migrate, schema_of

_BUSY_SECONDS = 10.0
_PRIVATE = 0o600

Value = str | int | float | None
Row = tuple[Any, ...]


class Database:
    """One open store file. Its methods may be called from several threads; each is one transaction.

    path: the file. fresh: the file was empty or missing and this very open gave it its schema.
    """

    def __init__(self, connection: sqlite3.Connection, *, path: Path, fresh: bool) -> None:
        self.path = path
        self.fresh = fresh
        self._db = connection
        self._guard = threading.RLock()

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False) -> Self:
        """Open the file, made (mode 0600) and migrated where needed.

        readonly: never changes what the file says; a missing file reads as an empty store, one of an older schema is
        read from a copy in memory, and any writing method raises StorageError. Raises StorageError when the file is
        no database of memkit, is damaged, locked, made by a newer memkit, or can't be opened.
        """
        try:
            with _translated(path):
                connection, fresh = _open_to_read(path) if readonly else _open_to_write(path)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise StorageError(f"can't open {path}: {reason}", mend=f"check that {path.parent} is yours") from error
        return cls(connection, path=path, fresh=fresh)

    def close(self) -> None:
        """Close the file; the store can't be used afterwards."""
        with self._guard:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """One write transaction: all of the block or, when it raises, nothing."""
        with self._guard, _translated(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                # SQLite has already rolled back by itself after some errors (a full disk).
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, values: Iterable[Value] = ()) -> list[Row]:
        """All rows of one reading statement, thus of one state of the database."""
        with self._guard, _translated(self.path):
            return self._db.execute(sql, bound(values)).fetchall()


def bound(values: Iterable[Value]) -> tuple[Value | bytes, ...]:
    """Values as SQLite takes them. A text with lone surrogates, which has no UTF-8, goes in as bytes and comes back
    as the same text; so a path that is no UTF-8 still names its file."""
    return tuple(_encoded(value) if isinstance(value, str) else value for value in values)


def marks(count: int) -> str:
    """`?, ?, ?`: placeholders for a list of values."""
    return ", ".join("?" * count)


def names(columns: Sequence[str], *, table: str = "") -> str:
    """The columns as SQL, quoted, with their table's short name when one is given."""
    return ", ".join(f'{table}."{column}"' if table else f'"{column}"' for column in columns)


def _encoded(text: str) -> str | bytes:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return str(text)


def _decoded(_cursor: sqlite3.Cursor, row: Row) -> Row:
    return tuple(value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value for value in row)


def _open_to_write(path: Path) -> tuple[sqlite3.Connection, bool]:
    try:
        # Never open a file that is there: closing that descriptor would drop this process's SQLite locks on it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE))
    except FileExistsError:
        if stat.S_IMODE(path.stat().st_mode) != _PRIVATE and path.is_file():
            with suppress(PermissionError):
                path.chmod(_PRIVATE)
    connection = _connect(path, mode="rw")
    try:
        fresh = migrate(connection, path=path, migrations=MIGRATIONS)
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection, fresh


def _open_to_read(path: Path) -> tuple[sqlite3.Connection, bool]:
    if not path.exists():
        return _in_memory(path, source=None)
    # Where writing is possible SQLite may have to finish what a killed writer left half done.
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    connection = _connect(path, mode="rw" if writable else "ro")
    try:
        if schema_of(connection, path=path) == len(MIGRATIONS):
            connection.execute("PRAGMA query_only = ON")
            return connection, False
        copy, fresh = _in_memory(path, source=connection)
    except BaseException:
        connection.close()
        raise
    connection.close()
    return copy, fresh


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


def _connect(path: Path, *, mode: str) -> sqlite3.Connection:
    return _prepared(
        sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
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
        connection.execute("PRAGMA synchronous = FULL")
        # Temporary tables would put the store's text into files outside the home.
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn what SQLite refuses into one StorageError; a wrong statement stays a bug."""
    try:
        yield
    except sqlite3.Error as error:
        refusal = _refusal(path, error)
        if refusal is None:
            raise
        raise refusal from error


def _refusal(path: Path, error: sqlite3.Error) -> StorageError | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    if code == sqlite3.SQLITE_READONLY_ROLLBACK:
        return StorageError(
            f"{path} has an interrupted write that can't be finished in a read-only folder",
            mend="run `memkit status` once where the folder can be written",
        )
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
