"""Files of other people's repositories: read only what is a file and of a size, written whole or not at all."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memkit.errors import ConfigError, StorageError

_SKIPPED = ("node_modules", "venv", "__pycache__", "vendor", "target", "dist", "build")


def regular(path: Path, *, most: int) -> bytes | None:
    """A file's bytes, None where there is none.

    ConfigError for what is no file (a pipe would make us wait, a device has no end), for one of more than `most` bytes,
    and for one that can't be read.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ConfigError(f"{path} is no file", mend="put a file in its place, or nothing")
        if found.st_size > most:
            raise ConfigError(f"{path} is too large ({found.st_size:,} of {most:,} bytes)", mend="shorten it")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}") from error


def target(path: Path, *, root: Path) -> Path:
    """Where a file really lies. ConfigError for a link that leads out of root, or to itself."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: what pathlib says of a loop before Python 3.13
        raise ConfigError(f"{path} is a link that leads nowhere", mend="replace it by a file") from error
    if root.resolve() not in real.parents:
        raise ConfigError(f"{path} is a link out of {root}", mend="replace it by a file")
    return real if path.is_symlink() else path


def write_whole(path: Path, data: bytes, *, mode: int) -> None:
    """Writes a file whole, with the mode that it had, `mode` for a new one.

    StorageError, also for a file that is read-only: to put another in its place would pass over what its owner said.
    """
    try:
        if path.exists():
            mode = stat.S_IMODE(path.stat().st_mode)
            if not mode & 0o222:
                raise StorageError(f"{path} is read-only", mend=f"chmod u+w {path}")
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, spare = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(spare).chmod(mode)
            Path(spare).replace(path)
        except BaseException:
            Path(spare).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror}", mend="nothing was changed in it") from error


def folders(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """(folder, its files) of a repository's own folders.

    No hidden ones, none that tools make, no link, and none that is a repository of its own: its pages are not ours.
    """
    for folder, below, files in os.walk(root):
        below[:] = sorted(each for each in below if owned(Path(folder), each))
        yield Path(folder), files


def owned(folder: Path, name: str) -> bool:
    """Is what is named in a folder one of the repository's own folders?"""
    path = folder / name
    plain = not name.startswith(".") and name not in _SKIPPED
    return plain and path.is_dir() and not path.is_symlink() and not exists(path / ".git")


def exists(path: Path) -> bool:
    """Is something there, as far as we may look?"""
    return os.path.exists(path)  # noqa: PTH110 - pathlib's raises where it may not look


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One process at a time in a folder of others, without a file of ours in it. Raises StorageError."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StorageError(f"{folder} can't be read: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
