"""The one normaliser: wishes, subjects, near-duplicates and conflicts, by word lists of each language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.match.breaks import sentences
    from memkit.match.fit import fits
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
else:
    __getattr__ = lazily(
        globals(),
        breaks="sentences",
        fit="fits",
        stances="length normalise stance subject",
        stones="buries",
        subjects="conflict covers key_words same",
        turns="approves asks bare complains corrects decides greets leaves_open"
        " praises requests takes_back task_like wraps_up",
        wishes="Judgement Wish everywhere in_project judge",
    )

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
