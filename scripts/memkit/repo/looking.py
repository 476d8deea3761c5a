"""Looking at a home's repository without changing a byte of it: what stands half way, what is ignored, which hooks."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memkit.errors import GitError
from memkit.repo import Repo, objects, stale
from memkit.repo.objects import MAIN
from memkit.repo.publishing import INTENT, head_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Ignored:
    """A file that Git leaves out, and the rule that says so: `.gitignore:3: *.md`."""

    path: str
    rule: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Hook:
    """A file that Git would run in the home. dead: why it can't run, "" when it can. own: it calls memkit."""

    path: Path
    dead: str = ""
    own: bool = False


def no_repository(repo: Repo) -> str:
    """Why Git does not take the home for a repository, "" when it does."""
    git_dir = repo.door.git_dir
    if not git_dir.is_dir() or git_dir.is_symlink():
        return "it has no .git folder" if not os.path.lexists(git_dir) else ".git is no folder"
    answer = repo.door.read("rev-parse", "--git-dir", ok=(0, 128))
    return "" if answer.code == 0 else "Git does not take its .git for a repository"


def half_way(repo: Repo) -> list[str]:
    """Git operations that were begun and not ended: `merge`, `rebase`, …"""
    there = repo.door.git_dir
    return [name for name, signs in stale.OPERATIONS.items() if any((there / sign).exists() for sign in signs)]


def off_main(repo: Repo) -> str:
    """Where HEAD is when it is not on main, "" when it is."""
    said = head_text(repo.door)
    return "" if said == f"ref: {MAIN}" else said.removeprefix("ref: refs/heads/") or "nowhere"


def dead_locks(repo: Repo) -> list[str]:
    """Lock files of Git whose process is gone, relative to the home."""
    return [lock.relative_to(repo.home).as_posix() for lock in stale.dead_locks(repo.door)]


def cut_off(repo: Repo) -> bool:
    """Whether a move of the memory to a new commit was begun and not ended."""
    return (repo.home / INTENT).exists()


def ignored(repo: Repo, paths: Iterable[str]) -> list[Ignored]:
    """The files at or below these paths that Git ignores and does not track."""
    wanted = tuple(paths)
    out = repo.door.read("ls-files", "--others", "--ignored", "--exclude-standard", "-z").out
    names = [os.fsdecode(name) for name in out.split(b"\0")[:-1]]
    mine = [name for name in names if any(name == path or name.startswith(f"{path}/") for path in wanted)]
    if not mine:
        return []
    feed = b"".join(os.fsencode(name) + b"\0" for name in mine)
    told = repo.door.read("--no-literal-pathspecs", "check-ignore", "-v", "-z", "--stdin", feed=feed, ok=(0, 1)).out
    parts = [os.fsdecode(part) for part in told.split(b"\0")[:-1]]
    rows = zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True)
    return [Ignored(path=path, rule=f"{source}:{line}: {pattern}") for source, line, pattern, path in rows]


def hooks_elsewhere(repo: Repo) -> str:
    """The folder that the user's own Git takes the home's hooks from when that is not .git/hooks, else ""."""
    env = {name: v for name, v in os.environ.items() if not name.startswith("GIT_") or name.startswith("GIT_CONFIG")}
    words = ["git", "-C", str(repo.home), "config", "--type=path", "--get", "core.hooksPath"]
    try:
        done = subprocess.run(words, env=env, capture_output=True, check=False)
    except OSError as error:
        raise GitError("Git is not installed, or not on the PATH", mend="install Git 2.31 or newer") from error
    said = os.fsdecode(done.stdout).rstrip("\n")
    if done.returncode != 0 or (repo.home / said).resolve() == (repo.door.git_dir / "hooks").resolve():
        return ""
    return said


def hooks(repo: Repo) -> list[Hook]:
    """The hooks in .git/hooks; what has a suffix (Git's samples, what is kept beside a hook) is none."""
    folder = repo.door.git_dir / "hooks"
    if not folder.is_dir():
        return []
    files = [path for path in sorted(folder.iterdir()) if not path.suffix and not path.is_dir()]
    return [_hook(path) for path in files]


def _hook(path: Path) -> Hook:
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        return Hook(path=path, dead=f"it can't be read: {error.strerror}")
    own = "memkit" in text
    if not os.access(path, os.X_OK):
        return Hook(path=path, dead="it is not executable", own=own)
    first = text.partition("\n")[0].removeprefix("#!").split() if text.startswith("#!") else []
    program = first[1] if len(first) > 1 and Path(first[0]).name == "env" else first[0] if first else ""
    if program and shutil.which(program) is None:
        return Hook(path=path, dead=f"{program} is not there to run it", own=own)
    return Hook(path=path, own=own)


def lost(repo: Repo) -> str:
    """What is missing of the newest commit's files, "" when all are there."""
    try:
        objects.files(repo.door, "", rev="HEAD") if repo.head() else None
    except GitError as error:
        return error.what
    return ""
