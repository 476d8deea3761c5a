"""A machine with memkit on it: sessions folder, home, and the command line run in this process or from outside."""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema

from memkit import cli
from memkit.model import Entry, Record
from memkit.repo import Repo
from memkit.store import Store
from tests.support.env import hermetic, run_memkit
from tests.support.rollouts import Rollout
from tests.support.trees import read_tree

SCHEMAS = Path(__file__).parents[1] / "schemas"
SUMMARY = "memories_v2/memory_summary.md"


@dataclass(frozen=True)
class Called:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class World:
    """env: the whole environment; home, codex: as in it."""

    env: dict[str, str]
    home: Path
    codex: Path

    # --- running ------------------------------------------------------------------------------------------------

    def call(self, *arguments: str | Path, ok: int | None = 0, umask: int = 0o022, cwd: Path | None = None) -> Called:
        """Runs a command in this process: the same entry as the installed one, without the start of an interpreter.

        cwd: the user's home without it, so that it is no matter where the tests were started.
        """
        out, err = io.StringIO(), io.StringIO()
        before = os.umask(umask)
        try:
            with (
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                contextlib.chdir(cwd or self.env["HOME"]),
            ):
                code = cli.run([str(a) for a in arguments])
        finally:
            os.umask(before)
        done = Called(code, out.getvalue(), err.getvalue())
        assert ok is None or code == ok, f"memkit {arguments}: exit {code}\n{done.out}\n{done.err}"
        return done

    def shell(
        self, *arguments: str | Path, ok: int | None = 0, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command from outside, as a user does."""
        return run_memkit(arguments, env={**self.env, **env}, cwd=cwd, ok=None if ok is None else (ok,))

    def unprivileged(self, *arguments: str | Path, ok: int | None = 0) -> Called:
        """`call` with what permissions say: this thread gives up root's right to pass over them for its time.

        Git's processes get it back when they start; what memkit itself opens is held to the modes.
        """
        with bound_by_permissions():
            return self.call(*arguments, ok=ok)

    # --- what is there --------------------------------------------------------------------------------------------

    @property
    def sessions(self) -> Path:
        return self.codex / "sessions"

    @property
    def summary(self) -> str:
        return (self.home / SUMMARY).read_text(encoding="utf-8")

    @property
    def records(self) -> list[Path]:
        return sorted((self.home / "memories_v2" / "rollout_summaries").glob("*.md"))

    def write(self, *rollouts: Rollout) -> None:
        for rollout in rollouts:
            rollout.write(self.sessions)

    def edit(self, old: str, new: str) -> None:
        """A hand edit of the summary."""
        assert old in self.summary, self.summary
        (self.home / SUMMARY).write_text(self.summary.replace(old, new, 1), encoding="utf-8")

    def git(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(["git", "-C", str(self.home), *arguments], env=self.env, capture_output=True, check=False)
        assert done.returncode in ok, done.stderr.decode()
        return done.stdout.decode("utf-8", "replace")

    def commits(self) -> list[str]:
        """Subjects, the newest first."""
        return self.git("log", "--format=%s").splitlines()

    def history(self) -> bytes:
        """The content of every object that Git has, reachable or not."""
        feed = ["git", "-C", str(self.home), "cat-file", "--batch-all-objects", "--batch"]
        return subprocess.run(feed, env=self.env, capture_output=True, check=True).stdout

    def entry(self, session_id: str) -> Entry:
        with Store.open(self.home / "state.sqlite", readonly=True) as store:
            found = store.entry(session_id)
        assert found is not None
        return found

    def record(self, session_id: str) -> Record | None:
        with Store.open(self.home / "state.sqlite", readonly=True) as store:
            return store.record(session_id, "v2")

    def repo(self) -> Repo:
        return Repo.at(self.home)

    def tree(self) -> dict[str, str]:
        return read_tree(self.home / "memories_v2")

    def healthy(self) -> None:
        """The repository is whole, the work tree is what is committed, the memory is clean."""
        self.git("fsck", "--full", "--strict")
        assert self.git("status", "--porcelain") == ""
        assert self.call("lint", "--home", self.home).out == ""

    def bytes(self) -> dict[str, bytes]:
        """Every file of the home, the lock files left out."""
        return {
            path.relative_to(self.home).as_posix(): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and not path.name.endswith(".lock")
        }

    def modes(self) -> dict[str, str]:
        found = {".": oct(stat.S_IMODE(self.home.stat().st_mode))}
        for path in self.home.rglob("*"):
            if ".git" not in path.relative_to(self.home).parts:
                found[path.relative_to(self.home).as_posix()] = oct(stat.S_IMODE(path.lstat().st_mode))
        return found


def put_back(folder: Path, make: Callable[[World], None]) -> World:
    """The world of `folder` as `make` left it: made once, then put back from a copy, so that every path in it is right.

    The environment is the caller's to set (World.env). folder: of a module, so that its tests share it.
    """
    machine, copy = folder / "machine", folder / "copy"
    if machine.exists():
        shutil.rmtree(machine)
    if copy.exists():
        shutil.copytree(copy, machine, symlinks=True)
    machine.mkdir(exist_ok=True)
    env = hermetic(machine)
    world = World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))
    if not copy.exists():
        with mock.patch.dict(os.environ, env):
            make(world)
        shutil.copytree(machine, copy, symlinks=True)
    return world


@contextlib.contextmanager
def bound_by_permissions() -> Iterator[None]:
    """Without CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, so that modes count for root as for anyone."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this thread
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: low words, then high ones
    assert libc.capget(header, sets) == 0
    effective = sets[0]
    sets[0] = effective & ~0b110
    assert libc.capset(header, sets) == 0
    try:
        yield
    finally:
        sets[0] = effective
        assert libc.capset(header, sets) == 0


def valid(value: object, *, schema: str) -> None:
    """Holds a value to tests/schemas/<schema>.json."""
    described = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
    checker = jsonschema.validators.validator_for(described)
    checker.check_schema(described)
    checker(described, format_checker=checker.FORMAT_CHECKER).validate(value)


def working(
    name: str = "session", *, cwd: str = "/home/dev/shop", started: str = "2026-11-20T09:00:00Z", wish: str = ""
) -> Rollout:
    """A session with something to keep: a request, a change, a check; with a wish said at its end."""
    session = (
        Rollout(name=name, cwd=cwd, started=started)
        .user(f"Raise the retry limit of {name} to five.")
        .patch("src/retry.py", old="LIMIT = 3", new="LIMIT = 5")
        .run("pytest -q", output="4 passed\n")
        .final("The limit is five now.")
    )
    return session.user(wish).final("Understood.") if wish else session


def greeting(name: str = "greeting", *, started: str = "2026-11-20T10:00:00Z") -> Rollout:
    """A session with nothing to keep."""
    return Rollout(name=name, started=started).user("Hi there, thanks!").final("You're welcome.")
