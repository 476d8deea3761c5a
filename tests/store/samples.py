"""Values for the tests of the store, with what a test does not care about filled in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memkit.model import Record, Session
from memkit.store import Store

NOW = 1_800_000_000.0
HOUR = 3_600.0
V2 = "v2"


def session(name: str = "s1", *, size: int = 100, updated_at: float = NOW - 10 * HOUR, path: str = "") -> Session:
    return Session(
        id=name,
        path=path or f"/rollouts/{name}.jsonl",
        cwd="/work/app",
        branch="main",
        source="cli",
        updated_at=updated_at,
        size=size,
        mtime_ns=int(updated_at) * 10**9,
    )


def record(name: str = "s1", *, updated_at: float = NOW - 10 * HOUR, summary: str = "# Fix the tests") -> Record:
    return Record(
        session_id=name,
        version="v2",
        updated_at=int(updated_at),
        path=f"/rollouts/{name}.jsonl",
        rollout_summary=summary,
        slug="fix_the_tests",
        generated_at=int(updated_at),
    )


def content(store_path: Path) -> dict[str, bytes]:
    """All that stands on the disk for a store; the log's index (-shm) is only how its readers find their way."""
    return {
        path.name: path.read_bytes() for path in store_path.parent.glob("state.sqlite*") if path.suffix != ".sqlite-shm"
    }


def anyone(answer: bool) -> Callable[[str], bool]:
    """An `alive` or `exists` that answers the same for all."""
    return lambda _: answer


def lease(
    store: Store, name: str = "s1", *, owner: str = "me", now: float = NOW, alive: bool = True, forced: bool = False
) -> bool:
    return store.lease(name, version="v2", owner=owner, now=now, alive=anyone(alive), forced=forced)


def extract(store: Store, name: str = "s1", *, size: int = 100, updated_at: float = NOW - 10 * HOUR) -> Record:
    """Take a session through to a good end as it is in the ledger."""
    good = record(name, updated_at=updated_at)
    assert lease(store, name)
    assert store.finish_good(good, owner="me", taken_size=size)
    return good


def put_records(store: Store, *records: Record) -> None:
    """Import records together with their usage."""
    for each in records:
        assert store.import_record(each)


def used(kept: Record, *, count: int, last: float | None) -> Record:
    return replace(kept, usage_count=count, last_usage=None if last is None else int(last))
