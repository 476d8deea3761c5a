"""The home's Git repository: clean environment, fixed identity, staging worktree, commit, history.

The only user of GitPython, which is loaded by the first call that writes; readers run `git` themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.repo.repository import Repo
    from memkit.repo.staging import Staging
    from memkit.repo.values import Change, ChangeKind, Commit, Moved, NoSuchCommit, Trailer
else:
    __getattr__ = lazily(
        globals(),
        repository="Repo",
        staging="Staging",
        values="Change ChangeKind Commit Moved NoSuchCommit Trailer",
    )

__all__ = [
    "Change",
    "ChangeKind",
    "Commit",
    "Moved",
    "NoSuchCommit",
    "Repo",
    "Staging",
    "Trailer",
]
