"""A file of another program: looked at, and changed as a whole, so that it is at no time half written."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memkit.errors import ConfigError, MemkitError, StorageError

_LIMIT = 8 << 20  # bytes; no start-up file or list of hooks is as long
BACKUP = ".before-memkit"  # what the name of a kept file ends with


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A file as it is. target: where it lies, behind symbolic links; data: None when there is none."""

    path: Path
    target: Path
    data: bytes | None
    mode: int = 0o600

    @property
    def linked(self) -> bool:
        """Whether the path is a symbolic link, or leads through one at its end."""
        return self.path.is_symlink()


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """What is to become of a file. after: its bytes, None for no file. keeps: its bytes are kept beside it, before.

    drops: what was kept beside it is removed, afterwards.
    """

    found: Found
    after: bytes | None
    keeps: bool = False
    drops: bool = False

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.after != self.found.data or (self.drops and os.path.lexists(backup(self.found)))


def find(path: Path) -> Found:
    """Looks at a file that may be missing. ConfigError for what can't be read, is no file, or leads nowhere."""
    target = Path(os.path.realpath(path))
    try:
        # A pipe without O_NONBLOCK would make us wait for its other end, before we see that it is one.
        with os.fdopen(os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ConfigError(f"{path} is no file")
            data = file.read(_LIMIT + 1)
    except FileNotFoundError as error:
        if path.is_symlink():
            mend = "mend the link, or remove it"
            raise ConfigError(f"{path} is a symbolic link to {target}, which does not exist", mend=mend) from error
        return Found(path=path, target=target, data=None)
    except OSError as error:
        what = "a folder, not a file" if target.is_dir() else f"not to be read: {error.strerror}"
        raise ConfigError(f"{path} is {what}") from error
    if len(data) > _LIMIT:
        raise ConfigError(f"{path} has over {_LIMIT >> 20} MB; memkit does not change such a file")
    return Found(path=path, target=target, data=data, mode=stat.S_IMODE(status.st_mode))


def backup(found: Found) -> Path:
    """Where the bytes of a file are kept while memkit's words are in it."""
    return found.target.with_name(found.target.name + BACKUP)


def carry_out(edit: Edit) -> None:
    """Writes an edit, whole or not at all. StorageError when it can't be written, or changed since it was looked at."""
    found, kept = edit.found, backup(edit.found)
    if not edit.changes:
        return
    if edit.after != found.data:
        _refuse(found)
        with _telling(found):
            if edit.keeps and found.data is not None:
                write_whole(kept, found.data, mode=found.mode)
            if edit.after is None:
                found.target.unlink()
            else:
                write_whole(found.target, edit.after, mode=found.mode)
    if edit.drops:
        with _telling(found):
            kept.unlink(missing_ok=True)


def _refuse(found: Found) -> None:
    """What the file's owner does not want changed, or somebody changes just now."""
    if found.data is not None and not found.mode & 0o222:
        raise _refusal(found, "it is read-only")
    if find(found.path).data != found.data:
        raise StorageError(f"{found.path} was changed by another program just now", mend="run this again")


def _refusal(found: Found, what: str) -> MemkitError:
    where = f"{found.path} (a symbolic link to {found.target})" if found.linked else str(found.path)
    mend = "make it writable, or put in by hand what `memkit hooks show` prints"
    return StorageError(f"{where} can't be changed: {what}; it stays as it was", mend=mend)


@contextlib.contextmanager
def _telling(found: Found) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _refusal(found, error.strerror or type(error).__name__) from error


def write_whole(path: Path, data: bytes, *, mode: int) -> None:
    """Puts a whole file in the place of what is there; a kill leaves the old one or the new one. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
