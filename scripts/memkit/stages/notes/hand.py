"""Hand edits: a change found in a tree before a run is committed as the user's own, and its words are kept.

An added line of the summary is a claim by hand, a removed one a tombstone, a changed one both; an edited rollout
summary stays as edited until its session grows. Edits that look like an accident (the summary emptied or gone) are put
back and said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from memkit import match, redact, tree
from memkit.clock import date
from memkit.documents import Malformed, erased, record, summary
from memkit.documents.summary import SummaryLine
from memkit.model import Claim, Tombstone, canonical
from memkit.repo import Change, ChangeKind, Repo
from memkit.store import Store

CLAIMS, TOMBSTONES = "hand.jsonl", "tombstones.jsonl"
T = TypeVar("T")
_AUTHORS = ("memkit", "by hand")  # of the commits that memkit makes
_MOST_COMMITS = 200
_OWN_FILES = ("memkit.yaml", "rules.yaml", ".gitignore")


@dataclass(frozen=True, kw_only=True, slots=True)
class HandEdits:
    """What was found: the commit ("" when nothing was edited), lines kept and taken out, how many records were edited,
    and one line for each thing that was put back or masked."""

    commit: str = ""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    records: int = 0
    warnings: tuple[str, ...] = ()


def take_hand_edits(*, store: Store, repo: Repo, now: float) -> HandEdits:
    """Commits what was edited in the home by hand and keeps its words. For the holder of the consolidation lock."""
    warnings: list[str] = []
    changes = _with_commits(_without_links(repo, warnings), repo)
    paths: list[str] = []
    kept: list[Claim] = []
    buried: list[Tombstone] = []
    records = 0
    for change in _without_accidents(changes, repo, warnings):
        if change.kind in ("symlink", "other"):
            warnings.append(f"{change.path} is no file of a memory and is left alone")
            continue
        text = _masked_in_place(change, repo, warnings)
        name = change.path.partition("/")[2]
        if change.path.partition("/")[0] in tree.TREES.values() and name == tree.SUMMARY:
            claims, stones = _summary_edit(change.old or "", text or "", now=now)
            kept, buried = kept + claims, buried + stones
        elif name.startswith(f"{tree.RECORDS}/") and text is not None:
            records += _record_edit(text, change, store, warnings)
        paths.append(change.path)
    if not paths:
        return HandEdits(warnings=tuple(warnings))
    gone = erased.load(repo.home)
    kept = [c for c in kept if erased.clean(c.text, gone) == c.text]
    buried = [t for t in buried if erased.clean(t.text, gone) == t.text]
    _keep(store, kept, buried)
    paths += export(store=store, home=repo.home)
    commit = repo.commit_paths(paths, message="memory: edited by hand\n", by_hand=True)
    return HandEdits(
        commit=commit,
        added=tuple(c.text for c in kept),
        removed=tuple(t.text for t in buried),
        records=records,
        warnings=tuple(warnings),
    )


def export(*, store: Store, home: Path) -> list[str]:
    """Writes claims by hand and tombstones to their tracked files, to seed a new database from; the files' names."""
    written = []
    for name, rows in ((CLAIMS, store.hand_claims()), (TOMBSTONES, store.tombstones())):
        path = home / name
        text = "".join(canonical(asdict(row)) + "\n" for row in rows)
        if text or path.exists():
            tree.write_file(path, text)
            written.append(name)
    return written


def seed(*, store: Store, home: Path, files: Mapping[str, bytes]) -> int:
    """Fills a new database from the tracked files; how many statements it took. Lines that can't be read are left."""
    claims = [claim for line in _rows(files.get(CLAIMS, b"")) if (claim := _read(line, Claim))]
    stones = [stone for line in _rows(files.get(TOMBSTONES, b"")) if (stone := _read(line, Tombstone))]
    gone = erased.load(home)
    claims = [claim for claim in claims if erased.clean(claim.text, gone) == claim.text]
    stones = [stone for stone in stones if erased.clean(stone.text, gone) == stone.text]
    store.keep_claims(claims)
    store.bury(stones)
    return len(claims) + len(stones)


def _rows(data: bytes) -> list[str]:
    return [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]


