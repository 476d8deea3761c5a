"""Consolidate: selected records into the trees' documents, in a staging worktree, through the gate, to one commit.

Nothing that a reader sees changes here; `publish` moves the memory to the commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memkit import prompts, redact, tree
from memkit.config import Config
from memkit.engines.base import Engine
from memkit.model import Drafts, Finding, Loss, Version, content_hash
from memkit.repo import Repo
from memkit.stages.consolidate.gate import check, differences, guard, lint_files
from memkit.stages.consolidate.inputs import inputs_of, place_inputs, projects, select
from memkit.stages.consolidate.restore import restore
from memkit.store import Store

__all__ = ["SEEN", "Consolidated", "consolidate", "projects", "restore"]

# What the last published consolidation knew of lines by hand and tombstones: the records' diff does not show them.
SEEN = "consolidated_statements"


@dataclass(frozen=True, kw_only=True, slots=True)
class Consolidated:
    """A commit that is ready to be published; commit is "" when nothing changed. Counts are lines of the summary.

    findings: those that do not gate. records: how many were selected. base: what the commit stands on. statements: what
    was known of lines by hand, to be kept as seen once the commit is published.
    """

    base: str = ""
    commit: str = ""
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[Loss, ...] = ()
    findings: tuple[Finding, ...] = ()
    records: int = 0
    engine: str = ""
    statements: str = ""


@dataclass(frozen=True)
class _Work:
    store: Store
    repo: Repo
    config: Config
    engine: Engine
    now: float
    user_home: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tree:
    """One version's tree, made in the staging worktree."""

    version: Version
    before: tree.TreeFiles
    after: tree.TreeFiles
    drafts: Drafts
    findings: tuple[Finding, ...]
    records: int

    def text(self, *, old: bool) -> str:
        files = self.before.files if old else self.after.files
        return files.get(tree.SUMMARY, b"").decode("utf-8", "replace")


def consolidate(
    *, store: Store, repo: Repo, config: Config, engine: Engine, now: float, user_home: str
) -> Consolidated:
    """Prepares one commit from what the store has selected, for every version that is kept.

    For the holder of the consolidation lock. Raises GateError when drafts may not be published. With no difference of
    the inputs and valid documents, no engine is asked.
    """
    work = _Work(store, repo, config, engine, now, user_home)
    seen = content_hash("\n".join([*map(str, store.hand_claims()), *map(str, store.tombstones())]))
    with repo.staging() as staging:
        made = [_make(version, staging.path, work, unseen=store.meta(SEEN) != seen) for version in config.versions]
        read = made[0]
        base, changed = staging.base, staging.changed_paths()
        if not changed:
            store.set_meta(SEEN, seen)
            return Consolidated(base=base, records=read.records, engine=engine.name)
        new, other, removed = differences(read.text(old=True), read.text(old=False), read.drafts)
        message = prompts.commit_message(
            new=len(new),
            changed=len(other),
            removed=len(removed),
            engine=engine.name,
            losses=removed,
            sessions=list(dict.fromkeys(id_ for each in made for id_ in _touched(each))),
        )
        commit = staging.commit(redact.mask(message))
    return Consolidated(
        base=base,
        commit=commit,
        statements=seen,
        new=tuple(new),
        changed=tuple(other),
        removed=tuple(removed),
        findings=tuple(finding for each in made for finding in each.findings),
        records=read.records,
        engine=engine.name,
    )


def _make(version: Version, worktree: Path, work: _Work, *, unseen: bool) -> _Tree:
    """Syncs the inputs, asks the engine when anything differs, and lets the result through the gate."""
    root = worktree / tree.TREES[version]
    before = tree.read_tree(root)
    selected = select(version, store=work.store, config=work.config, now=work.now)
    place_inputs(version, root, selected)
    synced = tree.read_tree(root)
    limits = work.config.summary
    valid = not any(f.gates for f in lint_files(synced, limits=limits, user_home=work.user_home))
    if synced == before and valid and not unseen:
        return _Tree(
            version=version,
            before=before,
            after=synced,
            drafts=Drafts(documents={}),
            findings=(),
            records=len(selected),
        )
    drafts = work.engine.consolidate(
        inputs_of(version, selected, before=before, store=work.store, config=work.config, user_home=work.user_home)
    )
    tree.remove_files(root, drafts.removed)
    tree.write_documents(root, {path: redact.mask(text) for path, text in drafts.documents.items()})
    after = tree.read_tree(root)
    result = _Tree(
        version=version,
        before=before,
        after=after,
        drafts=drafts,
        findings=check(after, limits=limits, user_home=work.user_home),
        records=len(selected),
    )
    guard(result.text(old=True), differences(result.text(old=True), result.text(old=False), drafts)[2])
    return result


def _touched(made: _Tree) -> list[str]:
    """Ids of the sessions whose record came, changed or went."""
    old, new = made.before.files, made.after.files
    paths = sorted(p for p in {*old, *new} if p.startswith(f"{tree.RECORDS}/") and old.get(p) != new.get(p))
    first = [(new.get(p) or old.get(p) or b"").split(b"\n", 1)[0].decode("utf-8", "replace") for p in paths]
    return [line.partition(":")[2].strip() for line in first]
