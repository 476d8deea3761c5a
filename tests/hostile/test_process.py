"""A process that is started and stopped in bad ways."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memkit.errors import ExitCode
from tests.commands.world import World, working
from tests.hostile.files import WISH, meta, put, user
from tests.support.env import command


def start(world: World, *arguments: str, before: Callable[[], object] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*command(), *arguments],
        env=world.env,
        preexec_fn=before,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@pytest.mark.parametrize("closed", [range(1, 2), range(3)], ids=["stdout", "all"])
def test_closed_streams_swallow_what_is_said_and_nothing_else(world: World, closed: range) -> None:
    put(world, meta(), user())
    run = start(world, "run", before=lambda: os.closerange(closed.start, closed.stop))
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    assert WISH in world.summary
    world.healthy()


def test_a_full_output_is_one_line(world: World) -> None:
    world.call("init")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*command(), "sessions"], env=world.env, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False
        )
    assert done.returncode == ExitCode.CONFIG
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


def test_memory_that_runs_out_is_no_bug(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def starved(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("memkit.stages.scan.scan", starved)
    put(world, meta(), user())
    assert world.call("run", ok=ExitCode.CONFIG).err.splitlines()[-1].startswith("memkit: memory ran out")


def test_a_process_that_may_open_next_to_nothing_says_so_in_one_line(world: World) -> None:
    world.call("init")
    run = start(world, "run", before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)))
    _, err = run.communicate(timeout=60)
    assert run.returncode in (ExitCode.CONFIG, ExitCode.GIT), err
    assert len(err.splitlines()) == 1


def test_many_runs_at_once_leave_one_memory(world: World) -> None:
    world.write(working("one"), working("two"))
    runs = [start(world, name) for name in ("run", "run", "extract", "init", "status")]
    for run in runs:
        out, err = run.communicate(timeout=60)
        assert run.returncode in (ExitCode.OK, ExitCode.BUSY, ExitCode.CONFIG), (run.args, out, err)
        assert len(err.splitlines()) <= 2
    world.call("run")
    assert len(world.records) == 2
    world.healthy()
    assert "nothing new" in world.call("run").out


def test_a_run_that_is_stopped_while_it_reads_blocks_no_later_one(world: World) -> None:
    put(world, meta(), user(), *["x"] * 1_000_000)
    run = start(world, "run")
    while run.poll() is None and not (world.home / "state.sqlite-wal").exists():
        pass
    run.send_signal(signal.SIGTERM)
    _, err = run.communicate(timeout=60)
    assert run.returncode in (-signal.SIGTERM, 0), err
    put(world, meta(), user())
    world.call("run")
    assert WISH in world.summary
    world.healthy()
