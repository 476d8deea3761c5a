"""What stage 1 gives, and how it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memkit.model.values import Version


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


CONSOLIDATION = "consolidation"  # what answers of stage 2 are for


def about_session(session_id: str, *, version: Version) -> str:
    """What an answer of stage 1 is for."""
    return f"session {session_id} {version}"
