"""The one normaliser: wishes, subjects, near-duplicates and conflicts, by word lists of each language."""

from memkit.match.sentences import clauses, sentences
from memkit.match.subjects import conflict, normalise, same, stance, subject
from memkit.match.turns import (
    approves,
    asks,
    complains,
    corrects,
    decides,
    greets,
    leaves_open,
    praises,
    requests,
    task_like,
    wraps_up,
)
from memkit.match.wishes import Judgement, Wish, everywhere, in_project, judge

__all__ = [
    "Judgement",
    "Wish",
    "approves",
    "asks",
    "clauses",
    "complains",
    "conflict",
    "corrects",
    "decides",
    "everywhere",
    "greets",
    "in_project",
    "judge",
    "leaves_open",
    "normalise",
    "praises",
    "requests",
    "same",
    "sentences",
    "stance",
    "subject",
    "task_like",
    "wraps_up",
]
