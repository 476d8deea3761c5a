"""Runs one after another: what is taken again and what never, retries, limits, dry runs, lost databases and files."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from memkit import locks
from memkit.engines.base import Engine
from memkit.errors import ExitCode
from memkit.model import Reason, Session, StageOne, State
from memkit.rollouts import eligible, find
from memkit.stages.extract import pool
from memkit.stages.extract.session import Read, Reading
from memkit.store import Store
from tests.commands.world import World, greeting, working
from tests.support.env import NOW
from tests.support.rollouts import Rollout

UV = "From now on always use uv."
MAIN = "Never commit directly to main."
HOUR = 3_600


def at(monkeypatch: pytest.MonkeyPatch, *, hours: float) -> None:
    """Lets time pass since NOW."""
    monkeypatch.setenv("MEMKIT_NOW", str(int(NOW + hours * HOUR)))


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read from now on."""
    read: list[str] = []
    real = pool.read

    def reading(given: Reading, *, engine: Engine) -> Read:
        read.append(given.path.name)
        return real(given, engine=engine)

    monkeypatch.setattr(pool, "read", reading)
    return read


# --- again and never -------------------------------------------------------------------------------------------------


def test_a_second_run_says_nothing_new_and_makes_no_commit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(working(wish=UV), greeting())
    world.call("run")
    head, read = world.repo().head(), counted(monkeypatch)
    for hours in (0, 5, 24):
        at(monkeypatch, hours=hours)
        assert world.call("run").out.startswith("nothing new\n2 sessions: 1 extracted, 1 nothing to keep\n")
    assert world.repo().head() == head and read == []
    world.healthy()


def test_the_same_sessions_give_the_same_bytes_in_another_home(world: World, tmp_path: Path) -> None:
    world.write(working("alpha", wish=UV), working("beta", started="2026-11-21T09:00:00Z", wish=MAIN))
    world.call("run")
    world.call("extract", "--home", tmp_path / "other", "--limit", "1")
    world.call("run", "--home", tmp_path / "other")
    other = World(env=world.env, home=tmp_path / "other", codex=world.codex)
    assert other.tree() == world.tree()


def test_a_grown_session_is_taken_again_and_an_unchanged_one_is_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = working("alpha")
    world.write(session, working("beta"))
    world.call("run")
    read = counted(monkeypatch)
    session.user(UV).final("Understood.")
    world.write(session)
    assert world.call("run").out.startswith("memory: ")
    assert read == [session.file_name] and UV in world.summary
    assert len(world.records) == 2
    world.healthy()


def test_what_a_session_grew_by_is_told_once_in_both_forms(world: World) -> None:
    world.call("init", "--version", "dual")
    session = working("alpha", wish=MAIN)
    world.write(session)
    world.call("run")
    session.user(UV).run("uv sync", output="Resolved 3 packages\n").final("Synced.")
    world.write(session)
    world.call("run")
    [record] = world.records
    body = record.read_text(encoding="utf-8")
    for once in (MAIN, UV):
        assert body.count(f'"{once}"') == 1 and world.summary.count(once) == 1
    assert body.count("`uv sync`") == 1 and f'"{UV}" (1 session, last 2026-11-20)' in world.summary
    raw = (world.home / "memories" / "raw_memories.md").read_text(encoding="utf-8")
    assert raw.count(f"## Thread `{session.id}`") == 1 and raw.count("preference") >= 2
    for line in raw.splitlines():
        assert raw.count(line) == 1 or not line.startswith("- ")
    world.healthy()


