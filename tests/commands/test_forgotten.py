"""Forgotten stays forgotten: each route by which a claim could come back, and the one by which it may."""

from __future__ import annotations

import shutil

import pytest

from tests.commands.world import SUMMARY, World, working
from tests.support.rollouts import Rollout

BLUE = "I always prefer dark blue diagrams drawn with graphviz."
OTHER_WORDS = "Diagrams drawn with graphviz in dark blue, that is what I always prefer."
WORD = "graphviz"


def _days_later(world: World, monkeypatch: pytest.MonkeyPatch, *, days: int) -> None:
    monkeypatch.setenv("MEMKIT_NOW", str(int(world.env["MEMKIT_NOW"]) + days * 86_400))


def _shown(world: World) -> str:
    return "\n".join(t for path, t in world.tree().items() if not path.startswith("extensions/"))


@pytest.fixture
def forgotten(world: World) -> World:
    world.write(working("one", wish=BLUE))
    world.call("run")
    assert WORD in world.summary
    world.call("forget", "--now", BLUE)
    assert WORD not in _shown(world)
    return world


def test_reading_the_old_session_again_does_not_bring_it_back(forgotten: World) -> None:
    forgotten.call("extract", "--all")
    forgotten.call("consolidate")
    assert WORD not in _shown(forgotten)


def test_another_old_session_in_other_words_does_not_bring_it_back(forgotten: World) -> None:
    forgotten.write(working("two", wish=OTHER_WORDS, started="2026-11-21T09:00:00Z"))
    forgotten.call("run")
    assert len(forgotten.records) == 2
    assert WORD not in _shown(forgotten)


def test_a_rebuilt_database_does_not_bring_it_back(forgotten: World) -> None:
    for file in forgotten.home.glob("state.sqlite*"):
        file.unlink()
    forgotten.call("extract", "--all")
    forgotten.call("consolidate")
    assert WORD not in _shown(forgotten)


def test_records_of_an_older_tree_do_not_bring_it_back(forgotten: World) -> None:
    old = forgotten.git("log", "--format=%H", "--", SUMMARY).split()[1]
    forgotten.git("checkout", old, "--", "memories_v2/rollout_summaries")
    forgotten.call("consolidate")
    assert WORD not in forgotten.summary


def test_stating_it_again_after_the_note_brings_it_back(forgotten: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _days_later(forgotten, monkeypatch, days=2)
    forgotten.call("remember", "--global", BLUE)
    forgotten.call("consolidate")
    assert WORD in forgotten.summary


def _two(world: World) -> tuple[Rollout, Rollout]:
    both = "Always run the linter before you commit."
    one = working("one", wish=both).user(BLUE).final("Yes.")
    two = working("two", wish=both, started="2026-11-21T09:00:00Z")
    world.write(one, two)
    world.call("run")
    assert WORD in world.summary
    return one, two


def test_a_forgotten_session_goes_with_its_file_and_what_others_say_stays(world: World) -> None:
    one, two = _two(world)
    world.call("forget", "--session", one.id)
    assert WORD not in _shown(world)
    assert "linter" in world.summary
    assert [two.id in p.read_text() for p in world.records] == [True]
    assert world.record(one.id) is None
    world.call("extract", "--all")
    world.call("consolidate")
    assert world.record(one.id) is None
    assert WORD not in _shown(world)
    assert world.entry(one.id).reason == "forgotten"
    world.healthy()


def test_a_forgotten_session_stays_forgotten_in_a_rebuilt_database(world: World) -> None:
    one, _ = _two(world)
    world.call("forget", "--session", one.id)
    for file in world.home.glob("state.sqlite*"):
        file.unlink()
    world.call("run")
    assert WORD not in _shown(world)


def test_missing_rollout_files_are_no_order_to_forget(world: World) -> None:
    _two(world)
    before = world.summary
    shutil.rmtree(world.sessions)
    done = world.call("run")
    assert "no rollout files" in done.err
    assert world.summary == before
    elsewhere = world.home.parent / "elsewhere"
    elsewhere.mkdir()
    world.call("run", elsewhere)
    assert world.summary == before


def test_files_that_are_gone_are_reported_and_the_memory_stays(world: World) -> None:
    world.write(working("alpha", wish=BLUE), working("beta", started="2026-11-21T09:00:00Z"))
    world.call("run")
    summary = world.summary
    gone = next(p for p in world.sessions.rglob("*.jsonl") if working("alpha", wish=BLUE).id in p.name)
    gone.unlink()
    assert world.call("run").out.startswith("nothing new") and world.summary == summary
    assert "1 session's file is gone; what was learned from them stays" in world.call("status").out
    assert [e["id"] for e in world.call("sessions", "--json").json if e["missing"]] == [working("alpha", wish=BLUE).id]
    assert "its file is gone" in world.call("sessions").out
    (world.sessions / "elsewhere").mkdir()
    world.call("run", world.sessions / "elsewhere")
    assert world.summary == summary
