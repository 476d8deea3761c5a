"""What a killed Git leaves behind: lock files, and the marks of a merge or rebase that stands half way."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memkit.repo.door import Door
from memkit.repo.files import storage

# Operation to the files that say it stands half way.
OPERATIONS = {
    "am": ("rebase-apply/applying",),
    "rebase": ("rebase-merge", "rebase-apply"),
    "cherry-pick": ("CHERRY_PICK_HEAD",),
    "revert": ("REVERT_HEAD",),
    "merge": ("MERGE_HEAD",),
}

_PROC = Path("/proc")
_AGE_SEEN = 2.0  # seconds, where /proc shows which processes there are
_AGE_UNSEEN = 3_600.0


def clear_locks(door: Door) -> list[str]:
    """Remove lock files whose Git is gone; what was removed.

    A lock is taken for dead when no process has it open, no Git works in the home, and it is older than two seconds
    (a younger one is waited for); where processes can't be seen (no /proc), when it is older than an hour.
    """
    repairs = []
    for lock in _locks(door.git_dir):
        if _is_dead(lock, door):
            with storage(door.home):
                lock.unlink(missing_ok=True)
            repairs.append(f"removed {lock.relative_to(door.home)}, which a killed Git had left")
    return repairs


def dead_locks(door: Door) -> list[Path]:
    """The locks that `clear_locks` would remove now; nothing is removed, and none is waited for."""
    seen = (_PROC / "self" / "fd").is_dir()
    least = _AGE_SEEN if seen else _AGE_UNSEEN
    old = [lock for lock in _locks(door.git_dir) if (_age(lock) or 0) > least]
    return [lock for lock in old if not (seen and _is_used(lock, door))]


def _locks(git_dir: Path) -> Iterator[Path]:
    if git_dir.is_dir():
        yield from sorted(git_dir.glob("*.lock"))
        yield from sorted((git_dir / "refs").rglob("*.lock"))


def _is_dead(lock: Path, door: Door) -> bool:
    seen = (_PROC / "self" / "fd").is_dir()
    while (age := _age(lock)) is not None:
        if not seen:
            return age > _AGE_UNSEEN
        if _is_used(lock, door):
            return False
        if age > _AGE_SEEN:
            return True
        time.sleep(0.1)
    return False


def _age(lock: Path) -> float | None:
    try:
        # The file system's clock, not MEMKIT_NOW: it is compared with a file's own time.
        return abs(time.time() - lock.lstat().st_mtime)
    except FileNotFoundError:
        return None


def _is_used(lock: Path, door: Door) -> bool:
    """Whether a process has the lock open, or is a Git that works in the home."""
    for process in _PROC.glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile, or is another user's, to whom the home is closed
            if (process / "comm").read_text(encoding="utf-8", errors="replace").startswith("git"):
                words = (process / "cmdline").read_bytes()
                where = Path(os.readlink(process / "cwd"))  # noqa: PTH115 (Path.readlink gives the same)
                if os.fsencode(door.home) in words or where.is_relative_to(door.home):
                    return True
            if any(os.readlink(handle) == str(lock) for handle in (process / "fd").iterdir()):  # noqa: PTH115
                return True
    return False
