"""Lines that do not come from sessions: by hand, by notes, and what must not come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memkit.model.sections import Section  # at run time too: tracked files are read into these types by their hints


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A line that is not from sessions: by a note (source `note:<id>`), or as homes before had it by hand (`hand`).

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

    subject: match.subject(text). scope None acts on every scope. source: `note:<id>` of a request to forget,
    `correct:<id>` of what a note corrected, `hand:<id>` of a line that an edit took out (`hand` in older homes).
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
    """A request of the user about memory itself (`extensions/ad_hoc/notes/`).

    order: its time with the fraction that tells notes of one second apart. by_hand: what an edit by hand became; it was
    taken when it was made. replaces: the words of the line that such an edit changed.
    """

    id: str
    kind: Literal["remember", "correct", "forget"]
    text: str
    project: str | None = None
    created_at: int = 0
    order: float = 0.0
    by_hand: bool = False
    replaces: str = ""
