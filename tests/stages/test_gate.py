"""The gate: what an engine may not publish, and that memory, store and next run are none the worse for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from memkit.engines import pick
from memkit.errors import ExitCode, GateError
from memkit.model import Drafts, Loss, State
from memkit.stages.consolidate.gate import guard
from tests.commands.world import World, working
from tests.stages.scripted import Scripted, Step, down

SUMMARY = "memory_summary.md"
SECRET = "hunter2-Qx81hYwZpLr3"
WISHES = (
    "always use uv",
    "write the changelog in French",
    "never push to the release branch",
    "answer in short sentences",
    "keep the fixtures in YAML",
    "prefer dataclasses over dictionaries",
)


@pytest.fixture
def world(env: dict[str, str]) -> World:
    return World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[Scripted], Scripted]:
    """Makes the engine of every later command the scripted one."""

    def use(engine: Scripted) -> Scripted:
        monkeypatch.setattr(
            "memkit.commands.opening.pick", lambda *_, **__: pick.Choice(lambda _answers: engine, "by the test")
        )
        return engine

    return use


def rewritten(change: Callable[[str], str], *losses: Loss) -> Step:
    """A step that changes the summary's text."""

    def step(drafts: Drafts) -> Drafts:
        documents = {**drafts.documents, SUMMARY: change(drafts.documents[SUMMARY])}
        return dataclasses.replace(drafts, documents=documents, losses=(*drafts.losses, *losses))

    return step


def without_preferences(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if '"From now on' not in line) + "\n"


def unchanged(drafts: Drafts) -> Drafts:
    return drafts


@pytest.fixture
def memory(world: World) -> World:
    for number, wish in enumerate(WISHES):
        world.write(working(f"s{number}", started=f"2026-11-20T0{number}:00:00Z", wish=f"From now on {wish}."))
    world.call("run")
    assert world.summary.count('"From now on') == 6
    world.write(working("new", started="2026-11-22T09:00:00Z", wish="Never commit directly to main."))
    return world


