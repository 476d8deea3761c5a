"""Erasing as a user has it: the words are in no byte of the home and in no Git object, and don't come back."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.commands.world import World, working

BLUE = "I always prefer dark blue diagrams drawn with graphviz."
OTHER = "Always run the linter before you commit."
WORD = "graphviz"


def _everywhere(world: World) -> bytes:
    return b"\n".join([*world.bytes().values(), *(p.encode() for p in world.bytes()), world.history()]).lower()


@pytest.fixture
def filled(world: World) -> World:
    """A memory that says it in records, summary, a note and several commits."""
    world.write(working("one", wish=BLUE), working("two", wish=OTHER, started="2026-11-21T09:00:00Z"))
    world.call("run")
    world.call("remember", "--global", "Diagrams: dark blue, drawn with graphviz, always.")
    world.call("consolidate")
    assert WORD.encode() in _everywhere(world)
    return world


def test_erased_words_are_in_no_byte_and_the_rest_stays(filled: World) -> None:
    before = filled.commits()
    said = filled.call("forget", "--purge", BLUE, "--yes")
    assert "searched" in said.out
    assert WORD.encode() not in _everywhere(filled)
    assert "linter" in filled.summary
    assert filled.commits()[-len(before) :] == before
    filled.healthy()


def test_they_do_not_come_back_when_the_session_is_read_again(filled: World) -> None:
    filled.call("forget", "--purge", BLUE, "--yes")
    filled.call("extract", "--all")
    filled.call("consolidate")
    assert WORD.encode() not in _everywhere(filled)
    filled.healthy()


def test_without_a_terminal_and_without_yes_nothing_is_erased(filled: World) -> None:
    before = filled.bytes()
    done = filled.call("forget", "--purge", BLUE, ok=2)
    assert "--yes" in done.err
    assert filled.bytes() == before


def test_the_files_of_the_agent_that_hold_the_words_are_named(filled: World) -> None:
    done = filled.call("forget", "--purge", BLUE, "--yes")
    (held,) = [p for p in filled.sessions.rglob("*.jsonl") if WORD in p.read_text()]
    assert str(held) in done.err


def test_words_that_are_nowhere_are_kept_out_all_the_same(filled: World) -> None:
    done = filled.call("forget", "--purge", "The piano is tuned on Fridays.", "--yes")
    assert "nowhere" in done.out
    done = filled.call("remember", "--global", "Note: the piano is tuned on Fridays.", ok=2)
    assert "erased" in done.err
    assert b"piano" not in _everywhere(filled)


def test_the_key_is_private_and_not_tracked(filled: World) -> None:
    filled.call("forget", "--purge", BLUE, "--yes")
    assert stat.S_IMODE((filled.home / "state.purge.key").stat().st_mode) == 0o600
    assert "state.purge.key" not in filled.git("ls-files")
    assert "purged.jsonl" in filled.git("ls-files")


def test_a_rebuilt_database_and_a_hand_edit_do_not_bring_them_back(filled: World) -> None:
    old = filled.summary
    filled.call("forget", "--purge", BLUE, "--yes")
    for file in filled.home.glob("state.sqlite*"):
        file.unlink()
    Path(filled.home / "memories_v2" / "memory_summary.md").write_text(old)
    filled.call("run")
    assert WORD.encode() not in _everywhere(filled)


def test_refs_stash_and_copies_are_cleaned(filled: World) -> None:
    filled.git("branch", "older", "HEAD~1")
    filled.git("tag", "marked", "HEAD")
    filled.call("reset", "--yes")
    (copy,) = filled.home.parent.glob(f"{filled.home.name}.reset-*")
    filled.call("forget", "--purge", BLUE, "--yes")
    assert WORD.encode() not in _everywhere(filled)
    assert all(WORD.encode() not in p.read_bytes().lower() for p in copy.rglob("*") if p.is_file())
    assert "older" in filled.git("branch")
