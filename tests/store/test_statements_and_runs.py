"""Claims, tombstones, the log of runs, line tokens and named values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from memkit.model import Claim, RunLog, Section, Tombstone
from memkit.store import LastRun, Store, statements

_CLAIM = Claim(section=Section.PREFERENCES, text="Use tabs", scope="~/app", created_at=5)
_TOMBSTONE = Tombstone(subject="use tab", text="Use tabs", scope="~/app", section=Section.TIPS, created_at=5)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "state.sqlite") as opened:
        yield opened


def test_the_columns_are_the_fields_of_the_values() -> None:
    assert sorted(statements._CLAIM) == sorted(field.name for field in fields(Claim))
    assert sorted(statements._TOMBSTONE) == sorted(field.name for field in fields(Tombstone))


def test_a_claim_kept_twice_is_one_with_the_later_time_and_its_source(store: Store) -> None:
    store.keep_claims([_CLAIM, _CLAIM])
    store.keep_claims([replace(_CLAIM, created_at=9, source="note-1")])
    store.keep_claims([replace(_CLAIM, created_at=2)])
    assert store.hand_claims() == [replace(_CLAIM, created_at=9, source="note-1")]


def test_scope_section_text_and_thread_each_make_another_claim_also_an_empty_scope(store: Store) -> None:
    claims = [
        _CLAIM,
        replace(_CLAIM, scope=None),
        replace(_CLAIM, scope=""),
        replace(_CLAIM, section=Section.TIPS),
        replace(_CLAIM, text="Use spaces"),
        replace(_CLAIM, thread_id="t1"),
    ]
    store.keep_claims(claims)
    store.keep_claims(reversed(claims))
    kept = store.hand_claims()
    assert len(kept) == len(claims)
    assert set(kept) == set(claims)
    assert (
        store.drop_claims([replace(_CLAIM, scope=None, created_at=0, source="x"), replace(_CLAIM, text="never")]) == 1
    )
    assert set(store.hand_claims()) == set(claims) - {replace(_CLAIM, scope=None)}


def test_claims_come_in_the_same_order_however_they_were_kept(tmp_path: Path) -> None:
    ordered = [
        replace(_CLAIM, created_at=created, text=text)
        for created, text in ((1, "c"), (1, "\udcff"), (3, "a"), (3, "b"))
    ]
    for number, given in enumerate((ordered, ordered[::-1], ordered[1::2] + ordered[::2])):
        with Store.open(tmp_path / f"{number}.sqlite") as store:
            store.keep_claims(given)
            assert store.hand_claims() == ordered


def test_a_tombstone_buried_twice_is_one_with_the_later_time(store: Store) -> None:
    store.bury([_TOMBSTONE, replace(_TOMBSTONE, created_at=9, source="note-2")])
    store.bury([_TOMBSTONE])
    assert store.tombstones() == [replace(_TOMBSTONE, created_at=9, source="note-2")]


def test_tombstones_of_other_scope_section_subject_text_or_thread_stand_beside_each_other(store: Store) -> None:
    stones = [
        _TOMBSTONE,
        replace(_TOMBSTONE, scope=None),
        replace(_TOMBSTONE, scope=""),
        replace(_TOMBSTONE, section=None),
        replace(_TOMBSTONE, subject=""),
        replace(_TOMBSTONE, text="Always use tabs"),
        replace(_TOMBSTONE, thread_id="t1"),
    ]
    store.bury(stones)
    store.bury(stones)
    kept = store.tombstones()
    assert len(kept) == len(stones)
    assert set(kept) == set(stones)
    assert store.unbury([replace(_TOMBSTONE, section=None, created_at=99), replace(_TOMBSTONE, subject="never")]) == 1
    assert set(store.tombstones()) == set(stones) - {replace(_TOMBSTONE, section=None)}
    assert store.unbury([]) == store.drop_claims([]) == 0


def test_the_last_success_and_the_last_error_of_each_stage(store: Store) -> None:
    assert store.last_runs() == {"extract": LastRun(), "consolidate": LastRun()}
    for ended_at, error in ((10.0, ""), (20.0, "first"), (40.0, "second"), (30.0, "")):
        store.log_run(RunLog(stage="extract", started_at=ended_at - 1, ended_at=ended_at, error=error, tokens_used=5))
    store.log_run(RunLog(stage="consolidate", started_at=1.0, ended_at=2.0, tokens_used=1))
    assert store.last_runs() == {
        "extract": LastRun(last_success=30.0, last_error="second", error_at=40.0, tokens_used=5),
        "consolidate": LastRun(last_success=2.0, tokens_used=1),
    }
    assert store.tokens_used() == 21


def test_line_tokens_are_replaced_as_a_whole(store: Store) -> None:
    assert store.line_tokens() == {}
    store.put_line_tokens({"aa": 1, "bb": 2})
    store.put_line_tokens({"bb": 3, "cc": 4})
    assert store.line_tokens() == {"bb": 3, "cc": 4}
    assert store.tokens_used() == 0


def test_named_values_are_set_replaced_and_removed(store: Store) -> None:
    assert store.meta("api") is None
    store.set_meta("api", "chat")
    store.set_meta("api", "responses")
    store.set_meta("other", "")
    assert (store.meta("api"), store.meta("other")) == ("responses", "")
    store.set_meta("api", None)
    assert store.meta("api") is None
