"""Paths that a tool may be asked for, the order in which files are gone through, and cursors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memkit.errors import UsageError
from memkit.model import content_hash
from memkit.repo.view import Entry, View

_MEND = "paths are as `memkit list` shows them, from the memory's tree on"


def entry(view: View, path: str) -> tuple[str, Entry]:
    """The path in its plain form ("" is the tree itself), and what stands there: a file or a folder.

    Raises UsageError for a path that leaves the tree, that is hidden, or at which nothing, or a link, stands.
    """
    plain = _plain(path)
    found = view.entry(plain)
    if found is None and plain:
        link = next((above for above in _above(plain) if _is_link(view, above)), "")
        if link:
            raise _refused(path, f"{link} is a symbolic link, and links are not followed")
        raise _refused(path, "there is nothing of this name in the memory")
    if found is not None and found.kind == "link":
        raise _refused(path, "it is a symbolic link, and links are not followed")
    if found is not None and found.kind == "other":
        raise _refused(path, "it is no file")
    return plain, found or Entry("folder", "")


def shown(path: str) -> bool:
    """Whether tools show a path of the tree: nothing hidden, and nothing whose name can't be typed again."""
    return path.isprintable() and not any(part.startswith(".") for part in path.split("/"))


def ordered(paths: Iterable[str]) -> list[str]:
    """The tree's own files by name, then those in folders with the newest first (their names begin with a time)."""
    names = sorted(paths)
    return [name for name in names if "/" not in name] + [name for name in reversed(names) if "/" in name]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cursors:
    """Cursors of one call: where a page ended. They hold for the tree that they were given for and for no other.

    tree: the id of the tree. call: all that decides which results there are, and their order.
    """

    tree: str
    call: str

    def at(self, first: int, second: int = 0) -> str:
        """The cursor of a place in the results."""
        return f"{self._mark()}.{first}.{second}"

    def place(self, cursor: str) -> tuple[int, int]:
        """The place that a cursor stands for; (0, 0) for "". Raises UsageError for a cursor of something else."""
        if not cursor:
            return 0, 0
        parts = cursor.split(".")
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) < 12 for part in parts[2:]):
            raise UsageError(f"{cursor[:80]!r} is no cursor", mend="leave it out to begin at the first result")
        mark = self._mark().split(".")
        if parts[0] != mark[0]:
            raise UsageError("the memory has changed since this cursor was given", mend="begin again without a cursor")
        if parts[1] != mark[1]:
            raise UsageError("this cursor was given for another call", mend="repeat that call, or leave the cursor out")
        return int(parts[2]), int(parts[3])

    def _mark(self) -> str:
        return f"{self.tree[:12] or 'none'}.{content_hash(self.call)[:8]}"


def _plain(path: str) -> str:
    if path in ("", ".", "./"):
        return ""
    parts = path.removeprefix("./").removesuffix("/").split("/")
    if path.startswith(("/", "~")) or "\\" in path:
        raise _refused(path, "it does not lie in the memory's tree")
    if any(part in ("", ".", "..") for part in parts):
        raise _refused(path, "it may leave the memory's tree")
    if any(part.startswith(".") for part in parts):
        raise _refused(path, "hidden files are not shown")
    if not all(part.isprintable() for part in parts):
        raise _refused(path, "it holds characters that no shown name has")
    return "/".join(parts)


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _is_link(view: View, path: str) -> bool:
    found = view.entry(path)
    return found is not None and found.kind == "link"


def _refused(path: str, why: str) -> UsageError:
    return UsageError(f"{path[:200]!r} can't be read: {why}", mend=_MEND)
