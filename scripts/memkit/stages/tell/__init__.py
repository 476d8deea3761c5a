"""Telling: coverage, status, budget, history and differences, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.stages.tell.changes import Change, Step, Written, find_commit, history, raw_diff, step
    from memkit.stages.tell.outcomes import REASONS, coverage, missing
    from memkit.stages.tell.sizes import Budget, Part, budget, budget_of
    from memkit.stages.tell.state import Failures, Size, Status, gauge, status, tokens_of
else:
    __getattr__ = lazily(
        globals(),
        changes="Change Step Written find_commit history raw_diff step",
        outcomes="REASONS coverage missing",
        sizes="Budget Part budget budget_of",
        state="Failures Size Status gauge status tokens_of",
    )

__all__ = [
    "REASONS",
    "Budget",
    "Change",
    "Failures",
    "Part",
    "Size",
    "Status",
    "Step",
    "Written",
    "budget",
    "budget_of",
    "coverage",
    "find_commit",
    "gauge",
    "history",
    "missing",
    "raw_diff",
    "status",
    "step",
    "tokens_of",
]
