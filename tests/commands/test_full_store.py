"""A store of a thousand records: what is taken of it, what is shortened, what leaves, and what the commit says."""

from __future__ import annotations

import pytest

from memkit import tokens
from memkit.model import Record
from memkit.store import Store
from tests.commands.world import World
from tests.support.env import NOW

MANY, SELECTED, BATCH = 1_000, 256, 200
HOUR, DAY = 3_600, 86_400
PROJECTS = 12


def name(number: int) -> str:
    return f"00000000-0000-7000-8000-{number:012}"


def body(number: int) -> str:
    """What the offline engine writes of a session; each one is about something of its own."""
    parts = [f"module_{number}", f"table_{number * 7}", f"queue_{number * 13}"]
    tasks = [
        f"## Task {at}: Raise the retry limit of {part} for the importer of region {number}\n\n- outcome: success\n"
        f"- request: Raise the retry limit of {part} for the importer of region {number}; say what else uses it.\n"
        f"- verified: `pytest tests/test_{part}.py` — {at + 3} passed\n- changed: src/{part}.py\n"
        for at, part in enumerate(parts, start=1)
    ]
    return f"# Retry limits of the importer of region {number}\n\n" + "\n".join(tasks)


def record(number: int, *, age: float) -> Record:
    """age: in days."""
    at = int(NOW - age * DAY)
    return Record(
        session_id=name(number),
        version="v2",
        updated_at=at,
        path=f"/rollouts/{number}.jsonl",
        cwd=f"/work/service-{number % PROJECTS:02}",
        rollout_summary=body(number),
        slug=f"retry_limits_{number}",
        generated_at=at,
        engine="offline",
    )


def filled(world: World, *records: Record) -> None:
    world.call("init")
    with Store.open(world.home / "state.sqlite") as store:
        for each in records:
            store.import_record(each)


def kept(world: World) -> set[str]:
    with Store.open(world.home / "state.sqlite", readonly=True) as store:
        return {each.session_id for each in store.records("v2")}


def within_budgets(world: World) -> None:
    data = world.summary.encode()
    assert len(data) < 10_000 and tokens.count(world.summary) <= 2_500
    world.healthy()


def test_a_full_store_stays_inside_all_budgets_and_the_newest_work_is_told_in_full(world: World) -> None:
    filled(world, *(record(number, age=number * 29 / MANY) for number in range(1, MANY + 1)))
    world.call("run")
    within_budgets(world)
    files = "".join(path.read_text() for path in world.records)
    assert len(world.records) == SELECTED and name(1) in files and name(SELECTED + 1) not in files
    newest, older = world.summary.partition("### Older Memory Topics")[::2]
    assert f"thread_id={name(1)}" in newest and name(1) not in older
    before = world.bytes()
    assert world.call("run").out.startswith("nothing new\n")
    assert world.bytes().keys() == before.keys() and world.summary.encode() == before["memories_v2/memory_summary.md"]
    assert len(kept(world)) == MANY


def test_new_work_pushes_old_work_out_and_the_commit_says_why(world: World) -> None:
    filled(world, *(record(number, age=3) for number in range(1, SELECTED + 1)))
    world.call("run")
    told = [number for number in range(1, SELECTED + 1) if f"thread_id={name(number)}" in world.summary]
    assert told
    with Store.open(world.home / "state.sqlite") as store:
        for number in range(SELECTED + 1, 2 * SELECTED + 1):
            store.import_record(record(number, age=1))
    world.call("run")
    within_budgets(world)
    assert not any(f"thread_id={name(number)}" in world.summary for number in told)
    message = world.git("log", "-1", "--format=%B")
    assert f"dropped: {SELECTED} sessions are used more or are more recent" in message
    assert len(kept(world)) == 2 * SELECTED


def test_a_run_prunes_a_batch_and_prune_takes_the_rest(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(world, *(record(number, age=10) for number in range(1, 501)), record(MANY, age=1))
    world.call("run")
    monkeypatch.setenv("MEMKIT_NOW", str(NOW + 25 * DAY))
    world.call("run")
    within_budgets(world)
    assert len(kept(world)) == 501 - BATCH and [name(MANY)] == [
        path.read_text().partition("\n")[0].removeprefix("thread_id: ") for path in world.records
    ]
    assert "expired: its session was not used for 30 days" in world.git("log", "-1", "--format=%B")
    commits = world.commits()
    assert world.call("prune", "--dry-run").out.endswith(f"{500 - BATCH} records would go\n")
    assert len(kept(world)) == 501 - BATCH
    assert world.call("prune").out.endswith(f"{500 - BATCH} records removed\n")
    assert kept(world) == {name(MANY)} and world.commits() == commits
