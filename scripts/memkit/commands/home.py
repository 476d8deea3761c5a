"""Where things lie: the user's home directory, the directory that a command runs in, the database of a memory."""

from __future__ import annotations

import os
from pathlib import Path

DATABASE = "state.sqlite"


def user_home() -> str:
    """The user's home directory, written as `~` in documents."""
    return os.environ.get("HOME") or str(Path.home())


def here() -> str:
    """The directory that the command runs in, also when it has been deleted meanwhile."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return os.environ.get("PWD") or "/"
