"""Where things lie: the user's home directory, the directory of a command, the database. Whether memkit is off."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memkit.store import DATABASE

__all__ = ["DATABASE", "here", "user_home"]


def user_home() -> str:
    """The user's home directory, written as `~` in documents."""
    return os.environ.get("HOME") or str(Path.home())


def here() -> str:
    """The directory that the command runs in, also when it has been deleted meanwhile."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return os.environ.get("PWD") or "/"


def say_off() -> None:
    """One line on stderr, for a command that only reads, while MEMKIT_DISABLE is set."""
    print("memkit: MEMKIT_DISABLE is set: nothing is learned, told or changed", file=sys.stderr)
