"""What an engine is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from memkit.model import Claim, Drafts, Evidence, Record, StageOne, Tombstone, Version

RECORD_BYTES = 9_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A selected record with its place: file is its path in the tree, project its project as written, None for none."""

    record: Record
    file: str
    project: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Left:
    """A session of the current documents that is no longer selected: why, and what its record said."""

    session_id: str
    reason: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Inputs:
    """Everything that a consolidation may draw on. Same inputs, same drafts.

    sources: ascending by session id. documents: the tree's current documents by path. diff: of the synced inputs
    against the baseline. project_of: a directory's project as written. count: text to tokens. left: the sessions that
    went since, as far as it is known why.
    extensions: what other programs say (source `extension:<name>`); it ranks below the user's words.
    """

    version: Version
    sources: tuple[Source, ...]
    documents: Mapping[str, str]
    max_bytes: int
    max_tokens: int
    count: Callable[[str], int]
    project_of: Callable[[str], str | None]
    claims: tuple[Claim, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    extensions: tuple[Claim, ...] = ()
    diff: str = ""
    left: tuple[Left, ...] = ()


class Engine(Protocol):
    """Stage 1 and stage 2. Raises EngineError when the engine as a whole can't work."""

    @property
    def name(self) -> str: ...

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        """A session's evidence to its stage-1 output; an empty rollout_summary says that there is nothing to keep."""
        ...

    def consolidate(self, inputs: Inputs) -> Drafts:
        """Records and claims to the tree's documents."""
        ...
