"""Who may work: the one consolidation lock with its holder's name, and a lock file for each running process.

Both rest on the operating system's file locks, which end with the process that holds them, however it dies. The
descriptor form of filelock is used because it has no fall-back to marker files, which would outlive a killed process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from filelock import lock_descriptor

from memkit import clock
from memkit.errors import BusyError, StorageError

_TOKEN_BYTES = 8
_COMMAND_LIMIT = 200
_HOLDER_LIMIT = 10_000
_mine: set[str] = set()  # tokens that this process holds: its own locks look free to no one but must read as alive


class _Holder(NamedTuple):
    pid: int
    command: str
    since: float

    def __str__(self) -> str:
        return f"`{self.command}`, process {self.pid}, since {clock.iso(self.since)}"


@contextmanager
def consolidation(home: Path, *, command: str) -> Iterator[None]:
    """Hold the home's one consolidation lock for the block; never waits for it.

    command: what the user ran, shown to whoever comes second. Raises BusyError naming the holder when another
    process (or another block of this one) holds the lock, StorageError when the home can't be written.
    """
    lock = home / "state.lock"
    note = home / "state.holder.json"
    descriptor = _take(lock)
    if descriptor is None:
        holder = _read_holder(note)
        who = f"another run holds the lock: {holder}" if holder else "another run holds the lock"
        raise BusyError(f"{who} ({lock})", mend="wait until it ends, then run this again")
    try:
        _write_holder(note, command=command)
        yield
    finally:
        # A note that stays behind is harmless: its process is gone, or the next holder writes its own.
        with suppress(OSError):
            note.unlink()
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Holding:
    """Who took the consolidation lock last and did not give it back. since: Unix seconds. alive: it still works."""

    command: str
    pid: int
    since: float
    alive: bool


def holding(home: Path) -> Holding | None:
    """The holder of the consolidation lock, or the run that was killed with it; None otherwise. Makes no file."""
    found = _noted(home / "state.holder.json")
    if found is None:
        return None
    alive = _running(found.pid) and _is_held(home / "state.lock")
    return Holding(command=found.command, pid=found.pid, since=found.since, alive=alive)


def _is_held(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        return not lock_descriptor(descriptor, blocking=False)
    except OSError as error:
        raise _refused(lock, error) from error
    finally:
        os.close(descriptor)


@contextmanager
def run_token(home: Path) -> Iterator[str]:
    """Yield a token that reads as alive until the block ends or this process dies; lock files of the dead are removed.

    The lock file is `<home>/staging/run-<token>.lock`. Raises StorageError when the home can't be written.
    """
    staging = home / "staging"
    try:
        staging.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _refused(staging, error) from error
    token, descriptor = _own_token(home)
    _mine.add(token)
    try:
        _sweep(staging)
        yield token
    finally:
        _mine.discard(token)
        with suppress(OSError):
            _token_path(home, token).unlink()
        os.close(descriptor)


def alive(home: Path, token: str) -> bool:
    """Whether the process that was given this token still holds it; a dead token's file is removed.

    A text that is no token is dead. Raises StorageError when the lock file is there but can't be tried.
    """
    if token in _mine:
        return True
    if len(token) != 2 * _TOKEN_BYTES or not set(token) <= set("0123456789abcdef"):
        return False
    path = _token_path(home, token)
    return path.exists() and not _remove_dead(path)


def _token_path(home: Path, token: str) -> Path:
    return home / "staging" / f"run-{token}.lock"


def _own_token(home: Path) -> tuple[str, int]:
    # Between its making and its locking a file looks dead to a sweep in another process: then take another name.
    while True:
        token = os.urandom(_TOKEN_BYTES).hex()
        descriptor = _take(_token_path(home, token))
        if descriptor is not None:
            return token, descriptor


def _sweep(staging: Path) -> None:
    for path in sorted(staging.glob("run-*.lock")):
        if path.stem.removeprefix("run-") not in _mine:
            _remove_dead(path)


def _remove_dead(path: Path) -> bool:
    """Remove the lock file of a process that is gone; False when its process lives."""
    descriptor = _take(path)
    if descriptor is None:
        return False
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _refused(path, error) from error
    finally:
        os.close(descriptor)
    return True


def _take(path: Path) -> int | None:
    """The descriptor of the lock file, locked; None when somebody else has it (or has just removed it)."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise _refused(path, error) from error
    try:
        if lock_descriptor(descriptor, blocking=False) and os.fstat(descriptor).st_nlink > 0:
            return descriptor
    except OSError as error:
        os.close(descriptor)
        raise _refused(path, error) from error
    os.close(descriptor)
    return None


def _write_holder(note: Path, *, command: str) -> None:
    draft = note.with_suffix(".new")
    text = json.dumps({"pid": os.getpid(), "command": command, "since": clock.now()})
    try:
        # A leftover of a killed process may have another mode or be a link.
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(note)
    except OSError as error:
        raise _refused(note, error) from error


def _read_holder(note: Path) -> _Holder | None:
    """Who wrote the note, as far as it can be trusted: None for a missing, garbled or dead process's note."""
    found = _noted(note)
    return found if found and _running(found.pid) else None


def _noted(note: Path) -> _Holder | None:
    """What the note says; None for a missing or garbled one."""
    try:
        with note.open("rb") as file:
            found = json.loads(file.read(_HOLDER_LIMIT))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    pid, command, since = found.get("pid"), found.get("command"), found.get("since")
    if not (isinstance(pid, int) and isinstance(command, str) and isinstance(since, int | float)):
        return None
    if not 0 < pid < 2**31:
        return None
    try:
        clock.iso(since)
    except (ValueError, OverflowError, OSError):
        return None
    # One clear line, whatever the command was.
    shown = " ".join("".join(c if c.isprintable() else " " for c in command[:_COMMAND_LIMIT]).split())
    return _Holder(pid=pid, command=shown, since=since)


def _running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's process, but there
    return True


def _refused(path: Path, error: OSError) -> StorageError:
    reason = error.strerror or type(error).__name__
    return StorageError(f"can't write {path}: {reason}", mend=f"check that {path.parent} exists and is yours to write")
