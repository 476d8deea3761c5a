"""The newest commit for the read path: its time and a folder's files, asked of one Git process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memkit.errors import GitError
from memkit.repo.door import UMASK, Answer, Door, environment, refusal, starting

_AT_ONCE = 90  # object names in one write: fewer bytes than any pipe holds while Git waits for us to read


class Snapshot(NamedTuple):
    """A commit's author time in Unix seconds, None where there is no commit, and content by path in the folder."""

    time: int | None
    files: dict[str, bytes]


def snapshot(home: Path, folder: str) -> Snapshot:
    """What the newest commit of a home's repository has below one folder of its top; links are no files.

    Raises GitError where Git is missing or refuses, or the newest commit is gone.
    """
    home = home.resolve()
    door = Door(home=home, git_dir=home / ".git")
    with _Batch(door) as batch:
        commit = batch.ask("HEAD^{commit}")
        if commit is None:
            if door.read("rev-parse", "--verify", "-q", "HEAD", ok=(0, 1)).code == 0:
                raise GitError("HEAD points at a commit that is gone", mend="`memkit init` repairs it")
            return Snapshot(None, {})
        head = commit.partition(b"\n\n")[0].split(b"\n")
        tree = head[0].removeprefix(b"tree ").decode()
        author = next(line for line in head if line.startswith(b"author "))
        top = {name: oid for mode, name, oid in batch.tree(tree) if mode == b"40000"}
        names = dict(batch.walk(top[folder], "")) if folder in top else {}
        return Snapshot(int(author.split()[-2]), dict(zip(names, batch.blobs(names.values()), strict=True)))


class _Batch:
    """`git cat-file --batch`: names of objects in, their contents out, in order."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def __enter__(self) -> _Batch:
        env = environment()
        env["GIT_OPTIONAL_LOCKS"] = "0"
        with starting():
            self._git = subprocess.Popen(
                self._door.command("cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=env,
                umask=UMASK,
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._git.communicate()

    def ask(self, name: str) -> bytes | None:
        """One object's content, None where there is none of that name."""
        return next(self._answers([name]))

    def tree(self, oid: str) -> Iterator[tuple[bytes, str, str]]:
        """(mode, name, object id) of a tree's entries."""
        data = self._there(oid, self.ask(oid))
        size = len(oid) // 2
        at = 0
        while at < len(data):
            end = data.index(b"\0", at)
            mode, _, name = data[at:end].partition(b" ")
            yield mode, os.fsdecode(name), data[end + 1 : end + 1 + size].hex()
            at = end + 1 + size

    def walk(self, oid: str, above: str) -> Iterator[tuple[str, str]]:
        """(path, object id) of all regular files below a tree."""
        for mode, name, each in self.tree(oid):
            if mode == b"40000":
                yield from self.walk(each, f"{above}{name}/")
            elif mode.startswith(b"100"):
                yield f"{above}{name}", each

    def blobs(self, oids: Iterable[str]) -> Iterator[bytes]:
        """The contents of these objects, in order."""
        wanted = list(oids)
        for start in range(0, len(wanted), _AT_ONCE):
            batch = wanted[start : start + _AT_ONCE]
            yield from map(self._there, batch, self._answers(batch))

    def _answers(self, names: list[str]) -> Iterator[bytes | None]:
        assert self._git.stdin and self._git.stdout
        with suppress(BrokenPipeError):  # Git has ended; why is told where its answer is missing
            self._git.stdin.write("".join(f"{name}\n" for name in names).encode())
            self._git.stdin.flush()
        for _ in names:
            head = self._git.stdout.readline().split()
            if not head:
                _, said = self._git.communicate()
                raise refusal(Answer(self._git.returncode, b"", os.fsdecode(said)), self._door.home)
            if head[-1] == b"missing":
                yield None
                continue
            size = int(head[2])
            yield self._git.stdout.read(size + 1)[:size]

    @staticmethod
    def _there(oid: str, data: bytes | None) -> bytes:
        if data is None:
            raise GitError(f"Git has lost an object: {oid}", mend="`git fsck` in the home tells which")
        return data
