"""Consolidate: selected records into the tree's documents, in a staging worktree, through the gate, to one commit.

Nothing that a reader sees changes here; `publish` moves the memory to the commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memkit import lint, match, prompts, redact, tokens, tree
from memkit.config import Config
from memkit.documents import Malformed, record, summary
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Engine, Inputs, Source
from memkit.errors import GateError
from memkit.model import Drafts, Finding, Loss, Record, Version, content_hash
from memkit.projects import Place, Projects
from memkit.repo import Repo
from memkit.store import Store

# Lines that a document may lose without a reason before the consolidation is refused (promise 2).
_UNACCOUNTED = 0.2
_FEW = 5
_REFUSED = "the memory stays as it was"


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


def consolidate(
    *, store: Store, repo: Repo, config: Config, engine: Engine, now: float, user_home: str
) -> Consolidated:
    """Prepares one commit from what the store has selected. Raises GateError when drafts may not be published.

    For the holder of the consolidation lock. With no difference of the inputs and valid documents, no engine is asked.
    """
    version = config.version
    selected = store.select(
        version,
        now=now,
        limit=config.memories.max_raw_memories_for_consolidation,
        max_unused_days=config.memories.max_unused_days,
    )
    places = projects(store, user_home=user_home)
    with repo.staging() as staging:
        root = staging.path / tree.TREES[version]
        before = tree.read_tree(root)
        current = before.files.get(tree.SUMMARY, b"").decode("utf-8", "replace")
        tree.sync(root, tree.record_files(selected))
        unseen = store.meta(SEEN) != _statements(store)
        if (
            not staging.changed_paths()
            and not unseen
            and not _gating(tree.read_tree(root), config=config, user_home=user_home)
        ):
            return Consolidated(base=staging.base, records=len(selected), engine=engine.name)
        inputs = _inputs(selected, current, diff=staging.diff(), store=store, config=config, places=places)
        drafts = engine.consolidate(inputs)
        tree.write_documents(root, {path: redact.mask(text) for path, text in drafts.documents.items()})
        if not staging.changed_paths():
            store.set_meta(SEEN, _statements(store))
            return Consolidated(base=staging.base, records=len(selected), engine=engine.name)
        after = tree.read_tree(root)
        findings = _gate(after, config=config, user_home=user_home)
        new, changed, removed = _differences(current, after.files[tree.SUMMARY].decode("utf-8", "replace"), drafts)
        _guard(current, removed)
        touched = _sessions(before.files, after.files)
        message = prompts.commit_message(
            new=len(new),
            changed=len(changed),
            removed=len(removed),
            engine=engine.name,
            losses=removed,
            sessions=touched,
        )
        commit = staging.commit(redact.mask(message))
        seen = _statements(store)
    return Consolidated(
        base=staging.base,
        commit=commit,
        statements=seen,
        new=tuple(new),
        changed=tuple(changed),
        removed=tuple(removed),
        findings=findings,
        records=len(selected),
        engine=engine.name,
    )


# What the last published consolidation knew of lines by hand and tombstones: the records' diff does not show them.
SEEN = "consolidated_statements"


def _statements(store: Store) -> str:
    return content_hash("\n".join([*map(str, store.hand_claims()), *map(str, store.tombstones())]))


def projects(store: Store, *, user_home: str) -> Projects:
    """The projects of all sessions in the ledger."""
    return Projects.of(
        (Place(e.session.cwd, e.session.remote) for e in store.entries() if e.session.cwd), user_home=user_home
    )


def restore(*, store: Store, repo: Repo, version: Version) -> int:
    """Takes the committed records into a database that is new, so that losing it loses no memory; how many.

    Whether it was done is kept in the database itself: a kill in between repeats it.
    """
    if store.meta("restored"):
        return 0
    files = repo.read_files(tree.TREES[version])
    done = 0
    for path, data in files.items():
        _, _, name = path.partition(f"{tree.RECORDS}/")
        if not name:
            continue
        try:
            doc = record.parse(data.decode("utf-8", "replace"))
        except Malformed:
            continue
        done += store.import_record(
            Record(
                session_id=doc.thread_id,
                version=version,
                updated_at=int(doc.time),
                path=doc.rollout_path,
                cwd=doc.cwd,
                branch=doc.git_branch,
                rollout_summary=doc.body.text,
                slug=tree.slug_of(name),
                generated_at=int(doc.time),
            )
        )
    store.set_meta("restored", "1")
    return done


def _inputs(
    selected: Sequence[Record], current: str, *, diff: str, store: Store, config: Config, places: Projects
) -> Inputs:
    names = tree.record_names(selected)

    def project_of(directory: str) -> str | None:
        found = places.of_directory(directory)
        return found.name if found else None

    sources = []
    for each in selected:
        project = places.of_place(Place(each.cwd, each.remote))
        sources.append(
            Source(
                record=each, file=f"{tree.RECORDS}/{names[each.session_id]}", project=project.name if project else None
            )
        )
    return Inputs(
        version=config.version,
        sources=tuple(sources),
        documents={tree.SUMMARY: current},
        max_bytes=config.summary.max_bytes,
        max_tokens=config.summary.max_tokens,
        count=tokens.count,
        project_of=project_of,
        claims=tuple(store.hand_claims()),
        tombstones=tuple(store.tombstones()),
        diff=diff,
    )


def _lint(files: tree.TreeFiles, *, config: Config, user_home: str) -> tuple[Finding, ...]:
    return lint.lint_tree(
        files.files,
        max_bytes=config.summary.max_bytes,
        max_tokens=config.summary.max_tokens,
        symlinks=files.symlinks,
        home=user_home,
    )


def _gating(files: tree.TreeFiles, *, config: Config, user_home: str) -> list[Finding]:
    return [f for f in _lint(files, config=config, user_home=user_home) if f.gates]


def _gate(files: tree.TreeFiles, *, config: Config, user_home: str) -> tuple[Finding, ...]:
    findings = _lint(files, config=config, user_home=user_home)
    gating = [f for f in findings if f.gates]
    if gating:
        shown = "; ".join(f"{f.file}:{f.line}: {f.rule}: {f.message}" for f in gating[:3])
        more = f" and {len(gating) - 3} more" if len(gating) > 3 else ""
        raise GateError(f"the consolidation was refused: {shown}{more}", mend=_REFUSED)
    return findings


def _differences(old: str, new: str, drafts: Drafts) -> tuple[list[str], list[str], list[Loss]]:
    """(new lines, changed lines, lost lines with their reasons) of a summary. Support counts alone are a change."""
    before, after = summary.scan(old).lines, summary.scan(new).lines
    had = {_identity(line): line for line in before}
    has = {_identity(line): line for line in after}
    added = [str(line) for key, line in has.items() if key not in had]
    changed = [str(line) for key, line in has.items() if key in had and str(line) != str(had[key])]
    reasons = {loss.line: loss.reason for loss in drafts.losses}
    removed = [
        Loss(line=str(line), reason=reasons.get(line.raw) or reasons.get(str(line)) or "")
        for key, line in had.items()
        if key not in has
    ]
    return added, changed, removed


def _identity(line: SummaryLine) -> tuple[str, str]:
    return line.section.value, line.thread_id or match.normalise(line.text)


def _guard(old: str, removed: Sequence[Loss]) -> None:
    """Promise 2: more unaccounted losses than a fifth of the document, and the consolidation is refused."""
    unaccounted = [loss for loss in removed if not loss.reason]
    total = len(summary.scan(old).lines)
    if len(unaccounted) > max(_UNACCOUNTED * total, 0) and (total >= _FEW or len(unaccounted) == total):
        raise GateError(
            f"the consolidation was refused: {len(unaccounted)} of {total} lines would go without a reason,"
            f" such as {unaccounted[0].line}",
            mend=_REFUSED,
        )


def _sessions(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[str]:
    """Ids of the sessions whose record came, changed or went."""
    paths = sorted(p for p in {*before, *after} if p.startswith(f"{tree.RECORDS}/") and before.get(p) != after.get(p))
    return list(dict.fromkeys(_thread(after.get(p) or before.get(p) or b"") for p in paths))


def _thread(data: bytes) -> str:
    first = data.split(b"\n", 1)[0].decode("utf-8", "replace")
    return first.partition(":")[2].strip()
