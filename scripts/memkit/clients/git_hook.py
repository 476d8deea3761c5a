"""A hook of Git that goes before the one that is there, which stays what it is: any file, kept beside it."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memkit.clients import files
from memkit.clients.files import Edit, Found
from memkit.errors import ConfigError, StorageError

MARK = b"# memkit:hook "  # what the second line of a hook of memkit's begins with
_CALL = "set -- memkit\n"  # the line of the script that says how memkit is called
_MODE = 0o755


@dataclass(frozen=True, kw_only=True, slots=True)
class Swap(Edit):
    """An edit of a hook: memkit's comes or goes. aside: a foreign hook is kept beside it, or comes back from there."""

    aside: bool


def install(path: Path, script: str, *, call: Sequence[str]) -> Swap:
    """memkit's hook, or a newer form of it, in the place of a hook. script: the text of hooks/pre-commit.

    ConfigError for what is no file, and where an earlier hook was put aside already.
    """
    if _CALL not in script:
        raise ValueError(f"the script has no line {_CALL!r}")
    found = _found(path)
    foreign = found.data is not None and not _ours(found)
    kept = files.backup(found)
    if foreign and os.path.lexists(kept) and not os.path.samestat(kept.lstat(), path.lstat()):
        what = f"{path} is not memkit's any more, and {kept.name} holds the hook that was there before"
        raise ConfigError(what, mend="remove one of the two, then run this again")
    after = script.replace(_CALL, f"set -- {shlex.join(call)}\n", 1).encode()
    return Swap(found=found, after=after, aside=foreign)


def uninstall(path: Path) -> Swap:
    """What was there before comes back. A hook that is not memkit's stays."""
    found = _found(path)
    if not _ours(found):
        return Swap(found=found, after=found.data, aside=False)
    kept = files.backup(found)
    there = os.path.lexists(kept)
    return Swap(found=found, after=_found(kept).data if there else None, aside=there)


def carry_out(edit: Swap) -> None:
    """Puts a hook in or takes it out; at each moment there is a whole one. StorageError where the folder refuses."""
    path, kept = edit.found.path, files.backup(edit.found)
    if not edit.changes:
        return
    try:
        if _found(path).data != edit.found.data:
            raise StorageError(f"{path} was changed by another program just now", mend="run this again")
        if not _ours(edit.found):
            path.parent.mkdir(exist_ok=True)
            if edit.aside:
                _keep(path, kept)
            files.write_whole(path, edit.after or b"", mode=_MODE)
        elif edit.aside:
            kept.replace(path)
        elif edit.after is None:
            path.unlink()
        else:
            files.write_whole(path, edit.after, mode=_MODE)
    except OSError as error:
        raise StorageError(f"{path} can't be changed: {error.strerror}; it stays as it was") from error


def _keep(path: Path, kept: Path) -> None:
    try:
        os.link(path, kept, follow_symlinks=False)
    except FileExistsError:
        pass  # from an installation that was killed: `install` saw that it is the same file
    except OSError:  # a file system without hard links
        path.rename(kept)


def _ours(found: Found) -> bool:
    return found.data is not None and any(line.startswith(MARK) for line in found.data.split(b"\n", 2)[1:2])


def _found(path: Path) -> Found:
    """A hook by its own path: where that is a link, the link is somebody's hook, wherever it leads."""
    try:
        linked = stat.S_ISLNK(path.lstat().st_mode)
    except FileNotFoundError:
        return Found(path=path, target=path, data=None)
    except OSError as error:
        raise ConfigError(f"{path} is not to be read: {error.strerror}") from error
    data = f"a symbolic link to {path.readlink()}\n".encode() if linked else files.find(path).data
    return Found(path=path, target=path, data=data)
