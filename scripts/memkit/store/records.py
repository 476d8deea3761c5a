"""Stage-1 records: reading, the selection for a consolidation, rebuilding from a committed tree, retention, usage."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from memkit.clock import DAY
from memkit.model import Reason, Record, Session, State, Version
from memkit.store.connect import Row
from memkit.store.database import Database, Value, bound, marks, names
from memkit.store.ledger import SESSION

_RECORD = (
    "session_id",
    "version",
    "updated_at",
    "path",
    "cwd",
    "branch",
    "remote",
    "rollout_summary",
    "slug",
    "raw_memory",
    "generated_at",
    "usage_count",
    "last_usage",
    "engine",
    "flagged",
    "selected",
)
_KEPT = ("session_id", "version", "usage_count", "last_usage", "selected")  # what a newer text does not change
_LAST_USE = "ifnull(r.last_usage, r.updated_at)"
_UNUSED_SINCE = f"max({_LAST_USE}, r.generated_at)"


class Records(Database):
    """The methods of the store about records."""

    def records(self, version: Version) -> list[Record]:
        """All records of a version, by ascending session id."""
        sql = f"SELECT {names(_RECORD)} FROM records WHERE version = ? ORDER BY session_id"
        return [_record(row) for row in self._rows(sql, (version,))]

    def record(self, session_id: str, version: Version) -> Record | None:
        """A session's record, None when there is none."""
        sql = f"SELECT {names(_RECORD)} FROM records WHERE session_id = ? AND version = ?"
        rows = self._rows(sql, (session_id, version))
        return _record(rows[0]) if rows else None

    def select(
        self, version: Version, *, now: float, limit: int = 256, max_unused_days: float = 30, mark: bool = True
    ) -> list[Record]:
        """The records that a consolidation reads, by ascending session id, and marked as selected.

        Those with text, not switched off, used (or, never used, active) within the last max_unused_days or in the
        future, the most used and most recent `limit` of them (CODEX.md, "Store, selection, forgetting"). mark=False
        only looks: the marks of the last selection stay.
        """
        sql = f"""SELECT {names(_RECORD, table="r")} FROM records r JOIN sessions s ON s.id = r.session_id
            WHERE r.version = ? AND s.generate AND s."use" AND {_LAST_USE} >= ?
                AND trim(r.rollout_summary || r.raw_memory, ' ' || char(9, 10, 13)) <> ''
            ORDER BY r.usage_count DESC, {_LAST_USE} DESC, r.updated_at DESC, r.session_id DESC LIMIT ?"""
        values: tuple[Value, ...] = (version, now - max_unused_days * DAY, limit)
        if not mark:
            return _by_id(_record(row) for row in self._rows(sql, values))
        with self._write() as db:
            chosen = _by_id(_record(row) for row in db.execute(sql, bound(values)).fetchall())
            marked = db.execute("SELECT session_id FROM records WHERE version = ? AND selected", bound((version,)))
            before = {row[0] for row in marked.fetchall()}
            after = {record.session_id for record in chosen}
            # Only what changes is written: an idle run leaves the file's bytes alone.
            db.executemany(
                "UPDATE records SET selected = ? WHERE session_id = ? AND version = ?",
                [bound((each in after, each, version)) for each in sorted(before ^ after)],
            )
        return [replace(record, selected=True) for record in chosen]

    def import_record(self, record: Record) -> bool:
        """Take over a record from a committed tree; False, and nothing changes, when a newer one is there.

        A session never seen gets its ledger row, extracted up to the record's time; so does one that was seen but
        never taken. Usage, selection and what the tree doesn't hold stay as the store knows them.
        """
        with self._write() as db:
            row = db.execute(
                f"SELECT {names(_RECORD)} FROM records WHERE session_id = ? AND version = ?",
                bound((record.session_id, record.version)),
            ).fetchone()
            known = _record(row) if row is not None else None
            if known is not None and known.updated_at > record.updated_at:
                return False
            if known is not None and known.updated_at == record.updated_at:
                record = replace(
                    record,
                    raw_memory=record.raw_memory or known.raw_memory,
                    generated_at=record.generated_at or known.generated_at,
                    flagged=record.flagged or known.flagged,
                )
            _put_bare_session(db, record)
            put_record(db, record)
            _adopt(db, record)
            return True

    def expired(self, version: Version, *, now: float, max_unused_days: float) -> list[Record]:
        """The records that `prune` would remove, the oldest first."""
        sql = f"""SELECT {names(_RECORD, table="r")} FROM records r WHERE r.version = ? AND NOT r.selected
            AND {_UNUSED_SINCE} < ? ORDER BY {_LAST_USE}, r.session_id"""
        return [_record(row) for row in self._rows(sql, (version, now - max_unused_days * DAY))]

    def prune(self, version: Version, *, now: float, max_unused_days: float, limit: int = 200) -> list[str]:
        """Remove up to `limit` unselected records unused for longer than max_unused_days, the oldest first.

        One that was made within that time stays: an old session that a user names is not read and dropped in one run.

        Returns the ids of their sessions, ascending. An extracted session left without a record is then skipped as
        too old, and is not read again until it grows.
        """
        with self._write() as db:
            rows = db.execute(
                f"SELECT r.session_id FROM records r WHERE r.version = ? AND NOT r.selected AND {_UNUSED_SINCE} < ?"
                f" ORDER BY {_LAST_USE}, r.session_id LIMIT ?",
                bound((version, now - max_unused_days * DAY, limit)),
            ).fetchall()
            gone = sorted(str(session_id) for (session_id,) in rows)
            for session_id in gone:
                drop_record(db, session_id, version)
            detail = f"its record went unused for {max_unused_days:g} days"
            db.executemany(
                "UPDATE sessions SET state = ?, reason = ?, detail = ?, until = NULL WHERE id = ? AND state = ?"
                " AND NOT EXISTS (SELECT 1 FROM records r WHERE r.session_id = sessions.id)",
                [bound((State.SKIPPED, Reason.TOO_OLD, detail, each, State.EXTRACTED)) for each in gone],
            )
            return gone

    def forget(self, session_id: str, *, reason: Reason = Reason.FORGOTTEN) -> bool:
        """Drop a session's records of every version and read it no more; False when it was never seen.

        reason: why, FORGOTTEN is for good, SWITCHED_OFF until `start_over`.
        """
        with self._write() as db:
            found = db.execute("SELECT 1 FROM sessions WHERE id = ?", bound((session_id,))).fetchone()
            if found is None:
                return False
            db.execute("DELETE FROM records WHERE session_id = ?", bound((session_id,)))
            db.execute(
                "UPDATE sessions SET state = ?, reason = ?, detail = '', until = NULL WHERE id = ?",
                bound((State.SKIPPED, reason, session_id)),
            )
            return True

    def start_over(self, session_id: str) -> None:
        """Have a session read again from its beginning, as one that was never read."""
        with self._write(durable=True) as db:
            db.execute("DELETE FROM jobs WHERE session_id = ?", bound((session_id,)))
            db.execute(
                "UPDATE sessions SET state = ?, reason = ?, detail = '', until = NULL WHERE id = ?",
                bound((State.WAITING, Reason.NOT_YET, session_id)),
            )

    def start_anew(self) -> None:
        """Forget all that was learned: every session is as if never read, but for those that may not be.

        Tombstones stay, and that a session was forgotten or switched off.
        """
        with self._write(durable=True) as db:
            for table in ("records", "jobs", "usages", "claims", "runs", "line_tokens"):
                db.execute(f"DELETE FROM {table}")
            db.execute("DELETE FROM meta WHERE key <> 'restored'")
            db.execute(
                "UPDATE sessions SET state = ?, reason = ?, detail = '', until = NULL"
                " WHERE ifnull(reason, '') NOT IN (?, ?)",
                bound((State.WAITING, Reason.NOT_YET, Reason.FORGOTTEN, Reason.SWITCHED_OFF)),
            )

    def count_usage(self, *, rollout_id: str, cited: Iterable[str], now: float) -> int:
        """Count that a session used the records of the cited sessions; how many uses were new.

        A session counts once for each record, however often it is read again; an id without a record is ignored.
        """
        counted = 0
        with self._write() as db:
            for session_id in sorted(set(cited)):
                if not _has_record(db, session_id):
                    continue
                new = db.execute(
                    "INSERT OR IGNORE INTO usages (rollout_id, session_id) VALUES (?, ?)",
                    bound((rollout_id, session_id)),
                )
                if new.rowcount > 0:
                    counted += 1
                    db.execute(
                        "UPDATE records SET usage_count = usage_count + 1, last_usage = max(ifnull(last_usage, 0), ?)"
                        " WHERE session_id = ?",
                        bound((int(now), session_id)),
                    )
        return counted


