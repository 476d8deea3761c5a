"""What a commit that is being made would hold: the index that Git names to its hooks; nothing is changed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memkit.repo.asking import Asking, asking
from memkit.repo.door import Answer, Door, environment, refusal, starting


class Contents(Mapping[str, bytes]):
    """Files by path; the content of each is read when it is asked for. ids: their blobs."""

    def __init__(self, git: Asking, ids: Mapping[str, str]) -> None:
        self._git = git
        self.ids = ids

    def __getitem__(self, path: str) -> bytes:
        return self._git.blobs([oid := self.ids[path]])[oid]

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, kw_only=True, slots=True)
class Staged:
    """Blob ids by path from the top: of an index's regular files, of its symbolic links, and of the files of HEAD.

    Works only inside its `staged` block.
    """

    files: Mapping[str, str]
    links: Mapping[str, str]
    before: Mapping[str, str]
    _git: Asking

    @property
    def changed(self) -> frozenset[str]:
        """The paths that are new, gone, or not as in HEAD."""
        after = {**self.files, **self.links}
        return frozenset(path for path in after.keys() | self.before if after.get(path) != self.before.get(path))

    def contents(self, paths: Iterable[str]) -> Contents:
        """Files of the index."""
        return Contents(self._git, {path: self.files[path] for path in paths})

    def below(self, folder: str, *, before: bool = False) -> Contents:
        """The files of a folder, with paths from there: of the index, or of HEAD."""
        at = f"{folder}/"
        ids = self.before if before else self.files
        return Contents(self._git, {path[len(at) :]: oid for path, oid in ids.items() if path.startswith(at)})


def door(home: Path, *, env: Mapping[str, str]) -> Door | None:
    """The index that a hook is called for, in the home's repository; the home's own where no hook calls.

    None where a hook calls in another repository. env: the caller's: Git names its hooks the index (`commit -a` and
    `commit FILE` make one for the commit), and the repository where it is not the one around. Raises GitError.
    """
    home = home.resolve()
    own = Door(home=home, git_dir=home / ".git")
    if not env.get("GIT_INDEX_FILE"):
        return own
    here = Path.cwd()
    words = ["git", "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"]
    named = {"GIT_DIR": env["GIT_DIR"]} if env.get("GIT_DIR") else {}
    with starting():
        done = subprocess.run(words, capture_output=True, env=environment() | named, check=False)
    if done.returncode:
        raise refusal(Answer(done.returncode, done.stdout, os.fsdecode(done.stderr)), here)
    git_dir, common = (Path(line).resolve() for line in os.fsdecode(done.stdout).splitlines())
    if common != own.git_dir.resolve():
        return None
    return Door(home=here, git_dir=git_dir, index_file=os.path.abspath(env["GIT_INDEX_FILE"]))  # noqa: PTH100


@contextmanager
def staged(door: Door) -> Iterator[Staged]:
    """What the door's index and HEAD hold; repositories inside are neither. Raises GitError."""
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    for row in door.read("ls-files", "--stage", "-z").out.split(b"\0")[:-1]:
        head, _, name = row.partition(b"\t")
        mode, oid, _ = head.decode().split()
        if mode != "160000":
            (links if mode == "120000" else files)[os.fsdecode(name)] = oid
    with asking(door) as git:
        tree = git.one("HEAD^{tree}")
        before = dict(git.walk(tree.oid, "")) if tree else {}
        yield Staged(files=files, links=links, before=before, _git=git)
