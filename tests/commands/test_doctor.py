"""What doctor finds, that it names what mends it, that this mends it, and that it changes no byte."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memkit import locks
from memkit.errors import ExitCode
from tests.commands.world import World, valid, working
from tests.support.env import NOW, call_memkit
from tests.support.rollouts import Rollout

SECRET = "ghp_" + "A7f9Kq2LmX4bV8nR1tYcZ6wPsD3eGhJu5iO0"
UV = "From now on always use uv."


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def good(world: World, kept: Path) -> World:
    """A home in good order, with something in its memory; made once, then copied."""
    world.write(working("alpha", wish=UV))
    if not (kept / "home").exists():
        world.call("run")
        shutil.copytree(world.home, kept / "home")
    else:
        shutil.copytree(kept / "home", world.home)
    return world


def found(world: World) -> dict[str, tuple[str, str]]:
    """Kind to what and mend. Holds doctor to its promise to change nothing, and its three forms to each other."""
    before, modes = world.bytes(), world.modes()
    told = world.call("doctor", "--json", ok=None)
    assert told.err == ""
    valid(told.json, schema="doctor")
    assert told.code == (ExitCode.FINDINGS if told.json else ExitCode.OK)
    text = world.call("doctor", ok=told.code).out
    assert all(f"{each['check']}: {each['what']}\n  mend: {each['mend']}\n" in text for each in told.json)
    assert world.bytes() == before and world.modes() == modes
    return {each["check"]: (each["what"], each["mend"]) for each in told.json}


def mended(world: World, mend: str) -> None:
    """Runs what a finding names, as a user does: memkit in this process, all else by a shell."""
    first, *words = shlex.split(mend)
    if first == "memkit" and not {"&&", "|", ";"} & set(words):
        call_memkit(words, env=world.env)
        return
    done = subprocess.run(["sh", "-c", mend], env=world.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_good_home_has_nothing_wrong_with_it(good: World) -> None:
    assert found(good) == {}
    assert good.call("doctor").out == f"nothing is wrong with the memory at {good.home}\n"


def test_a_new_home_has_nothing_wrong_with_it(world: World) -> None:
    world.call("init")
    assert found(world) == {}


def test_no_home_is_a_finding_and_none_is_made(world: World) -> None:
    told = world.call("doctor", ok=ExitCode.FINDINGS).out
    assert told == f"home: there is no memory at {world.home} yet\n  mend: memkit init\n"
    assert not world.home.exists()
    world.home.write_text("a file")
    assert "is no folder" in world.call("doctor", ok=ExitCode.FINDINGS).out


def test_another_home_is_named_in_what_mends_it(world: World, tmp_path: Path) -> None:
    other = tmp_path / "a home"
    (line,) = world.call("doctor", "--home", other, "--json", ok=1).json
    assert line["mend"] == f"memkit --home '{other}' init"


# --- one finding each: how it comes about, its kind, words of what is said, and of what mends it ---------------------

Breaks = Callable[[World], object]


def _ignore(world: World) -> None:
    ignore = world.home / ".gitignore"
    ignore.write_text(ignore.read_text() + "*.md\n")
    world.call("remember", "--global", "Releases are on Mondays.")


def _hook(world: World, *, text: str = "#!/bin/sh\nexit 0\n", mode: int = 0o700) -> None:
    hook = world.home / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(text)
    hook.chmod(mode)


def _killed(world: World) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    said = {"pid": gone.pid, "command": "memkit run", "since": NOW - 60}
    (world.home / "state.holder.json").write_text(json.dumps(said))


def _cut_off(world: World) -> None:
    head = world.git("rev-parse", "HEAD").strip()
    (world.home / "state.publish.json").write_text(json.dumps({"base": head, "commit": head}))


def _git_lock(world: World) -> None:
    lock = world.home / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))


def _empty(world: World) -> None:
    world.home.joinpath("memories_v2/memory_summary.md").write_text("")


def _says_nothing(world: World) -> None:
    skeleton = world.git("show", "HEAD~1:memories_v2/memory_summary.md")
    world.home.joinpath("memories_v2/memory_summary.md").write_text(skeleton)
    world.git("-c", "user.name=me", "-c", "user.email=me@x", "commit", "-qam", "mine")


def _link(world: World) -> None:
    world.home.joinpath("memories_v2/skills").symlink_to("/etc")


BREAKS: dict[str, tuple[Breaks, str, str, str, bool]] = {
    "others may read": (lambda w: w.home.chmod(0o755), "permissions", "(mode 755)", "chmod 700", True),
    "no repository": (lambda w: shutil.rmtree(w.home / ".git"), "no-repository", "no .git", "memkit init", True),
    "half a repository": (lambda w: (w.home / ".git/HEAD").unlink(), "no-repository", "does not", "memkit init", True),
    "another branch": (lambda w: w.git("checkout", "-q", "-b", "mine"), "branch", "on mine", "memkit init", True),
    "git ignores": (_ignore, "ignored", ".gitignore:8: *.md", "take that line out of", False),
    "a link": (_link, "symlink", "memories_v2/skills is a symbolic link", "rm ", True),
    "a secret in settings": (
        lambda w: (w.home / "memkit.yaml").write_text(f"# key: {SECRET}\n"),
        "secret",
        "memkit.yaml holds a secret",
        "memkit run",
        False,
    ),
    "a secret in the summary": (
        lambda w: w.edit("## General Tips\n", f"## General Tips\n\n- The token is {SECRET}.\n"),
        "secret",
        "written by hand",
        "memkit run",
        False,
    ),
    "a killed run": (_killed, "stale-lock", "`memkit run`, process", "memkit run", True),
    "a lock of git": (_git_lock, "stale-lock", ".git/index.lock was left", "memkit init", True),
    "a publish cut off": (_cut_off, "unfinished-publish", "was cut off", "memkit run", True),
    "an emptied summary": (_empty, "summary", "is empty: nothing will be injected", "memkit run", True),
    "a lost summary": (
        lambda w: (w.home / "memories_v2/memory_summary.md").unlink(),
        "summary",
        "is missing: nothing will be injected",
        "memkit run",
        True,
    ),
    "a summary that says nothing": (_says_nothing, "summary", "nothing will be injected", "memkit consolidate", False),
    "a lost database": (lambda w: (w.home / "state.sqlite").unlink(), "database", "missing", "memkit run", True),
    "no database": (
        lambda w: (w.home / "state.sqlite").write_text("no database " * 100),
        "database",
        "is damaged or no database",
        "move it away",
        False,
    ),
    "a hook that is off": (
        lambda w: _hook(w, mode=0o600),
        "hook-dead",
        ".git/hooks/pre-commit is dead: it is not executable",
        "chmod +x",
        False,
    ),
    "a hook without its program": (
        lambda w: _hook(w, text="#!/nowhere/python\n"),
        "hook-dead",
        "/nowhere/python is not there",
        "rm ",
        True,
    ),
    "a foreign hook": (_hook, "hook-foreign", "is not memkit's", "rm ", True),
    "hooks from elsewhere": (
        lambda w: w.git("config", "core.hooksPath", "/opt/hooks"),
        "hooks-bypassed",
        "core.hooksPath is /opt/hooks",
        "config core.hooksPath .git/hooks",
        True,
    ),
    "an unknown key": (
        lambda w: (w.home / "memkit.yaml").write_text("memoris:\n  use_memories: false\n"),
        "unknown-key",
        "did you mean memories?",
        "edit ",
        False,
    ),
    "a wrong value": (
        lambda w: (w.home / "memkit.yaml").write_text("engine: robot\n"),
        "configuration",
        "engine must be",
        "edit ",
        False,
    ),
    "a damaged line": (
        lambda w: (w.home / "hand.jsonl").write_text("<<<<<<< mine\n"),
        "damaged",
        "hand.jsonl:1: this line can't be read",
        "git -C",
        False,
    ),
    "a finding of lint": (
        lambda w: w.edit("## General Tips", "## General Hints"),
        "lint",
        "of lint in the memory",
        "memkit lint",
        False,
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_what_is_wrong_is_found_and_mended_by_what_is_named(good: World, name: str) -> None:
    breaks, check, what, mend, runs = BREAKS[name]
    breaks(good)
    every = found(good)
    assert list(every) == [check]
    said, named = every[check]
    assert what in said and mend in named
    if runs:
        mended(good, named)
        assert found(good) == {}


def test_settings_of_the_environment_are_looked_at(good: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_MEMORIES_USE_MEMORIS", "1")
    monkeypatch.setenv("MEMKIT_DISABLE", "1")
    every = found(good)
    assert set(every) == {"unknown-key", "disabled"}
    assert every["disabled"][1] == "unset MEMKIT_DISABLE"


def test_a_home_inside_a_work_tree_is_found_until_that_ignores_it(good: World) -> None:
    subprocess.run(["git", "init", "-q", str(good.home.parent)], env=good.env, check=True)
    what, mend = found(good)["inside-worktree"]
    assert str(good.home.parent) in what
    mended(good, mend)
    assert found(good) == {}


def test_a_committed_secret_is_found(good: World) -> None:
    (good.home / "rules.yaml").write_text(f"# {SECRET}\n")
    good.git("add", "rules.yaml")
    good.git("-c", "user.name=me", "-c", "user.email=me@x", "commit", "-qm", "mine")
    what, mend = found(good)["secret"]
    assert "so does the history" in what and "memkit forget --purge" in mend and SECRET not in what + mend


def test_a_merge_that_stands_half_way_is_found(good: World) -> None:
    head = good.git("rev-parse", "HEAD")
    (good.home / ".git" / "MERGE_HEAD").write_text(head)
    assert "a merge stands half way" in found(good)["half-way"][0]
    good.call("init")
    assert found(good) == {}


def test_a_lost_object_is_found(good: World) -> None:
    oid = good.git("rev-parse", "HEAD:memories_v2/memory_summary.md").strip()
    (good.home / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    assert oid in found(good)["lost-object"][0]


@contextmanager
def another_program(code: str, *words: str | Path) -> Iterator[int]:
    """A process that runs the code, which says `ready` and waits."""
    feed = [sys.executable, "-c", f"import sys\n{code}\nprint('ready', flush=True)\nsys.stdin.read()", *map(str, words)]
    with subprocess.Popen(feed, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        try:
            yield process.pid
        finally:
            process.send_signal(signal.SIGKILL)


def test_a_database_that_another_program_locks_is_found(good: World) -> None:
    code = "import sqlite3\ndb = sqlite3.connect(sys.argv[1])\ndb.execute('BEGIN IMMEDIATE')"
    with another_program(code, good.home / "state.sqlite"):
        assert "is locked by another program" in found(good)["database-locked"][0]


def test_damaged_pages_are_found(good: World) -> None:
    path = good.home / "state.sqlite"
    data = bytearray(path.read_bytes())
    for page in range(2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(data)
    what, mend = found(good)["database"]
    assert "damaged" in what and "run" in mend


def test_what_a_killed_writer_left_in_the_log_is_read_and_stays(good: World) -> None:
    code = (
        "import os, sqlite3\ndb = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute(\"INSERT INTO meta VALUES ('x', 'y')\")"
    )
    with another_program(code, good.home / "state.sqlite"):
        pass
    assert (good.home / "state.sqlite-wal").stat().st_size > 0
    assert found(good) == {}
    with closing(sqlite3.connect(good.home / "state.sqlite")) as db:
        assert db.execute("SELECT value FROM meta WHERE key = 'x'").fetchone() == ("y",)


def test_a_run_that_works_is_no_fault_until_it_hangs(good: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with locks.consolidation(good.home, command="memkit run"):
        assert found(good) == {}
        _cut_off(good)
        assert found(good) == {}
        monkeypatch.setenv("MEMKIT_NOW", str(NOW + 3 * 3600))
        what, mend = found(good)["long-run"]
        assert "has held the lock for 3 h" in what and mend == f"kill {os.getpid()}"


def test_sessions_that_wait_for_days_are_found(good: World, monkeypatch: pytest.MonkeyPatch) -> None:
    good.write(working("beta", started="2026-11-25T13:00:00Z"))
    monkeypatch.setenv("MEMKIT_NOW", str(NOW + 3 * 86400))
    what, mend = found(good)["waiting"]
    assert what == "the last run that succeeded was on 2026-11-25, and 1 session waits to be read"
    mended(good, f"MEMKIT_NOW={NOW + 3 * 86400} {mend}")
    assert found(good) == {}


def test_sessions_that_no_run_ever_read_are_found(world: World) -> None:
    world.call("init")
    world.write(working("alpha"), working("fresh", started="2026-11-25T11:00:00Z"))
    assert found(world)["waiting"] == ("1 session waits to be read, and no run has succeeded yet", "memkit run")


def test_sessions_that_failed_for_good_and_a_failed_stage_are_found(good: World) -> None:
    with closing(sqlite3.connect(good.home / "state.sqlite")) as db, db:
        db.execute("UPDATE sessions SET state = 'failed', reason = 'model_error', detail = 'it timed out'")
        db.execute(
            "INSERT INTO runs (stage, started_at, ended_at, error, tokens_used) VALUES ('consolidate', ?, ?, 'no', 0)",
            (NOW, NOW + 1),
        )
    every = found(good)
    assert "1 session failed" in every["failed-sessions"][0] and "it timed out" in every["failed-sessions"][0]
    assert every["failed-sessions"][1] == "memkit extract --retry-failed"
    assert every["failed-run"][0].startswith("the last consolidate failed on 2026-11-25")


def test_a_full_disk_is_found(good: World, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage(1 << 40, (1 << 40) - (5 << 20), 5 << 20))
    assert "only 5 MB are free" in found(good)["disk"][0]


def test_a_home_that_can_not_be_looked_into_is_a_finding_not_a_bug(good: World) -> None:
    good.home.chmod(0o000)
    try:
        told = good.unprivileged("doctor", ok=ExitCode.FINDINGS)
    finally:
        good.home.chmod(0o700)
    assert "permissions: " in told.out and "chmod" in told.out and told.err == ""


def test_hostile_names_and_settings_stay_one_line_each(good: World) -> None:
    good.home.joinpath("memories_v2", "a\nb.md").symlink_to("/etc")
    _hook(good, text="#!/no\x1b[31m/where\n")
    for line in good.call("doctor", ok=1).out.splitlines():
        assert line.isprintable() and line.startswith(("symlink: ", "hook-dead: ", "  mend: "))


def test_it_does_not_read_sessions_that_are_known(good: World) -> None:
    """Without new files the sessions folder is only listed: doctor of a large history stays quick."""
    for path in good.sessions.rglob("*.jsonl"):
        when = path.stat().st_mtime_ns
        path.write_bytes(b"x" * path.stat().st_size)
        os.utime(path, ns=(when, when))
    assert found(good) == {}


def test_both_versions_are_looked_at(world: World) -> None:
    world.call("init", "--version", "dual")
    world.write(Rollout(name="x").user("Fix the retry.").final("Fixed."))
    world.call("run")
    assert found(world) == {}
    (world.home / "memories" / "MEMORY.md").write_bytes(b"\xff\xfe")
    assert set(found(world)) == {"lint"}
