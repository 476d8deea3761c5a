"""The newest commit for the read path: its time and a folder's files, asked of one Git process."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from memkit.errors import GitError
from memkit.repo.asking import asking
from memkit.repo.door import Door


class Snapshot(NamedTuple):
    """A commit's author time in Unix seconds, None where there is no commit, and content by path in the folder."""

    time: int | None
    files: dict[str, bytes]


def snapshot(home: Path, folder: str) -> Snapshot:
    """What the newest commit of a home's repository has below one folder; links are no files.

    Raises GitError where Git is missing or refuses, or the newest commit is gone.
    """
    home = home.resolve()
    door = Door(home=home, git_dir=home / ".git")
    with asking(door) as git:
        commit = git.one("HEAD^{commit}")
        if commit is None:
            if door.read("rev-parse", "--verify", "-q", "HEAD", ok=(0, 1)).code == 0:
                raise GitError("HEAD points at a commit that is gone", mend="`memkit init` repairs it")
            return Snapshot(None, {})
        head = commit.data.partition(b"\n\n")[0].split(b"\n")
        author = next(line for line in head if line.startswith(b"author "))
        found = git.entry(head[0].removeprefix(b"tree ").decode(), folder)
        names = dict(git.walk(found[1], "")) if found and found[0] == b"40000" else {}
        content = git.blobs(names.values())
        return Snapshot(int(author.split()[-2]), {path: content[oid] for path, oid in names.items()})
