"""Consolidate: selected records into the trees' documents, in a staging worktree, through the gate, to one commit.

Nothing that a reader sees changes here; `publish` moves the memory to the commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.stages.consolidate.inputs import projects
    from memkit.stages.consolidate.restoring import restore
    from memkit.stages.consolidate.seen import Consolidated, Gathered, gather, nothing_new, remember, words_wait
    from memkit.stages.consolidate.work import consolidate, cost
else:
    __getattr__ = lazily(
        globals(),
        inputs="projects",
        restoring="restore",
        seen="Consolidated Gathered gather nothing_new remember words_wait",
        work="consolidate cost",
    )

__all__ = [
    "Consolidated",
    "Gathered",
    "consolidate",
    "cost",
    "gather",
    "nothing_new",
    "projects",
    "remember",
    "restore",
    "words_wait",
]
