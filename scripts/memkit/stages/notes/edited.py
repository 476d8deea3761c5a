"""Changes that were made by hand, to notes, claims, tombstones and records; and what may not be changed put back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from memkit import match, redact, tree
from memkit.clock import date
from memkit.config import Config
from memkit.documents import Malformed, erased, note, places, record
from memkit.model import Claim, Note, Tombstone
from memkit.repo import Change, Repo, Trailer
from memkit.stages.notes import writing
from memkit.stages.notes.edits import Edit, Row, edits
from memkit.stages.notes.tracked import CLAIMS, TOMBSTONES, HandEdits, export, is_ours
from memkit.store import Store

_SKILLS = "skills/"
_MAX_FILE = 4 << 20  # characters; beyond 4 MiB no file of a tree is read


@dataclass
class _Found:
    """What the changes of a home come to. written: notes whose files are new; again: notes whose text was edited."""

    paths: list[str] = field(default_factory=list)
    edits: dict[tuple[object, ...], Edit] = field(default_factory=dict)
    records: int = 0
    written: dict[str, note.NoteDoc] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    others: bool = False

    def take_edits(self, name: str, change: Change, text: str) -> None:
        # The same edit in both trees, or in summary and handbook, is one.
        for each in edits(name, change.old or "", text):
            self.edits.setdefault((each.kind, each.said.scope, each.said.text, each.said.thread_id), each)

    def take_note(self, change: Change, text: str) -> None:
        new, old = _doc(text), _doc(change.old or "")
        name = change.path.rpartition("/")[2].removesuffix(".md")
        if new is not None and change.old is None:
            self.written[name] = new
        elif new != old and not (old and old.by_hand):
            self.again.add(name)


def take(
    changes: Sequence[Change], *, store: Store, repo: Repo, config: Config, now: float, warnings: list[str]
) -> HandEdits:
    """Commits the changes and keeps their words; warnings grow by what was put back or masked."""
    found, gone = _Found(), erased.load(repo.home)
    for change in _without_accidents(changes, repo, warnings):
        if change.kind in ("symlink", "other"):
            warnings.append(f"{change.path} is no file of a memory and is left alone")
            continue
        if change.new is not None and len(change.new) > _MAX_FILE:
            warnings.append(
                f"{change.path} is too large for a memory ({len(change.new):,} characters) and is left alone"
            )
            continue
        _look(change, _masked_in_place(change, repo, gone, warnings), found, store, warnings)
        found.paths.append(change.path)
    if not found.paths:
        return HandEdits(warnings=tuple(warnings))
    made = [each for each in found.edits.values() if erased.clean(each.said.text, gone) == each.said.text]
    notes = [_noted(each, found, config, now) for each in made]
    _keep(store, list(zip(made, notes, strict=True)), again=found.again, now=now)
    paths = [*found.paths, *_paths(notes, config), *export(store=store, home=repo.home)]
    commit = repo.commit_paths(paths, message=_message(found, notes), by_hand=True)
    return HandEdits(
        commit=commit,
        added=tuple(each.new.text for each in made if each.new),
        removed=tuple(each.old.text for each in made if each.old),
        notes=tuple(each.id for each in notes),
        records=found.records,
        warnings=tuple(warnings),
    )


def _look(change: Change, text: str | None, found: _Found, store: Store, warnings: list[str]) -> None:
    top, _, name = change.path.partition("/")
    inside = top in tree.TREES.values()
    if inside and name.startswith(f"{note.FOLDER}/") and text is not None:
        found.take_note(change, text)
    elif inside and name == writing.INSTRUCTIONS and change.old is None:
        return
    else:
        found.others = True
    if inside and name in (tree.SUMMARY, places.HANDBOOK):
        found.take_edits(name, change, text or "")
    elif inside and name.startswith(f"{tree.RECORDS}/") and text is not None:
        found.records += _record_edit(text, change, store, warnings)


def _doc(text: str) -> note.NoteDoc | None:
    try:
        return note.parse(text)
    except Malformed:
        return None


def _noted(each: Edit, found: _Found, config: Config, now: float) -> Note:
    """The note that an edit becomes; the one that a killed run had written already."""
    said, was = each.said, each.old.text if each.old and each.new else ""
    text = writing.tidy(said.text)
    for name, doc in found.written.items():
        if doc.by_hand and (doc.kind, doc.project, doc.text, doc.replaces) == (each.kind, said.scope, text, was):
            return writing.note_of(name, doc)
    return writing.write(
        config=config,
        kind=each.kind,
        text=text,
        project=said.scope,
        now=now,
        by_hand=True,
        section=said.section.value,
        replaces=was,
    )


def _paths(notes: Sequence[Note], config: Config) -> list[str]:
    names = [f"{note.FOLDER}/{each.id}.md" for each in notes] + ([writing.INSTRUCTIONS] if notes else [])
    return [f"{tree.TREES[version]}/{name}" for version in config.versions for name in names]


def _message(found: _Found, notes: Sequence[Note]) -> str:
    if not found.others:
        asked = len(found.written)
        what = f"{asked} note{'s' if asked != 1 else ''} written" if asked else "notes edited by hand"
        return f"memory: {what}\n"
    trailers = "\n".join(f"{Trailer.NOTE}: {each.id}" for each in notes)
    return f"memory: edited by hand\n\n{trailers}\n" if notes else "memory: edited by hand\n"


def _without_accidents(changes: Sequence[Change], repo: Repo, warnings: list[str]) -> Iterable[Change]:
    """The changes, but for those that are put back: an emptied or deleted summary, deleted records, derived files."""
    for change in changes:
        top, _, name = change.path.partition("/")
        in_tree = top in tree.TREES.values()
        gone = change.kind == "deleted" or (change.new is not None and not change.new.strip())
        ours = change.path in (CLAIMS, TOMBSTONES, erased.HASHES, ".gitignore")
        kept = in_tree and (name in (tree.SUMMARY, places.HANDBOOK) or name.startswith(f"{tree.RECORDS}/"))
        derived = in_tree and (name == tree.RAW or name.startswith(_SKILLS))
        if change.old and ((gone and kept) or (change.kind == "deleted" and ours) or derived):
            tree.write_file(repo.home / change.path, change.old)
            what = (
                "deleted" if change.kind == "deleted" else "emptied" if gone else "edited, but is made anew each time,"
            )
            warnings.append(f"{change.path} was {what} and is put back")
        elif is_ours(change) and redact.mask(change.path) != change.path:
            warnings.append(f"the name {redact.mask(change.path)} holds a secret, so it is not committed: rename it")
        elif is_ours(change):
            yield change


def _masked_in_place(change: Change, repo: Repo, gone: erased.Hashes, warnings: list[str]) -> str | None:
    """The file's text without secrets: one that was typed in by hand must not reach the history."""
    if change.new is None:
        return None
    masked = redact.mask(change.new)
    if masked != change.new:
        tree.write_file(repo.home / change.path, masked)
        warnings.append(f"{change.path} held a secret, which is masked")
    cleaned = erased.clean(masked, gone, prose=change.path.endswith(".md"))
    if cleaned != masked:
        tree.write_file(repo.home / change.path, cleaned)
        warnings.append(f"{change.path} held words that were erased for good; they are taken out")
    return cleaned


