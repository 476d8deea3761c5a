"""The home's work tree: looking at files without following links, differences against HEAD, and moving files from
one commit's version to another's without touching a hand edit."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from memkit.errors import StorageError
from memkit.repo import objects
from memkit.repo.door import Door
from memkit.repo.objects import Delta
from memkit.repo.values import Change

_SPARE = "state.publish.tmp"


class Seen(NamedTuple):
    """What stands at a path. blocked: a parent is no folder, so nothing can; `at` is that parent."""

    kind: Literal["none", "file", "link", "folder", "special", "blocked"]
    data: bytes = b""
    at: str = ""

    @property
    def content(self) -> bytes | None:
        return self.data if self.kind == "file" else None


@contextmanager
def storage(home: Path) -> Iterator[None]:
    """Turn the file system's refusals into one line."""
    try:
        yield
    except OSError as error:
        where = error.filename2 or error.filename or home
        what = f"{os.fsdecode(where)}: {error.strerror or error}"
        raise StorageError(f"the home can't be used: {what}", mend=f"check space and permissions of {home}") from error


def look(home: Path, path: str) -> Seen:
    """What the work tree has at a path; no symbolic link is followed, neither at the path nor above it."""
    spot = home
    *above, name = PurePosixPath(path).parts
    with storage(home):
        for part in above:
            spot /= part
            kind = _kind(spot)
            if kind == "none":
                return Seen("none")
            if kind != "folder":
                return Seen("blocked", at=spot.relative_to(home).as_posix())
        spot /= name
        kind = _kind(spot)
        if kind != "file":
            return Seen(kind)
        with os.fdopen(os.open(spot, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return Seen("file", file.read())


def _kind(spot: Path) -> Literal["none", "file", "link", "folder", "special"]:
    try:
        mode = spot.lstat().st_mode
    except FileNotFoundError:
        return "none"
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "special"


class Status(NamedTuple):
    """What Git's status says: its exit status, and `XY path` of each file that differs (X: in the index)."""

    code: int
    entries: tuple[bytes, ...]

    @property
    def staged(self) -> bool:
        """Whether the index is anything but HEAD."""
        return any(entry[:1] not in b" ?" for entry in self.entries)


def status(door: Door, *, ok: tuple[int, ...] = (0,)) -> Status:
    """Asks Git how index and work tree differ from HEAD. ok: exit statuses that are answers."""
    answer = door.read("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", ok=ok)
    return Status(answer.code, tuple(answer.out.split(b"\0")[:-1]))


def changed(door: Door, head: str, *, seen: Status) -> tuple[Change, ...]:
    """Differences of the work tree against HEAD, by path.

    seen: only names the candidates: what stands in the index (a user's `git add`) is no difference.
    """
    candidates = sorted({os.fsdecode(entry[3:]) for entry in seen.entries})
    if not candidates:
        return ()
    committed = objects.files(door, candidates, rev=head) if head else {}
    found = (_change(door.home, path.rstrip("/"), old=committed.get(path)) for path in candidates)
    return tuple(change for change in found if change)


def _change(home: Path, path: str, *, old: bytes | None) -> Change | None:
    seen = look(home, path)
    was = None if old is None else old.decode("utf-8", "replace")
    if seen.kind == "link":
        return Change(path=path, kind="symlink", old=was)
    if seen.content is not None:
        if seen.content == old:
            return None
        now = seen.content.decode("utf-8", "replace")
        return Change(path=path, kind="added" if old is None else "modified", old=was, new=now)
    if old is not None:
        return Change(path=path, kind="deleted", old=was)
    return Change(path=path, kind="other") if seen.kind in ("folder", "special") else None


def untouched(home: Path, path: str, *, deltas: Mapping[str, Delta]) -> bool:
    """Whether the work tree still has the old side of a delta, so that the new side can take its place."""
    old = deltas[path].old
    seen = look(home, path)
    if old is not None:
        return seen.content == old
    if seen.kind == "link":
        return deltas[path].old_odd
    if seen.kind == "blocked":
        return seen.at in deltas and deltas[seen.at].new is None
    if seen.kind == "folder":
        below = (spot for spot in (home / path).rglob("*") if spot.is_symlink() or not spot.is_dir())
        return all(spot.relative_to(home).as_posix() in deltas for spot in below)
    return seen.kind == "none"


def settle(home: Path, deltas: Mapping[str, Delta]) -> tuple[str, ...]:
    """Bring files that have the old side of their delta to the new one; gives the paths left as they are.

    Each file changes in one rename, so a kill leaves every file on one side or the other. What has neither side is
    somebody's edit and stays.
    """
    left = []
    going = [path for path, delta in deltas.items() if delta.new is None]
    coming = [path for path, delta in deltas.items() if delta.new is not None]
    with storage(home):
        for path in (*sorted(going, reverse=True), *sorted(coming)):
            old, new, old_odd, new_odd = deltas[path]
            seen = look(home, path)
            if new_odd or (seen.content == new and seen.kind in ("none", "file")):
                continue
            if seen.content == old and (seen.kind in ("none", "file") or (seen.kind == "link" and old_odd)):
                _put(home, path, data=new)
            else:
                left.append(path)
    return tuple(left)


def _put(home: Path, path: str, *, data: bytes | None) -> None:
    spot = home / path
    folders = [home / folder for folder in PurePosixPath(path).parents[:-1]]
    if data is None:
        spot.unlink()
        with suppress(OSError):
            for folder in folders:
                folder.rmdir()
        return
    for folder in reversed(folders):
        folder.mkdir(mode=0o700, exist_ok=True)
    replace(spot, data, spare=home / _SPARE)


def replace(spot: Path, data: bytes, *, spare: Path) -> None:
    """Give a file new content in one step, by way of `spare` on the same disk; 0600."""
    write_private(spare, data)
    spare.replace(spot)


def write_private(spot: Path, data: bytes) -> None:
    """Write a file that only its owner can read, and wait until it is on the disk."""
    with os.fdopen(os.open(spot, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
