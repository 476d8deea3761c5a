"""Selected records into the trees' documents, in a staging worktree, through the gate, to one commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memkit import prompts, redact, tree
from memkit.config import Config
from memkit.documents import erased
from memkit.engines.base import Engine, Synced
from memkit.model import Drafts, Finding, Record, Version
from memkit.repo import Repo
from memkit.stages.consolidate import extensions
from memkit.stages.consolidate.gate import check, differences, guard, refusals
from memkit.stages.consolidate.inputs import inputs_of, place_inputs, projects, visible
from memkit.stages.consolidate.seen import Consolidated, Gathered, gather, nothing_new, remember, select
from memkit.stages.consolidate.syncing import synced
from memkit.store import Store

Files = Mapping[str, bytes]


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

    def text(self, *, old: bool) -> str:
        files = self.before.files if old else self.after.files
        return files.get(tree.SUMMARY, b"").decode("utf-8", "replace")


def consolidate(
    *,
    store: Store,
    repo: Repo,
    config: Config,
    engine: Engine,
    now: float,
    user_home: str,
    applied: Callable[[Files, Files], Sequence[str]] = lambda _before, _after: (),
    causes: Sequence[tuple[str, str]] = (),
    found: Gathered | None = None,
) -> Consolidated:
    """Prepares one commit from what the store has selected, for every version that is kept.

    For the holder of the consolidation lock. Raises GateError when drafts may not be published. With no difference of
    the inputs and valid documents, no engine is asked. applied: the ids of the notes that a change of the tree that is
    read, from its files to others, carries out; the commit names them.
    causes: trailers that the commit gets besides. found: what `gather` found, where it was asked already.
    """
    work = _Work(store, repo, config, engine, now, user_home)
    found = found or gather(store=store, repo=repo, config=config, engine=engine.name, now=now)
    if same := nothing_new(found, store=store, repo=repo, config=config, engine=engine.name):
        return same
    records, inputs = len(found.selected[config.version]), found.inputs
    with repo.staging() as staging:
        made = [_make(version, each, staging.path, work) for version, each in found.selected.items()]
        read = made[0]
        base, changed = staging.base, staging.changed_paths()
        if not changed:
            remember(store=store, repo=repo, config=config, inputs=inputs)
            return Consolidated(base=base, records=records, engine=engine.name, inputs=inputs)
        new, other, removed = differences(read.text(old=True), read.text(old=False), read.drafts)
        message = prompts.commit_message(
            new=len(new),
            changed=len(other),
            removed=len(removed),
            engine=engine.name,
            losses=removed,
            sessions=list(dict.fromkeys(id_ for each in made for id_ in _touched(each))),
            notes=applied(read.before.files, read.after.files),
            causes=causes,
        )
        commit = staging.commit(erased.clean(redact.mask(message), erased.load(repo.home)))
    return Consolidated(
        base=base,
        commit=commit,
        inputs=inputs,
        new=tuple(new),
        changed=tuple(other),
        removed=tuple(removed),
        findings=tuple(finding for each in made for finding in each.findings),
        records=records,
        engine=engine.name,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ready:
    """A tree whose inputs are in place. before: as it was committed; files: with the inputs."""

    root: Path
    selected: Sequence[Record]
    before: tree.TreeFiles
    files: tree.TreeFiles
    others: extensions.Extensions
    withheld: frozenset[str]

    def synced(self) -> Synced:
        return synced(self.before.files, self.files.files, withheld=self.withheld)


def cost(*, store: Store, repo: Repo, config: Config, engine: Engine, now: float, user_home: str) -> int:
    """The tokens of the changes that the engine would be shown; nothing is asked or kept."""
    work = _Work(store, repo, config, engine, now, user_home)
    with repo.staging() as staging:
        ready = [
            _place(version, select(version, store=store, config=config, now=now), staging.path, work)
            for version in config.versions
        ]
    return sum(engine.limits.count(change.diff) for each in ready for change in each.synced().changes)


def _place(version: Version, selected: Sequence[Record], worktree: Path, work: _Work) -> _Ready:
    """Syncs the inputs."""
    root = worktree / tree.TREES[version]
    before = tree.read_tree(root)
    places = projects(work.store, user_home=work.user_home)
    gone = erased.load(work.repo.home)
    selected = visible(selected, stones=work.store.tombstones(), places=places)
    selected = [erased.clean_record(each, gone) for each in selected]
    place_inputs(version, root, selected)
    others = extensions.read(before.files, now=work.now)
    tree.remove_files(root, others.stale)
    return _Ready(
        root=root,
        selected=selected,
        before=before,
        files=tree.read_tree(root),
        others=others,
        withheld=_withheld(selected, work),
    )


def _make(version: Version, selected: Sequence[Record], worktree: Path, work: _Work) -> _Tree:
    """Syncs the inputs, asks the engine, and lets the result through the gate."""
    ready = _place(version, selected, worktree, work)
    root, before, limits = ready.root, ready.before, work.config.summary
    drafts = work.engine.consolidate(
        inputs_of(
            version,
            ready.selected,
            before=before,
            extensions=ready.others,
            store=work.store,
            config=work.config,
            user_home=work.user_home,
            check=lambda documents: refusals(ready.files.files, documents, limits=limits, user_home=work.user_home),
            withheld=ready.withheld,
            synced=ready.synced,
        )
    )
    gone = erased.load(work.repo.home)
    tree.remove_files(root, drafts.removed)
    tree.write_documents(root, {path: erased.clean(redact.mask(text), gone) for path, text in drafts.documents.items()})
    after = tree.read_tree(root)
    result = _Tree(
        version=version,
        before=before,
        after=after,
        drafts=drafts,
        findings=check(after, limits=limits, user_home=work.user_home),
    )
    guard(result.text(old=True), differences(result.text(old=True), result.text(old=False), drafts)[2])
    return result


def _withheld(selected: Sequence[Record], work: _Work) -> frozenset[str]:
    """The selected sessions whose text may not go where the engine would send it."""
    if work.engine.limits.providers is None:
        return frozenset()
    entries = {each.session_id: work.store.entry(each.session_id) for each in selected}
    allows = work.engine.limits.allows
    return frozenset(id_ for id_, entry in entries.items() if entry is None or not allows(entry.session.provider))


def _touched(made: _Tree) -> list[str]:
    """Ids of the sessions whose record came, changed or went."""
    old, new = made.before.files, made.after.files
    paths = sorted(p for p in {*old, *new} if p.startswith(f"{tree.RECORDS}/") and old.get(p) != new.get(p))
    first = [(new.get(p) or old.get(p) or b"").split(b"\n", 1)[0].decode("utf-8", "replace") for p in paths]
    return [line.partition(":")[2].strip() for line in first]