REFUSED = {
    "first line": (rewritten(lambda text: text.replace("v1\n", "v2\n", 1)), "summary-first-line"),
    "sections": (rewritten(lambda text: text.replace("## General Tips\n", "")), "summary-sections"),
    "size": (rewritten(lambda text: text + "- word\n" * 2_000), "summary-bytes"),
    "pointer": (
        rewritten(lambda text: text.replace("rollout_summaries/2026-11-22", "rollout_summaries/1999-11-22")),
        "pointer-missing",
    ),
    "losses": (rewritten(without_preferences), "lines would go without a reason"),
    "scope": (
        rewritten(lambda text: text.replace("(in /home/dev/shop) ", "")),
        "lines would go without a reason|scope-mark-missing",
    ),
    "outside": (
        lambda drafts: dataclasses.replace(
            drafts, documents={**drafts.documents, "../memkit.yaml": "engine: openai\n"}
        ),
        "memkit.yaml",
    ),
    "a record": (
        lambda drafts: dataclasses.replace(
            drafts, documents={**drafts.documents, "rollout_summaries/x.md": "not mine to write\n"}
        ),
        "is an input, no document",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_not_be_published_leaves_the_memory_as_it_was(
    memory: World, name: str, script: Callable[[Scripted], Scripted]
) -> None:
    step, said = REFUSED[name]
    before, commits = memory.tree(), memory.commits()
    engine = script(Scripted(consolidating=[step, step, unchanged]))
    done = memory.call("run", ok=ExitCode.FINDINGS)
    assert any(part in done.err for part in said.split("|")) and "7 extracted" in done.out
    assert memory.call("consolidate", ok=ExitCode.FINDINGS).err.count("memkit: ") == 1
    assert (memory.tree(), memory.commits()) == (before, commits)
    assert memory.git("status", "--porcelain") == "" and list((memory.home / "staging").glob("*-*")) == []
    run = memory.call("status", "--json").json["runs"]["consolidate"]
    assert run["last_error"] and run["last_success"]
    assert "Never commit" not in memory.call("context", "--cwd", "/home/dev/shop").out
    memory.call("run")
    assert "Never commit directly to main." in memory.summary and engine.used_up()
    memory.healthy()


def test_a_secret_from_the_engine_is_masked_before_it_reaches_anything(
    memory: World, script: Callable[[Scripted], Scripted]
) -> None:
    line = f"## User Profile\n- Signs in with the password: {SECRET}\n"
    script(Scripted(consolidating=[rewritten(lambda text: text.replace("## User Profile\n", line))]))
    memory.call("run")
    assert "[REDACTED_SECRET]" in memory.summary
    assert SECRET.encode() not in memory.history() + b"".join(memory.bytes().values())


def test_losses_with_a_reason_are_published_and_named(memory: World, script: Callable[[Scripted], Scripted]) -> None:
    gone = [line for line in memory.summary.splitlines() if '"From now on' in line]
    losses = [Loss(line=line, reason="merged into another line") for line in gone]
    script(Scripted(consolidating=[rewritten(without_preferences, *losses)]))
    out = memory.call("run").out
    assert "6 removed" in out and out.count("  gone (merged into another line): ") == 6
    assert memory.call("diff").out.count("merged into another line") == 6


def test_an_engine_that_is_down_for_consolidation_ends_with_5(
    memory: World, script: Callable[[Scripted], Scripted]
) -> None:
    before, commits = memory.tree(), memory.commits()
    engine = script(Scripted(consolidating=[down(), unchanged]))
    done = memory.call("run", ok=ExitCode.ENGINE)
    assert done.err.endswith("memkit: the model server is gone (start it)\n")
    assert (memory.tree(), memory.commits()) == (before, commits)
    assert "server is gone" in memory.call("status", "--json").json["runs"]["consolidate"]["last_error"]
    assert memory.call("run").out.startswith("memory: ") and engine.calls == ["extract", "consolidate", "consolidate"]
    memory.healthy()


def test_an_engine_that_is_down_for_extraction_ends_with_5_and_nothing_is_lost(
    memory: World, script: Callable[[Scripted], Scripted]
) -> None:
    before = memory.tree()
    memory.write(working("newer", started="2026-11-23T09:00:00Z"))
    script(Scripted(extracting=[None, down(), None], consolidating=[unchanged]))
    done = memory.call("run", ok=ExitCode.ENGINE)
    assert "the model server is gone" in done.err and memory.tree() == before
    found = memory.call("status", "--json").json
    assert (found["sessions"]["extracted"], found["sessions"]["waiting"]) == (7, 1)
    assert "server is gone" in found["runs"]["extract"]["last_error"]
    assert "8 sessions: 8 extracted" in memory.call("run").out


def test_a_bug_in_extraction_sets_the_session_aside(memory: World, script: Callable[[Scripted], Scripted]) -> None:
    script(Scripted(extracting=[ZeroDivisionError("oops")], consolidating=[unchanged]))
    assert "this is a bug in memkit: ZeroDivisionError" in memory.call("run", ok=ExitCode.BUG).err
    entry = memory.entry(working("new", started="2026-11-22T09:00:00Z").id)
    assert entry.state is State.FAILED and "ZeroDivisionError" in entry.detail


def test_with_nothing_new_no_engine_is_asked(memory: World, script: Callable[[Scripted], Scripted]) -> None:
    memory.call("run")
    engine = script(Scripted())
    memory.call("consolidate", ok=None)
    engine.calls.clear()
    memory.call("run", ok=None)
    assert "extract" not in engine.calls


@pytest.mark.parametrize(("total", "gone", "refused"), [(10, 2, False), (10, 3, True), (4, 3, False), (4, 4, True)])
def test_more_than_a_fifth_without_reasons_is_too_much(total: int, gone: int, refused: bool) -> None:
    lines = [f"- Wish number {number}." for number in range(total)]
    old = "v1\n\n## User Profile\n\n## User preferences\n\n" + "\n".join(lines) + "\n\n## General Tips\n"
    old += "\n## What's in Memory\n"
    removed = [Loss(line=line, reason="") for line in lines[:gone]]
    if refused:
        with pytest.raises(GateError, match="would go without a reason"):
            guard(old, removed)
    else:
        guard(old, removed)
    guard(old, [dataclasses.replace(loss, reason="out of budget") for loss in removed])
