"""What a person tells the memory: notes, and edits of its files by hand."""

from memkit.stages.notes.adhoc import Listed, Place, State, applied, listing, matches, pending, take_notes, write
from memkit.stages.notes.hand import CLAIMS, TOMBSTONES, HandEdits, export, seed, take_hand_edits

__all__ = [
    "CLAIMS",
    "TOMBSTONES",
    "HandEdits",
    "Listed",
    "Place",
    "State",
    "applied",
    "export",
    "listing",
    "matches",
    "pending",
    "seed",
    "take_hand_edits",
    "take_notes",
    "write",
]
