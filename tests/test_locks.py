"""The locks, held by real processes that are really killed."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

import pytest
from filelock import lock_descriptor

from memkit import clock, locks
from memkit.errors import BusyError, StorageError
from tests.store.children import child, make_readonly, run, run_without_rights, shared_folder

_HOLD = """
import sys
from pathlib import Path
from memkit import locks
with locks.consolidation(Path(sys.argv[1]), command=sys.argv[2]):
    print("ready", flush=True)
    sys.stdin.read()
"""
_TOKEN = """
import sys
from pathlib import Path
from memkit import locks
with locks.run_token(Path(sys.argv[1])) as token:
    print("ready", flush=True)
    print(token, flush=True)
    sys.stdin.read()
"""


def _refusal(home: Path) -> str:
    with pytest.raises(BusyError) as caught, locks.consolidation(home, command="second"):
        pass
    return str(caught.value)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _dead_pid() -> int:
    return int(run("import os; print(os.getpid())"))


def test_a_second_process_is_told_who_holds_the_lock_and_since_when(tmp_path: Path) -> None:
    with child(_HOLD, tmp_path, "memkit run --hook") as holder:
        line = _refusal(tmp_path)
    assert "`memkit run --hook`" in line
    assert f"process {holder.pid}" in line
    assert clock.iso(clock.now()) in line
    assert "\n" not in line


def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    with child(_HOLD, tmp_path, "memkit run") as holder:
        holder.kill()
        holder.wait()
        assert (tmp_path / "state.holder.json").exists()
        with locks.consolidation(tmp_path, command="next"):
            assert json.loads((tmp_path / "state.holder.json").read_text())["pid"] == os.getpid()


def test_the_lock_is_free_after_its_block_even_when_that_raises(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locks.consolidation(tmp_path, command="one"):
        raise ZeroDivisionError
    assert not (tmp_path / "state.holder.json").exists()
    with locks.consolidation(tmp_path, command="two"):
        assert f"process {os.getpid()}" in _refusal(tmp_path)


def test_lock_files_are_private(tmp_path: Path) -> None:
    with locks.consolidation(tmp_path, command="x"), locks.run_token(tmp_path) as token:
        assert _mode(tmp_path / "state.lock") == _mode(tmp_path / "state.holder.json") == 0o600
        assert _mode(tmp_path / "staging") == 0o700
        assert _mode(tmp_path / "staging" / f"run-{token}.lock") == 0o600


@pytest.mark.parametrize(
    "note",
    [
        None,
        b"",
        b"\xff\xfe{",
        b"[" * 9_000,
        b"[]",
        b'{"pid": "1", "command": "x", "since": 1}',
        b'{"pid": 1, "command": ["x"], "since": 1}',
        b'{"pid": 1, "command": "x", "since": NaN}',
        b'{"pid": 99999999999999999999, "command": "x", "since": 1}',
        b'{"pid": -1, "command": "x", "since": 1}',
    ],
)
def test_a_missing_or_garbled_note_still_gives_one_clear_line(tmp_path: Path, note: bytes | None) -> None:
    with locks.consolidation(tmp_path, command="x"):
        path = tmp_path / "state.holder.json"
        path.unlink()
        if note is not None:
            path.write_bytes(note)
        line = _refusal(tmp_path)
    assert line.startswith(f"another run holds the lock ({tmp_path / 'state.lock'})")
    assert "\n" not in line


def test_the_note_of_a_dead_process_names_nobody(tmp_path: Path) -> None:
    with locks.consolidation(tmp_path, command="x"):
        note = {"pid": _dead_pid(), "command": "ghost", "since": 1.0}
        (tmp_path / "state.holder.json").write_text(json.dumps(note))
        assert "ghost" not in _refusal(tmp_path)


def test_a_command_with_line_breaks_and_escapes_is_shown_on_one_line(tmp_path: Path) -> None:
    with locks.consolidation(tmp_path, command="memkit\n\x1b[31mrun " + "x" * 5_000):
        line = _refusal(tmp_path)
    assert "`memkit [31mrun xxx" in line
    assert line.isprintable()
    assert len(line) < 600


def test_a_note_that_is_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    (tmp_path / "state.holder.json").symlink_to(target)
    (tmp_path / "state.holder.new").symlink_to(target)
    with locks.consolidation(tmp_path, command="x"):
        assert not (tmp_path / "state.holder.json").is_symlink()
    assert target.read_text() == "mine"


def test_a_token_is_alive_in_its_own_and_in_other_processes_until_its_block_ends(tmp_path: Path) -> None:
    with locks.run_token(tmp_path) as token:
        assert locks.alive(tmp_path, token)
        seen = run(
            "import sys; from pathlib import Path; from memkit import locks\n"
            "print(locks.alive(Path(sys.argv[1]), sys.argv[2]))",
            tmp_path,
            token,
        )
        assert seen == "True\n"
    assert not locks.alive(tmp_path, token)
    assert list((tmp_path / "staging").iterdir()) == []


def test_a_killed_process_leaves_a_dead_token_whose_file_goes_when_it_is_asked_for(tmp_path: Path) -> None:
    with child(_TOKEN, tmp_path) as holder:
        assert holder.stdout is not None
        token = holder.stdout.readline().strip()
        assert locks.alive(tmp_path, token)
        holder.kill()
        holder.wait()
        assert (tmp_path / "staging" / f"run-{token}.lock").exists()
        assert not locks.alive(tmp_path, token)
        assert not (tmp_path / "staging" / f"run-{token}.lock").exists()


def test_a_new_run_sweeps_the_dead_and_spares_the_living(tmp_path: Path) -> None:
    with child(_TOKEN, tmp_path) as living:
        assert living.stdout is not None
        spared = living.stdout.readline().strip()
        (tmp_path / "staging" / "run-0123456789abcdef.lock").touch()
        (tmp_path / "staging" / "other").touch()
        with locks.run_token(tmp_path) as first, locks.run_token(tmp_path) as second:
            left = {path.name for path in (tmp_path / "staging").iterdir()}
            assert left == {f"run-{token}.lock" for token in (spared, first, second)} | {"other"}
            assert locks.alive(tmp_path, first)


@pytest.mark.parametrize("token", ["", "x", "../../state", "0123456789abcde/", "0123456789ABCDEF", "0123456789abcdef"])
def test_what_is_no_token_or_has_no_file_is_dead_and_leaves_no_file(tmp_path: Path, token: str) -> None:
    assert not locks.alive(tmp_path, token)
    assert list(tmp_path.iterdir()) == []


def test_a_token_whose_file_was_swept_before_it_was_locked_is_not_given_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Path] = []

    def swept(descriptor: int, *, blocking: bool) -> bool:
        if not given:
            for path in (tmp_path / "staging").iterdir():
                given.append(path)
                path.unlink()
        return lock_descriptor(descriptor, blocking=blocking)

    monkeypatch.setattr(locks, "lock_descriptor", swept)
    with locks.run_token(tmp_path) as token:
        assert given
        assert given[0].name != f"run-{token}.lock"
        assert (tmp_path / "staging" / f"run-{token}.lock").exists()


def test_a_missing_home_is_refused_and_not_made(tmp_path: Path) -> None:
    home = tmp_path / "gone"
    with pytest.raises(StorageError, match=re.escape(f"can't write {home}")), locks.consolidation(home, command="x"):
        pass
    with pytest.raises(StorageError, match=re.escape(f"can't write {home}")), locks.run_token(home):
        pass
    assert not home.exists()


def test_a_readonly_home_is_refused_with_one_clear_line() -> None:
    with shared_folder() as home:
        make_readonly(home)
        printed = run_without_rights(
            """
            for use in (locks.consolidation(Path(sys.argv[1]), command="x"), locks.run_token(Path(sys.argv[1]))):
                try:
                    with use:
                        print("taken")
                except errors.StorageError as error:
                    print(error)
            """,
            home,
        )
        lines = printed.splitlines()
        assert len(lines) == 2
        assert all(line.startswith(f"can't write {home}/sta") and "Permission denied" in line for line in lines)
