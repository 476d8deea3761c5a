"""Telling: coverage, status, budget, history and differences, in words."""

from memkit.stages.tell.budget import Budget, Part, budget, budget_of
from memkit.stages.tell.changes import Change, Step, Written, find_commit, history, raw_diff, step
from memkit.stages.tell.coverage import REASONS, coverage, missing
from memkit.stages.tell.state import Failures, Size, Status, gauge, status, tokens_of

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
