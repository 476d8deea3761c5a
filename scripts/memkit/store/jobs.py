"""Extraction jobs: who works on which session, what counts as grown, and how a piece of work ends.

A job belongs to a session in one version. Its watermark is the session's last activity (whole seconds) and size as
far as they were extracted; the session is due when the ledger says anything else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from memkit.model import Reason, Record, State, Version, about_session
from memkit.store.database import bound, marks, names
from memkit.store.ledger import Judgement, Ledger, conclude, unknown
from memkit.store.records import drop_record, flag_record, put_record

LEASE_SECONDS = 3_600  # CODEX.md, "Which sessions stage 1 takes"
RETRY_SECONDS = 3_600
TRIES = 3

_COLUMNS = (
    "taken_at",
    "taken_size",
    "attempts",
    "tried_at",
    "tried_size",
    "retry_at",
    "owner",
    "leased_at",
    "lease_time",
    "lease_size",
)


class _Job(NamedTuple):
    session_id: str
    version: Version
    time: int  # of the session as the ledger knows it now
    size: int
    taken_at: int | None
    taken_size: int | None  # None: not known, then time alone tells growth
    attempts: int | None
    tried_at: int | None
    tried_size: int | None
    retry_at: float | None
    owner: str | None
    leased_at: float | None
    lease_time: int | None
    lease_size: int | None

    def held(self, now: float, alive: Callable[[str], bool]) -> bool:
        if self.owner is None or self.leased_at is None:
            return False
        return now < self.leased_at + LEASE_SECONDS and alive(self.owner)

    def due(self, now: float) -> bool:
        if self.attempts and (self.tried_at, self.tried_size) == (self.time, self.size):
            return self.attempts < TRIES and (self.retry_at is None or now >= self.retry_at)
        return self.taken_at != self.time or self.taken_size not in (None, self.size)

    def leased(self) -> tuple[int, int]:
        """What the session was when the lease was taken."""
        return self.lease_time or 0, self.lease_size or 0

    def grew(self, taken: tuple[int, int]) -> bool:
        """Whether what has now been taken goes beyond what was taken before."""
        if self.taken_at is None:
            return False
        if self.taken_size is None:
            return taken[0] > self.taken_at
        return taken > (self.taken_at, self.taken_size)


class Jobs(Ledger):
    """The methods of the store about the work on sessions."""

    def lease(
        self,
        session_id: str,
        *,
        version: Version,
        owner: str,
        now: float,
        alive: Callable[[str], bool],
        forced: bool = False,
    ) -> bool:
        """Take a session to work on; False when it is not due or somebody works on it.

        owner: a token of locks.run_token; alive tells whether a token's process lives, and a lease of a dead one ends
        at once. A session is due when it has grown past its watermark and, after a failure, an hour has passed and it
        was tried fewer than three times as it is now; forced takes it all the same, but never from a live owner.
        Raises LookupError for a session never seen.
        """
        with self._write() as db:
            job = _job(db, session_id, version)
            if job is None:
                raise unknown(session_id)
            if job.held(now, alive) or not (forced or job.due(now)):
                return False
            db.execute(
                "INSERT INTO jobs (session_id, version, owner, leased_at, lease_time, lease_size)"
                f" VALUES ({marks(6)}) ON CONFLICT (session_id, version) DO UPDATE SET owner = excluded.owner,"
                " leased_at = excluded.leased_at, lease_time = excluded.lease_time, lease_size = excluded.lease_size",
                bound((session_id, version, owner, now, job.time, job.size)),
            )
            return True

    def heartbeat(self, session_id: str, *, version: Version, owner: str, now: float) -> bool:
        """Make a lease last another hour from now; False when it is no longer the owner's."""
        with self._write() as db:
            done = db.execute(
                "UPDATE jobs SET leased_at = ? WHERE session_id = ? AND version = ? AND owner = ?",
                bound((now, session_id, version, owner)),
            )
            return done.rowcount > 0

    def release(self, session_id: str, *, version: Version, owner: str) -> None:
        """Give a lease back without a result; nothing when it is no longer the owner's."""
        with self._write() as db:
            db.execute(
                "UPDATE jobs SET owner = NULL, leased_at = NULL WHERE session_id = ? AND version = ? AND owner = ?",
                bound((session_id, version, owner)),
            )

    def finish_good(
        self,
        record: Record,
        *,
        owner: str,
        taken_size: int,
        tokens_used: int = 0,
        bad_lines: int = 0,
        unknown_lines: int = 0,
    ) -> bool:
        """Keep a session's new record, its state and its watermark (`record.updated_at` and taken_size).

        The record's usage and selection stay as they were. False, and nothing is written, when the lease is no longer
        the owner's.
        """
        with self._write() as db:
            job = _owned(db, record.session_id, record.version, owner)
            if job is None:
                return False
            put_record(db, record)
            _mark_taken(db, job, (record.updated_at, taken_size))
            _count(db, job, tokens_used=tokens_used, bad_lines=bad_lines, unknown_lines=unknown_lines)
            conclude(db, Judgement(id=record.session_id, state=State.EXTRACTED))
            return True

    def finish_empty(
        self,
        session_id: str,
        *,
        version: Version,
        owner: str,
        taken_at: float,
        taken_size: int,
        skipped: Reason | None = None,
        tokens_used: int = 0,
        bad_lines: int = 0,
        unknown_lines: int = 0,
    ) -> bool:
        """A success without output: the session is empty, and a record of the same content goes.

        A session that grew since its record was made keeps that, flagged, and is extracted. taken_at, taken_size: the
        session's last activity and size as they were read. skipped: why what was read may not be kept, the
        session then is not empty but skipped. False as in `finish_good`.
        """
        with self._write() as db:
            job = _owned(db, session_id, version, owner)
            if job is None:
                return False
            taken = _mark_taken(db, job, (int(taken_at), taken_size))
            _count(db, job, tokens_used=tokens_used, bad_lines=bad_lines, unknown_lines=unknown_lines)
            kept = flag_record(db, session_id, version, grew=job.grew(taken))
            if not kept:
                drop_record(db, session_id, version)
            state = State.SKIPPED if skipped else State.EXTRACTED if kept else State.EMPTY
            conclude(db, Judgement(id=session_id, state=state, reason=skipped))
            return True

    def finish_failed(
        self,
        session_id: str,
        *,
        version: Version,
        owner: str,
        reason: Reason,
        detail: str,
        now: float,
        tokens_used: int = 0,
        bad_lines: int = 0,
        unknown_lines: int = 0,
    ) -> bool:
        """A failed try: it may be repeated after an hour, three times in all; an earlier record stays.

        False as in `finish_good`.
        """
        with self._write() as db:
            job = _owned(db, session_id, version, owner)
            if job is None:
                return False
            tried = job.leased()
            same = (job.tried_at, job.tried_size) == tried
            attempts = (job.attempts or 0) + 1 if same else 1
            until = now + RETRY_SECONDS if attempts < TRIES else None
            db.execute(
                "UPDATE jobs SET attempts = ?, tried_at = ?, tried_size = ?, retry_at = ?, owner = NULL,"
                " leased_at = NULL WHERE session_id = ? AND version = ?",
                bound((attempts, *tried, until, session_id, version)),
            )
            _count(db, job, tokens_used=tokens_used, bad_lines=bad_lines, unknown_lines=unknown_lines)
            # One that grew meanwhile is another session to try: it need not wait.
            shown = until if tried == (job.time, job.size) else now
            conclude(db, Judgement(id=session_id, state=State.FAILED, reason=reason, detail=detail, until=shown))
            return True


