"""What an engine is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from memkit import tokens

if TYPE_CHECKING:
    from memkit.model import Claim, Drafts, Evidence, Record, StageOne, Tombstone, Version

RECORD_BYTES = 9_000
EVIDENCE_TOKENS = 150_000  # what Codex gives a model whose window it does not know (CODEX.md, "Evidence")


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How an engine is fed. evidence_tokens: at most so many a session, as `count` counts. parallel: questions at once.

    remote: evidence leaves the process, to a server. providers: whose sessions it may get, None for everybody's.
    """

    evidence_tokens: int = EVIDENCE_TOKENS
    count: Callable[[str], int] = tokens.estimate
    parallel: int = 1
    remote: bool = False
    providers: frozenset[str] | None = None

    def allows(self, provider: str) -> bool:
        """May a session of this provider be sent? One that names none is of Codex's own, `openai`."""
        return self.providers is None or (provider or "openai") in self.providers


class Answers(Protocol):
    """Answers that a model gave and nothing was made of yet: a run that was killed does not ask for them again."""

    def answer(self, key: str) -> str | None:
        """The kept answer to a question, by the question's hash."""
        ...

    def keep_answer(self, key: str, text: str, *, about: str) -> None:
        """about: what the answer is for, as `about_session` or CONSOLIDATION name it; it goes when that is done."""
        ...

    def drop_answer(self, key: str) -> None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """How one input of the tree differs from the baseline: its path, and a unified diff."""

    path: str
    diff: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Synced:
    """The tree's inputs as a model may look at them: texts by path, and what changed since the baseline, by path."""

    files: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


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

    sources: ascending by session id. documents: the tree's current documents by path. project_of: a directory's
    project as written. count: text to tokens. left: the sessions that went since, as far as it is known why.
    synced: asked when needed, for it reads every record. check: what keeps documents (by path, all of them) from being
    published, a line each. withheld: ids of the sources whose text may not leave the machine.
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
    left: tuple[Left, ...] = ()
    synced: Callable[[], Synced] = Synced
    check: Callable[[Mapping[str, str]], tuple[str, ...]] = lambda _documents: ()
    withheld: frozenset[str] = frozenset()


class Engine(Protocol):
    """Stage 1 and stage 2. Raises EngineError when the engine as a whole can't work, BudgetError when it may not."""

    @property
    def name(self) -> str: ...

    @property
    def limits(self) -> Limits: ...

    @property
    def tokens_used(self) -> int:
        """What the engine's questions have cost so far, failed ones included."""
        ...

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        """A session's evidence to its stage-1 output; an empty rollout_summary says that there is nothing to keep.

        Raises ModelError (MalformedError, TooLongError) where this one session failed.
        """
        ...

    def consolidate(self, inputs: Inputs) -> Drafts:
        """Records and claims to the tree's documents."""
        ...

    def close(self) -> None:
        """Ends what is open; the engine is not asked afterwards."""
        ...