def _read(line: str, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError:
        return None


def _without_links(repo: Repo, warnings: list[str]) -> tuple[Change, ...]:
    """The changes once symbolic links in the home's own places are gone, so that nothing is written through one."""
    changes = repo.changed()
    links = [c for c in changes if c.kind == "symlink" and (repo.home / c.path).is_symlink() and _is_ours(c)]
    for change in links:
        (repo.home / change.path).unlink()
        warnings.append(f"{change.path} was a symbolic link and is taken away")
    return repo.changed() if links else changes


def _with_commits(changes: Sequence[Change], repo: Repo) -> tuple[Change, ...]:
    """The changes and what the user committed (or pulled, or reverted) since memkit's own last commit, as one."""
    theirs: list[str] = []
    base = ""
    for commit in repo.history(limit=_MOST_COMMITS):
        base = commit.id
        if commit.author in _AUTHORS:
            break
        theirs.append(commit.id)
    if not theirs or base == theirs[-1]:
        return tuple(changes)
    found = {change.path: change for change in changes}
    paths = sorted({path for each in theirs for path in repo.show_files(each)})
    old, new = (repo.read_files(paths, rev=rev) for rev in (base, "HEAD"))
    for path in paths:
        was, now = (
            None if data is None else data.decode("utf-8", "replace") for data in (old.get(path), new.get(path))
        )
        now = found[path].new if path in found else now
        if was != now:
            kind: ChangeKind = "deleted" if now is None else "added" if was is None else "modified"
            found[path] = Change(path=path, kind=kind, old=was, new=now)
    return tuple(found[path] for path in sorted(found))


def _is_ours(change: Change) -> bool:
    return change.path.partition("/")[0] in tree.TREES.values() or change.path in (
        *_OWN_FILES,
        CLAIMS,
        TOMBSTONES,
        erased.HASHES,
    )


def _without_accidents(changes: Sequence[Change], repo: Repo, warnings: list[str]) -> Iterable[Change]:
    """The changes, but for those that are put back: an emptied or deleted summary, deleted records, derived files."""
    for change in changes:
        top, _, name = change.path.partition("/")
        in_tree = top in tree.TREES.values()
        gone = change.kind == "deleted" or (change.new is not None and not change.new.strip())
        ours = change.path in (CLAIMS, TOMBSTONES, erased.HASHES, ".gitignore")
        kept = in_tree and (name == tree.SUMMARY or name.startswith(f"{tree.RECORDS}/"))
        derived = in_tree and name == tree.RAW
        if change.old and ((gone and kept) or (change.kind == "deleted" and ours) or derived):
            tree.write_file(repo.home / change.path, change.old)
            what = (
                "deleted" if change.kind == "deleted" else "emptied" if gone else "edited, but is made anew each time,"
            )
            warnings.append(f"{change.path} was {what} and is put back")
        elif _is_ours(change) and redact.mask(change.path) != change.path:
            warnings.append(f"the name {redact.mask(change.path)} holds a secret, so it is not committed: rename it")
        elif _is_ours(change):
            yield change


def _masked_in_place(change: Change, repo: Repo, warnings: list[str]) -> str | None:
    """The file's text without secrets: one that was typed in by hand must not reach the history."""
    if change.new is None:
        return None
    gone = erased.load(repo.home)
    masked = redact.mask(change.new)
    if masked != change.new:
        tree.write_file(repo.home / change.path, masked)
        warnings.append(f"{change.path} held a secret, which is masked")
    cleaned = erased.clean(masked, gone, prose=change.path.endswith(".md"))
    if cleaned != masked:
        tree.write_file(repo.home / change.path, cleaned)
        warnings.append(f"{change.path} held words that were erased for good; they are taken out")
    return cleaned


def _summary_edit(old: str, new: str, *, now: float) -> tuple[list[Claim], list[Tombstone]]:
    before, after = summary.scan(old).lines, summary.scan(new).lines
    had = {_key(line) for line in before}
    has = {_key(line) for line in after}
    added = [line for line in after if _key(line) not in had and match.normalise(line.text)]
    removed = [line for line in before if _key(line) not in has]
    changed = {line.thread_id for line in added if line.thread_id}
    claims = [
        Claim(section=line.section, text=line.text, scope=line.scope, created_at=int(now), thread_id=line.thread_id)
        for line in added
    ]
    stones = [
        Tombstone(
            subject=match.subject(line.text),
            text=line.text,
            scope=line.scope,
            section=line.section,
            created_at=int(now),
            thread_id=line.thread_id,
        )
        for line in removed
        if line.thread_id not in changed or not line.thread_id
    ]
    return claims, stones


def _key(line: SummaryLine) -> tuple[str, str, str, str]:
    """What makes a line the same line: support counts, marks and places in the index may differ."""
    return line.section.value, line.scope or "", line.text, line.thread_id


def _keep(store: Store, kept: Sequence[Claim], buried: Sequence[Tombstone]) -> None:
    gone = {(t.section, t.scope, t.text, t.thread_id) for t in buried}
    store.drop_claims([c for c in store.hand_claims() if (c.section, c.scope, c.text, c.thread_id) in gone])
    back = {(c.section, c.scope, c.text, c.thread_id) for c in kept}
    store.unbury([t for t in store.tombstones() if (t.section, t.scope, t.text, t.thread_id) in back])
    threads = {c.thread_id for c in kept if c.thread_id}
    store.drop_claims([c for c in store.hand_claims() if c.thread_id in threads])
    store.keep_claims(kept)
    store.bury(buried)


def _record_edit(text: str, change: Change, store: Store, warnings: list[str]) -> bool:
    """An edited rollout summary becomes the record, until its session grows; whether it did."""
    try:
        doc = record.parse(text)
    except Malformed as error:
        warnings.append(f"{change.path}: {error}; the edit is in the history, the record stays as it was")
        return False
    version = next(v for v, folder in tree.TREES.items() if change.path.startswith(f"{folder}/"))
    known = store.record(doc.thread_id, version)
    if known is None:
        warnings.append(f"{change.path} belongs to no known session; last changed {date(doc.time)}")
        return False
    return store.import_record(replace(known, rollout_summary=doc.body.text))
