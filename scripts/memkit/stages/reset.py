"""Reset: an empty memory in place of the old one, of which a copy is kept. What was forgotten stays forgotten."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from memkit import clock, prompts, tree
from memkit.config import Config
from memkit.errors import StorageError
from memkit.repo import Repo
from memkit.store import Store

_NOT_COPIED = ("staging", "*.lock", "state.holder.json")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reset:
    """Where the old memory is now, the commit that emptied the trees, and how many tombstones stayed."""

    copy: Path
    commit: str
    tombstones: int


def reset(*, store: Store, repo: Repo, config: Config, now: float) -> Reset:
    """Copies the home, then empties database and trees; one commit. For the holder of the consolidation lock.

    Settings, rules and tombstones stay; the history of the old memory stays in Git. Raises StorageError when the copy
    can't be made; then nothing was changed.
    """
    copy = _copied(repo.home, now=now)
    store.start_anew()
    for version, folder in tree.TREES.items():
        shutil.rmtree(repo.home / folder, ignore_errors=True)
        if version in config.versions:
            tree.write_file(repo.home / folder / tree.SUMMARY, prompts.memory_summary())
    commit = repo.commit_paths(tree.TREES.values(), message=f"memory: started over\n\nThe old one: {copy.name}\n")
    return Reset(copy=copy, commit=commit, tombstones=len(store.tombstones()))


def _copied(home: Path, *, now: float) -> Path:
    stem = f"{home.name}.reset-{clock.stamp(now)}"
    names = (home.with_name(stem if number == 1 else f"{stem}-{number}") for number in count(1))
    copy = next(path for path in names if not path.exists())
    try:
        shutil.copytree(home, copy, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))
        copy.chmod(0o700)
    except OSError as error:  # shutil.Error is one
        shutil.rmtree(copy, ignore_errors=True)
        reason = error.strerror or "a file can't be read"
        raise StorageError(f"{copy} can't be made: {reason}", mend="see that there is room; nothing changed") from error
    return copy