def _job(db: sqlite3.Connection, session_id: str, version: Version) -> _Job | None:
    row = db.execute(
        f"SELECT CAST(s.updated_at AS INTEGER), s.size, {names(_COLUMNS, table='j')} FROM sessions s"
        " LEFT JOIN jobs j ON j.session_id = s.id AND j.version = ? WHERE s.id = ?",
        bound((version, session_id)),
    ).fetchone()
    if row is None:
        return None
    return _Job(session_id=session_id, version=version, **dict(zip(("time", "size", *_COLUMNS), row, strict=True)))


def _owned(db: sqlite3.Connection, session_id: str, version: Version, owner: str) -> _Job | None:
    job = _job(db, session_id, version)
    return job if job is not None and job.owner == owner else None


def _mark_taken(db: sqlite3.Connection, job: _Job, read: tuple[int, int]) -> tuple[int, int]:
    """Set the watermark, end the lease, forget earlier failures and the answers that were used; the watermark.

    It is what was read or what the ledger knew at the lease, whichever is later: when the fullest copy of a session
    is gone or was compressed, what is left of it must not look grown for ever.
    """
    taken = max(read, job.leased())
    db.execute(
        "UPDATE jobs SET taken_at = ?, taken_size = ?, attempts = 0, tried_at = NULL, tried_size = NULL,"
        " retry_at = NULL, owner = NULL, leased_at = NULL WHERE session_id = ? AND version = ?",
        bound((*taken, job.session_id, job.version)),
    )
    db.execute("DELETE FROM answers WHERE about = ?", bound((about_session(job.session_id, version=job.version),)))
    return taken


def _count(db: sqlite3.Connection, job: _Job, *, tokens_used: int, bad_lines: int, unknown_lines: int) -> None:
    db.execute(
        "UPDATE sessions SET tokens_used = tokens_used + ?, bad_lines = ?, unknown_lines = ? WHERE id = ?",
        bound((tokens_used, bad_lines, unknown_lines, job.session_id)),
    )
