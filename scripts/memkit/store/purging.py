"""Erasing from the store: texts rewritten in one transaction, then no page and no log of the file that holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from memkit.errors import StorageError
from memkit.store.connect import translated
from memkit.store.database import Database, bound, names

# Texts that are cleaned in place, and tables whose rows go whole. Ids and paths of files stay: they are looked up.
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

        Rows of claims and tombstones that would change are removed whole. dry: only counts.
        """
        done = 0
        with self._write(durable=True) as db:
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

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every text of every table with the table's name: what a search of the pages could miss where one is cut."""
        for (table,) in self._rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
            for row in self._rows(f'SELECT * FROM "{table}"'):
                yield from ((str(table), value) for value in row if isinstance(value, str))
