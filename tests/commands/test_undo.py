"""A change is taken back, held back by later runs and rebuilt databases, and released."""

from __future__ import annotations

import pytest

from memkit.errors import ExitCode
from tests.commands.world import World, working

UV = "From now on always use uv."
PIP = "From now on always use pip instead of uv."
MAIN = "Never commit directly to main."


def two_runs(world: World, first: str, second: str) -> None:
    world.write(working("alpha", wish=first))
    world.call("run")
    world.write(working("beta", started="2026-11-21T09:00:00Z", wish=second))
    world.call("run")


def test_undo_takes_the_newest_consolidation_back_and_later_runs_do_not_redo_it(world: World) -> None:
    two_runs(world, UV, MAIN)
    before = world.call("diff", "HEAD", "--raw").out
    assert MAIN in world.summary and len(world.records) == 2 and MAIN in before
    out = world.call("undo").out
    assert "is held back: " in out and ", 1 session\n" in out and "taken back by undo" in out
    assert MAIN not in world.summary and UV in world.summary and len(world.records) == 1
    for arguments in (["run"], ["extract", "--all"], ["consolidate"]):
        world.call(*arguments)
        assert MAIN not in world.summary and len(world.records) == 1
    (world.home / "state.sqlite").unlink()
    world.call("run")
    assert MAIN not in world.summary and len(world.records) == 1
    world.healthy()


def test_release_lets_it_come_again_and_so_does_undoing_the_undo(world: World) -> None:
    two_runs(world, UV, MAIN)
    summary = world.summary
    world.call("undo")
    assert "1 change is held back by undo" in world.call("status").out
    assert "is released" in world.call("undo", "--release").out
    assert world.summary == summary and len(world.records) == 2
    assert "held back" not in world.call("status").out
    world.call("undo")
    undo = world.git("log", "--format=%H", "--grep=memory: undo", "-1").strip()
    assert "is released" in world.call("undo", undo).out
    assert world.summary == summary
    assert world.call("undo", "--release", ok=ExitCode.USAGE).err == "memkit: no change is held back (memkit history)\n"
    world.healthy()


def test_what_a_later_statement_had_replaced_comes_back(world: World) -> None:
    two_runs(world, UV, PIP)
    assert PIP in world.summary and UV not in world.summary
    world.call("undo")
    assert UV in world.summary and PIP not in world.summary
    world.call("run")
    assert UV in world.summary and PIP not in world.summary


