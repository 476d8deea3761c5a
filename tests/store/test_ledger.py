"""The ledger: what is seen, where, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from memkit.model import Entry, Reason, Record, Session, State
from memkit.store import Judgement, Store, ledger, records
from tests.store.samples import HOUR, NOW, anyone, content, extract, lease, session


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "state.sqlite") as opened:
        yield opened


def _entry(store: Store, name: str = "s1") -> Entry:
    entry = store.entry(name)
    assert entry is not None
    return entry


def test_the_columns_are_the_fields_of_the_values() -> None:
    assert tuple(field.name for field in fields(Session)) == ledger.SESSION
    assert sorted(records._RECORD) == sorted(field.name for field in fields(Record))


def test_a_new_session_is_waiting_and_comes_back_as_it_was_seen(store: Store) -> None:
    seen = replace(session(), thread_source="user", originator="codex_exec", forked_from="s0", started_at=1.25)
    store.see([seen])
    assert store.entries() == [Entry(session=seen, state=State.WAITING, reason=Reason.NOT_YET)]
    assert store.entry("s1") == store.entries()[0]
    assert store.entry("s2") is None


def test_entries_come_latest_first_then_by_id(store: Store) -> None:
    store.see([session("a", updated_at=1.0), session("c", updated_at=2.0), session("b", updated_at=2.0)])
    assert [entry.session.id for entry in store.entries()] == ["b", "c", "a"]


def test_seeing_the_same_again_writes_the_same_row_and_keeps_its_state(store: Store) -> None:
    store.see([session()])
    store.judge("s1", state=State.SKIPPED, reason=Reason.TOO_OLD)
    before, written = store.entries(), content(store.path)
    store.see([session()])
    assert store.entries() == before
    assert content(store.path) == written


def test_stats_knows_every_file_also_the_copies(store: Store) -> None:
    first, copy = session(), session(path="/export/s1.jsonl", size=90)
    store.see([first], exists=anyone(True))
    store.see([copy, session("s2")], exists=anyone(True))
    assert store.stats() == {
        "/rollouts/s1.jsonl": ("s1", 100, first.mtime_ns),
        "/export/s1.jsonl": ("s1", 90, copy.mtime_ns),
        "/rollouts/s2.jsonl": ("s2", 100, first.mtime_ns),
    }


def test_the_path_stays_the_first_as_long_as_that_exists_while_the_facts_follow_the_longer_copy(store: Store) -> None:
    store.see([session()])
    store.see([session(path="/export/s1.jsonl", size=300, updated_at=NOW)], exists=anyone(True))
    assert _entry(store).session == replace(session(size=300, updated_at=NOW), path="/rollouts/s1.jsonl")
    store.see([session(path="/moved/s1.jsonl", size=300, updated_at=NOW)], exists=anyone(False))
    assert _entry(store).session.path == "/moved/s1.jsonl"


def test_existence_is_asked_of_the_disk_unless_told_otherwise(store: Store, tmp_path: Path) -> None:
    here = tmp_path / "s1.jsonl"
    here.touch()
    store.see([session(path=str(here))])
    store.see([session(path="/export/s1.jsonl")])
    assert _entry(store).session.path == str(here)
    here.unlink()
    store.see([session(path="/export/s1.jsonl")])
    assert _entry(store).session.path == "/export/s1.jsonl"


@pytest.mark.parametrize(
    ("size", "updated_at"),
    [(50, NOW - 20 * HOUR), (50, NOW - 10 * HOUR), (50, NOW), (500, NOW - 20 * HOUR)],
    ids=["smaller and older", "smaller", "smaller with a newer file time", "longer but older"],
)
def test_a_lesser_copy_changes_no_fact(store: Store, size: int, updated_at: float) -> None:
    store.see([session()])
    store.see([session(path="/export/s1.jsonl", size=size, updated_at=updated_at)], exists=anyone(True))
    assert _entry(store).session == session()


def test_a_lesser_copy_met_first_in_the_same_scan_keeps_its_path_but_not_its_facts(store: Store) -> None:
    store.see([session(path="/a.jsonl", size=50), session(path="/b.jsonl", size=70)], exists=anyone(True))
    assert _entry(store).session == session(path="/a.jsonl", size=70)


def test_a_moved_file_that_is_older_moves_the_path_but_not_the_facts(store: Store) -> None:
    store.see([session()])
    store.see([session(path="/export/s1.jsonl", size=50, updated_at=NOW - 20 * HOUR)], exists=anyone(False))
    assert _entry(store).session == session(path="/export/s1.jsonl")


def test_a_session_whose_file_was_compressed_is_not_taken_again(store: Store) -> None:
    store.see([session(size=1_000)])
    extract(store, size=1_000)
    store.see([session(path="/rollouts/s1.jsonl.zst", size=200)], exists=anyone(False))
    assert not lease(store)
    assert lease(store, forced=True)
    assert store.finish_empty("s1", version="v2", owner="me", taken_at=NOW - 10 * HOUR, taken_size=200)
    assert not lease(store)


def test_the_source_is_the_existing_file_that_knows_most(store: Store) -> None:
    store.see([session()])
    store.see([session(path="/export/s1.jsonl", size=300, updated_at=NOW)], exists=anyone(True))
    store.see([session(path="/twin/s1.jsonl")], exists=anyone(True))
    assert store.source_path("s1", exists=anyone(True)) == "/export/s1.jsonl"
    assert store.source_path("s1", exists=lambda path: path != "/export/s1.jsonl") == "/rollouts/s1.jsonl"
    assert store.source_path("s1", exists=anyone(False)) == "/rollouts/s1.jsonl"
    with pytest.raises(LookupError, match="s2"):
        store.source_path("s2")


def test_a_failed_session_that_grows_is_waiting_again_others_keep_their_state(store: Store) -> None:
    store.see([session("s1"), session("s2")])
    store.judge("s1", state=State.FAILED, reason=Reason.UNREADABLE, detail="gone", until=NOW)
    store.judge("s2", state=State.SKIPPED, reason=Reason.SUBAGENT)
    store.see([session("s1", size=200), session("s2", size=200)])
    first, second = _entry(store, "s1"), _entry(store, "s2")
    assert (first.state, first.reason, first.detail, first.until) == (State.WAITING, Reason.NOT_YET, "", None)
    assert (second.state, second.reason) == (State.SKIPPED, Reason.SUBAGENT)


def test_a_judgement_is_kept_and_replaced(store: Store) -> None:
    store.see([session()])
    store.judge("s1", state=State.WAITING, reason=Reason.TOO_FRESH, detail="5 hours left", until=NOW + 5)
    entry = _entry(store)
    assert (entry.state, entry.reason, entry.detail, entry.until) == (
        State.WAITING,
        Reason.TOO_FRESH,
        "5 hours left",
        NOW + 5,
    )
    store.judge("s1", state=State.EMPTY, reason=None)
    entry = _entry(store)
    assert (entry.state, entry.reason, entry.detail, entry.until) == (State.EMPTY, None, "", None)


def test_many_judgements_are_kept_all_or_none(store: Store) -> None:
    store.see([session("s1"), session("s2")])
    skipped = [Judgement(id=name, state=State.SKIPPED, reason=Reason.TOO_OLD) for name in ("s1", "s2")]
    with pytest.raises(LookupError, match="never"):
        store.judge_many([*skipped, Judgement(id="never", state=State.EMPTY)])
    assert {entry.state for entry in store.entries()} == {State.WAITING}
    store.judge_many(skipped)
    assert {entry.state for entry in store.entries()} == {State.SKIPPED}


def test_switches_are_set_one_by_one_and_survive_growth(store: Store) -> None:
    store.see([session()])
    assert store.switch("s1", generate=False)
    assert (_entry(store).generate, _entry(store).use) == (False, True)
    assert store.switch("s1", use=False)
    store.see([session(size=500)])
    assert (_entry(store).generate, _entry(store).use) == (False, False)
    assert store.switch("s1", generate=True, use=True)
    assert (_entry(store).generate, _entry(store).use) == (True, True)
    assert not store.switch("never", use=False)


def test_texts_with_lone_surrogates_and_nul_come_back_and_still_name_their_session(store: Store) -> None:
    odd = replace(session("s\udcff\ud800", path="/caf\udce9/\x00.jsonl"), cwd="/\ud83d")
    store.see([odd])
    store.see([replace(odd, size=200)], exists=anyone(True))
    assert [entry.session for entry in store.entries()] == [replace(odd, size=200)]
    assert list(store.stats()) == ["/caf\udce9/\x00.jsonl"]
    store.judge(odd.id, state=State.FAILED, reason=Reason.UNREADABLE, detail="\udc80")
    assert _entry(store, odd.id).detail == "\udc80"
    good = extract(store, odd.id, size=200)
    assert store.record(odd.id, "v2") == good


def test_thousands_of_sessions_take_few_statements(store: Store) -> None:
    sessions = [session(f"s{number:04}") for number in range(1_200)]
    statements: list[str] = []
    store.see(sessions[:600])
    store._db.set_trace_callback(lambda sql: statements.append(sql.split()[0]))
    store.see(sessions)
    reads = statements.count("SELECT")
    statements.clear()
    assert len(store.stats()) == 1_200
    assert statements == ["SELECT"]
    assert reads == 3
    assert len(store.entries()) == 1_200
