"""Opening the file: made, migrated, refused."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from memkit.errors import ExitCode, StorageError
from memkit.model import Claim, Reason, Section, State, Tombstone
from memkit.store import Store, connect, schema
from tests.store.children import make_readonly, run, run_without_rights, shared_folder
from tests.store.samples import NOW, extract, lease, session

_SCHEMA_1 = Path(__file__).parents[1] / "data" / "store" / "schema-1.sql"
_SECOND = ("ALTER TABLE meta ADD COLUMN note TEXT NOT NULL DEFAULT ''", "CREATE TABLE later (a TEXT)")
_BROKEN = ("CREATE TABLE half (a TEXT)", "INSERT INTO nowhere VALUES (1)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


def _refusal(path: Path, *, readonly: bool = False) -> str:
    with pytest.raises(StorageError) as caught, Store.open(path, readonly=readonly):
        pass
    line = str(caught.value)
    assert caught.value.code is ExitCode.CONFIG
    assert str(path) in line
    assert "\n" not in line
    return line


def _raw(path: Path, sql: str) -> list[tuple[object, ...]]:
    db = sqlite3.connect(path, isolation_level=None)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def _make_schema_1(path: Path) -> None:
    db = sqlite3.connect(path)
    db.executescript(_SCHEMA_1.read_text())
    db.close()


def _use(monkeypatch: pytest.MonkeyPatch, migrations: Sequence[schema.Migration]) -> None:
    monkeypatch.setattr(connect, "MIGRATIONS", migrations)


def _shape(path: Path) -> list[tuple[object, ...]]:
    return _raw(path, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")


def test_the_first_open_makes_a_private_file_and_is_fresh_the_second_is_not(path: Path) -> None:
    with Store.open(path) as store:
        assert store.fresh
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.glob("state*")) == [path]
    with Store.open(path) as store:
        assert not store.fresh


def test_a_file_that_others_can_read_is_closed_to_them_when_opened(path: Path) -> None:
    Store.open(path).close()
    path.chmod(0o644)
    Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_empty_file_left_by_a_killed_first_open_is_made_whole(path: Path) -> None:
    path.touch()
    with Store.open(path) as store:
        assert store.fresh
        assert store.entries() == []


def test_every_connection_deletes_securely_and_keeps_foreign_keys(path: Path) -> None:
    with Store.open(path) as store:
        answers = [
            store._rows(f"PRAGMA {name}")[0][0]
            for name in ("secure_delete", "foreign_keys", "journal_mode", "temp_store")
        ]
    assert answers == [1, 1, "wal", 2]


def test_what_the_user_said_is_on_the_disk_at_once_and_what_can_be_read_again_need_not_be(path: Path) -> None:
    full, normal = 2, 1
    with Store.open(path) as store:

        def level() -> object:
            return store._rows("PRAGMA synchronous")[0][0]

        store.see([session()])
        assert level() == normal
        store.bury([Tombstone(subject="a", text="A")])
        assert level() == full
        extract(store)
        assert level() == normal
        store.switch("s1", use=False)
        assert level() == full


def test_deleted_words_are_gone_from_the_bytes_of_the_file(path: Path) -> None:
    secret = "the words that must go"
    claim = Claim(section=Section.TIPS, text=secret)
    with Store.open(path) as store:
        store.keep_claims([claim])
    assert secret.encode() in path.read_bytes()
    with Store.open(path) as store:
        store.drop_claims([claim])
    assert secret.encode() not in path.read_bytes()
    assert list(path.parent.glob("state*")) == [path]


def test_the_frozen_first_schema_opens_with_all_that_it_holds(path: Path) -> None:
    _make_schema_1(path)
    with Store.open(path) as store:
        assert not store.fresh
        first, second = store.entry("s1"), store.entry("s2")
        assert first is not None
        assert second is not None
        assert (first.state, first.use, first.taken_at, first.taken_size) == (
            State.EXTRACTED,
            False,
            1_700_000_100,
            1_000,
        )
        assert (second.state, second.reason, second.attempts) == (State.FAILED, Reason.MODEL_ERROR, 1)
        assert not lease(store, "s1", now=NOW)
        assert lease(store, "s2", now=NOW)
        kept = store.record("s1", "v2")
        assert kept is not None
        assert (kept.rollout_summary, kept.usage_count, kept.selected) == ("# Fix the tests", 2, True)
        assert store.hand_claims() == [
            Claim(section=Section.PREFERENCES, text="Use tabs", scope="~/app", created_at=1_700_000_000)
        ]
        assert store.tombstones() == [
            Tombstone(subject="use spaces", text="Use spaces", section=Section.PREFERENCES, created_at=1_700_000_001)
        ]
        assert store.count_usage(rollout_id="s2", cited=["s1"], now=NOW) == 0
        assert (store.tokens_used(), store.line_tokens(), store.meta("api")) == (30, {"aa": 7}, "chat")


def test_a_migrated_first_schema_has_the_same_shape_as_a_new_file(path: Path, tmp_path: Path) -> None:
    _make_schema_1(path)
    Store.open(path).close()
    Store.open(tmp_path / "new.sqlite").close()
    assert _shape(path) == _shape(tmp_path / "new.sqlite")


def test_a_later_migration_runs_on_a_file_of_the_first_schema_and_keeps_its_rows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_schema_1(path)
    _use(monkeypatch, (*schema.MIGRATIONS[:1], _SECOND))
    with Store.open(path) as store:
        assert not store.fresh
    assert _raw(path, "PRAGMA user_version") == [(2,)]
    assert _raw(path, "SELECT key, value, note FROM meta") == [("api", "chat", "")]


def test_a_migration_that_rebuilds_a_table_keeps_the_rows_that_refer_to_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_schema_1(path)
    rebuild = (
        "CREATE TABLE new_sessions AS SELECT * FROM sessions",
        "DROP TABLE sessions",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, path TEXT)",
        "INSERT INTO sessions SELECT id, path FROM new_sessions",
        "DROP TABLE new_sessions",
    )
    _use(monkeypatch, (*schema.MIGRATIONS[:1], rebuild))
    Store.open(path).close()
    assert _raw(path, "SELECT count(*) FROM records") == [(1,)]


def test_a_migration_that_orphans_rows_is_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make_schema_1(path)
    _use(monkeypatch, (*schema.MIGRATIONS[:1], ("DELETE FROM sessions",)))
    with pytest.raises(RuntimeError, match="migration 2"):
        Store.open(path)
    assert _raw(path, "SELECT count(*) FROM sessions") == [(2,)]
    assert _raw(path, "PRAGMA user_version") == [(1,)]


def test_a_migration_that_fails_leaves_the_file_at_the_one_before_and_the_next_open_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _use(monkeypatch, (*schema.MIGRATIONS[:1], _SECOND, _BROKEN))
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        Store.open(path)
    assert _raw(path, "PRAGMA user_version") == [(2,)]
    assert _raw(path, "SELECT name FROM sqlite_master WHERE name = 'half'") == []
    _use(monkeypatch, (*schema.MIGRATIONS[:1], _SECOND, ("CREATE TABLE whole (a TEXT)",)))
    Store.open(path).close()
    assert _raw(path, "PRAGMA user_version") == [(3,)]


@pytest.mark.parametrize("readonly", [False, True])
def test_a_newer_schema_is_refused_and_left_alone(path: Path, readonly: bool) -> None:
    Store.open(path).close()
    _raw(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    line = _refusal(path, readonly=readonly)
    assert f"made by a newer memkit (schema 99, this one knows {len(schema.MIGRATIONS)})" in line
    assert "upgrade memkit" in line
    assert path.read_bytes() == before


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize("setup", ["CREATE TABLE theirs (a)", "PRAGMA user_version = 1", "PRAGMA application_id = 5"])
def test_the_database_of_another_program_is_refused_and_left_alone(path: Path, setup: str, readonly: bool) -> None:
    _raw(path, setup)
    before = path.read_bytes()
    assert "another program" in _refusal(path, readonly=readonly)
    assert path.read_bytes() == before


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize(
    "content", [b"plain text, long enough to be looked at\n" * 100, b"SQLite format 3\0" + b"\xff" * 5_000]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes, readonly: bool) -> None:
    path.write_bytes(content)
    assert "damaged or no database" in _refusal(path, readonly=readonly)
    assert path.read_bytes() == content


def test_a_folder_in_its_place_or_a_missing_home_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert "can't open" in _refusal(tmp_path / "folder")
    assert "can't open" in _refusal(tmp_path / "gone" / "state.sqlite")
    assert not (tmp_path / "gone").exists()


def test_a_damaged_page_is_met_with_one_clear_line(path: Path) -> None:
    with Store.open(path) as store:
        store.see([session(f"s{number}") for number in range(200)])
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\xee" * (len(content) - 4096 * 2)
    path.write_bytes(content)
    with Store.open(path) as store, pytest.raises(StorageError, match="damaged"):
        store.entries()


def test_a_file_that_another_program_keeps_locked_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "_BUSY_SECONDS", 0.0)
    other = sqlite3.connect(path, isolation_level=None)
    try:
        other.execute("BEGIN EXCLUSIVE")
        assert "locked by another program" in _refusal(path)
        other.execute("ROLLBACK")
        with Store.open(path) as store:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageError, match="locked by another program"):
                store.set_meta("key", "value")
            other.execute("ROLLBACK")
            store.set_meta("key", "value")
    finally:
        other.close()


def test_readers_read_while_a_writer_is_in_its_transaction(path: Path) -> None:
    with Store.open(path) as writer, Store.open(path, readonly=True) as reader:
        writer.set_meta("key", "before")
        with writer._write() as db:
            db.execute("UPDATE meta SET value = 'after'")
            assert reader.meta("key") == "before"
        assert reader.meta("key") == "after"


def test_a_full_disk_refuses_the_call_and_loses_nothing(path: Path) -> None:
    with Store.open(path) as store:
        store.see([session("s1")])
        store._db.execute("PRAGMA max_page_count = 1")  # answers with the count in use: no page more
        with pytest.raises(StorageError, match="no space is left") as caught:
            store.see([session(f"new{number}") for number in range(500)])
        assert "nothing is lost" in str(caught.value)
        assert [entry.session.id for entry in store.entries()] == ["s1"]
    with Store.open(path) as store:
        store.see([session("s2")])
        assert len(store.entries()) == 2


def test_a_write_that_the_system_refuses_gives_one_clear_line_and_loses_nothing(path: Path) -> None:
    with Store.open(path) as store:
        store.see([session("s1")])
    size = path.stat().st_size
    printed = run(
        """
        import resource, sys
        from pathlib import Path
        from memkit.errors import StorageError
        from memkit.store import Store
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
        with Store.open(Path(sys.argv[1])) as store:
            try:
                store.put_line_tokens({f"{number:064}": 1 for number in range(5000)})
            except StorageError as error:
                print(error)
        """,
        path,
        size,
    )
    assert printed.startswith(("can't read or write", "no space is left"))
    assert printed.count("\n") == 1
    with Store.open(path) as store:
        assert [entry.session.id for entry in store.entries()] == ["s1"]


def test_a_reader_changes_nothing_and_is_refused_every_write(path: Path) -> None:
    with Store.open(path) as store:
        store.see([session("s1")])
        extract(store, "s1")
    before = path.read_bytes()
    with Store.open(path, readonly=True) as store:
        assert len(store.entries()) == len(store.select("v2", now=NOW, mark=False)) == 1
        with pytest.raises(StorageError, match="can't be written"):
            store.set_meta("key", "value")
        with pytest.raises(StorageError, match="can't be written"):
            store.select("v2", now=NOW)
    assert path.read_bytes() == before


def test_a_reader_of_a_missing_or_empty_file_sees_an_empty_store_and_makes_none(path: Path) -> None:
    with Store.open(path, readonly=True) as store:
        assert store.fresh
        assert store.entries() == []
    assert not path.exists()
    path.touch()
    with Store.open(path, readonly=True) as store:
        assert store.fresh
    assert path.read_bytes() == b""


def test_a_reader_of_an_older_schema_reads_a_migrated_copy_and_leaves_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_schema_1(path)
    before = path.read_bytes()
    _use(monkeypatch, (*schema.MIGRATIONS[:1], ("UPDATE meta SET value = 'migrated'",)))
    with Store.open(path, readonly=True) as store:
        assert store.meta("api") == "migrated"
        with pytest.raises(StorageError, match="can't be written"):
            store.set_meta("key", "value")
    assert path.read_bytes() == before


def test_a_reader_works_in_a_home_that_it_cannot_write_and_a_writer_is_refused() -> None:
    with shared_folder() as home:
        with Store.open(home / "state.sqlite") as store:
            store.see([session("s1")])
        make_readonly(home)
        printed = run_without_rights(
            """
            path = Path(sys.argv[1])
            with Store.open(path, readonly=True) as store:
                print([entry.session.id for entry in store.entries()])
            try:
                with Store.open(path) as store:
                    store.set_meta("key", "value")
            except errors.StorageError as error:
                print(error)
            try:
                Store.open(path.with_name("other.sqlite"))
            except errors.StorageError as error:
                print(error)
            """,
            home / "state.sqlite",
        )
        read, written, made = printed.splitlines()
        assert read == "['s1']"
        assert written.startswith((f"{home}/state.sqlite can't be written", f"can't open {home}/state.sqlite"))
        assert made.startswith(f"can't open {home}/other.sqlite: Permission denied")
        assert [path.name for path in home.iterdir()] == ["state.sqlite"]
