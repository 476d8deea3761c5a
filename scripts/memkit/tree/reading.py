"""Reading a whole tree, within bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memkit.tree.disk import is_temporary, printable, read_regular, storage, walk

_MAX_FILE = 4 << 20
_MAX_TREE = 64 << 20
_MAX_FILES = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeFiles:
    """A tree as read: bytes by path relative to the root, sorted; the rest by path.

    skipped: what was left unread, being no regular file, unreadable, over 4 MiB, or beyond 10,000 files or 64 MiB.
    found: False when there is no tree at all. A root that is a symbolic link reads as the one link `.`.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    symlinks: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    found: bool = True


def read_tree(root: Path, *, only: Sequence[str] = ()) -> TreeFiles:
    """Everything a tree holds (see TreeFiles), within bounds; `.git` and temporary files are no part of it.

    only: files, and folders with all that is in them; none named means everything.
    Raises StorageError when the root itself can't be read.
    """
    if root.is_symlink():
        return TreeFiles(symlinks=(".",))
    if not root.exists():
        return TreeFiles(found=False)
    files: dict[str, bytes] = {}
    links: list[str] = []
    skipped: list[str] = []
    room = _MAX_TREE
    with storage(root):
        for path, entry in walk(root, only=only):
            if entry.is_symlink():
                links.append(printable(path))
            elif entry.is_dir(follow_symlinks=False) or is_temporary(entry.name):
                continue
            else:
                full = len(files) >= _MAX_FILES or path != printable(path)
                data = None if full else read_regular(Path(entry.path), limit=min(_MAX_FILE, room))
                if data is None:
                    skipped.append(printable(path))
                else:
                    files[path] = data
                    room -= len(data)
    return TreeFiles(files=dict(sorted(files.items())), symlinks=tuple(sorted(links)), skipped=tuple(sorted(skipped)))
