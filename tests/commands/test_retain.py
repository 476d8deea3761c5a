"""Switches of one session, retention, usage, and starting over."""

from __future__ import annotations

import pytest

from memkit.errors import ExitCode
from memkit.model import Reason, State
from memkit.store import Store
from tests.commands.world import World, working
from tests.support.env import NOW
from tests.support.rollouts import Rollout

UV = "From now on always use uv."
MAIN = "Never commit directly to main."
DAY = 86_400


def later(monkeypatch: pytest.MonkeyPatch, *, days: float) -> None:
    monkeypatch.setenv("MEMKIT_NOW", str(int(NOW + days * DAY)))


def usage(world: World, session: str) -> tuple[int, int | None]:
    record = world.record(session)
    assert record is not None
    return record.usage_count, record.last_usage


# --- sessions set -----------------------------------------------------------------------------------------------------


def test_a_session_switched_off_leaves_with_what_only_it_said_and_comes_back_when_on(world: World) -> None:
    off, on = working("alpha", wish=UV), working("beta", started="2026-11-21T09:00:00Z", wish=MAIN)
    world.write(off, on)
    world.call("run")
    before = world.summary
    assert "generate off, use on" in world.call("sessions", "set", off.id[:20], "--no-generate").out
    assert UV not in world.summary and MAIN in world.summary and world.record(off.id) is None
    assert "its session is switched off" in world.git("log", "-1", "--format=%b")
    assert (world.entry(off.id).state, world.entry(off.id).reason) == (State.SKIPPED, Reason.SWITCHED_OFF)
    for arguments in (["run"], ["extract", "--all"], ["run"]):
        world.call(*arguments)
        assert UV not in world.summary and world.record(off.id) is None
    world.call("sessions", "set", off.id, "--generate")
    world.call("run")
    assert world.summary == before
    world.healthy()


def test_a_session_that_is_not_used_keeps_its_record_and_is_in_no_file(world: World) -> None:
    session = working("alpha", wish=UV)
    world.write(session, working("beta", started="2026-11-21T09:00:00Z", wish=MAIN))
    world.call("run")
    before = world.tree()
    world.call("sessions", "set", session.id, "--no-use")
    assert world.record(session.id) is not None
    assert UV not in "\n".join(world.tree().values()) and len(world.records) == 1
    assert "not used for the memory" in world.call("sessions").out
    world.call("sessions", "set", session.id, "--use")
    assert world.tree() == before


def test_a_session_is_named_by_its_beginning_when_only_one_begins_so(world: World) -> None:
    world.write(working("alpha", wish=UV), working("beta", wish=MAIN))
    world.call("run")
    done = world.call("sessions", "set", "nosuch", "--no-use", ok=ExitCode.USAGE)
    assert done.err == "memkit: there is no session nosuch (memkit sessions)\n"
    assert "2 sessions begin with 0" in world.call("sessions", "set", "0", "--no-use", ok=ExitCode.USAGE).err
    assert "nothing to set" in world.call("sessions", "set", "0", ok=ExitCode.USAGE).err


# --- usage and retention ----------------------------------------------------------------------------------------------


def test_citations_and_opened_files_count_once_for_a_session(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    known = working("alpha", wish=UV)
    world.write(known)
    world.call("run")
    (file,) = world.records
    assert usage(world, known.id) == (0, None)
    cited = f"Done.\n<oai-mem-citation>\n<rollout_ids>\n{known.id}\n</rollout_ids>\n</oai-mem-citation>"
    opened = f"cat {file} && sed -n 1,20p {file}"
    for name, command, answer in (("cites", "ls", cited), ("opens", opened, "Done."), ("lists", "ls x", "Done.")):
        session = Rollout(name=name, started="2026-11-21T09:00:00Z").user(f"Work on {name}.")
        world.write(session.run(command, output="").final(answer))
    world.call("run")
    assert usage(world, known.id) == (2, NOW)
    later(monkeypatch, days=1)
    world.call("extract", "--all")
    assert usage(world, known.id) == (2, NOW)


def test_what_nobody_uses_leaves_the_memory_and_then_the_store(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    session = working("alpha", wish=UV)
    world.write(session)
    world.call("run")
    later(monkeypatch, days=20)
    assert world.call("prune").out == "nothing to remove\n"
    later(monkeypatch, days=40)
    done = world.call("prune", "--dry-run")
    assert session.id in done.out and done.out.endswith("1 record would go\n")
    assert world.record(session.id) is not None and UV in world.summary
    assert [each["id"] for each in world.call("prune", "--dry-run", "--json").json] == [session.id]
    assert world.call("prune").out.endswith("1 record removed\n")
    assert world.record(session.id) is None and UV not in world.summary
    world.call("run")
    assert world.record(session.id) is None
    assert "expired: its session was not used for 30 days" in world.git("log", "-1", "--format=%b")
    world.healthy()


def test_a_run_does_the_same_by_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    session = working("alpha", wish=UV)
    world.write(session)
    world.call("run")
    later(monkeypatch, days=40)
    world.call("run")
    assert world.record(session.id) is None and UV not in world.summary


# --- reset ------------------------------------------------------------------------------------------------------------


def test_reset_empties_the_memory_keeps_a_copy_and_what_was_forgotten_stays_so(world: World) -> None:
    forgotten = working("beta", started="2026-11-21T09:00:00Z", wish=MAIN)
    world.write(working("alpha", wish=UV), forgotten, working("gamma"))
    world.call("run")
    world.call("forget", "never commit to main", "--now")
    world.call("remember", "--global", "Release notes are written by hand.", "--now")
    assert "there is no terminal" in world.call("reset", ok=ExitCode.USAGE).err
    assert UV in world.summary
    out = world.call("reset", "--yes").out
    assert "what was forgotten stays forgotten" in out
    assert UV not in world.summary and "Release notes" not in world.summary and world.records == []
    (copy,) = world.home.parent.glob("home.reset-*")
    assert str(copy) in out and UV in (copy / "memories_v2/memory_summary.md").read_text()
    assert oct(copy.stat().st_mode & 0o777) == "0o700"
    world.healthy()
    world.call("run")
    assert UV in world.summary and MAIN not in world.summary and "Release notes" not in world.summary
    world.healthy()


def test_a_session_that_was_forgotten_is_not_read_again_after_a_reset(world: World) -> None:
    session = working("alpha", wish=UV)
    world.write(session)
    world.call("run")
    world.call("forget", "--session", session.id)
    world.call("reset", "--yes")
    world.call("run")
    assert UV not in world.summary and world.entry(session.id).reason is Reason.FORGOTTEN
    with Store.open(world.home / "state.sqlite", readonly=True) as store:
        assert store.records("v2") == []
