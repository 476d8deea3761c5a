"""Staging: a detached Git worktree below the home in which drafts are made, and which is always taken away again."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memkit.repo import objects
from memkit.repo.door import Door
from memkit.repo.files import storage
from memkit.repo.publishing import alone, take

FOLDER = "staging"
_LIVE = ".live"


@dataclass(frozen=True, slots=True)
class Staging:
    """A worktree of one commit. path: its folder. base: that commit's id."""

    path: Path
    base: str
    door: Door

    def diff(self) -> str:
        """The staged work as a unified diff against base, new files included."""
        self._add()
        plain = ("--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--full-index", "--unified=3")
        out = self.door.read("diff", "--cached", *plain, self.base, "--").out
        return out.decode("utf-8", "replace")

    def changed_paths(self) -> tuple[str, ...]:
        """Paths from the worktree's root that differ from base, sorted."""
        self._add()
        out = self.door.read("diff-index", "--cached", "--name-only", "-z", "--no-renames", self.base, "--").out
        return tuple(sorted(os.fsdecode(path) for path in out.split(b"\0")[:-1]))

    def commit(self, message: str) -> str:
        """Commit all of the worktree on top of base; the id, or "" when it equals base.

        No branch moves: it is Repo.publish that makes the commit the memory. Called again, it makes another commit
        on the same base.
        """
        self._add()
        return commit_index(self.door, message, parent=self.base)

    def _add(self) -> None:
        # Forced: a line in the user's .gitignore must not make a document vanish from a commit.
        self.door.write("add", "--all", "--force", "--", ".")


def commit_index(door: Door, message: str, *, parent: str, author: dict[str, str] | None = None) -> str:
    """A commit of what the index holds on top of `parent` ("" for a first one); its id, "" when nothing changed."""
    tree = door.write("write-tree").text
    before = objects.tree_id(door, parent, "") if parent else empty_tree(door)
    if tree == before:
        return ""
    return commit_tree(door, tree, message=message, parents=(parent,) if parent else (), author=author)


def commit_tree(
    door: Door, tree: str, *, message: str, parents: tuple[str, ...] = (), author: dict[str, str] | None = None
) -> str:
    """A commit object for a tree; no branch moves."""
    onto = [part for commit in parents for part in ("-p", commit)]
    text = message.replace("\0", "").rstrip("\n") + "\n"
    feed = text.encode("utf-8", "replace")
    return door.write("commit-tree", tree, *onto, "-F", "-", feed=feed, extra=author).text


def empty_tree(door: Door) -> str:
    """The id of the tree without entries."""
    return door.write("hash-object", "-t", "tree", "-w", "--stdin").text


@contextmanager
def staged(door: Door, base: str) -> Iterator[Staging]:
    """A worktree of `base` in a new folder of staging/; removed on leaving, whatever happens."""
    token = f"{os.getpid()}-{secrets.token_hex(6)}"
    root = door.home / FOLDER
    with alone(door.home), storage(door.home):
        root.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(root / (token + _LIVE), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        take(handle, wait=True)
    try:
        door.write("worktree", "add", "--quiet", "--detach", str(root / token), base)
        inside = Door(home=root / token, git_dir=door.git_dir / "worktrees" / token, hooks=door.hooks)
        yield Staging(path=inside.home, base=base, door=inside)
    finally:
        _remove(door, token)
        os.close(handle)


def sweep(door: Door) -> int:
    """Remove what killed runs left in staging/, and Git's entries of it; how many there were. Live ones are kept."""
    root = door.home / FOLDER
    with alone(door.home, wait=False) as free, storage(door.home):
        if not free or not root.is_dir():
            return 0
        tokens = sorted({entry.name.removesuffix(_LIVE) for entry in root.iterdir()})
        dead = [token for token in tokens if _is_dead(root / (token + _LIVE))]
        for token in dead:
            _remove(door, token)
    return len(dead)


def _remove(door: Door, token: str) -> None:
    spot = door.home / FOLDER / token
    if spot.is_symlink() or spot.is_file():
        spot.unlink(missing_ok=True)
    shutil.rmtree(spot, ignore_errors=True)
    # Not by `git worktree prune`: that spares an entry whose `worktree add` was killed, it still counts as locked.
    shutil.rmtree(door.git_dir / "worktrees" / token, ignore_errors=True)
    spot.with_name(token + _LIVE).unlink(missing_ok=True)


def _is_dead(live: Path) -> bool:
    """Whether no process holds a staging's lock any more."""
    try:
        handle = os.open(live, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        return take(handle, wait=False)
    finally:
        os.close(handle)
