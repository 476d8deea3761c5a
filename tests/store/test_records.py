"""Records: the selection, rebuilding from a tree, retention, usage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memkit.clock import DAY
from memkit.model import Reason, Record, State
from memkit.store import Store
from tests.store.samples import HOUR, NOW, anyone, content, extract, lease, put_records, record, session, used


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "state.sqlite") as opened:
        yield opened


def _ids(records: list[Record]) -> list[str]:
    return [each.session_id for each in records]


def _state(store: Store, name: str) -> tuple[State, Reason | None]:
    entry = store.entry(name)
    assert entry is not None
    return entry.state, entry.reason


def test_records_come_by_ascending_id_and_by_version(store: Store) -> None:
    put_records(store, record("b"), record("a"), replace(record("c"), version="v1"))
    assert _ids(store.records("v2")) == ["a", "b"]
    assert _ids(store.records("v1")) == ["c"]
    assert store.record("c", "v2") is None


def test_the_window_counts_from_the_last_use_or_else_the_last_activity_and_the_future_is_fresh(store: Store) -> None:
    edge = NOW - 30 * DAY
    put_records(
        store,
        record("at-the-edge", updated_at=edge),
        record("too-old", updated_at=edge - 1),
        used(record("old-but-used", updated_at=edge - DAY), count=1, last=NOW),
        used(record("used-long-ago", updated_at=edge - 9 * DAY), count=9, last=edge - 1),
        record("future", updated_at=NOW + 90 * DAY),
    )
    assert _ids(store.select("v2", now=NOW)) == ["at-the-edge", "future", "old-but-used"]
    assert _ids(store.select("v2", now=NOW, max_unused_days=31)) == [
        "at-the-edge",
        "future",
        "old-but-used",
        "too-old",
        "used-long-ago",
    ]


def test_the_limit_keeps_the_most_used_then_the_last_used_then_the_last_active_then_the_highest_id(
    store: Store,
) -> None:
    put_records(
        store,
        used(record("a", updated_at=NOW - 9 * DAY), count=2, last=NOW - 5 * DAY),
        used(record("b", updated_at=NOW - 8 * DAY), count=1, last=NOW - 1 * DAY),
        used(record("c", updated_at=NOW - 8 * DAY), count=1, last=NOW - 2 * DAY),
        used(record("d", updated_at=NOW - 9 * DAY), count=1, last=NOW - 2 * DAY),
        record("f", updated_at=NOW - 3 * DAY),
        record("e", updated_at=NOW - 3 * DAY),
    )
    ranked = ["a", "b", "c", "d", "f", "e"]
    for limit in range(len(ranked) + 1):
        assert _ids(store.select("v2", now=NOW, limit=limit)) == sorted(ranked[:limit])


def test_blank_records_and_those_switched_off_are_left_out(store: Store) -> None:
    put_records(
        store,
        record("blank", summary=" \n\t"),
        replace(record("raw-only", summary=""), raw_memory="something"),
        record("off"),
        record("unread"),
    )
    store.switch("off", generate=False)
    store.switch("unread", use=False)
    assert _ids(store.select("v2", now=NOW)) == ["raw-only"]


def test_the_selection_is_marked_and_a_later_one_moves_the_marks(store: Store) -> None:
    put_records(store, record("a", updated_at=NOW - 2 * DAY), record("b", updated_at=NOW - DAY))
    assert all(each.selected for each in store.select("v2", now=NOW))
    assert [each.selected for each in store.records("v2")] == [True, True]
    assert _ids(store.select("v2", now=NOW, limit=1, mark=False)) == ["b"]
    assert [each.selected for each in store.records("v2")] == [True, True]
    assert _ids(store.select("v2", now=NOW, limit=1)) == ["b"]
    assert [each.selected for each in store.records("v2")] == [False, True]


def test_selecting_the_same_again_leaves_the_bytes_of_the_file(store: Store) -> None:
    put_records(store, record("a"), record("b"))
    first = store.select("v2", now=NOW)
    before = content(store.path)
    assert store.select("v2", now=NOW) == first
    assert content(store.path) == before


def test_an_imported_record_makes_its_session_extracted_and_not_due_when_its_file_is_seen(store: Store) -> None:
    good = record("s1", updated_at=NOW - 10 * HOUR)
    assert store.import_record(good)
    assert store.records("v2") == [good]
    entry = store.entry("s1")
    assert entry is not None
    assert (entry.state, entry.taken_at, entry.session.path) == (State.EXTRACTED, good.updated_at, good.path)
    assert store.stats() == {}
    store.see([session("s1", updated_at=NOW - 10 * HOUR + 0.5)], exists=anyone(True))
    assert not lease(store)
    assert _state(store, "s1") == (State.EXTRACTED, None)
    store.see([session("s1", updated_at=NOW)], exists=anyone(True))
    assert lease(store)


def test_an_import_into_a_seen_but_never_taken_session_settles_it(store: Store) -> None:
    store.see([session("s1")])
    assert store.import_record(record("s1"))
    assert _state(store, "s1") == (State.EXTRACTED, None)
    assert not lease(store)


def test_an_import_leaves_a_skipped_session_skipped(store: Store) -> None:
    store.see([session("s1")])
    store.judge("s1", state=State.SKIPPED, reason=Reason.SWITCHED_OFF)
    assert store.import_record(record("s1"))
    assert _state(store, "s1") == (State.SKIPPED, Reason.SWITCHED_OFF)


def test_an_import_never_replaces_a_newer_record_but_an_equal_one_and_keeps_what_the_tree_lacks(store: Store) -> None:
    newer = replace(record("s1", updated_at=NOW), raw_memory="raw", usage_count=3, last_usage=int(NOW))
    assert store.import_record(newer)
    assert not store.import_record(record("s1", updated_at=NOW - 1, summary="# Old"))
    assert store.records("v2") == [newer]
    edited = replace(record("s1", updated_at=NOW, summary="# By hand"), generated_at=0)
    assert store.import_record(edited)
    assert store.records("v2") == [replace(newer, rollout_summary="# By hand")]


def test_importing_a_grown_record_does_not_move_the_watermark_of_what_was_read(store: Store) -> None:
    store.see([session("s1")])
    extract(store)
    assert store.import_record(record("s1", updated_at=NOW, summary="# From another machine"))
    assert not lease(store)
    entry = store.entry("s1")
    assert entry is not None
    assert entry.taken_at == int(NOW - 10 * HOUR)


def test_pruning_takes_the_oldest_unselected_records_beyond_the_window_first(store: Store) -> None:
    put_records(
        store,
        record("kept", updated_at=NOW - 30 * DAY),
        record("old", updated_at=NOW - 31 * DAY),
        record("older", updated_at=NOW - 40 * DAY),
        used(record("used", updated_at=NOW - 90 * DAY), count=1, last=NOW),
        replace(record("selected", updated_at=NOW - 90 * DAY), selected=True),
    )
    assert store.prune("v2", now=NOW, max_unused_days=30, limit=1) == ["older"]
    assert store.prune("v2", now=NOW, max_unused_days=30) == ["old"]
    assert store.prune("v2", now=NOW, max_unused_days=30) == []
    assert _ids(store.records("v2")) == ["kept", "selected", "used"]
    assert _state(store, "old") == (State.SKIPPED, Reason.TOO_OLD)
    assert _state(store, "kept") == (State.EXTRACTED, None)
    assert not lease(store, "old")


def test_pruning_one_version_leaves_the_other_and_the_state(store: Store) -> None:
    old = record("s1", updated_at=NOW - 90 * DAY)
    put_records(store, old, replace(old, version="v1"))
    assert store.prune("v2", now=NOW, max_unused_days=30) == ["s1"]
    assert _ids(store.records("v1")) == ["s1"]
    assert _state(store, "s1") == (State.EXTRACTED, None)


def test_a_use_counts_once_for_each_session_and_record(store: Store) -> None:
    put_records(store, record("a"), record("b"), replace(record("a"), version="v1"))
    assert store.count_usage(rollout_id="r1", cited=["a", "a", "gone"], now=NOW) == 1
    assert store.count_usage(rollout_id="r1", cited=["a", "b"], now=NOW + 5) == 1
    assert store.count_usage(rollout_id="r2", cited=["a"], now=NOW - 5) == 1
    assert store.count_usage(rollout_id="r2", cited=[], now=NOW) == 0
    usage = {each.session_id: (each.usage_count, each.last_usage) for each in store.records("v2")}
    assert usage == {"a": (2, int(NOW)), "b": (1, int(NOW + 5))}
    assert [each.usage_count for each in store.records("v1")] == [2]
