"""Init: the home, its trees with the skeleton summary, the configuration, the first commit. Again: only what lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memkit import prompts, resources, tree
from memkit.config import FILE
from memkit.model import Version
from memkit.repo import Repo

IGNORE = ".gitignore"


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """What init did. created: files that were missing; commit: "" when nothing was; repairs: what Git needed."""

    home: Path
    created: tuple[str, ...]
    commit: str
    repairs: tuple[str, ...]
    outer: Path | None

    @property
    def new(self) -> bool:
        """Whether the home got its memory just now."""
        return bool(self.commit) and any(name.endswith(f"/{tree.SUMMARY}") for name in self.created)


def init(*, repo: Repo, versions: tuple[Version, ...] = ("v2",)) -> Made:
    """Completes a home. Files that are there stay as they are."""
    wanted: dict[str, Callable[[], str]] = {IGNORE: prompts.gitignore, FILE: lambda: resources.read("memkit.yaml")}
    wanted |= {f"{tree.TREES[version]}/{tree.SUMMARY}": prompts.memory_summary for version in versions}
    lacking = [name for name in wanted if not (repo.home / name).exists()]
    # One that is committed and gone was deleted by hand: that is for `notes` to put back.
    committed = repo.read_files(lacking) if lacking else {}
    created = [name for name in lacking if name not in committed]
    for name in created:
        tree.write_file(repo.home / name, wanted[name]())
    commit = repo.commit_paths(created, message="memory: a new home\n") if created else ""
    return Made(
        home=repo.home, created=tuple(created), commit=commit, repairs=repo.repairs, outer=repo.outer_worktree()
    )
