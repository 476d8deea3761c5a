"""The one door to Git: each call runs in the same clean environment, whatever shell or gitconfig it comes from."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from memkit import clock
from memkit.errors import GitError, MemkitError, StorageError

NAME, EMAIL = "memkit", "memkit@localhost"  # the author of the commits that memkit makes
BY_HAND = {"GIT_AUTHOR_NAME": "by hand", "GIT_AUTHOR_EMAIL": "user@localhost"}  # of those with a user's edits
UMASK = 0o077

# What the home's own .git/config could say must not change what memkit commits or prints.
_SETTINGS = (
    "advice.detachedHead=false",
    "commit.gpgSign=false",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.excludesFile=/dev/null",
    "core.fileMode=false",
    "core.fsmonitor=false",
    "core.fsync=committed",  # Git's default leaves loose objects to the kernel: a power cut would take a commit with it
    "core.quotePath=false",
    "core.safecrlf=false",
    "core.sharedRepository=umask",
    "core.sparseCheckout=false",
    "diff.mnemonicPrefix=false",
    "diff.noprefix=false",
    "gc.autoDetach=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
    "rebase.updateRefs=false",
    "submodule.recurse=false",
)

_STORAGE = (
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Permission denied",
    "insufficient permission",
    "Input/output error",
    "File too large",
)

_swap = threading.Lock()


class Answer(NamedTuple):
    """What a Git process left: exit status, stdout, stderr."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return os.fsdecode(self.out).strip()


class Door(NamedTuple):
    """Git for one work tree, found by its own git_dir and never by looking upwards.

    hooks: the folder that Git takes hooks from; the default is none. index_file: of the index, "" for Git's own.
    """

    home: Path
    git_dir: Path
    hooks: str = os.devnull
    index_file: str = ""

    def read(self, *arguments: str, feed: bytes = b"", ok: tuple[int, ...] = (0,)) -> Answer:
        """Run a Git command that changes nothing, without loading GitPython.

        feed: bytes for stdin. ok: exit statuses that are answers; any other raises GitError or StorageError.
        """
        env = environment()
        env["GIT_OPTIONAL_LOCKS"] = "0"
        if self.index_file:
            env["GIT_INDEX_FILE"] = self.index_file
        with starting():
            done = subprocess.run(
                self.command(*arguments), input=feed, capture_output=True, env=env, umask=UMASK, check=False
            )
        answer = Answer(done.returncode, done.stdout, os.fsdecode(done.stderr))
        return self._checked(answer, ok)

    def write(
        self,
        *arguments: str,
        feed: bytes = b"",
        ok: tuple[int, ...] = (0,),
        extra: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run a Git command through GitPython; as `read`, with `extra` added to the environment."""
        env = environment() | dict(extra or {})
        with starting():
            answer = _gitpython(self.command(*arguments), env=env, feed=feed)
        return self._checked(answer, ok)

    def command(self, *arguments: str) -> list[str]:
        """The words of a call, for a caller that runs it by itself (as `read` and `write` do)."""
        settings = [part for setting in (f"core.hooksPath={self.hooks}", *_SETTINGS) for part in ("-c", setting)]
        place = ["-C", str(self.home), f"--git-dir={self.git_dir}", f"--work-tree={self.home}"]
        return ["git", *place, *settings, *arguments]

    def _checked(self, answer: Answer, ok: tuple[int, ...]) -> Answer:
        if answer.code not in ok:
            raise refusal(answer, self.home)
        return answer


def environment() -> dict[str, str]:
    """The environment of a Git process: nothing of the caller's GIT_*, fixed identity, the clock's time in UTC."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    when = f"@{max(0, int(clock.now()))} +0000"
    env.update(
        LC_ALL="C",
        LANGUAGE="C",
        GIT_CONFIG_NOSYSTEM="1",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_SYSTEM=os.devnull,
        GIT_ATTR_NOSYSTEM="1",
        GIT_TERMINAL_PROMPT="0",
        GIT_LITERAL_PATHSPECS="1",
        GIT_NO_REPLACE_OBJECTS="1",
        GIT_DEFAULT_HASH="sha1",
        GIT_DEFAULT_REF_FORMAT="files",
        GIT_AUTHOR_NAME=NAME,
        GIT_AUTHOR_EMAIL=EMAIL,
        GIT_AUTHOR_DATE=when,
        GIT_COMMITTER_NAME=NAME,
        GIT_COMMITTER_EMAIL=EMAIL,
        GIT_COMMITTER_DATE=when,
    )
    return env


def refusal(answer: Answer, home: Path) -> MemkitError:
    """Git's own first line of complaint as an error of memkit, with what mends it."""
    lines = [line.strip() for line in answer.err.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines
    of_storage = next((line for line in told if any(sign in line for sign in _STORAGE)), "")
    first = of_storage or (told[0] if told else f"exit status {answer.code}")
    what = first.removeprefix("fatal: ").removeprefix("error: ")
    if of_storage:
        return StorageError(f"the home can't be used: {what}", mend=f"check space and permissions of {home}")
    if ".lock': File exists" in answer.err:
        return GitError(f"Git refused: {what}", mend="wait for the other Git; if none runs, remove that file")
    if "not a git repository" in answer.err:
        return GitError(f"Git refused: {what}", mend="`memkit init` repairs it")
    return GitError(f"Git refused: {what}", mend=f"look with `git -C {home} status`")


def _gitpython(command: list[str], *, env: dict[str, str], feed: bytes) -> Answer:
    with _without_git_variables():
        # Quiet: a missing Git is to be found at the call, as everywhere else, and not by a failing import.
        os.environ["GIT_PYTHON_REFRESH"] = "quiet"
        from git.cmd import Git
        from git.exc import GitCommandNotFound

        try:
            process = Git().execute(command, istream=subprocess.PIPE, as_process=True, env=env, umask=UMASK)
        except GitCommandNotFound as error:
            raise FileNotFoundError(command[0]) from error
    out, err = process.communicate(feed)
    return Answer(process.returncode, out, os.fsdecode(err))


@contextmanager
def _without_git_variables() -> Iterator[None]:
    """Take GIT_* out of os.environ while a process is started.

    GitPython hands each process a copy of os.environ with additions and has no way to leave a variable out
    (Git.execute in its cmd.py), so what a hook exports can only be hidden at the source.
    """
    with _swap:
        hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("GIT_")}
        try:
            yield
        finally:
            os.environ.pop("GIT_PYTHON_REFRESH", None)
            os.environ.update(hidden)


@contextmanager
def starting() -> Iterator[None]:
    """What keeps Git from being started, as a GitError."""
    try:
        yield
    except FileNotFoundError as error:
        raise GitError("Git is not installed, or not on the PATH", mend="install Git 2.31 or newer") from error
    except (OSError, ImportError) as error:  # the latter is what GitPython makes of the former
        what = getattr(error, "strerror", None) or error
        raise GitError(f"Git can't be started: {what}", mend="install Git 2.31 or newer") from error
