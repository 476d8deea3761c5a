"""What a killed writer leaves, and several users of one file at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from memkit.errors import StorageError
from memkit.store import Store
from tests.store.children import child, make_readonly, run_without_rights, shared_folder
from tests.store.samples import NOW, extract, lease, record, session

# A tiny cache makes SQLite write pages of the unfinished transaction to the disk.
_DIE_WRITING = """
import sys
from pathlib import Path
from memkit.store import Store
with Store.open(Path(sys.argv[1])) as store:
    store._db.execute("PRAGMA cache_size = 2")
    with store._write() as db:
        db.execute("UPDATE records SET rollout_summary = 'half done'")
        db.execute("DELETE FROM jobs")
        db.executemany("INSERT INTO line_tokens VALUES (?, 1)", [(f"{number:0200}",) for number in range(2000)])
        print("ready", flush=True)
        sys.stdin.read()
"""


def _make(path: Path) -> None:
    with Store.open(path) as store:
        store.see([session()])
        extract(store)


def _kill_writer(path: Path) -> None:
    log = path.with_name(path.name + "-wal")
    with child(_DIE_WRITING, path) as writer:
        assert log.stat().st_size > 100_000
        writer.kill()
        writer.wait()
    assert log.exists()


@pytest.mark.parametrize("readonly", [False, True])
def test_a_writer_killed_inside_its_transaction_leaves_nothing_of_it(tmp_path: Path, readonly: bool) -> None:
    path = tmp_path / "state.sqlite"
    _make(path)
    _kill_writer(path)
    with Store.open(path, readonly=readonly) as store:
        assert store.records("v2") == [record()]
        assert store.line_tokens() == {}
    with Store.open(path) as store:
        assert not lease(store)
        assert store._rows("PRAGMA integrity_check") == [("ok",)]
    assert list(tmp_path.glob("state*")) == [path]


@pytest.mark.parametrize("index", [True, False], ids=["with the log's index", "without it"])
def test_a_reader_without_rights_reads_past_an_interrupted_write_or_says_that_there_is_one(index: bool) -> None:
    with shared_folder() as home:
        path = home / "state.sqlite"
        _make(path)
        _kill_writer(path)
        if not index:  # as in a copy of the home
            path.with_name(path.name + "-shm").unlink()
        make_readonly(home)
        printed = run_without_rights(
            """
            try:
                with Store.open(Path(sys.argv[1]), readonly=True) as store:
                    print([record.rollout_summary for record in store.records("v2")])
            except errors.StorageError as error:
                print(error)
            """,
            path,
        )
        assert printed.count("\n") == 1
        assert printed.startswith("['# Fix the tests']" if index else f"{path} has an interrupted write")


def test_a_process_killed_between_lease_and_end_leaves_a_session_that_the_next_one_takes(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    with Store.open(path) as store:
        store.see([session()])
    code = """
    import sys
    from pathlib import Path
    from memkit.store import Store
    with Store.open(Path(sys.argv[1])) as store:
        assert store.lease("s1", version="v2", owner="killed", now=float(sys.argv[2]), alive=lambda _: True)
        print("ready", flush=True)
        sys.stdin.read()
    """
    with child(code, path, NOW) as worker:
        worker.kill()
        worker.wait()
    with Store.open(path) as store:
        assert lease(store, owner="next", alive=False)
        assert store.finish_good(record(), owner="next", taken_size=100)


def test_a_block_that_raises_writes_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "state.sqlite") as store:
        store.see([session()])

        def fails(_: str) -> bool:
            raise StorageError("the lock file can't be tried")

        assert lease(store, owner="a")
        with pytest.raises(StorageError, match="can't be tried"):
            store.lease("s1", version="v2", owner="b", now=NOW, alive=fails)
        assert store.finish_good(record(), owner="a", taken_size=100)


def test_threads_of_one_process_share_a_store(tmp_path: Path) -> None:
    won: list[str] = []
    with Store.open(tmp_path / "state.sqlite") as store:
        store.see([session(f"s{number}") for number in range(20)])

        def work(owner: str) -> None:
            for number in range(20):
                if lease(store, f"s{number}", owner=owner):
                    assert store.finish_good(record(f"s{number}"), owner=owner, taken_size=100)
                    won.append(f"s{number}")

        threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(won) == sorted(f"s{number}" for number in range(20))
        assert len(store.records("v2")) == 20


def test_processes_that_open_a_new_file_at_once_make_it_once(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    code = """
    import sys
    from pathlib import Path
    from memkit.store import Store
    print("ready", flush=True)
    sys.stdin.readline()
    with Store.open(Path(sys.argv[1])) as store:
        print(store.fresh, flush=True)
    """
    with child(code, path) as one, child(code, path) as two, child(code, path) as three:
        openers = [one, two, three]
        for opener in openers:
            assert opener.stdin is not None
            opener.stdin.write("go\n")
            opener.stdin.flush()
        fresh = [opener.stdout.readline().strip() for opener in openers if opener.stdout is not None]
        assert sorted(fresh) == ["False", "False", "True"]
