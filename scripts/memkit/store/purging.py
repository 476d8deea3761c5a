"""Erasing from the store: texts rewritten in one transaction, then no page and no log of the file that holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from sqlite3 import Connection

from memkit.errors import StorageError
from memkit.store.connect import translated
from memkit.store.database import Database, bound, names

# Texts that are cleaned in place, and tables whose rows go whole. Ids stay: they are looked up.
_TEXTS = {
    "sessions": ("cwd", "branch", "remote", "detail"),
    "records": ("cwd", "branch", "remote", "rollout_summary", "slug", "raw_memory"),
    "runs": ("error",),
}
_ROWS = {"claims": ("text", "scope", "source"), "tombstones": ("subject", "text", "scope", "source")}


class Purging(Database):
    """The methods of the store about erasing."""

    def erase(self, change: Callable[[str, str], str], *, dry: bool = False) -> int:
        """Gives every text (as column and text) to `change`: what it gives back is kept; how many rows changed.

        Rows of claims, tombstones and files that would change are removed whole; a session or record whose path would
        change gets that of another file of the session, where there is one. dry: only counts.
        """
        with self._write(durable=True) as db:
            done = _erase_paths(db, change, dry=dry)
            for table, columns in (_TEXTS | _ROWS).items():
                for row in db.execute(f"SELECT rowid, {names(columns)} FROM {table}").fetchall():
                    old = tuple(row[1:])
                    new = tuple(
                        text if not text else change(column, text) for column, text in zip(columns, old, strict=True)
                    )
                    if new == old:
                        continue
                    done += 1
                    if dry:
                        continue
                    if table in _ROWS:
                        db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row[0],))
                    else:
                        places = ", ".join(f'"{column}" = ?' for column in columns)
                        db.execute(f"UPDATE {table} SET {places} WHERE rowid = ?", (*bound(new), row[0]))
            if not dry:
                db.execute("DELETE FROM answers")
            if done and not dry:
                # Hashes of lines without a key, and of inputs that are no more.
                db.execute("DELETE FROM line_tokens")
                db.execute("DELETE FROM meta WHERE key = 'consolidated'")
        return done

    def follow(self, ids: Mapping[str, str]) -> None:
        """Replaces ids of commits in what refers to them."""
        if not ids:
            return
        with self._write(durable=True) as db:
            for table in _ROWS:
                for rowid, source in db.execute(f"SELECT rowid, source FROM {table}").fetchall():
                    kind, _, oid = str(source).partition(":")
                    if oid in ids:
                        db.execute(f"UPDATE {table} SET source = ? WHERE rowid = ?", (f"{kind}:{ids[oid]}", rowid))
            db.execute("DELETE FROM meta WHERE key = 'consolidated'")

    def shred(self) -> None:
        """Writes the file anew without what was deleted and empties its log. StorageError while another reads it."""
        with self._guard, translated(self.path):
            self._db.execute("VACUUM")
            busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StorageError(f"{self.path} is being read by another program", mend="run again when that has ended")

    def schema(self) -> Iterator[str]:
        """The statements that made the tables, as the file keeps them."""
        yield from (str(row[0]) for row in self._rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every text of every table with the table's name: what a search of the pages could miss where one is cut."""
        for (table,) in self._rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
            for row in self._rows(f'SELECT * FROM "{table}"'):
                yield from ((str(table), value) for value in row if isinstance(value, str))


def _erase_paths(db: Connection, change: Callable[[str, str], str], *, dry: bool) -> int:
    done = 0
    for rowid, path in db.execute("SELECT rowid, path FROM files").fetchall():
        if change("path", path) != path:
            done += 1
            if not dry:
                db.execute("DELETE FROM files WHERE rowid = ?", (rowid,))
    for table, column in (("sessions", "id"), ("records", "session_id")):
        for rowid, session, path in db.execute(f"SELECT rowid, {column}, path FROM {table}").fetchall():
            new = change("path", path)
            if new == path:
                continue
            done += 1
            if not dry:
                other = db.execute("SELECT min(path) FROM files WHERE session_id = ?", (session,)).fetchone()[0]
                db.execute(f"UPDATE {table} SET path = ? WHERE rowid = ?", (other or new, rowid))
    return done
