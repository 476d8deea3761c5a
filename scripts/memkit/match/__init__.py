"""The one normaliser: wishes, subjects, near-duplicates and conflicts, by word lists of each language."""

from memkit.match.fit import fits
from memkit.match.sentences import sentences
from memkit.match.stances import length, normalise, stance, subject
from memkit.match.stones import buries
from memkit.match.subjects import conflict, covers, key_words, same
from memkit.match.turns import (
    approves,
    asks,
    bare,
    complains,
    corrects,
    decides,
    greets,
    leaves_open,
    praises,
    requests,
    takes_back,
    task_like,
    wraps_up,
)
from memkit.match.wishes import Judgement, Wish, everywhere, in_project, judge

__all__ = [
    "Judgement",
    "Wish",
    "approves",
    "asks",
    "bare",
    "buries",
    "complains",
    "conflict",
    "corrects",
    "covers",
    "decides",
    "everywhere",
    "fits",
    "greets",
    "in_project",
    "judge",
    "key_words",
    "leaves_open",
    "length",
    "normalise",
    "praises",
    "requests",
    "same",
    "sentences",
    "stance",
    "subject",
    "takes_back",
    "task_like",
    "wraps_up",
]
