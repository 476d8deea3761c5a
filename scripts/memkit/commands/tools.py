"""What list, read, search and the MCP server share: where the committed tree is, and how its lines are shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from memkit import tree
from memkit.commands.home import say_off
from memkit.config import load
from memkit.errors import ConfigError, plain

MOST_ENTRIES, MOST_MATCHES = 2_000, 100


class Place(NamedTuple):
    """The home, and the folder of its tree that is read."""

    home: Path
    folder: str


def place(home: Path | None) -> Place:
    """Where the memory is. ConfigError when there is none."""
    config = load(home=home, env=os.environ)
    if config.disabled:
        say_off()
    return there(config.home, tree.TREES[config.version])


def there(home: Path, folder: str) -> Place:
    """A place where there is a memory. ConfigError when there is none."""
    if not (home / ".git").exists():
        raise ConfigError(f"there is no memory at {home} yet", mend="memkit init, or make memories")
    return Place(home, folder)


def visible(line: str) -> str:
    """A line of a file as a terminal may have it: tabs stay, what would steer it becomes an escape."""
    return "\t".join(map(plain, line.split("\t")))
