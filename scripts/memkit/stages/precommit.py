"""What is wrong with a commit that is made in the memory's repository: its trees by lint's rules, and secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memkit import lint, tree
from memkit.config import SummaryBudget
from memkit.model import Finding
from memkit.repo import staged
from memkit.repo.staged import Contents, Staged


def check(*, home: Path, limits: SummaryBudget, user_home: str, env: Mapping[str, str]) -> tuple[Finding, ...] | None:
    """The findings of what is staged and not in the newest commit already, with paths from the top.

    None where a hook calls in a repository that is not the home's. Raises GitError.

    user_home: what `~` stands for. env: the caller's, in which Git names its hooks the index.
    """
    door = staged.door(home, env=env)
    if door is None:
        return None
    with staged.staged(door) as seen:
        changed = seen.changed
        found = [
            each
            for name in tree.TREES.values()
            if any(path.startswith(f"{name}/") for path in changed)
            for each in _tree(name, seen, limits=limits, user_home=user_home)
        ]
        return (*found, *_secrets(seen.contents(seen.files.keys() & changed)))


def _tree(name: str, seen: Staged, *, limits: SummaryBudget, user_home: str) -> Iterator[Finding]:
    """Lint's findings of one tree."""
    files, before = seen.below(name), seen.below(name, before=True)
    if not files.ids:
        return  # a form of the memory that is given up
    earlier = lint.Earlier(
        files=before,
        same=frozenset(path for path, oid in files.ids.items() if before.ids.get(path) == oid),
        gone=any(files.ids.get(path) != oid and path != tree.SUMMARY for path, oid in before.ids.items()),
    )
    found = lint.lint_tree(
        files,
        symlinks=[path.removeprefix(f"{name}/") for path in seen.links if path.startswith(f"{name}/")],
        max_bytes=limits.max_bytes,
        max_tokens=limits.max_tokens,
        home=user_home,
        earlier=earlier,
    )
    for each in found:
        yield replace(each, file=f"{name}/{each.file}")


def _secrets(files: Contents) -> Iterator[Finding]:
    """Secrets in what belongs to no tree: settings, rules, whatever a person may add."""
    for path in sorted(files):
        if path.partition("/")[0] not in tree.TREES.values():
            found = lint.lint_file(path, files[path], max_bytes=1, max_tokens=1)
            yield from (each for each in found if each.rule == "secret")
