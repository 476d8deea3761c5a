"""Switched off means: no request, no record, no commit, and nothing that is known goes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memkit.engines import pick
from memkit.errors import ExitCode
from memkit.model import Reason, State
from tests.commands.world import World, working
from tests.stages.scripted import Scripted
from tests.support.env import NOW
from tests.support.rollouts import Rollout

UV = "From now on always use uv."
MAIN = "Never commit directly to main."
DAY = 86_400


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[Scripted], Scripted]:
    """Makes the engine of every later command the scripted one."""

    def use(engine: Scripted) -> Scripted:
        monkeypatch.setattr(
            "memkit.commands.opening.pick", lambda *_, **__: pick.Choice(lambda _answers: engine, "by the test")
        )
        return engine

    return use


def setting(world: World, **memories: object) -> None:
    lines = "".join(f"  {key}: {str(value).lower()}\n" for key, value in memories.items())
    (world.home / "memkit.yaml").write_text(f"memories:\n{lines}")


def everything(world: World) -> dict[str, tuple[int, int, bytes]]:
    """Every file and folder of the home, locks included: mode, time of change, bytes."""
    found = {}
    for path in sorted([world.home, *world.home.rglob("*")]):
        about = path.lstat()
        found[str(path)] = (about.st_mode, about.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
    return found


def heavy(*, used: float = 90, hours: float = 1, name: str = "heavy") -> Rollout:
    """A session just now whose last token count tells that so much is used, until `hours` from now."""
    session = Rollout(name=name, started="2026-11-25T11:30:00Z").user("Look around.").run("ls", output="a\n")
    window = {"used_percent": used, "window_minutes": 300, "resets_at": NOW + hours * 3_600}
    return session.event("token_count", info=None, rate_limits={"primary": window, "secondary": None})


# --- the rate limit ---------------------------------------------------------------------------------------------------


def test_a_hook_asks_no_model_near_the_rate_limit_and_the_ledger_says_until_when(
    world: World, script: Callable[[Scripted], Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.call("init")
    session = working("alpha", wish=UV)
    world.write(session, heavy())
    engine, commits, tree = script(Scripted()), world.commits(), world.tree()
    done = world.call("run", "--hook")
    assert engine.calls == [] and world.commits() == commits and world.tree() == tree
    assert "10 % of the agent's rate limit is left: no model is asked until 2026-11-25T13:00:00" in done.err
    entry = world.entry(session.id)
    assert (entry.state, entry.reason, entry.until) == (State.WAITING, Reason.RATE_LIMIT, NOW + 3_600)
    assert world.record(session.id) is None
    assert "the quota is nearly used up" in world.call("sessions").out
    monkeypatch.setenv("MEMKIT_NOW", str(NOW + 3_601))
    engine.consolidating.append(lambda drafts: drafts)
    world.call("run", "--hook")
    assert engine.calls == ["extract", "consolidate"] and UV in world.summary
    assert world.entry(session.id).state is State.EXTRACTED


@pytest.mark.parametrize(("used", "least", "asked"), [(75, 25, True), (76, 25, False), (99, 0, True), (1, 100, False)])
def test_how_much_must_remain_is_a_setting(
    world: World, script: Callable[[Scripted], Scripted], used: float, least: int, asked: bool
) -> None:
    world.call("init")
    setting(world, min_rate_limit_remaining_percent=least)
    world.write(working("alpha"), heavy(used=used))
    engine = script(Scripted(consolidating=[lambda drafts: drafts] if asked else []))
    world.call("run", "--hook")
    assert engine.calls == (["extract", "consolidate"] if asked else [])


def test_only_hooks_are_held_and_the_offline_engine_never_is(
    world: World, script: Callable[[Scripted], Scripted]
) -> None:
    first, second = working("alpha", wish=UV), working("beta", started="2026-11-21T09:00:00Z", wish=MAIN)
    world.write(first, heavy())
    world.call("run", "--hook")
    assert UV in world.summary
    world.write(second)
    engine = script(Scripted(consolidating=[lambda drafts: drafts]))
    world.call("run")
    assert engine.calls == ["extract", "consolidate"] and MAIN in world.summary


# --- learning, reading, external context ------------------------------------------------------------------------------


def test_without_learning_nothing_is_asked_recorded_or_committed_and_nothing_expires(
    world: World, script: Callable[[Scripted], Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    known, new = working("alpha", wish=UV), working("beta", started="2026-11-21T09:00:00Z", wish=MAIN)
    world.write(known)
    world.call("run")
    monkeypatch.setenv("MEMKIT_MEMORIES_GENERATE_MEMORIES", "false")
    world.write(new)
    engine, commits, tree = script(Scripted()), world.commits(), world.tree()
    for days in (0, 40):
        monkeypatch.setenv("MEMKIT_NOW", str(NOW + days * DAY))
        world.call("run")
        world.call("run", "--hook")
        world.call("extract", "--all")
        assert engine.calls == [] and world.commits() == commits and world.tree() == tree
        assert world.record(known.id) is not None and world.record(new.id) is None
    assert (world.entry(new.id).state, world.entry(new.id).reason) == (State.SKIPPED, Reason.SWITCHED_OFF)
    assert UV in world.call("context", "--cwd", "/home/dev/shop").out
    monkeypatch.setenv("MEMKIT_NOW", str(NOW))
    monkeypatch.setenv("MEMKIT_MEMORIES_GENERATE_MEMORIES", "true")
    engine.consolidating.append(lambda drafts: drafts)
    world.call("run")
    assert MAIN in world.summary and UV in world.summary


def test_without_learning_an_empty_memory_asks_no_model(
    world: World, script: Callable[[Scripted], Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMKIT_MEMORIES_GENERATE_MEMORIES", "false")
    world.call("init")
    engine, commits = script(Scripted()), world.commits()
    world.write(working("alpha", wish=UV))
    world.call("run")
    assert engine.calls == [] and world.commits() == commits and world.records == []
    world.call("remember", "--global", "Release notes are written by hand.")
    engine.consolidating.append(lambda drafts: drafts)
    world.call("run")
    world.call("run")
    assert engine.calls == ["consolidate"] and "Release notes" in world.summary and world.records == []


def test_without_reading_nothing_is_told_and_learning_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_MEMORIES_USE_MEMORIES", "false")
    world.write(working("alpha", wish=UV))
    world.call("run")
    assert UV in world.summary and world.call("context", "--cwd", "/home/dev/shop").out == ""


@pytest.mark.parametrize("key", ["disable_on_external_context", "no_memories_if_mcp_or_web_search"])
def test_sessions_with_text_from_outside_are_left_out_where_that_is_asked_by_either_name(
    world: World, script: Callable[[Scripted], Scripted], key: str
) -> None:
    world.call("init")
    setting(world, **{key: True})
    web, plain = working("web", wish=UV), working("plain", started="2026-11-21T09:00:00Z", wish=MAIN)
    world.write(web.web("uv lock"), plain)
    engine = script(Scripted(consolidating=[lambda drafts: drafts]))
    world.call("run")
    assert engine.calls == ["extract", "consolidate"]  # one request, for the other session
    assert (world.entry(web.id).state, world.entry(web.id).reason) == (State.SKIPPED, Reason.EXTERNAL_CONTEXT)
    assert world.record(web.id) is None and UV not in world.summary and MAIN in world.summary


# --- MEMKIT_DISABLE ---------------------------------------------------------------------------------------------------

QUIET = ("run", "run --hook", "context", "context --format hook", "context --all --verbose")
READS = ("status", "status --json", "sessions", "history", "diff", "summary", "lint", "notes", "explain uv")
WRITES = (
    "init",
    "extract",
    "consolidate",
    "remember --global x",
    "correct --global x",
    "forget uv",
    "forget --purge uv --yes",
    "forget --session {id}",
    "sessions set {id} --no-generate",
    "undo",
    "prune",
    "reset --yes",
)


def test_switched_off_as_a_whole_no_command_changes_a_byte_and_each_says_so_in_one_line(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = working("alpha", wish=UV)
    world.write(known)
    world.call("run")
    world.call("remember", "--global", "Release notes are written by hand.")  # still to be taken in
    world.write(working("beta", started="2026-11-21T09:00:00Z", wish=MAIN))
    before = everything(world)
    monkeypatch.setenv("MEMKIT_DISABLE", "1")
    cases = [(c, ExitCode.OK) for c in (*QUIET, *READS)] + [(c, ExitCode.USAGE) for c in WRITES]
    for command, code in cases:
        done = world.call(*command.format(id=known.id).split(), ok=code)
        assert everything(world) == before, command
        said = [line for line in done.err.splitlines() if "MEMKIT_DISABLE is set" in line]
        assert len(said) == 1 and done.err.count("\n") <= (2 if command in READS else 1), (command, done.err)
        assert done.out == "" or command in READS, command
    assert "MEMKIT_DISABLE is set" in world.call("doctor", ok=ExitCode.FINDINGS).out and everything(world) == before
    assert list(world.home.parent.glob("home.*")) == []
    monkeypatch.setenv("MEMKIT_DISABLE", "0")
    world.call("run")
    assert MAIN in world.summary and "Release notes" in world.summary


def test_switched_off_no_home_is_made(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_DISABLE", "1")
    world.write(working("alpha", wish=UV))
    for command, code in (("run", 0), ("context", 0), ("init", 2), ("remember --global x", 2), ("status", 3)):
        world.call(*command.split(), ok=code)
        assert not world.home.exists()
