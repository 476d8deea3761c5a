"""What the newest commit of a home has below one folder, as readers see it: asked of one Git process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from memkit.errors import GitError
from memkit.repo.asking import Asking, asking
from memkit.repo.door import Door

Kind = Literal["file", "folder", "link", "other"]


class Entry(NamedTuple):
    """Something of a tree: a file's blob or a folder's tree by its object id. other: a repository of its own."""

    kind: Kind
    oid: str


class View(NamedTuple):
    """A folder of a commit. Paths are relative to it, with `/`.

    time: the commit's author time in Unix seconds, None where there is no commit. tree: the id of the folder's tree, ""
    where the commit has none; the same id is the same content. Works only inside its `view` block. Methods raise
    GitError when an object is gone.
    """

    time: int | None
    tree: str
    git: Asking

    def entry(self, path: str) -> Entry | None:
        """What stands at a path, "" being the folder itself; None where nothing does, or below a file or link."""
        found = self.git.entry(self.tree, path) if self.tree else None
        return Entry(_kind(found[0]), found[1]) if found else None

    def entries(self, oid: str) -> Iterator[tuple[str, Entry]]:
        """(name, what it is) of a folder, by its tree's id; nothing for "", the folder that the commit lacks."""
        return ((name, Entry(_kind(mode), each)) for mode, name, each in (self.git.tree(oid) if oid else ()))

    def files(self, path: str = "") -> dict[str, str]:
        """Path to blob id of all regular files at or below a path; links are no files and are not followed."""
        found = self.entry(path)
        if found is None or found.kind not in ("file", "folder"):
            return {}
        if found.kind == "file":
            return {path: found.oid}
        return dict(self.git.walk(found.oid, f"{path}/" if path else ""))

    def contents(self, oids: list[str]) -> Iterator[bytes]:
        """The content of blobs in the order asked, a few at a time: not all of them are held at once."""
        return self.git.stream(oids)

    def sizes(self, oids: list[str]) -> list[int]:
        """The bytes of blobs in the order asked, without reading them."""
        return self.git.sizes(oids)


@contextmanager
def view(home: Path, folder: str) -> Iterator[View]:
    """Looks at a folder of the newest commit; what is committed meanwhile does not change it.

    Raises GitError where Git is missing or refuses, or the newest commit is gone.
    """
    home = home.resolve()
    door = Door(home=home, git_dir=home / ".git")
    with asking(door) as git:
        commit = git.one("HEAD^{commit}")
        if commit is None:
            if door.read("rev-parse", "--verify", "-q", "HEAD", ok=(0, 1)).code == 0:
                raise GitError("HEAD points at a commit that is gone", mend="`memkit init` repairs it")
            yield View(None, "", git)
            return
        head = commit.data.partition(b"\n\n")[0].split(b"\n")
        author = next(line for line in head if line.startswith(b"author "))
        found = git.entry(head[0].removeprefix(b"tree ").decode(), folder)
        tree = found[1] if found and _kind(found[0]) == "folder" else ""
        yield View(int(author.split()[-2]), tree, git)


def _kind(mode: bytes) -> Kind:
    if mode.startswith(b"100"):
        return "file"
    return "folder" if mode == b"40000" else "link" if mode == b"120000" else "other"