def test_a_session_that_grew_waits_until_it_rests(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    session = working("alpha")
    world.write(session)
    world.call("run")
    session.wait(days=5, minutes=-60).user(UV).final("Understood.")
    world.write(session)
    assert "1 waiting until " in world.call("run").out
    record = world.record(session.id)
    assert record is not None and UV not in record.rollout_summary and "alpha" in world.summary
    at(monkeypatch, hours=6)
    world.call("run")
    assert UV in world.summary


def test_a_session_that_grew_and_now_gives_nothing_keeps_its_record_flagged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = working(wish=UV)
    world.write(session)
    world.call("run")
    before = world.tree()
    monkeypatch.setattr(
        "memkit.engines.offline.OfflineEngine.extract",
        lambda *_, **__: StageOne(rollout_summary=""),
    )
    session.user("Thanks!").final("You're welcome.")
    world.write(session)
    world.call("run")
    assert world.tree() == before
    (row,) = world.call("sessions", "--json").json
    assert (row["state"], row["flagged"]) == ("extracted", True)
    assert "grew without anything to keep, the earlier record stays" in world.call("sessions").out
    assert world.call("run").out.startswith("nothing new")


def test_all_reads_again_and_changes_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(working("alpha", wish=UV), working("beta"), greeting())
    world.call("run")
    read, before = counted(monkeypatch), world.tree()
    world.call("extract", "--all")
    assert len(read) == 3
    assert world.call("consolidate").out.startswith("nothing new") and world.tree() == before


def test_all_and_an_empty_result_of_the_same_bytes_drops_the_record(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = working(wish=UV)
    world.write(session, working("beta", wish=MAIN), working("gamma", wish=MAIN))
    world.call("run")
    real = eligible.judge_facts
    monkeypatch.setattr(
        eligible,
        "judge_facts",
        lambda facts, **more: (
            eligible.Verdict(State.SKIPPED, Reason.MACHINE_PROMPT)
            if facts.session.id == session.id
            else real(facts, **more)
        ),
    )
    world.call("extract", "--all")
    entry = world.entry(session.id)
    assert (entry.state, entry.reason) == (State.SKIPPED, Reason.MACHINE_PROMPT) and world.record(session.id) is None


# --- which are taken -------------------------------------------------------------------------------------------------


def test_waiting_ends_by_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(working(started="2026-11-25T09:00:00Z", wish=UV))
    assert "1 session: 1 waiting until 15:00 UTC" in world.call("run").out
    at(monkeypatch, hours=3.1)
    assert "1 session: 1 extracted" in world.call("run").out


def test_paths_turn_off_age_idle_time_and_source_and_nothing_else(world: World, tmp_path: Path) -> None:
    export = tmp_path / "export"
    for rollout in (
        working("old", started="2025-10-01T09:00:00Z"),
        working("fresh", started="2026-11-25T11:00:00Z"),
        Rollout(name="job", source="exec").user("Fix the job.").run("make").final("Done."),
        Rollout(name="off", memory_mode="disabled").user("Fix it.").run("make").final("Done."),
        Rollout(name="sub", source={"subagent": "review"}).user("Fix it.").run("make").final("Done."),
    ):
        rollout.write(export)
    out = world.call("extract", export).out
    assert "5 sessions: 3 extracted, 2 skipped (1 a subagent's session, 1 memory was off in it)" in out


def test_the_limit_takes_the_most_recent_first(world: World) -> None:
    world.write(*(working(f"s{n}", started=f"2026-11-2{n}T09:00:00Z") for n in range(5)))
    done = world.call("extract", "--limit", "2")
    assert "5 sessions: 2 extracted, 3 waiting" in done.out and "3 more wait for the next run" in done.out
    taken = [r["updated_at"][:10] for r in world.call("sessions", "--json").json if r["state"] == "extracted"]
    assert taken == ["2026-11-24", "2026-11-23"]
    assert "5 sessions: 5 extracted" in world.call("extract").out


def test_the_hook_takes_as_many_as_are_configured_most_recent_first(world: World) -> None:
    world.write(*(working(f"s{n}", started=f"2026-11-2{n}T09:00:00Z") for n in range(4)))
    world.call("run", "--hook")
    assert [path.name[:10] for path in world.records] == ["2026-11-22", "2026-11-23"]
    config = world.home / "memkit.yaml"
    config.write_text("memories:\n  max_rollouts_per_startup: 1\n")
    world.call("run", "--hook")
    assert len(world.records) == 3
    world.call("run")
    assert len(world.records) == 4


def test_learning_can_be_switched_off(world: World) -> None:
    world.call("init")
    (world.home / "memkit.yaml").write_text("memories:\n  generate_memories: false\n")
    world.write(working(wish=UV))
    assert "1 session: 1 skipped (learning is switched off)" in world.call("run").out
    (world.home / "memkit.yaml").write_text("version: v2\n")
    assert "1 session: 1 extracted" in world.call("run").out


def test_at_most_so_many_records_make_the_memory(world: World) -> None:
    world.write(*(working(f"s{n}", started=f"2026-11-2{n}T09:00:00Z") for n in range(4)))
    world.call("init")
    (world.home / "memkit.yaml").write_text("memories:\n  max_raw_memories_for_consolidation: 3\n")
    world.call("run")
    assert [path.name[:10] for path in world.records] == ["2026-11-21", "2026-11-22", "2026-11-23"]
    world.write(working("s4", started="2026-11-24T09:00:00Z"))
    world.call("run")
    assert [path.name[:10] for path in world.records] == ["2026-11-22", "2026-11-23", "2026-11-24"]
    world.healthy()


def test_a_smaller_budget_makes_a_smaller_summary(world: World) -> None:
    world.write(*(working(f"s{n}", started=f"2026-11-2{n}T09:00:00Z", wish=UV) for n in range(4)))
    world.call("run")
    assert len(world.summary.encode()) > 900
    (world.home / "memkit.yaml").write_text("summary:\n  max_bytes: 700\n")
    done = world.call("consolidate")
    assert "gone (out of budget)" in done.out
    assert len(world.summary.encode()) < 700 and UV in world.summary
    assert world.call("run").out.startswith("nothing new")
    assert len(world.records) == 4


# --- failures --------------------------------------------------------------------------------------------------------


def test_a_failed_session_is_tried_again_by_the_rules(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = working("bad", started="2026-11-21T09:00:00Z", wish=MAIN)
    world.write(working(wish=UV), bad)
    real = pool.read
    tries: list[str] = []

    def reading(given: Reading, *, engine: Engine) -> Read:
        if bad.id in given.path.name:
            tries.append(given.path.name)
            return Read(problem=f"{given.path}: the disk ate it")
        return real(given, engine=engine)

    with monkeypatch.context() as patch:
        patch.setattr(pool, "read", reading)
        done = world.call("run", ok=ExitCode.PARTIAL)
        assert f"memkit: session {bad.id}: " in done.err and "the disk ate it" in done.err
        assert "2 sessions: 1 extracted, 1 failed (the file can't be read)" in done.out and UV in world.summary
        for hours, expected in ((0.5, 1), (1.1, 2), (1.5, 2), (2.2, 3), (9, 3)):
            at(monkeypatch, hours=hours)
            world.call("run", ok=None)
            assert len(tries) == expected, hours
            entry = world.entry(bad.id)
            assert (entry.state, entry.reason) == (State.FAILED, Reason.UNREADABLE)
        assert world.call("status", "--json").json["runs"]["extract"]["last_error"].startswith("1 of 1 sessions failed")
    assert "1 failed" in world.call("run").out, "three tries are used up"
    assert "2 extracted" in world.call("extract", "--retry-failed").out
    world.call("run")
    assert MAIN in world.summary


def test_a_failed_session_that_grows_starts_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = working("bad")
    world.write(bad)

    def failing(given: Reading, *, engine: Engine) -> Read:  # noqa: ARG001 - as it is called
        return Read(problem=f"{given.path}: no")

    with monkeypatch.context() as patch:
        patch.setattr(pool, "read", failing)
        world.call("run", ok=ExitCode.PARTIAL)
    bad.user(UV).final("Understood.")
    world.write(bad)
    assert "1 session: 1 extracted" in world.call("run").out and UV in world.summary


def test_a_session_that_a_living_process_works_on_is_left_to_it(world: World) -> None:
    session = working(wish=UV)
    world.write(session)
    world.call("extract", "--dry-run")
    world.call("init")
    with locks.run_token(world.home) as token:
        with Store.open(world.home / "state.sqlite") as store:
            (path,) = world.sessions.rglob("*.jsonl")
            seen = find.head(path)
            assert isinstance(seen, Session)
            store.see([seen])
            assert store.lease(session.id, version="v2", owner=token, now=NOW, alive=lambda _: True)
        done = world.call("run")
        assert "1 session: 1 waiting" in done.out and world.records == []
        entry = world.entry(session.id)
        assert (entry.state, entry.reason) == (State.WAITING, Reason.IN_PROGRESS)
    assert "1 session: 1 extracted" in world.call("run").out, "its process has ended"


# --- dry runs --------------------------------------------------------------------------------------------------------


def test_a_dry_run_changes_no_byte(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.edit("## General Tips\n", "## General Tips\n- Ask before deleting.\n")
    world.write(working("beta", started="2026-11-21T09:00:00Z", wish=MAIN))
    before = world.bytes()
    done = world.call("extract", "--dry-run")
    assert "would read " in done.out and "1 session to read with the offline engine; nothing was done" in done.out
    out = world.call("consolidate", "--dry-run").out
    assert "nothing was published" in out
    assert world.bytes() == before
    world.call("extract")
    before = world.bytes()
    out = world.call("consolidate", "--dry-run").out
    assert f'+ - (in /home/dev/shop) "{MAIN}"' in out and "3 new" in out
    assert world.bytes() == before
    world.call("run")
    assert MAIN in world.summary and "Ask before deleting." in world.summary


def test_a_dry_run_without_a_home_makes_none(world: World) -> None:
    world.write(working("alpha", wish=UV))
    assert "1 session to read" in world.call("extract", "--dry-run").out
    assert not world.home.exists()


def test_a_dry_run_respects_the_lock_and_the_limit(world: World) -> None:
    world.write(working("alpha"), working("beta"))
    world.call("init")
    assert "1 session to read" in world.call("extract", "--dry-run", "--limit", "1").out
    with locks.consolidation(world.home, command="memkit run"):
        world.call("extract", "--dry-run", ok=ExitCode.BUSY)


# --- what gets lost --------------------------------------------------------------------------------------------------


def test_a_deleted_database_is_rebuilt_from_the_memory(world: World) -> None:
    world.write(working("alpha", wish=UV), working("beta", started="2026-11-21T09:00:00Z", wish=MAIN), greeting())
    world.call("run")
    world.edit("## General Tips\n", "## General Tips\n- Ask before deleting.\n")
    world.call("run")
    before, commits = world.tree(), world.commits()
    (world.home / "state.sqlite").unlink()
    done = world.call("run")
    assert "memkit: the database was new: 2 records were taken from the committed memory\n" in done.err
    assert done.out.startswith("nothing new\n3 sessions: 2 extracted, 1 nothing to keep")
    assert world.call("run").out.startswith("nothing new") and world.call("run").err == ""
    assert (world.tree(), world.commits()) == (before, commits)
    assert stat.S_IMODE((world.home / "state.sqlite").stat().st_mode) == 0o600


def test_a_deleted_database_and_vanished_rollouts_lose_no_memory(world: World) -> None:
    world.write(working("alpha", wish=UV), working("beta", started="2026-11-21T09:00:00Z", wish=MAIN))
    world.call("run")
    before = world.tree()
    (world.home / "state.sqlite").unlink()
    shutil.rmtree(world.codex)
    assert "nothing new\n2 sessions: 2 extracted\n" in world.call("run").out
    assert world.tree() == before
    world.write(working("gamma", started="2026-11-22T09:00:00Z"))
    world.call("run")
    assert UV in world.summary and MAIN in world.summary and len(world.records) == 3
    world.healthy()


def test_rollouts_that_vanish_lose_no_memory(world: World) -> None:
    world.write(working("alpha", wish=UV), working("beta", started="2026-11-21T09:00:00Z", wish=MAIN))
    world.call("run")
    before = world.tree()
    shutil.rmtree(world.codex)
    for words in (["run"], ["extract", "--all"], ["consolidate"]):
        assert "2 sessions: 2 extracted" in world.call(*words).out
    assert world.tree() == before


def test_a_rollout_that_moves_is_the_same_session(world: World) -> None:
    session = working("alpha", wish=UV)
    world.write(session)
    world.call("run")
    (path,) = world.sessions.rglob("*.jsonl")
    away = world.sessions / "moved" / path.name
    away.parent.mkdir()
    path.rename(away)
    assert world.call("run").out.startswith("nothing new\n1 session: 1 extracted")
    session.user(MAIN).final("Understood.")
    away.write_bytes(session.data())
    world.call("run")
    assert MAIN in world.summary and len(world.records) == 1


def test_a_deleted_tree_is_put_back(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    before = world.tree()
    shutil.rmtree(world.home / "memories_v2")
    done = world.call("run")
    assert "memories_v2/memory_summary.md was deleted and is put back" in done.err
    assert world.tree() == before
    world.healthy()


def test_a_copy_of_the_home_goes_on_elsewhere(world: World, tmp_path: Path) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    shutil.copytree(world.home, tmp_path / "copy")
    assert world.call("run", "--home", tmp_path / "copy").out.startswith("nothing new")


def test_a_clone_of_the_home_goes_on_elsewhere(world: World, tmp_path: Path) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.git("clone", "-q", ".", str(tmp_path / "clone"))
    done = world.call("run", "--home", tmp_path / "clone")
    assert "1 records were taken" in done.err or "the database was new" in done.err
    assert done.out.startswith("nothing new")
