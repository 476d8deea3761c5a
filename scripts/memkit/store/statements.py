"""What the user said of memory itself: claims written by hand, and tombstones of claims that must not come back."""

from __future__ import annotations

from collections.abc import Iterable

from memkit.model import Claim, Section, Tombstone
from memkit.store.database import Database, Value, bound, marks, names

_CLAIM = ("section", "text", "scope", "created_at", "source", "thread_id")
_TOMBSTONE = ("subject", "text", "scope", "section", "created_at", "source", "thread_id")


class Statements(Database):
    """The methods of the store about claims and tombstones; saying the same again changes only its time."""

    def hand_claims(self) -> list[Claim]:
        """The kept claims, by time, section, scope and text."""
        rows = self._rows(
            f"SELECT {names(_CLAIM)} FROM claims ORDER BY created_at, section, scope, text, thread_id, source"
        )
        return [
            Claim(
                section=Section(section),
                text=text,
                scope=scope,
                created_at=created_at,
                source=source,
                thread_id=thread_id,
            )
            for section, text, scope, created_at, source, thread_id in rows
        ]

    def keep_claims(self, claims: Iterable[Claim]) -> None:
        """Keep claims; the same section, scope, text and thread again gets the later time and its source."""
        with self._write(durable=True) as db:
            db.executemany(
                f"INSERT INTO claims ({names(_CLAIM)}) VALUES ({marks(len(_CLAIM))})"
                " ON CONFLICT (section, scope IS NULL, ifnull(scope, ''), text, thread_id) DO UPDATE SET"
                " created_at = excluded.created_at, source = excluded.source WHERE excluded.created_at > created_at",
                [bound(getattr(claim, column) for column in _CLAIM) for claim in claims],
            )

    def drop_claims(self, claims: Iterable[Claim]) -> int:
        """Drop the claims with the same section, scope, text and thread; how many there were."""
        with self._write(durable=True) as db:
            done = db.executemany(
                "DELETE FROM claims WHERE section = ? AND scope IS ? AND text = ? AND thread_id = ?",
                [bound((claim.section, claim.scope, claim.text, claim.thread_id)) for claim in claims],
            )
            return max(done.rowcount, 0)

    def tombstones(self) -> list[Tombstone]:
        """All tombstones, by time, subject, scope and text."""
        rows = self._rows(
            f"SELECT {names(_TOMBSTONE)} FROM tombstones"
            " ORDER BY created_at, subject, scope, section, text, thread_id, source"
        )
        return [
            Tombstone(
                subject=subject,
                text=text,
                scope=scope,
                section=None if section is None else Section(section),
                created_at=created_at,
                source=source,
                thread_id=thread_id,
            )
            for subject, text, scope, section, created_at, source, thread_id in rows
        ]

    def bury(self, tombstones: Iterable[Tombstone]) -> None:
        """Keep tombstones; the same one again, whatever its source, gets the later time and its source."""
        with self._write(durable=True) as db:
            db.executemany(
                f"INSERT INTO tombstones ({names(_TOMBSTONE)}) VALUES ({marks(len(_TOMBSTONE))})"
                " ON CONFLICT (scope IS NULL, ifnull(scope, ''), ifnull(section, ''), subject, text, thread_id)"
                " DO UPDATE SET created_at = excluded.created_at, source = excluded.source"
                " WHERE excluded.created_at > created_at",
                [bound(getattr(each, column) for column in _TOMBSTONE) for each in tombstones],
            )

    def unbury(self, tombstones: Iterable[Tombstone]) -> int:
        """Take tombstones away, whatever their time and source; how many there were."""
        with self._write(durable=True) as db:
            done = db.executemany(
                "DELETE FROM tombstones"
                " WHERE scope IS ? AND section IS ? AND subject = ? AND text = ? AND thread_id = ?",
                [bound(_key(each)) for each in tombstones],
            )
            return max(done.rowcount, 0)


def _key(tombstone: Tombstone) -> tuple[Value, ...]:
    return tombstone.scope, tombstone.section, tombstone.subject, tombstone.text, tombstone.thread_id
