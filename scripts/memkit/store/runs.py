"""The log of runs, the token counts of published lines, and single named values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memkit.model import RunLog
from memkit.store.database import Database, bound

Stage = Literal["extract", "consolidate"]
_STAGES: tuple[Stage, ...] = ("extract", "consolidate")


@dataclass(frozen=True, kw_only=True, slots=True)
class LastRun:
    """When a stage last succeeded and last failed, in Unix seconds, and how; None where it never did.

    tokens_used: what the later of the two cost, 0 without a model.
    """

    last_success: float | None = None
    last_error: str | None = None
    error_at: float | None = None
    tokens_used: int = 0


_ENDED = "ended:"  # what keys of meta about sessions that ended begin with


class Runs(Database):
    """The methods of the store about runs and what they publish."""

    def log_run(self, run: RunLog) -> None:
        """Add a run to the log."""
        with self._write() as db:
            db.execute(
                "INSERT INTO runs (stage, started_at, ended_at, error, tokens_used) VALUES (?, ?, ?, ?, ?)",
                bound((run.stage, run.started_at, run.ended_at, run.error, run.tokens_used)),
            )

    def last_runs(self) -> dict[Stage, LastRun]:
        """The last success and the last error of each stage, both stages always there."""
        # With max() SQLite takes a group's other columns from the row that has the maximum.
        rows = self._rows("SELECT stage, error <> '', max(ended_at), error, tokens_used FROM runs GROUP BY 1, 2")
        found = {(stage, bool(failed)): (ended_at, error, used) for stage, failed, ended_at, error, used in rows}
        last: dict[Stage, LastRun] = {}
        for stage in _STAGES:
            success, _, used = found.get((stage, False), (None, None, 0))
            error_at, error, lost = found.get((stage, True), (None, None, 0))
            latest = lost if error_at is not None and (success is None or error_at > success) else used
            last[stage] = LastRun(last_success=success, last_error=error, error_at=error_at, tokens_used=latest)
        return last

    def tokens_used(self) -> int:
        """The tokens of all logged runs together."""
        return int(self._rows("SELECT ifnull(sum(tokens_used), 0) FROM runs")[0][0])

    def put_line_tokens(self, tokens: Mapping[str, int]) -> None:
        """Replace all token counts of lines: content hash of the line to its count."""
        with self._write() as db:
            db.execute("DELETE FROM line_tokens")
            db.executemany(
                "INSERT INTO line_tokens (hash, tokens) VALUES (?, ?)",
                [bound(pair) for pair in sorted(tokens.items())],
            )

    def meta(self, key: str) -> str | None:
        """A named value, None when it was never set."""
        rows = self._rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def set_meta(self, key: str, value: str | None) -> None:
        """Set a named value; None removes it."""
        with self._write(durable=True) as db:
            if value is None:
                db.execute("DELETE FROM meta WHERE key = ?", bound((key,)))
            else:
                db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", bound((key, value)))

    def report_end(self, session_id: str, *, at: float, kept: float) -> None:
        """Take down that a session has ended, in Unix seconds; reports from before `kept` are dropped."""
        old = [each for each, moment in self.ended().items() if moment < kept]
        with self._write() as db:
            db.executemany("DELETE FROM meta WHERE key = ?", [bound((f"{_ENDED}{each}",)) for each in old])
            db.execute(
                "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", bound((f"{_ENDED}{session_id}", str(at)))
            )

    def ended(self) -> dict[str, float]:
        """Sessions that were reported as ended, and when in Unix seconds."""
        rows = self._rows(
            "SELECT substr(key, ?), CAST(value AS REAL) FROM meta WHERE key GLOB ?", (len(_ENDED) + 1, f"{_ENDED}*")
        )
        return {str(session): float(at) for session, at in rows}
