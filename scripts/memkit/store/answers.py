"""Answers of a model that were paid for and of which nothing was made yet, so that a killed run does not ask again."""

from __future__ import annotations

from memkit.store.database import Database, bound


class Answers(Database):
    """The methods of the store about a model's answers. key: a hash of the question; about: what it was asked for.

    An answer about a session goes in the transaction that stores what was made of it (`Jobs.finish_good`).
    """

    def answer(self, key: str) -> str | None:
        """The kept answer to a question, None when there is none."""
        rows = self._rows("SELECT text FROM answers WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def keep_answer(self, key: str, text: str, *, about: str) -> None:
        """Keep an answer. It is on the disk when the call returns: it cost money."""
        with self._write(durable=True) as db:
            db.execute("INSERT OR REPLACE INTO answers (key, about, text) VALUES (?, ?, ?)", bound((key, about, text)))

    def drop_answer(self, key: str) -> None:
        """Drop one that is of no use."""
        with self._write() as db:
            db.execute("DELETE FROM answers WHERE key = ?", bound((key,)))

    def drop_answers(self, *, about: str) -> None:
        """Drop what was asked for something that is done."""
        with self._write() as db:
            db.execute("DELETE FROM answers WHERE about = ?", bound((about,)))
