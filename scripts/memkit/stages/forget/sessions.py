"""Forgetting a session: its records go, and it is not read again."""

from __future__ import annotations

from memkit.model import Tombstone
from memkit.store import Store


def forget_session(*, store: Store, session_id: str, now: float) -> bool:
    """Drops a session's records and reads it no more, in a rebuilt database neither; False when it was never seen."""
    if not store.forget(session_id):
        return False
    stone = Tombstone(subject="", text="", created_at=int(now), source=f"session:{session_id}", thread_id=session_id)
    store.bury([stone])
    return True
