"""A run that is killed, at any of the steps by which it changes the disk, is put right by the next one."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands.world import World, working
from tests.support.env import call_memkit, command, hermetic

# Each run is a process of its own, forked off one that has loaded memkit. It counts the steps that change the disk or
# start Git, and kills itself before the one that is asked for; what it leaves is its end and the number of steps.
PROGRAM = """
import json, os, signal, sys
from memkit import cli
from memkit.commands import consolidate, remember, run
def begin(at, pipe):
    seen = 0
    def step(event, arguments):
        nonlocal seen
        if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "subprocess.Popen", "sqlite3.connect"):
            seen += 1
            if seen == at:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(step)
    code = cli.run(words)
    os.write(pipe, str(seen).encode())
    os._exit(code)
ends = []
for at, home, words in json.load(sys.stdin):
    out, pipe = os.pipe()
    os.environ["MEMKIT_HOME"] = home
    if not (child := os.fork()):
        os.dup2(2, 1)
        begin(at, pipe)
    os.close(pipe)
    with open(out, "rb") as answer:
        steps = int(answer.read() or 0)
    ends.append((os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), steps))
print(json.dumps(ends))
"""
RUN, REMEMBER = ("run", "-q"), ("remember", "--global", "Release notes are written by hand.")
SHARES = (0.05, 0.3, 0.5, 0.7, 0.85, 0.95)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A home with a memory, and sessions that its next run will take; read only."""
    env = hermetic(tmp_path_factory.mktemp("begun"))
    world = World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))
    world.write(working("alpha", wish="From now on always use uv."))
    call_memkit(["run"], env=env)
    world.write(
        working("alpha", wish="From now on always use uv.").user("Raise the timeout as well.").final("Done."),
        working("beta", started="2026-11-21T09:00:00Z", wish="Never commit directly to main."),
        working("gamma", started="2026-11-22T09:00:00Z"),
    )
    return world


def copied(world: World, home: Path) -> World:
    shutil.copytree(world.home, home, symlinks=True)
    return replace(world, env={**world.env, "MEMKIT_HOME": str(home)}, home=home)


class Job(NamedTuple):
    """A run in a home that is killed before its step `at` (0: it is not)."""

    home: Path
    at: int = 0
    words: tuple[str, ...] = RUN


def ends(world: World, *jobs: Job) -> list[tuple[int, int]]:
    """(exit status, number of steps) of each, one after the other; a run that was killed has no number."""
    asked = json.dumps([(job.at, str(job.home), job.words) for job in jobs])
    line = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        line, env=world.env, input=asked, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return [(code, steps) for code, steps in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def undisturbed(begun: World, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, int]:
    """What the run leaves when nobody kills it, and its number of steps."""
    world = copied(begun, tmp_path_factory.mktemp("undisturbed") / "home")
    ((code, steps),) = ends(world, Job(world.home))
    assert code == 0 and world.summary != begun.summary
    return world, steps


@pytest.fixture(scope="module")
def killed(
    begun: World, undisturbed: tuple[World, int], tmp_path_factory: pytest.TempPathFactory
) -> dict[float, World]:
    """Share of the run's steps to a home whose run was killed there; each is for one test."""
    folder, steps = tmp_path_factory.mktemp("killed"), undisturbed[1]
    assert steps > 2 * len(SHARES)
    worlds = {share: copied(begun, folder / str(share)) for share in SHARES}
    found = ends(begun, *(Job(world.home, max(1, round(share * steps))) for share, world in worlds.items()))
    assert [code for code, _ in found] == [-signal.SIGKILL] * len(SHARES)
    return worlds


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
    begun: World,
    undisturbed: tuple[World, int],
    killed: dict[float, World],
    share: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expect_put_right(killed[share], begun.tree(), undisturbed[0], monkeypatch)


def test_a_first_run_that_is_killed_is_put_right(
    undisturbed: tuple[World, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, steps = undisturbed
    for step in (8, steps // 2):
        home = tmp_path / f"home{step}"
        world = replace(end, env={**end.env, "MEMKIT_HOME": str(home)}, home=home)
        assert ends(world, Job(home, step)) == [(-signal.SIGKILL, 0)]
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
    jobs = [Job(world.home, chance.randint(1, steps * (turn + 1) // 20)) for turn in range(20)]
    jobs.insert(7, Job(world.home, words=REMEMBER))
    codes = [code for code, _ in ends(world, *jobs)]
    assert codes.count(-signal.SIGKILL) >= 10, "later ones may find the work done"
    assert codes[7] == 0
    undisturbed_ones = (Job(other.home, words=REMEMBER), Job(other.home), Job(world.home))
    assert [code for code, _ in ends(world, *undisturbed_ones)] == [0, 0, 0]
    monkeypatch.setenv("MEMKIT_HOME", str(world.home))
    assert world.tree() == other.tree() and "Release notes are written by hand." in world.summary
    assert [each["state"] for each in world.call("notes", "--json").json] == ["applied"]
    assert world.call("run").out.startswith("nothing new")
    world.healthy()
