"""What is committed: files, trees, differences and history, read with Git's plumbing and never from the work tree."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memkit.errors import GitError
from memkit.repo.asking import Asking, asking
from memkit.repo.door import Door
from memkit.repo.values import Commit, NoSuchCommit

MAIN = "refs/heads/main"
_TRAILER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*: .*")


class Delta(NamedTuple):
    """A path that differs between two commits: content on both sides, None where there is no regular file.

    old_odd, new_odd: that side is something else, a symbolic link or a repository of its own.
    """

    old: bytes | None
    new: bytes | None
    old_odd: bool = False
    new_odd: bool = False

    @property
    def turned(self) -> Delta:
        """The way back."""
        return Delta(self.new, self.old, self.new_odd, self.old_odd)


def tip(door: Door, ref: str = "HEAD") -> str:
    """The commit id that a ref stands for, "" when it stands for none (unborn, or the object is gone)."""
    with asking(door) as git:
        found = git.one(f"{ref}^{{commit}}")
    return found.oid if found else ""


def head(door: Door) -> str:
    """The commit that HEAD stands for, "" when no commit was made yet; GitError when that commit is gone."""
    found = tip(door)
    if not found and door.read("rev-parse", "--verify", "-q", "HEAD", ok=(0, 1)).code == 0:
        raise GitError("HEAD points at a commit that is gone", mend="`memkit init` repairs it")
    return found


def resolve(door: Door, rev: str) -> str:
    """The full id of the commit that the user means; NoSuchCommit when there is none."""
    if len(rev) == 40 and not rev.strip("0123456789abcdef"):  # one that Git gave: no word to be parsed
        found = tip(door, rev)
    else:
        found = "" if rev.startswith("-") or not rev or "\0" in rev else tip_or_none(door, rev)
    if not found:
        raise NoSuchCommit(f"no such commit: {rev!r}", mend="`memkit history` lists them")
    return found


def tip_or_none(door: Door, rev: str) -> str:
    """As `tip`, but a word that Git can't even parse is no commit, too."""
    answer = door.read("rev-parse", "--verify", "-q", f"{rev}^{{commit}}", ok=(0, 1, 128))
    return answer.text if answer.code == 0 else ""


def tree_id(door: Door, rev: str, path: str) -> str:
    """The id of a folder's tree, or a file's blob, in a commit; path "" is the root. "" when it isn't there."""
    with asking(door) as git:
        root = git.one(f"{rev}^{{tree}}")
        found = git.entry(root.oid, path) if root else None
    return found[1] if found else ""


def files(door: Door, wanted: str | Iterable[str], *, rev: str) -> dict[str, bytes]:
    """Path to content of a commit's regular files: below one folder (str, "" for all) or of the named paths.

    Raises GitError when there is no such commit.
    """
    with asking(door) as git:
        root = git.one(f"{rev}^{{tree}}")
        if root is None:
            raise GitError(f"Git refused: there is no {rev}", mend=f"look with `git -C {door.home} status`")
        if isinstance(wanted, str):
            entries = _below(git, root.oid, wanted.strip("/"))
        else:
            names = set(wanted)
            entries = {path: oid for path, oid in git.walk(root.oid, "") if path in names} if names else {}
        content = git.blobs(entries.values())
    return {path: content[oid] for path, oid in entries.items()}


def _below(git: Asking, root: str, path: str) -> dict[str, str]:
    mode, oid = git.entry(root, path) or (b"", "")
    if mode == b"40000":
        return dict(git.walk(oid, f"{path}/" if path else ""))
    return {path: oid} if mode.startswith(b"100") else {}


def between(door: Door, *, old: str, new: str) -> dict[str, Delta]:
    """Path to Delta from one commit to another; an empty `old` stands for nothing."""
    if not old:
        return {path: Delta(None, data) for path, data in files(door, "", rev=new).items()}
    parts = door.read("diff-tree", "-r", "-z", "--no-renames", old, new).out.split(b"\0")[:-1]
    sides: dict[str, tuple[str, str, bool, bool]] = {}
    for meta, path in zip(parts[::2], parts[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, _ = meta.decode().removeprefix(":").split(" ")
        before, after = (
            oid if mode.startswith("100") else "" for mode, oid in ((old_mode, old_id), (new_mode, new_id))
        )
        sides[os.fsdecode(path)] = (
            before,
            after,
            old_mode.startswith("1") and not before,
            new_mode.startswith("1") and not after,
        )
    with asking(door) as git:
        content = git.blobs(oid for side in sides.values() for oid in side[:2] if oid)
    return {path: Delta(content.get(before), content.get(after), *odd) for path, (before, after, *odd) in sides.items()}


def parent(door: Door, commit: str) -> str:
    """The first parent's id, "" of a first commit."""
    with asking(door) as git:
        found = git.one(commit)
    head = found.data.partition(b"\n\n")[0] if found else b""
    ids = [line.removeprefix(b"parent ") for line in head.splitlines() if line.startswith(b"parent ")]
    return ids[0].decode() if ids else ""


def is_ancestor(door: Door, *, older: str, newer: str) -> bool:
    """Whether `older` is `newer` or comes before it."""
    if older in (newer, parent(door, newer)):
        return True
    return door.read("merge-base", "--is-ancestor", older, newer, ok=(0, 1)).code == 0


def history(door: Door, rev: str, *, paths: Sequence[str] = (), limit: int | None = None) -> list[Commit]:
    """Commits from the newest on, only those that touch one of `paths` when given."""
    count = () if limit is None else (f"--max-count={max(0, limit)}",)
    shape = "--format=tformat:%H%x00%at%x00%an%x00%s%x00%b"
    plain = ("--no-show-signature", "--no-decorate", "--no-notes", "--no-mailmap", "--no-color")
    out = door.read("log", "-z", *plain, shape, *count, rev, "--", *(path.rstrip("/") for path in paths)).out
    fields = out.decode("utf-8", "replace").split("\0")[:-1]
    return [_commit(fields[at : at + 5]) for at in range(0, len(fields), 5)]


def _commit(fields: Sequence[str]) -> Commit:
    oid, when, author, subject, text = fields
    body, trailers = _split_trailers(text)
    return Commit(id=oid, time=int(when), author=author, subject=subject, body=body, trailers=trailers)


def _split_trailers(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The body and its trailers: the last paragraph when every line of it is `Key: value`."""
    above, _, last = text.strip("\n").rpartition("\n\n")
    lines = last.splitlines()
    if not lines or not all(_TRAILER.fullmatch(line) for line in lines):
        return text.strip("\n"), ()
    pairs = (line.partition(": ") for line in lines)
    return above.strip("\n"), tuple((key, value.strip()) for key, _, value in pairs)
