"""Lines that do not come from sessions: by hand, by notes, and what must not come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memkit.model.sections import Section  # at run time too: tracked files are read into these types by their hints


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
