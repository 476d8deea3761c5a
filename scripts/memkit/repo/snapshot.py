"""The newest commit for the read path: its time and a folder's files, asked of one Git process."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from memkit.repo.view import view


class Snapshot(NamedTuple):
    """A commit's author time in Unix seconds, None where there is no commit, and content by path in the folder."""

    time: int | None
    files: dict[str, bytes]


def snapshot(home: Path, folder: str) -> Snapshot:
    """What the newest commit of a home's repository has below one folder; links are no files.

    Raises GitError where Git is missing or refuses, or the newest commit is gone.
    """
    with view(home, folder) as seen:
        files = seen.files()
        content = seen.contents(list(files.values()))
        return Snapshot(seen.time, dict(zip(files, content, strict=True)))
