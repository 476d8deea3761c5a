"""The ledger: every session seen, the files it was seen in, what became of it and why, and the user's switches."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from memkit.model import Entry, Reason, Session, State
from memkit.store.connect import Row
from memkit.store.database import Database, Value, bound, marks, names

SESSION = (
    "id",
    "path",
    "cwd",
    "branch",
    "remote",
    "source",
    "thread_source",
    "originator",
    "provider",
    "cli_version",
    "memory_mode",
    "forked_from",
    "started_at",
    "updated_at",
    "size",
    "mtime_ns",
)
_JUDGED = ("state", "reason", "detail", "until", "bad_lines", "unknown_lines", "generate", "use", "tokens_used")
_BATCH = 500  # values in one statement; SQLite's oldest limit is 999

# A failure counts only as long as the session is what it was when it failed.
_ENTRIES = f"""SELECT {names(SESSION, table="s")}, {names(_JUDGED, table="s")}, max(j.taken_at), j.taken_size,
    (SELECT max(t.attempts) FROM jobs t WHERE t.session_id = s.id
        AND t.tried_at = CAST(s.updated_at AS INTEGER) AND t.tried_size = s.size),
    EXISTS (SELECT 1 FROM records r WHERE r.session_id = s.id AND r.flagged)
    FROM sessions s LEFT JOIN jobs j ON j.session_id = s.id AND j.taken_at IS NOT NULL"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What became of one session, for `judge_many`; the fields are those of Entry."""

    id: str
    state: State
    reason: Reason | None = None
    detail: str = ""
    until: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """How many sessions are in a state for a reason. until: the first Unix second at which one is taken again."""

    state: State
    reason: Reason | None
    sessions: int
    until: float | None = None


class Ledger(Database):
    """The methods of the store about sessions."""

    def stats(self) -> dict[str, tuple[str, int, int]]:
        """Every file ever seen, by path: its session's id, its size in bytes and its mtime in nanoseconds."""
        rows = self._rows("SELECT path, session_id, size, mtime_ns FROM files")
        return {path: (session_id, size, mtime_ns) for path, session_id, size, mtime_ns in rows}

    def see(self, sessions: Iterable[Session], *, exists: Callable[[str], bool] = os.path.exists) -> None:
        """Take down what files say of their sessions, in one transaction.

        A new session starts as waiting, not_yet. A known one keeps the path where it was first seen as long as that
        exists, and a copy that is smaller or older than what is known changes nothing but the list of files. A failed
        session that has grown is waiting again.
        """
        seen = list(sessions)
        with self._write() as db:
            known = _known(db, [session.id for session in seen])
            now = dict(known)
            for session in seen:
                before = now.get(session.id)
                now[session.id] = session if before is None else _merged(before, session, exists)
            _put_sessions(db, [session for session in now.values() if session != known.get(session.id)])
            db.executemany(
                # A row that says the same is not written: an idle scan leaves the file's bytes alone.
                "INSERT INTO files (path, session_id, size, mtime_ns, updated_at) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (path) DO UPDATE SET session_id = excluded.session_id, size = excluded.size,"
                " mtime_ns = excluded.mtime_ns, updated_at = excluded.updated_at"
                " WHERE (session_id, size, mtime_ns, updated_at)"
                " IS NOT (excluded.session_id, excluded.size, excluded.mtime_ns, excluded.updated_at)",
                [bound((s.path, s.id, s.size, s.mtime_ns, s.updated_at)) for s in seen if s.path],
            )
            grown = [before.id for before in known.values() if moment(before) != moment(now[before.id])]
            db.executemany(
                "UPDATE sessions SET state = ?, reason = ?, detail = '', until = NULL WHERE id = ? AND state = ?",
                [bound((State.WAITING, Reason.NOT_YET, each, State.FAILED)) for each in grown],
            )

    def source_path(self, session_id: str, *, exists: Callable[[str], bool] = os.path.exists) -> str:
        """The file to read a session from: of those seen that exist the one that knows most, else its stored path.

        Raises LookupError for a session never seen.
        """
        entry = self.entry(session_id)
        if entry is None:
            raise unknown(session_id)
        rows = self._rows(
            "SELECT path FROM files WHERE session_id = ?"
            " ORDER BY CAST(updated_at AS INTEGER) DESC, size DESC, path <> ?, path",
            (session_id, entry.session.path),
        )
        return next((str(path) for (path,) in rows if exists(path)), entry.session.path)

    def entries(self) -> list[Entry]:
        """The whole ledger, the latest activity first, then by id."""
        return [_entry(row) for row in self._rows(f"{_ENTRIES} GROUP BY s.id ORDER BY s.updated_at DESC, s.id")]

    def tallies(self) -> list[Tally]:
        """The whole ledger, counted by state and reason."""
        return [
            Tally(state=State(state), reason=None if reason is None else Reason(reason), sessions=number, until=until)
            for state, reason, number, until in self._rows(
                "SELECT state, reason, count(*), min(until) FROM sessions GROUP BY state, reason"
            )
        ]

    def watermarks(self, versions: Sequence[str]) -> dict[str, tuple[int, int | None]]:
        """Up to where sessions were extracted in all of these versions: id to (Unix seconds, bytes or None unknown).

        A session that lacks one of them is not in it.
        """
        rows = self._rows(
            f"SELECT session_id, min(taken_at), min(taken_size) FROM jobs WHERE version IN ({marks(len(versions))})"
            " AND taken_at IS NOT NULL GROUP BY session_id HAVING count(*) = ?",
            (*versions, len(versions)),
        )
        return {session_id: (taken_at, taken_size) for session_id, taken_at, taken_size in rows}

    def entry(self, session_id: str) -> Entry | None:
        """One session's row, None when it was never seen."""
        rows = self._rows(f"{_ENTRIES} WHERE s.id = ? GROUP BY s.id", (session_id,))
        return _entry(rows[0]) if rows else None

    def judge(
        self, session_id: str, *, state: State, reason: Reason | None, detail: str = "", until: float | None = None
    ) -> None:
        """Say what became of a session; until in Unix seconds. Raises LookupError for a session never seen."""
        self.judge_many([Judgement(id=session_id, state=state, reason=reason, detail=detail, until=until)])

    def judge_many(self, judgements: Iterable[Judgement]) -> None:
        """`judge` for many sessions, all or none."""
        with self._write() as db:
            for each in judgements:
                conclude(db, each)

    def switch(self, session_id: str, *, generate: bool | None = None, use: bool | None = None) -> bool:
        """Set the user's switches of a session, None leaves one as it is; False when the session was never seen."""
        with self._write(durable=True) as db:
            done = db.execute(
                'UPDATE sessions SET generate = ifnull(?, generate), "use" = ifnull(?, "use") WHERE id = ?',
                bound((generate, use, session_id)),
            )
            return done.rowcount > 0