def put_record(db: sqlite3.Connection, record: Record) -> None:
    """Write a record within the caller's transaction; one that is there keeps its usage and its selection."""
    updates = ", ".join(f"{column} = excluded.{column}" for column in _RECORD if column not in _KEPT)
    db.execute(
        f"INSERT INTO records ({names(_RECORD)}) VALUES ({marks(len(_RECORD))})"
        f" ON CONFLICT (session_id, version) DO UPDATE SET {updates}",
        bound(getattr(record, column) for column in _RECORD),
    )


def drop_record(db: sqlite3.Connection, session_id: str, version: Version) -> None:
    """Remove a record, if there is one, within the caller's transaction."""
    db.execute("DELETE FROM records WHERE session_id = ? AND version = ?", bound((session_id, version)))


def flag_record(db: sqlite3.Connection, session_id: str, version: Version, *, grew: bool) -> bool:
    """Flag a record as the earlier one of a session that grew (now, or before); False when that is not the case."""
    done = db.execute(
        "UPDATE records SET flagged = 1 WHERE session_id = ? AND version = ? AND (? OR flagged)",
        bound((session_id, version, grew)),
    )
    return done.rowcount > 0


def _record(row: Row) -> Record:
    values = dict(zip(_RECORD, row, strict=True))
    values |= {"flagged": bool(values["flagged"]), "selected": bool(values["selected"])}
    return Record(**values)


