"""What a person tells the memory: notes, and edits of its files by hand."""

from memkit.stages.notes.hand import CLAIMS, TOMBSTONES, HandEdits, export, seed, take_hand_edits
from memkit.stages.notes.standing import Listed, Place, ProjectOf, State, applied, listing, matches, pending, projects
from memkit.stages.notes.taking import Taken, message, take_notes
from memkit.stages.notes.writing import write

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