def moment(session: Session) -> tuple[int, int]:
    """What tells a session that has grown: its last activity in whole seconds, and its size in bytes."""
    return int(session.updated_at), session.size


def conclude(db: sqlite3.Connection, judgement: Judgement) -> None:
    """Write a judgement within the caller's transaction."""
    done = db.execute(
        "UPDATE sessions SET state = ?, reason = ?, detail = ?, until = ? WHERE id = ?",
        bound((judgement.state, judgement.reason, judgement.detail, judgement.until, judgement.id)),
    )
    if done.rowcount == 0:
        raise unknown(judgement.id)


def unknown(session_id: str) -> LookupError:
    """The bug of asking for a session that was never seen."""
    return LookupError(f"no session {session_id!r} in the ledger")


def _known(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Session]:
    known: dict[str, Session] = {}
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        sql = f"SELECT {names(SESSION)} FROM sessions WHERE id IN ({marks(len(batch))})"
        known |= {row[0]: Session(**dict(zip(SESSION, row, strict=True))) for row in db.execute(sql, bound(batch))}
    return known


def _merged(known: Session, seen: Session, exists: Callable[[str], bool]) -> Session:
    own = known.path == seen.path
    stays = own or exists(known.path)
    if stays and not own:
        # A copy beside the first file must be ahead in both; a truncated one may carry a newer file time.
        newer = int(seen.updated_at) >= int(known.updated_at) and seen.size >= known.size
    else:
        # The session's own file, or what it has become (moved, compressed): time decides, then size.
        newer = moment(seen) >= moment(known)
    return replace(seen if newer else known, path=known.path if stays else seen.path)


def _put_sessions(db: sqlite3.Connection, sessions: Iterable[Session]) -> None:
    updates = ", ".join(f'"{column}" = excluded."{column}"' for column in SESSION[1:])
    db.executemany(
        f"INSERT INTO sessions ({names(SESSION)}, state, reason) VALUES ({marks(len(SESSION) + 2)})"
        f" ON CONFLICT (id) DO UPDATE SET {updates}",
        [bound((*_values(session), State.WAITING, Reason.NOT_YET)) for session in sessions],
    )


def _values(session: Session) -> tuple[Value, ...]:
    return tuple(getattr(session, column) for column in SESSION)


def _entry(row: Row) -> Entry:
    session = Session(**dict(zip(SESSION, row, strict=False)))
    state, reason, detail, until, bad, unknown_lines, generate, use, tokens, *job = row[len(SESSION) :]
    taken_at, taken_size, attempts, flagged = job
    return Entry(
        session=session,
        state=State(state),
        reason=None if reason is None else Reason(reason),
        detail=detail,
        until=until,
        taken_at=float(taken_at or 0),
        taken_size=taken_size or 0,
        bad_lines=bad,
        unknown_lines=unknown_lines,
        attempts=attempts or 0,
        generate=bool(generate),
        use=bool(use),
        flagged=bool(flagged),
        tokens_used=tokens,
    )
