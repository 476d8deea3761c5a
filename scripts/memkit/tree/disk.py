"""Looking at a tree without following a symbolic link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memkit.errors import StorageError


def walk(root: Path, *, only: Sequence[str] = ()) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every entry below root with its relative path, sorted, folders before what is in them; never through a link.

    only: the entries of these paths, of what lies below them, and of the folders above.
    """
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        with os.scandir(root / prefix) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            if entry.name == ".git" and not entry.is_symlink():
                continue
            path = prefix + entry.name
            if only and not any(_lies_on(path, each) for each in only):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{path}/")
            yield path, entry


def _lies_on(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/")


def read_regular(path: Path, *, limit: int) -> bytes | None:
    """A regular file's bytes; None when it is none, is longer than the limit, or can't be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.EIO, errno.EMFILE, errno.ENFILE):
            raise
        return None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        data = file.read(limit + 1)
    return data if len(data) <= limit else None


def is_temporary(name: str) -> bool:
    """Whether a file's name is that of a write which a killed run left behind."""
    return name.startswith(".") and name.endswith(".tmp")


def printable(path: str) -> str:
    r"""A path that can be shown and stored: control characters, and bytes that are no UTF-8, as `\n` or `\udcff`."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in path)


@contextmanager
def storage(root: Path) -> Iterator[None]:
    """Turns what the disk refuses into a StorageError that names the place."""
    try:
        yield
    except OSError as error:
        place = error.filename or root
        raise StorageError(
            f"{place}: {error.strerror}", mend="see that it is writable and that the disk has room"
        ) from error