def _by_id(records: Iterable[Record]) -> list[Record]:
    return sorted(records, key=lambda record: record.session_id)


def _has_record(db: sqlite3.Connection, session_id: str) -> bool:
    row = db.execute("SELECT 1 FROM records WHERE session_id = ? LIMIT 1", bound((session_id,))).fetchone()
    return row is not None


def _put_bare_session(db: sqlite3.Connection, record: Record) -> None:
    # Its size stays 0, so that the file itself, once seen, is always ahead.
    session = Session(
        id=record.session_id,
        path=record.path,
        cwd=record.cwd,
        branch=record.branch,
        remote=record.remote,
        provider="unknown",  # a tree does not say whose model it was, so no server may get its text
        updated_at=float(record.updated_at),
    )
    db.execute(
        f"INSERT OR IGNORE INTO sessions ({names(SESSION)}, state) VALUES ({marks(len(SESSION) + 1)})",
        bound((*(getattr(session, column) for column in SESSION), State.EXTRACTED)),
    )


def _adopt(db: sqlite3.Connection, record: Record) -> None:
    adopted = db.execute(
        "INSERT INTO jobs (session_id, version, taken_at) VALUES (?, ?, ?)"
        " ON CONFLICT (session_id, version) DO UPDATE SET taken_at = excluded.taken_at WHERE taken_at IS NULL",
        bound((record.session_id, record.version, record.updated_at)),
    )
    if adopted.rowcount > 0:
        db.execute(
            "UPDATE sessions SET state = ?, reason = NULL, detail = '', until = NULL WHERE id = ? AND state = ?",
            bound((State.EXTRACTED, record.session_id, State.WAITING)),
        )