def test_what_nothing_supports_any_more_comes_back_as_the_users_line(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    (session,) = world.records
    thread = session.read_text().split("\n", 1)[0].partition(": ")[2]
    world.call("forget", "--session", thread)
    assert UV not in world.summary
    world.call("undo")
    assert f"{UV} [by hand]" in world.summary.replace('"', "")
    world.call("undo", "--release")
    assert UV not in world.summary


def test_undo_of_a_forget_note_does_not_bring_the_words_back(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.call("forget", "always use uv", "--now")
    assert UV not in world.summary
    out = world.call("undo").out
    assert "not taken back (forgotten by the note " in out
    assert UV not in world.summary
    world.call("run")
    assert UV not in world.summary


def test_undo_of_a_note_takes_its_line_out_and_release_brings_it_back(world: World) -> None:
    world.call("init")
    world.call("remember", "--global", "Release notes are written by hand.", "--now")
    assert "Release notes" in world.summary
    world.call("undo")
    assert "Release notes" not in world.summary
    world.call("run")
    assert "Release notes" not in world.summary
    world.call("undo", "--release")
    assert "Release notes are written by hand. [ad-hoc note]" in world.summary


def test_undo_of_an_edit_by_hand(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.edit("## User preferences\n", "## User preferences\n\n- Write short commits.\n")
    world.call("run")
    assert "Write short commits. [ad-hoc note]" in world.summary
    edit = world.git("log", "--format=%H", "--grep=edited by hand", "-1").strip()
    world.call("undo", edit)
    assert "short commits" not in world.summary
    world.call("undo", "--release")
    assert "Write short commits. [ad-hoc note]" in world.summary


def test_undo_of_words_taken_out_by_hand_and_its_release(world: World) -> None:
    two_runs(world, UV, MAIN)
    line = next(line for line in world.summary.splitlines() if UV in line)
    world.edit(f"{line}\n", "")
    world.call("run")
    assert UV not in world.summary
    edit = world.git("log", "--format=%H", "--grep=edited by hand", "-1").strip()
    world.call("undo", edit)
    assert UV in world.summary
    world.call("undo", "--release")
    assert UV not in world.summary
    (world.home / "state.sqlite").unlink()
    world.call("extract", "--all")
    world.call("consolidate")
    assert UV not in world.summary


def test_undo_of_a_correction_brings_back_what_it_corrected(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.call("correct", "--cwd", "/home/dev/shop", PIP, "--now")
    assert PIP in world.summary and UV not in world.summary
    world.call("undo")
    assert UV in world.summary and PIP not in world.summary
    world.call("run")
    assert UV in world.summary and PIP not in world.summary
    world.call("undo", "--release")
    assert PIP in world.summary and UV not in world.summary


def test_nothing_new_after_an_undo_changes_nothing(world: World) -> None:
    two_runs(world, UV, PIP)
    world.call("undo")
    before = world.commits()
    for _ in range(2):
        assert world.call("run").out.startswith("nothing new\n")
    assert world.commits() == before


def test_the_change_after_an_undo_is_the_next_to_be_taken_back(world: World) -> None:
    two_runs(world, UV, MAIN)
    world.call("undo")
    world.write(working("gamma", started="2026-11-22T09:00:00Z", wish="Write short commit messages from now on."))
    world.call("run")
    assert "short commit messages" in world.summary
    out = world.call("undo").out
    assert " is held back: 1 line, 1 session\n" in out
    assert "short commit messages" not in world.summary and UV in world.summary and MAIN not in world.summary
    world.call("undo")
    assert UV not in world.summary


def test_a_release_is_taken_back_by_holding_back_again(world: World) -> None:
    two_runs(world, UV, MAIN)
    world.call("undo")
    world.call("undo", "--release")
    assert MAIN in world.summary
    for grep in ("memory: release", " new, "):  # the commit of the release, and the consolidation that it made
        commit = world.git("log", "--format=%H", f"--grep={grep}", "-1").strip()
        assert "is held back" in world.call("undo", commit).out
        assert MAIN not in world.summary
        world.call("undo", "--release")
        assert MAIN in world.summary
    world.healthy()


def test_what_a_later_change_touched_is_told(world: World) -> None:
    two_runs(world, UV, PIP)
    first = world.git("log", "--format=%H", "--grep= new, ").split()[1]
    out = world.call("undo", first).out
    assert f"not taken back (a later change took it out already): {UV}" in out.replace('"', "")
    assert PIP in world.summary and len(world.records) == 1


def test_a_session_that_went_on_keeps_its_record_and_that_is_told(world: World) -> None:
    session = working("alpha", wish=UV)
    world.write(session)
    world.call("run")
    world.write(session.user(MAIN).final("Understood."))
    world.call("run")
    assert MAIN in world.summary
    out = world.call("undo").out
    assert f"not taken back (it went on, and its record stays as it is): session {session.id}" in out
    assert UV in world.summary and MAIN not in world.summary and len(world.records) == 1


def test_erased_words_do_not_come_back(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    line = next(line for line in world.summary.splitlines() if UV in line)
    world.edit(f"{line}\n", "")
    world.call("run")
    world.call("forget", "--purge", UV, "--yes")
    for commit in world.git("log", "--format=%H").split()[:-1]:
        world.call("undo", commit, ok=None)
        assert UV not in world.summary
    world.healthy()


def test_what_can_not_be_taken_back_is_said(world: World) -> None:
    world.call("init")
    done = world.call("undo", ok=ExitCode.USAGE)
    assert done.err == "memkit: there is no consolidation to take back (memkit history)\n"
    first = world.git("log", "--format=%H", "-1").strip()
    said = world.call("undo", first, ok=ExitCode.USAGE).err
    assert said == "memkit: the first commit can't be taken back (memkit reset starts over)\n"
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.call("undo")
    newest = world.git("log", "--format=%H", "--grep= new, ").split()[-1]
    assert "is held back already" in world.call("undo", newest, ok=ExitCode.USAGE).err
    for word in ("nosuch", "-x", "", first[::-1]):
        wrong = world.call("undo", "--", word, ok=ExitCode.USAGE)
        assert wrong.err.count("\n") == 1 and "no such commit" in wrong.err
        assert world.call("undo", "--release", "--", word, ok=ExitCode.USAGE).err.count("\n") == 1
    world.healthy()


def test_a_commit_beside_the_history_is_none_of_the_memory(world: World) -> None:
    two_runs(world, UV, MAIN)
    oid = world.git("-c", "user.name=me", "-c", "user.email=me@x", "commit-tree", "-m", "aside", "HEAD^{tree}").strip()
    assert "is no commit of the memory" in world.call("undo", oid, ok=ExitCode.USAGE).err
    assert "is not held back" in world.call("undo", "--release", oid, ok=ExitCode.USAGE).err


@pytest.mark.parametrize("version", ["v1", "dual"])
def test_the_trees_of_other_versions_follow(world: World, version: str) -> None:
    world.call("init", "--version", version)
    two_runs(world, UV, MAIN)
    world.call("undo")
    texts = "\n".join(p.read_text() for p in world.home.glob("memories*/**/*.md"))
    assert MAIN not in texts and UV in texts
    world.healthy()


def test_a_consolidation_that_changed_only_counts_is_passed_over(world: World) -> None:
    two_runs(world, UV, MAIN)
    beta = working("beta", started="2026-11-21T09:00:00Z", wish=MAIN)
    world.write(beta.user("Thanks, that is right.").final("You're welcome, all is done as you said."))
    world.call("run")
    newest = world.git("log", "-1", "--format=%H %s").strip()
    assert "memory: 0 new, " in newest and " 0 removed" in newest
    refused = world.call("undo", newest.split()[0], ok=ExitCode.USAGE)
    assert "changed nothing that can be taken back" in refused.err
    assert ", 1 session\n" in world.call("undo").out
    assert MAIN not in world.summary and UV in world.summary
