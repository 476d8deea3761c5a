"""Writing into a tree: the sync of its inputs, and documents.

Writes are atomic against a killed process (a temporary file in the same folder, then a rename). They are not flushed to
the disk one by one: a tree is written in the staging worktree, Git makes it durable, and the next run compares bytes.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memkit.errors import GateError
from memkit.tree.disk import is_temporary, printable, read_regular, storage, walk
from memkit.tree.layout import RECORDS
from memkit.tree.paths import checked


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncResult:
    """What a write changed: sorted paths relative to the root. unlinked: symbolic links that were taken away."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unlinked: tuple[str, ...] = ()


def sync(root: Path, files: Mapping[str, str]) -> SyncResult:
    """Makes rollout_summaries/ under root hold exactly these files (text by `rollout_summaries/<name>`).

    Files with the same bytes are not written again, whatever else lies in that folder goes, the rest of the tree stays.
    Symbolic links anywhere in the tree and temporary files of a killed run go. Raises GateError, before anything is
    written, for a path that may not be; StorageError when the disk refuses.
    """
    wanted = checked(files)
    for path in wanted:
        if path.count("/") != 1 or not path.startswith(f"{RECORDS}/"):
            raise GateError(f"{path!r} is no file of {RECORDS}/")
    with storage(root):
        unlinked = _prepare(root)
        folder = _make_folder(root, RECORDS)
        with os.scandir(folder) as entries:
            stale = sorted(path for entry in entries if (path := f"{RECORDS}/{entry.name}") not in wanted)
        # Before the writes: where case does not count, a stale name can be a new one's other spelling.
        for path in stale:
            _clear(root / path)
        added, changed = _write_all(root, wanted)
    return SyncResult(added=added, changed=changed, removed=tuple(map(printable, stale)), unlinked=unlinked)


def write_documents(root: Path, documents: Mapping[str, str]) -> SyncResult:
    """Writes an engine's documents (text by path relative to root), and nothing else; raises as `sync` does.

    rollout_summaries/ is an input and refused here. A folder in the way of a file, or a file in the way of a folder,
    goes: the baseline in Git has it.
    """
    wanted = checked(documents)
    for path in wanted:
        if path.split("/")[0].casefold() == RECORDS:
            raise GateError(f"{path!r} is an input, no document")
    with storage(root):
        unlinked = _prepare(root)
        added, changed = _write_all(root, wanted)
    return SyncResult(added=added, changed=changed, unlinked=unlinked)


def create_file(path: Path, text: str) -> bool:
    """Writes a new file as a whole; False, and nothing is written, when there is one of that name already."""
    with storage(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8", "replace"))
            os.link(name, path)
        except FileExistsError:
            return False
        finally:
            Path(name).unlink(missing_ok=True)
    return True


def remove_files(root: Path, paths: Iterable[str]) -> None:
    """Removes documents from a tree, and folders that are empty then; a path that is not there is left.

    Raises GateError for a path that may not be, or for an input.
    """
    for path in checked(dict.fromkeys(paths, "")):
        if path.split("/")[0].casefold() == RECORDS:
            raise GateError(f"{path!r} is an input, no document")
        with storage(root):
            target = root / path
            target.unlink(missing_ok=True)
            for folder in target.parents:
                if folder == root or not folder.is_dir() or any(folder.iterdir()):
                    break
                folder.rmdir()


def write_file(path: Path, text: str) -> None:
    """Writes one file of the home atomically, in a folder that is made when it lacks; StorageError when it can't be."""
    with storage(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(path, text.encode("utf-8", "replace"))


def _prepare(root: Path) -> tuple[str, ...]:
    """Makes the root when it is missing; takes symbolic links and temporary files of a killed run out of it."""
    if root.is_symlink():
        raise GateError(f"{root} is a symbolic link", mend="put a folder in its place")
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    links = []
    for path, entry in walk(root):
        if entry.is_symlink():
            Path(entry.path).unlink()
            links.append(printable(path))
        elif is_temporary(entry.name) and entry.is_file(follow_symlinks=False):
            Path(entry.path).unlink()
    return tuple(sorted(links))


def _write_all(root: Path, files: Mapping[str, bytes]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    added: list[str] = []
    changed: list[str] = []
    for path, data in files.items():
        folder = _make_folder(root, path.rpartition("/")[0])
        target = folder / path.rpartition("/")[2]
        before = read_regular(target, limit=len(data))
        if before == data:
            continue
        (changed if _is_regular(target) else added).append(path)
        if target.is_dir():
            _clear(target)
        _replace(target, data)
    return tuple(added), tuple(changed)


def _make_folder(root: Path, path: str) -> Path:
    folder = root
    for part in filter(None, path.split("/")):
        folder /= part
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            folder.unlink()
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False