def _keep(store: Store, made: Sequence[tuple[Edit, Note]], *, again: set[str], now: float) -> None:
    """What the edits say, in the store. again: notes whose text was edited, which are to be taken once more."""
    kept = [_claim(each.new, by, now) for each, by in made if each.new]
    buried = [
        _stone(each, each.old, by, now) for each, by in made if each.old and not (each.new and each.old.thread_id)
    ]
    gone = {(t.section, t.scope, t.text, t.thread_id) for t in buried}
    back = {(c.section, c.scope, c.text, c.thread_id) for c in kept}
    threads = {c.thread_id for c in kept if c.thread_id}
    sources = {f"{kind}:{name}" for kind in ("note", "correct") for name in again}
    store.drop_claims(
        c
        for c in store.hand_claims()
        if (c.section, c.scope, c.text, c.thread_id) in gone or c.thread_id in threads or c.source in sources
    )
    store.unbury(
        t for t in store.tombstones() if (t.section, t.scope, t.text, t.thread_id) in back or t.source in sources
    )
    store.keep_claims(kept)
    store.bury(buried)


def _claim(row: Row, by: Note, now: float) -> Claim:
    return Claim(
        section=row.section,
        text=row.text,
        scope=row.scope,
        created_at=int(now),
        source=f"note:{by.id}",
        thread_id=row.thread_id,
    )


def _stone(each: Edit, old: Row, by: Note, now: float) -> Tombstone:
    """Of just this line: what else stands in the file was left there by who edited it."""
    return Tombstone(
        subject=match.subject(old.text),
        text=old.text,
        scope=old.scope,
        section=old.section,
        created_at=int(now),
        source=f"{'correct' if each.new else 'hand'}:{by.id}",
        thread_id=old.thread_id,
    )


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
