"""Tombstones against texts: one question for every path that writes."""

from __future__ import annotations

from memkit.match.subjects import covers, same
from memkit.model import Tombstone


def buries(stone: Tombstone, text: str, *, scope: str | None) -> bool:
    """Does a tombstone name a claim of this scope? One of a forget note in any words, others only near-duplicates.

    Whether the claim was said later is for the caller to ask: then it stands.
    """
    if stone.thread_id or stone.scope not in (None, scope):
        return False
    names = covers if stone.source.startswith("note:") else same
    return names(stone.text, text)
