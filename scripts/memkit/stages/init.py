"""Init: the home, its trees with the skeleton summary, the configuration, the first commit. Again: only what lacks."""

from __future__ import annotations

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


def init(*, repo: Repo, versions: tuple[Version, ...] = ("v2",)) -> Made:
    """Completes a home. Files that are there stay as they are."""
    wanted = {IGNORE: prompts.gitignore(), FILE: resources.read("memkit.yaml")}
    for version in versions:
        wanted[f"{tree.TREES[version]}/{tree.SUMMARY}"] = prompts.memory_summary()
    created = []
    for name, text in wanted.items():
        path = repo.home / name
        if not path.exists() and not (repo.head() and repo.read_files([name])):
            tree.write_file(path, text)
            created.append(name)
    commit = repo.commit_paths(created, message="memory: a new home\n") if created else ""
    return Made(
        home=repo.home, created=tuple(created), commit=commit, repairs=repo.repairs, outer=repo.outer_worktree()
    )
