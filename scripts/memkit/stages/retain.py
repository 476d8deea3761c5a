"""Retain: records that went unused for too long leave the store (CODEX.md, "Store, selection, forgetting")."""

from __future__ import annotations

from dataclasses import dataclass

from memkit.config import Config
from memkit.model import Record, Version
from memkit.store import Store

BATCH = 200  # records that one run removes


@dataclass(frozen=True, kw_only=True, slots=True)
class Retained:
    """Records that were removed, or would be; left: those beyond one batch."""

    gone: tuple[Record, ...] = ()
    left: int = 0


def expired(*, store: Store, config: Config, now: float) -> Retained:
    """What `retain` would take: unselected records that were not used for memories.max_unused_days."""
    found: dict[tuple[Version, str], Record] = {}
    for version in config.versions:
        days = config.memories.max_unused_days
        found |= {(version, r.session_id): r for r in store.expired(version, now=now, max_unused_days=days)}
    return Retained(gone=tuple(found.values()))


def retain(*, store: Store, config: Config, now: float, everything: bool = False) -> Retained:
    """Removes them, after a consolidation has said which are selected. Without `everything` one batch a version."""
    gone: list[Record] = []
    for version in config.versions:
        days = config.memories.max_unused_days
        old = store.expired(version, now=now, max_unused_days=days)
        taken = old if everything else old[:BATCH]
        if taken:
            store.prune(version, now=now, max_unused_days=days, limit=len(taken))
        gone += taken
    return Retained(gone=tuple(gone), left=len(expired(store=store, config=config, now=now).gone))
