"""What a person tells the memory: notes, and edits of its files by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.stages.notes import edited
    from memkit.stages.notes.hand import take_hand_edits
    from memkit.stages.notes.seeding import seed
    from memkit.stages.notes.standing import (
        Listed,
        Place,
        ProjectOf,
        State,
        applied,
        listing,
        matches,
        pending,
        projects,
    )
    from memkit.stages.notes.taking import Taken, message, take_notes
    from memkit.stages.notes.tracked import CLAIMS, TOMBSTONES, HandEdits, export
    from memkit.stages.notes.writing import write
else:
    __getattr__ = lazily(
        globals(),
        edited="edited",
        hand="take_hand_edits",
        seeding="seed",
        standing="Listed Place ProjectOf State applied listing matches pending projects",
        taking="Taken message take_notes",
        tracked="CLAIMS TOMBSTONES HandEdits export",
        writing="write",
    )

__all__ = [
    "CLAIMS",
    "TOMBSTONES",
    "HandEdits",
    "Listed",
    "Place",
    "ProjectOf",
    "State",
    "Taken",
    "applied",
    "edited",
    "export",
    "listing",
    "matches",
    "message",
    "pending",
    "projects",
    "seed",
    "take_hand_edits",
    "take_notes",
    "write",
]
