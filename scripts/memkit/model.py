"""The frozen records that travel between layers, canonical JSON, and content hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Version = Literal["v1", "v2"]


def canonical(value: object) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def content_hash(text: str) -> str:
    """SHA-256 of the UTF-8 text, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- sessions -------------------------------------------------------------------------------------------------


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


# --- items and evidence ----------------------------------------------------------------------------------------


class Tier(StrEnum):
    """Who a row of evidence comes from; the values are the labels that evidence is printed with."""

    HUMAN = "human user"
    FINAL = "assistant final"
    OTHER_AGENT = "other agent"
    COMMENTARY = "assistant commentary"
    HARNESS = "harness context"
    TOOL = "tool"


class Kind(StrEnum):
    """What an item is."""

    MESSAGE = "message"
    ANSWER = "answer"  # the user's answer to request_user_input
    COMMAND = "command"  # a shell command that was run
    PATCH = "patch"  # apply_patch input
    CALL = "call"  # any other tool call
    OUTPUT = "output"  # what a call printed


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One thing that was said or done, as decoded and not yet masked.

    text: the message; the command line; the patch; a call's arguments; an output without its wrapping.
    turn: how many human messages came before or are this one (0: before the first).
    time: Unix seconds, None in formats that have no times. cwd: the directory of its turn, "" when unknown.
    tool: the tool's name (`mcp:<server>/<name>` for MCP, `web_search`); call_id joins a call and its output.
    exit_code: of an output, None where the wrapping has none. question: of an answer.
    """

    tier: Tier
    kind: Kind
    text: str
    turn: int
    time: float | None = None
    cwd: str = ""
    call_id: str = ""
    tool: str = ""
    exit_code: int | None = None
    question: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What a whole file showed besides its items; known when it has been read to its end.

    interrupted: the turns that were aborted. rate: (used_percent, resets_at) of the newest token_count.
    citations: thread ids that its messages cite as used memory. reads: names of rollout summaries in its commands.
    first_human: its first human text, cut to 2,000 bytes.
    """

    session: Session
    bad_lines: int = 0
    unknown_lines: int = 0
    lines: int = 0
    interrupted: frozenset[int] = frozenset()
    external_context: bool = False
    human_turns: int = 0
    first_human: str = ""
    citations: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    rate: tuple[float, float] | None = None


class PartKind(StrEnum):
    """Whose words a stretch of a human message is."""

    OWN = "own"
    QUOTE = "quote"
    PASTE = "paste"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a human message: the user's own sentences, or something that they quoted, pasted or fenced."""

    kind: PartKind
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A masked, cut row of evidence. `text` is what is printed; `parts` is set for human rows.

    call_id is a number of the session's calls here, not the id that the file names.

    A gap is a row with label `omitted`, no tier, and `omitted` saying how many rows it stands for.
    """

    label: str
    text: str
    kind: Kind = Kind.MESSAGE
    turn: int = 0
    time: float | None = None
    cwd: str = ""
    call_id: str = ""
    tool: str = ""
    exit_code: int | None = None
    question: str = ""
    parts: tuple[Part, ...] = ()
    omitted: int = 0


OMITTED = "omitted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What an engine may know of a session: its rows in source order, all text masked."""

    session: Session
    rows: tuple[Row, ...]
    interrupted: frozenset[int] = frozenset()
    omitted: int = 0
    tokens: int = 0  # as counted for the budget


# --- stage 1 output ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class StageOne:
    """What stage 1 returns for a session; an empty rollout_summary means nothing to keep."""

    rollout_summary: str
    rollout_slug: str = ""
    raw_memory: str = ""
    tokens_used: int = 0

    @property
    def empty(self) -> bool:
        return not self.rollout_summary.strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """A stored stage-1 output of one session in one version. Times are Unix seconds.

    flagged: the session grew and then gave nothing, so this is its earlier record.
    """

    session_id: str
    version: Version
    updated_at: int
    path: str = ""
    cwd: str = ""
    branch: str = ""
    remote: str = ""
    rollout_summary: str
    slug: str = ""
    raw_memory: str = ""
    generated_at: int = 0
    usage_count: int = 0
    last_usage: int | None = None
    engine: str = "offline"
    flagged: bool = False
    selected: bool = False


# --- claims ------------------------------------------------------------------------------------------------------


class Section(StrEnum):
    """The four sections of memory_summary.md, in their order; the values are the headings."""

    PROFILE = "User Profile"
    PREFERENCES = "User preferences"
    TIPS = "General Tips"
    INDEX = "What's in Memory"


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A line that is not from sessions: written by hand into the summary (source `hand`), or by a note.

    text: without bullet, scope mark and support. scope: a project's root as written, None for everywhere.
    thread_id: of an index line.
    """

    section: Section
    text: str
    scope: str | None = None
    created_at: int = 0
    source: str = "hand"
    thread_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tombstone:
    """A claim that must not come back unless the user states it again later than `created_at`.

    subject: match.subject(text). scope None acts on every scope. source: `hand`, or a note's id.
    """

    subject: str
    text: str
    scope: str | None = None
    section: Section | None = None
    created_at: int = 0
    source: str = "hand"
    thread_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A request of the user about memory itself (`extensions/ad_hoc/notes/`)."""

    id: str
    kind: Literal["remember", "correct", "forget"]
    text: str
    project: str | None = None
    created_at: int = 0


# --- drafts, findings, outcomes ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Loss:
    """A line that a consolidation took out of a document, and the reason that the commit names."""

    line: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Drafts:
    """What a consolidation gives: documents by path in the tree, documents to remove, and why lines went."""

    documents: Mapping[str, str]
    removed: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()
    tokens_used: int = 0


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Finding:
    """One result of lint. file: path relative to the tree's root; line: from 1, 0 for the file as a whole."""

    file: str
    line: int
    rule: str
    message: str
    gates: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a session's extraction came to."""

    session_id: str
    state: State
    reason: Reason | None = None
    detail: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


# --- the ledger --------------------------------------------------------------------------------------------------


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
