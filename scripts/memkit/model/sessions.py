"""Sessions, what became of them, and their row in the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal


class State(StrEnum):
    """What became of a session; promise 1 says that each one seen has one of these."""

    EXTRACTED = "extracted"
    EMPTY = "empty"
    WAITING = "waiting"
    SKIPPED = "skipped"
    FAILED = "failed"


class Reason(StrEnum):
    """Why a session is waiting, skipped or failed."""

    TOO_FRESH = "too_fresh"
    TOO_OLD = "too_old"
    NOT_INTERACTIVE = "not_interactive"
    SUBAGENT = "subagent"
    MACHINE_PROMPT = "machine_prompt"
    MEMORY_OFF = "memory_off"
    EXTERNAL_CONTEXT = "external_context"
    RATE_LIMIT = "rate_limit"
    PROVIDER = "provider"
    SWITCHED_OFF = "switched_off"
    FORGOTTEN = "forgotten"
    UNREADABLE = "unreadable"
    MODEL_ERROR = "model_error"
    MALFORMED_OUTPUT = "malformed_output"
    BUDGET = "budget"
    LIMIT = "limit"
    IN_PROGRESS = "in_progress"
    NOT_YET = "not_yet"


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """What a rollout file says of itself, plus what the file system says of the file.

    Times are Unix seconds; `updated_at` is the time of the last line that has one, else the file's mtime.
    `source` is cli, vscode, exec, … or `subagent`; missing or null reads as cli.
    """

    id: str
    path: str
    cwd: str = ""
    branch: str = ""
    remote: str = ""
    source: str = "cli"
    thread_source: str = ""
    originator: str = ""
    provider: str = ""
    cli_version: str = ""
    memory_mode: str = "enabled"
    forked_from: str = ""
    started_at: float = 0.0
    updated_at: float = 0.0
    size: int = 0
    mtime_ns: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a session's extraction came to."""

    session_id: str
    state: State
    reason: Reason | None = None
    detail: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A session's row in the ledger: what is known of it, its state, why, and what comes next.

    until: Unix seconds from which a waiting or failed session is taken again, None when time alone changes nothing.
    taken_at: the `updated_at` up to which the session was last extracted (its watermark), 0 when never.
    generate, use: the user's switches. attempts: failed tries since the session last grew.
    """

    session: Session
    state: State
    reason: Reason | None = None
    detail: str = ""
    until: float | None = None
    taken_at: float = 0.0
    taken_size: int = 0
    bad_lines: int = 0
    unknown_lines: int = 0
    attempts: int = 0
    generate: bool = True
    use: bool = True
    flagged: bool = False
    tokens_used: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLog:
    """One run of a stage as the store keeps it. Times are Unix seconds; error is empty after a success."""

    stage: Literal["extract", "consolidate"]
    started_at: float
    ended_at: float
    error: str = ""
    tokens_used: int = 0
