"""The base of the store: one open file, its transactions, and how values go into statements."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from memkit.errors import StorageError
from memkit.store.connect import Row, open_to_look, open_to_read, open_to_write, translated

Value = str | int | float | None


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
            with translated(path):
                connection, fresh = open_to_read(path) if readonly else open_to_write(path)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise StorageError(f"can't open {path}: {reason}", mend=f"check that {path.parent} is yours") from error
        return cls(connection, path=path, fresh=fresh)

    @classmethod
    def look(cls, path: Path) -> Self:
        """Open a file that is there to read it, without changing a byte of it or beside it. Raises as `open` does."""
        try:
            with translated(path):
                connection, fresh = open_to_look(path)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise StorageError(f"can't open {path}: {reason}", mend=f"check that {path.parent} is yours") from error
        return cls(connection, path=path, fresh=fresh)

    def damage(self) -> str:
        """What SQLite finds wrong with the file's pages, its first line; "" when they are whole."""
        said = str(self._rows("PRAGMA quick_check(1)")[0][0])
        return "" if said == "ok" else said.splitlines()[0]

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
    def _write(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """One write transaction: all of the block or, when it raises, nothing.

        durable: a power cut after it can't undo it, or anything before it.
        """
        with self._guard, translated(self.path):
            self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
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
        with self._guard, translated(self.path):
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
