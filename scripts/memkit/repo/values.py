"""What the repository says: a difference of the work tree, a commit, and the one refusal that callers react to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from memkit.errors import ExitCode, GitError
from memkit.repo.door import BY_HAND, NAME

_BY_HAND = BY_HAND["GIT_AUTHOR_NAME"]

ChangeKind = Literal["added", "modified", "deleted", "symlink", "other"]


class Trailer(StrEnum):
    """The trailers by which a commit tells what made it."""

    SESSION = "Memkit-Session"
    NOTE = "Memkit-Note"
    UNDO = "Memkit-Undo"
    RELEASE = "Memkit-Release"


class Moved(GitError):
    """The memory changed since the base was read (a new commit or a hand edit); redo the work on the new base."""


class NoSuchCommit(GitError):
    """The user's word means no commit: the call is wrong, not Git."""

    code = ExitCode.USAGE


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A difference of the work tree against HEAD. path: from the home, with `/`.

    old, new: the text in HEAD and in the work tree (invalid UTF-8 as U+FFFD), None where there is no regular file.
    kind `symlink`: a symbolic link, never followed; `other`: a folder that is a repository of its own. Neither is
    ever committed by memkit.
    """

    path: str
    kind: ChangeKind
    old: str | None = None
    new: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """One commit. time: Unix seconds of the author date. body: without the trailers, which stand in their order."""

    id: str
    time: int
    author: str
    subject: str
    body: str = ""
    trailers: tuple[tuple[str, str], ...] = ()

    @property
    def by_hand(self) -> bool:
        """Whether it holds what the user edited, committed by memkit."""
        return self.author == _BY_HAND

    @property
    def foreign(self) -> bool:
        """Whether somebody else made it: the user's own Git, a pull."""
        return self.author not in (NAME, _BY_HAND)

    def named(self, trailer: Trailer) -> tuple[str, ...]:
        """The values of a trailer, in their order."""
        return tuple(value for key, value in self.trailers if key == trailer)
