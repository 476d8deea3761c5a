"""Opening a home to read."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from memkit.commands.home import DATABASE, say_off, user_home
from memkit.commands.told import context
from memkit.config import Config, load
from memkit.errors import ConfigError
from memkit.repo import Repo
from memkit.store import Store

__all__ = ["DATABASE", "Reader", "context", "reader", "user_home"]


@dataclass(frozen=True, slots=True)
class Reader:
    """A home that is only read."""

    config: Config
    repo: Repo
    store: Store


def reader(stack: ExitStack, *, home: Path | None) -> Reader:
    """Opens a home to read. ConfigError when there is none."""
    config = load(home=home, env=os.environ)
    if config.disabled:
        say_off()
    if not (config.home / ".git").exists():
        raise ConfigError(f"there is no memory at {config.home} yet", mend="memkit init, or make memories")
    database = config.home / DATABASE
    off = config.disabled and database.exists()  # then nothing beside the file changes either
    store = stack.enter_context(Store.look(database) if off else Store.open(database, readonly=True))
    repo = Repo.at(config.home)
    stack.enter_context(repo.keeping())
    return Reader(config, repo, store)
