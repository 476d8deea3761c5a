"""Small trees for lint: a good one, and the same with something changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memkit.lint import lint_file, lint_tree
from memkit.model import Finding
from tests.support import trees
from tests.support.trees import RecordFile

HOME = "/home/dev"
Files = dict[str, bytes]


def body(*bullets: str, title: str = "Raise the retry limit") -> str:
    """A stage-1 text of one task with these bullets."""
    return "\n".join(
        [f"# {title}", "", f"## Task 1: {title}", "- outcome: success", *(f"- {said}" for said in bullets)]
    )


def tree(
    *records: RecordFile,
    preferences: Iterable[str] = (),
    profile: Iterable[str] = (),
    tips: Iterable[str] = (),
    index: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
    more: Mapping[str, str] | None = None,
) -> Files:
    """A tree with a summary and records, as bytes by path."""
    text = trees.summary(profile=profile, preferences=preferences, tips=tips, index=index)
    files = {"memory_summary.md": text, **{record.path: record.text for record in records}, **(more or {})}
    return {path: said.encode() for path, said in files.items()}


def found(files: Mapping[str, bytes], *, symlinks: Iterable[str] = ()) -> tuple[Finding, ...]:
    """What lint finds in a tree, with Codex's limits."""
    return lint_tree(files, max_bytes=10_000, max_tokens=2_500, symlinks=tuple(symlinks), home=HOME)


def found_in(name: str, data: bytes | str) -> tuple[Finding, ...]:
    """What lint finds in one file."""
    return lint_file(
        name, data.encode() if isinstance(data, str) else data, max_bytes=10_000, max_tokens=2_500, home=HOME
    )


def places(findings: Iterable[Finding], rule: str) -> list[tuple[str, int]]:
    """(file, line) of a rule's findings."""
    return [(finding.file, finding.line) for finding in findings if finding.rule == rule]
