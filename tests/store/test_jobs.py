"""Leases, watermarks, retries, and how work ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memkit.model import Entry, Reason, State
from memkit.store import LEASE_SECONDS, RETRY_SECONDS, TRIES, Store
from tests.store.children import child
from tests.store.samples import HOUR, NOW, anyone, extract, lease, record, session

_UPDATED = NOW - 10 * HOUR


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "state.sqlite") as opened:
        opened.see([session()])
        yield opened


def _entry(store: Store) -> Entry:
    entry = store.entry("s1")
    assert entry is not None
    return entry


def _fail(store: Store, *, now: float = NOW, owner: str = "me") -> bool:
    return store.finish_failed("s1", version="v2", owner=owner, reason=Reason.MODEL_ERROR, detail="no answer", now=now)


def _empty(store: Store, *, size: int = 100, at: float = _UPDATED, owner: str = "me") -> bool:
    return store.finish_empty("s1", version="v2", owner=owner, taken_at=at, taken_size=size)


def test_a_live_lease_excludes_everybody_also_its_owner_and_the_forced(store: Store) -> None:
    assert lease(store, owner="a")
    assert not lease(store, owner="b")
    assert not lease(store, owner="a")
    assert not lease(store, owner="b", forced=True)


def test_a_lease_ends_with_its_process_with_its_hour_or_when_given_back(store: Store) -> None:
    assert lease(store, owner="a")
    assert lease(store, owner="b", alive=False)
    assert not lease(store, owner="c", now=NOW + LEASE_SECONDS - 1)
    assert lease(store, owner="c", now=NOW + LEASE_SECONDS)
    store.release("s1", version="v2", owner="somebody else")
    assert not lease(store, owner="d", now=NOW + LEASE_SECONDS)
    store.release("s1", version="v2", owner="c")
    assert lease(store, owner="d", now=NOW + LEASE_SECONDS)


def test_a_heartbeat_makes_only_ones_own_lease_longer(store: Store) -> None:
    assert lease(store, owner="a")
    assert not store.heartbeat("s1", version="v2", owner="b", now=NOW + 3_000)
    assert store.heartbeat("s1", version="v2", owner="a", now=NOW + 3_000)
    assert not lease(store, owner="b", now=NOW + LEASE_SECONDS)
    assert lease(store, owner="b", now=NOW + 3_000 + LEASE_SECONDS)


def test_versions_have_leases_and_watermarks_of_their_own(store: Store) -> None:
    extract(store)
    assert store.lease("s1", version="v1", owner="me", now=NOW, alive=anyone(True))
    assert not lease(store)


def test_a_session_never_seen_cannot_be_leased(store: Store) -> None:
    with pytest.raises(LookupError, match="never"):
        lease(store, "never")


def test_a_good_end_stores_record_state_and_watermark_together(store: Store) -> None:
    assert lease(store)
    good = record()
    assert store.finish_good(good, owner="me", taken_size=100, tokens_used=7, bad_lines=2, unknown_lines=3)
    assert store.record("s1", "v2") == good
    entry = _entry(store)
    assert (entry.state, entry.reason, entry.taken_at, entry.taken_size) == (State.EXTRACTED, None, int(_UPDATED), 100)
    assert (entry.tokens_used, entry.bad_lines, entry.unknown_lines, entry.attempts) == (7, 2, 3, 0)


def test_an_unchanged_session_is_never_due_also_when_its_time_has_a_fraction(store: Store) -> None:
    store.see([session(updated_at=_UPDATED + 0.75)])
    extract(store)
    assert not lease(store)
    store.see([session(updated_at=_UPDATED + 0.75)])
    assert not lease(store, now=NOW + 1_000 * HOUR)
    assert lease(store, forced=True)


@pytest.mark.parametrize(("size", "updated_at"), [(101, _UPDATED), (100, _UPDATED + 1)])
def test_a_grown_session_is_due_again(store: Store, size: int, updated_at: float) -> None:
    extract(store)
    store.see([session(size=size, updated_at=updated_at)])
    assert lease(store)


def test_what_was_written_after_the_reading_makes_the_session_due(store: Store) -> None:
    assert lease(store)
    store.see([session(size=300, updated_at=NOW)])
    assert store.finish_good(record(), owner="me", taken_size=100)
    assert lease(store)


def test_what_was_read_beyond_the_scan_does_not_make_the_session_due(store: Store) -> None:
    assert lease(store)
    assert store.finish_good(record(updated_at=NOW), owner="me", taken_size=300)
    store.see([session(size=300, updated_at=NOW)])
    assert not lease(store)


def test_failures_are_tried_again_after_an_hour_three_times_in_all(store: Store) -> None:
    now = NOW
    for attempt in range(1, TRIES + 1):
        assert lease(store, now=now)
        assert _fail(store, now=now)
        entry = _entry(store)
        assert (entry.state, entry.reason, entry.detail) == (State.FAILED, Reason.MODEL_ERROR, "no answer")
        assert entry.attempts == attempt
        assert entry.until == (now + RETRY_SECONDS if attempt < TRIES else None)
        assert not lease(store, now=now + RETRY_SECONDS - 1)
        now += RETRY_SECONDS
    assert not lease(store, now=now + 1_000 * HOUR)
    assert lease(store, now=now, forced=True)


def test_growth_gives_a_failed_session_its_tries_back_at_once(store: Store) -> None:
    for step in range(TRIES):
        assert lease(store, now=NOW + step * RETRY_SECONDS)
        assert _fail(store, now=NOW + step * RETRY_SECONDS)
    store.see([session(size=200)])
    assert _entry(store).attempts == 0
    assert lease(store)
    assert _fail(store)
    assert _entry(store).attempts == 1


def test_a_session_that_grew_while_it_failed_need_not_wait(store: Store) -> None:
    assert lease(store)
    store.see([session(size=200)])
    assert _fail(store)
    assert (_entry(store).attempts, _entry(store).until) == (0, NOW)
    assert lease(store)


def test_a_failure_keeps_the_earlier_record_and_a_success_forgets_the_failures(store: Store) -> None:
    good = extract(store)
    assert lease(store, forced=True)
    assert _fail(store)
    assert store.record("s1", "v2") == good
    assert not lease(store)
    assert lease(store, now=NOW + RETRY_SECONDS)
    assert store.finish_good(good, owner="me", taken_size=100)
    assert (_entry(store).attempts, _entry(store).until, _entry(store).state) == (0, None, State.EXTRACTED)
    assert not lease(store, now=NOW + 2 * RETRY_SECONDS)


def test_an_empty_end_leaves_no_record_and_is_not_tried_again_until_growth(store: Store) -> None:
    assert lease(store)
    assert _empty(store)
    assert _entry(store).state is State.EMPTY
    assert store.records("v2") == []
    assert not lease(store, now=NOW + 1_000 * HOUR)
    store.see([session(size=200)])
    assert lease(store)


def test_reading_the_same_again_with_nothing_takes_the_record_away(store: Store) -> None:
    extract(store)
    assert lease(store, forced=True)
    assert _empty(store)
    assert (_entry(store).state, store.records("v2")) == (State.EMPTY, [])


def test_a_session_that_grew_and_gives_nothing_keeps_its_earlier_record_flagged(store: Store) -> None:
    good = extract(store)
    store.see([session(size=200, updated_at=NOW)])
    for _ in range(2):  # also when the same is read once more
        assert lease(store, forced=True)
        assert _empty(store, size=200, at=NOW)
        entry = _entry(store)
        assert (entry.state, entry.flagged, entry.taken_size) == (State.EXTRACTED, True, 200)
        kept = store.record("s1", "v2")
        assert kept is not None
        assert (kept.flagged, kept.rollout_summary, kept.updated_at) == (True, good.rollout_summary, good.updated_at)
    assert not lease(store)
    store.see([session(size=300, updated_at=NOW + 5)])
    assert lease(store)
    assert store.finish_good(record(updated_at=NOW + 5), owner="me", taken_size=300)
    assert not _entry(store).flagged


def test_a_new_record_keeps_usage_and_selection(store: Store) -> None:
    extract(store)
    store.count_usage(rollout_id="other", cited=["s1"], now=NOW)
    store.select("v2", now=NOW)
    assert lease(store, forced=True)
    assert store.finish_good(record(summary="# New"), owner="me", taken_size=100)
    kept = store.record("s1", "v2")
    assert kept is not None
    assert (kept.rollout_summary, kept.usage_count, kept.last_usage, kept.selected) == ("# New", 1, int(NOW), True)


def test_a_worker_whose_lease_was_taken_over_writes_nothing(store: Store) -> None:
    assert lease(store, owner="slow")
    assert lease(store, owner="quick", now=NOW + LEASE_SECONDS)
    before = _entry(store)
    assert not store.finish_good(record(), owner="slow", taken_size=100, tokens_used=5)
    assert not _empty(store, owner="slow")
    assert not _fail(store, owner="slow")
    assert (_entry(store), store.records("v2")) == (before, [])
    assert store.finish_good(record(summary="# Quick"), owner="quick", taken_size=100)
    assert not store.finish_good(record(summary="# Slow"), owner="slow", taken_size=100)
    assert not store.finish_good(record(summary="# Again"), owner="quick", taken_size=100)
    assert [each.rollout_summary for each in store.records("v2")] == ["# Quick"]


def test_tokens_add_up_over_tries(store: Store) -> None:
    assert lease(store)
    assert store.finish_failed(
        "s1", version="v2", owner="me", reason=Reason.BUDGET, detail="", now=NOW, tokens_used=10, bad_lines=4
    )
    assert lease(store, forced=True)
    assert store.finish_empty("s1", version="v2", owner="me", taken_at=_UPDATED, taken_size=100, tokens_used=5)
    assert (_entry(store).tokens_used, _entry(store).bad_lines) == (15, 0)


@pytest.mark.usefixtures("store")
def test_of_processes_racing_for_one_lease_exactly_one_wins_and_its_death_frees_it(tmp_path: Path) -> None:
    code = """
    import sys
    from functools import partial
    from pathlib import Path
    from memkit import locks
    from memkit.store import Store
    home = Path(sys.argv[1])
    with locks.run_token(home) as token, Store.open(home / "state.sqlite") as store:
        print("ready", flush=True)
        sys.stdin.readline()
        alive = partial(locks.alive, home)
        print(store.lease("s1", version="v2", owner=token, now=float(sys.argv[2]), alive=alive), flush=True)
        sys.stdin.read()
    """
    with child(code, tmp_path, NOW) as one, child(code, tmp_path, NOW) as two, child(code, tmp_path, NOW) as three:
        racers = [one, two, three]
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        results = [racer.stdout.readline().strip() for racer in racers if racer.stdout is not None]
        assert sorted(results) == ["False", "False", "True"]
        winner = racers[results.index("True")]
        winner.kill()
        winner.wait()
        with child(code, tmp_path, NOW) as heir:
            assert heir.stdin is not None
            assert heir.stdout is not None
            heir.stdin.write("go\n")
            heir.stdin.flush()
            assert heir.stdout.readline() == "True\n"
