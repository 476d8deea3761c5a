"""A run that is killed, at any of the steps by which it changes the disk, is put right by the next one."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.commands.world import World, working
from tests.support.env import command, hermetic, run_memkit

# Counts the steps that change the disk or start Git, and kills its own process before the one that is asked for.
PROGRAM = """
import os, signal, sys
from memkit import cli
at, seen = int(sys.argv[1]), 0
def step(event, arguments):
    global seen
    if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "subprocess.Popen", "sqlite3.connect"):
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(step)
code = cli.run(sys.argv[2:])
print(seen, file=sys.stderr)
sys.exit(code)
"""
SHARES = (0.05, 0.3, 0.5, 0.7, 0.85, 0.95)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A home with a memory, and sessions that its next run will take; read only."""
    env = hermetic(tmp_path_factory.mktemp("begun"))
    world = World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))
    world.write(working("alpha", wish="From now on always use uv."))
    run_memkit(["run"], env=env)
    world.write(
        working("alpha", wish="From now on always use uv.").user("Raise the timeout as well.").final("Done."),
        working("beta", started="2026-11-21T09:00:00Z", wish="Never commit directly to main."),
        working("gamma", started="2026-11-22T09:00:00Z"),
    )
    return world


def copied(world: World, home: Path) -> World:
    shutil.copytree(world.home, home, symlinks=True)
    return replace(world, env={**world.env, "MEMKIT_HOME": str(home)}, home=home)


def killed_at(world: World, step: int) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", PROGRAM, str(step), "run", "-q"]
    return subprocess.run(line, env=world.env, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.fixture(scope="module")
def undisturbed(begun: World, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, int]:
    """What the run leaves when nobody kills it, and its number of steps."""
    world = copied(begun, tmp_path_factory.mktemp("undisturbed") / "home")
    done = killed_at(world, 0)
    assert done.returncode == 0 and "memory: " in done.stdout, done.stderr
    return world, int(done.stderr.split()[-1])


def expect_put_right(world: World, before: dict[str, str], end: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill the memory is whole, old or new; after the next run it is what the undisturbed run made."""
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    told = world.call("summary", "--json").json["text"]
    assert told in (before["memory_summary.md"], end.summary)
    done = world.call("run")
    assert "3 sessions: 3 extracted" in done.out
    assert world.tree() == end.tree()
    assert world.call("run").out.startswith("nothing new")
    world.healthy()
    assert [path.name for path in (world.home / "staging").iterdir()] == []
    assert world.git("worktree", "list").count("\n") == 1


@pytest.mark.parametrize("share", SHARES)
def test_a_kill_at_any_step_is_put_right(
    begun: World, undisturbed: tuple[World, int], share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, steps = undisturbed
    assert steps > 2 * len(SHARES)
    world = copied(begun, tmp_path / "home")
    assert killed_at(world, max(1, round(share * steps))).returncode == -signal.SIGKILL
    expect_put_right(world, begun.tree(), end, monkeypatch)


def test_a_first_run_that_is_killed_is_put_right(
    undisturbed: tuple[World, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, steps = undisturbed
    for step in (8, steps // 2):
        home = tmp_path / f"home{step}"
        world = replace(end, env={**end.env, "MEMKIT_HOME": str(home)}, home=home)
        assert killed_at(world, step).returncode == -signal.SIGKILL
        monkeypatch.setenv("MEMKIT_HOME", str(home))
        monkeypatch.setenv("CODEX_HOME", end.env["CODEX_HOME"])
        world.call("run")
        assert world.tree() == end.tree()
        world.healthy()


def test_the_installed_command_killed_while_it_stages_is_put_right(
    begun: World, undisturbed: tuple[World, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = copied(begun, tmp_path / "home")
    shutil.rmtree(world.home / "staging", ignore_errors=True)
    with subprocess.Popen([*command(), "run", "-q"], env=world.env, stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until:
            if any((world.home / "staging").glob("*/memories_v2")):
                process.kill()
        process.wait()
    expect_put_right(world, begun.tree(), undisturbed[0], monkeypatch)


def test_twenty_kills_in_a_row_lose_no_note_and_no_record(
    begun: World, undisturbed: tuple[World, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, steps = random.Random(20), undisturbed[1]
    world, other = copied(begun, tmp_path / "home"), copied(begun, tmp_path / "other")
    note = ["remember", "--global", "Release notes are written by hand."]
    kills = 0
    for turn in range(20):
        if turn == 7:
            run_memkit(note, env=world.env)
        kills += killed_at(world, chance.randint(1, steps * (turn + 1) // 20)).returncode == -signal.SIGKILL
    assert kills >= 10, "later ones may find the work done"
    run_memkit(note, env=other.env)
    for each in (other, world):
        run_memkit(["run"], env=each.env)
    monkeypatch.setenv("MEMKIT_HOME", str(world.home))
    assert world.tree() == other.tree() and "Release notes are written by hand." in world.summary
    assert [each["state"] for each in world.call("notes", "--json").json] == ["applied"]
    assert world.call("run").out.startswith("nothing new")
    world.healthy()
