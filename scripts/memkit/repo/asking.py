"""`git cat-file --batch`: one process that many objects are asked of, instead of one or two for each question."""

from __future__ import annotations

import os
import subprocess
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from memkit.errors import GitError
from memkit.repo.door import UMASK, Answer, Door, environment, refusal, starting

_AT_ONCE = 90  # object names in one write: fewer bytes than any pipe holds while Git waits for us to read
_kept: dict[Door, Asking] = {}  # those that outlive a question


class Object(NamedTuple):
    """An object of Git. kind: blob, tree, commit or tag."""

    oid: str
    kind: str
    data: bytes


class Asking:
    """The process, started by the first question. Refs are looked up anew for each; no name may hold a newline."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._objects = os.fspath(door.git_dir / "objects")
        self._git: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """Ends the process; the next question starts another."""
        if self._git is not None:
            self._git.communicate()
            self._git = None

    def one(self, name: str) -> Object | None:
        """What a name of Git's (`HEAD^{commit}`, an id) stands for, None where it stands for nothing."""
        return self._answers([name])[0]

    def tree(self, oid: str) -> Iterator[tuple[bytes, str, str]]:
        """(mode, name, object id) of a tree's entries."""
        data = self._there(oid, self.one(oid))
        size = len(oid) // 2
        at = 0
        while at < len(data):
            end = data.index(b"\0", at)
            mode, _, name = data[at:end].partition(b" ")
            yield mode, os.fsdecode(name), data[end + 1 : end + 1 + size].hex()
            at = end + 1 + size

    def entry(self, oid: str, path: str) -> tuple[bytes, str] | None:
        """(mode, object id) of what stands at a path from a tree on, None where nothing does."""
        mode = b"40000"
        for part in filter(None, path.split("/")):
            found = {name: (kind, each) for kind, name, each in self.tree(oid)} if mode == b"40000" else {}
            if part not in found:
                return None
            mode, oid = found[part]
        return mode, oid

    def walk(self, oid: str, above: str) -> Iterator[tuple[str, str]]:
        """(path, object id) of all regular files of a tree and those below it. above: put before each path."""
        for mode, name, each in self.tree(oid):
            if mode == b"40000":
                yield from self.walk(each, f"{above}{name}/")
            elif mode.startswith(b"100"):
                yield f"{above}{name}", each

    def blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The content by id. Raises GitError when one is gone."""
        wanted = sorted(set(oids))
        return dict(zip(wanted, self.stream(wanted), strict=True))

    def stream(self, oids: Sequence[str]) -> Iterator[bytes]:
        """The content of each, in the order asked, a few at a time; Git works on the next ones meanwhile. As `blobs`.

        Nothing else may be asked of this process before the stream has ended or is closed.
        """
        waiting: deque[list[tuple[str, bytes | None]]] = deque()
        try:
            for start in range(0, len(oids), _AT_ONCE // 2):
                waiting.append([(oid, self._loose(oid)) for oid in oids[start : start + _AT_ONCE // 2]])
                self._ask([oid for oid, data in waiting[-1] if data is None])
                if len(waiting) > 1:
                    yield from self._content(waiting.popleft())
            while waiting:
                yield from self._content(waiting.popleft())
        finally:
            for batch in waiting if self._git else ():
                self._content(batch)

    def _content(self, batch: list[tuple[str, bytes | None]]) -> list[bytes]:
        asked = iter(self._hear(sum(data is None for _, data in batch)))
        return [self._there(oid, next(asked)) if data is None else data for oid, data in batch]

    def _loose(self, oid: str) -> bytes | None:
        """A blob from its own file, None where it has none that is whole: Git opens such a file three times."""
        try:
            # A path as a plain string: joining Path objects takes longer than reading the file.
            with open(f"{self._objects}/{oid[:2]}/{oid[2:]}", "rb", buffering=0) as file:  # noqa: PTH123
                whole = zlib.decompress(file.read())
        except (OSError, zlib.error):
            return None
        return whole.partition(b"\0")[2] if whole.startswith(b"blob ") else None

    def sizes(self, oids: Sequence[str]) -> list[int]:
        """The bytes of each, in the order asked, by a process of its own that reads no content. As `blobs`."""
        feed = "".join(f"{oid}\n" for oid in oids).encode()
        said = self._door.read("cat-file", "--batch-check=%(objectsize)", feed=feed).out.split(b"\n")[:-1]
        gone = next((oid for oid, size in zip(oids, said, strict=True) if not size.isdigit()), "")
        if gone:
            raise GitError(f"Git has lost an object: {gone}", mend="`git fsck` in the home tells which")
        return [int(size) for size in said]

    def _answers(self, names: Sequence[str]) -> list[Object | None]:
        self._ask(names)
        return self._hear(len(names))

    def _ask(self, names: Sequence[str]) -> None:
        if not names:
            return
        git = self._running()
        assert git.stdin
        with suppress(BrokenPipeError):  # Git has ended; why is told where its answer is missing
            git.stdin.write("".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape"))
            git.stdin.flush()

    def _hear(self, number: int) -> list[Object | None]:
        found: list[Object | None] = []
        if not number:
            return found
        git = self._running()
        assert git.stdout
        for _ in range(number):
            head = git.stdout.readline().split()
            if not head:
                raise self._ended(git)
            if len(head) != 3:  # `<name> missing`, or ambiguous
                found.append(None)
                continue
            data = git.stdout.read(int(head[2]) + 1)
            found.append(Object(head[0].decode(), head[1].decode(), data[:-1]))
        return found

    def _running(self) -> subprocess.Popen[bytes]:
        if self._git is None:
            env = environment()
            env["GIT_OPTIONAL_LOCKS"] = "0"
            pipe = subprocess.PIPE
            with starting():
                self._git = subprocess.Popen(
                    self._door.command("cat-file", "--batch"),
                    stdin=pipe,
                    stdout=pipe,
                    stderr=pipe,
                    env=env,
                    umask=UMASK,
                )
        return self._git

    def _ended(self, git: subprocess.Popen[bytes]) -> Exception:
        self._git = None
        _, said = git.communicate()
        return refusal(Answer(git.returncode, b"", os.fsdecode(said)), self._door.home)

    @staticmethod
    def _there(oid: str, found: Object | None) -> bytes:
        if found is None:
            raise GitError(f"Git has lost an object: {oid}", mend="`git fsck` in the home tells which")
        return found.data


@contextmanager
def asking(door: Door) -> Iterator[Asking]:
    """A process to ask: the one that `keeping` holds, else one of its own for the block."""
    if door in _kept:
        yield _kept[door]
        return
    own = Asking(door)
    try:
        yield own
    finally:
        own.close()


@contextmanager
def keeping(door: Door) -> Iterator[None]:
    """All that is asked of this door in the block goes to one process."""
    if door in _kept:
        yield
        return
    _kept[door] = Asking(door)
    try:
        yield
    finally:
        _kept.pop(door).close()
