"""The repository of a home, as the rest of memkit sees it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memkit.errors import GitError
from memkit.repo import mend, objects, publishing, staging
from memkit.repo.asking import keeping
from memkit.repo.door import BY_HAND, Door
from memkit.repo.files import changed, status

if TYPE_CHECKING:
    from memkit.repo.staging import Staging
    from memkit.repo.values import Change, Commit


@dataclass(frozen=True, slots=True)
class Repo:
    """The repository of one home. Paths are relative to the home, with `/`; ids are full hex object ids.

    Every method raises GitError when Git is missing or refuses, StorageError when the home can't be read or written.
    repairs: what `ensure` had to repair, one line each. clean: it saw no file that differs from HEAD.
    """

    home: Path
    door: Door
    repairs: tuple[str, ...] = ()
    clean: bool = False

    @classmethod
    def at(cls, home: Path, *, hooks: str = os.devnull) -> Repo:
        """The repository as it is, for readers: nothing is created or repaired, GitPython stays unloaded.

        hooks: the folder whose hooks Git runs; none by default.
        """
        home = home.resolve()
        return cls(home, Door(home=home, git_dir=home / ".git", hooks=hooks))

    @classmethod
    def ensure(cls, home: Path, *, hooks: str = os.devnull) -> Repo:
        """The repository, made when there is none (home 0700, branch main) and repaired when it is broken.

        For writers that hold the consolidation lock. No commit that can be found is lost, no edited file is touched.
        """
        repo = cls.at(home, hooks=hooks)
        return cls(repo.home, repo.door, *mend.ensure(repo.door))

    def keeping(self) -> AbstractContextManager[None]:
        """For a block in which much is read: all of it is asked of one Git process."""
        return keeping(self.door)

    def outer_worktree(self) -> Path | None:
        """The nearest folder above the home that is a Git work tree, None without one or when it ignores the home."""
        outer = next((folder for folder in self.home.parents if (folder / ".git").exists()), None)
        if outer is None:
            return None
        asked = Door(outer, outer / ".git").read(
            "--no-literal-pathspecs", "check-ignore", "-q", str(self.home), ok=(0, 1, 128)
        )
        return None if asked.code == 0 else outer

    def head(self) -> str:
        """The id of the newest commit, "" when there is none yet."""
        return objects.head(self.door) if self._is_there() else ""

    def resolve(self, rev: str) -> str:
        """The full id of the commit that a user's word means; NoSuchCommit when it means none."""
        return objects.resolve(self.door, rev)

    def tree_id(self, path: str, rev: str = "HEAD") -> str:
        """The id of a folder's tree (or a file's blob) in a commit, "" when it isn't there; path "" is the root."""
        if not self._is_there():
            return ""
        return objects.tree_id(self.door, rev, path)

    def changed(self) -> tuple[Change, ...]:
        """Differences of the work tree against HEAD, by path; ignored files are left out, renames are two changes."""
        return changed(self.door, self.head(), seen=status(self.door))

    def commit_paths(self, paths: Iterable[str], *, message: str, by_hand: bool = False) -> str:
        """Commit just these files (or all below these folders) as the work tree has them, deletions included.

        Gives the commit's id, "" when nothing changed. Symbolic links and ignored files are left out. by_hand: the
        author is the user, not memkit.
        """
        wanted = tuple(path.rstrip("/") for path in paths)
        head, seen = self.head(), status(self.door)
        found = [
            change.path
            for change in changed(self.door, head, seen=seen)
            if change.kind not in ("symlink", "other")
            and any(change.path == path or change.path.startswith(f"{path}/") for path in wanted)
        ]
        if not found:
            return ""
        if seen.staged:
            publishing.sync_index(self.door)
        feed = b"".join(os.fsencode(path) + b"\0" for path in found)
        self.door.write("update-index", "--add", "--remove", "--replace", "-z", "--stdin", feed=feed)
        commit = staging.commit_index(self.door, message, parent=head, author=BY_HAND if by_hand else None)
        if commit:
            publishing.advance(self.door, commit, expected=head)
        return commit

    @contextmanager
    def staging(self) -> Iterator[Staging]:
        """A detached worktree of HEAD to make drafts in; it is gone afterwards.

        A repository without commits first gets an empty one, so that there is a base.
        """
        base = self.head()
        if not base:
            base = staging.commit_tree(self.door, staging.empty_tree(self.door), message="memory: empty")
            publishing.advance(self.door, base, expected="")
        with staging.staged(self.door, base) as staged:
            yield staged

    def publish(self, commit: str, *, base: str) -> None:
        """Move main and the work tree from `base` to `commit`, or do nothing at all.

        Raises Moved when main is no longer at `base`, or when a file that would change has an uncommitted edit or
        would replace an untracked one. A kill at any point is put right by the next `ensure`.
        """
        publishing.publish(self.door, commit, base=base)

    def read_files(self, paths_or_prefix: str | Iterable[str], rev: str = "HEAD") -> dict[str, bytes]:
        """Path to content as committed: of all files below a folder (a str, "" for all), or of the paths named.

        One process whatever the number; {} in a repository without commits; symbolic links are no files.
        """
        try:
            return objects.files(self.door, paths_or_prefix, rev=rev) if self._is_there() else {}
        except GitError:
            if rev == "HEAD" and not self.head():
                return {}
            raise

    def history(self, path_prefixes: Sequence[str] = (), limit: int | None = None) -> list[Commit]:
        """The commits from the newest on; with prefixes only those that touch a file or folder of them."""
        head = self.head()
        return objects.history(self.door, head, paths=path_prefixes, limit=limit) if head else []

    def show_files(self, commit: str) -> dict[str, tuple[bytes | None, bytes | None]]:
        """What a commit changed against its (first) parent: path to content before and after, None for no file."""
        oid = self.resolve(commit)
        deltas = objects.between(self.door, old=objects.parent(self.door, oid), new=oid)
        return {path: (delta.old, delta.new) for path, delta in deltas.items()}

    def _is_there(self) -> bool:
        return (self.home / ".git").exists()
