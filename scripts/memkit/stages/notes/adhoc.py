"""Notes: written at once, also while a run works; taken by the next run; what became of each.

Once taken, a note lives as claims and tombstones whose source is the note: `note:<id>` of what it says, `correct:<id>`
of what a correction took out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memkit import clock, match, prompts, redact, tree
from memkit.config import Config
from memkit.documents import Malformed, erased, note, summary
from memkit.documents.summary import SummaryLine
from memkit.errors import StorageError, UsageError
from memkit.model import Claim, Note, Section, Tombstone
from memkit.repo import Repo
from memkit.store import Store

_TRAILER = "Memkit-Note"
_SLUG_CHARS = 40
_NEAR = 1 / 3  # of the words that a correction shares with what it corrects, where no contradiction is plain
State = Literal["pending", "applied", "no_match"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A note and what became of it; commit is "" until it is applied."""

    note: Note
    state: State
    commit: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A line of the memory that a request names. line: from 1."""

    file: str
    line: int
    text: str


def write(
    *, config: Config, kind: Literal["remember", "correct", "forget"], text: str, project: str | None, now: float
) -> Note:
    """Writes a note into every active tree, without waiting for a run that works; two of one second both stay.
    UsageError for words that were erased.

    project: the root as written, None for everywhere. Raises StorageError when the home can't be written.
    """
    masked = redact.mask(text)
    if erased.clean(masked, erased.load(config.home)) != masked:
        raise UsageError("these words were erased with --purge, and stay out", mend="say it in other words")
    data = prompts.note(kind=kind, text=masked, project=redact.mask(project) if project else project, created=now)
    stem = "-".join(part for part in (clock.stamp(now), _slug(masked)) if part)
    folders = [config.home / tree.TREES[version] / note.FOLDER for version in config.versions]
    for number in range(1, 10_000):
        name = stem if number == 1 else f"{stem}-{number}"
        if tree.create_file(folders[0] / f"{name}.md", data):
            for folder in folders[1:]:
                tree.create_file(folder / f"{name}.md", data)
            return Note(id=name, kind=kind, text=prompts.one_line(masked), project=project, created_at=int(now))
    raise StorageError(f"{folders[0]} has too many notes of this second")


def _slug(text: str) -> str:
    words = re.findall(r"[a-z0-9]+", text.replace(redact.MASK, "").lower())
    return "-".join(words)[:_SLUG_CHARS].strip("-")


def read(files: Mapping[str, bytes]) -> list[Note]:
    """The notes of a tree by time; a file that is none is left (lint reports it)."""
    found = []
    for path, data in files.items():
        if path.startswith(f"{note.FOLDER}/") and path.endswith(".md"):
            try:
                doc = note.parse(data.decode("utf-8", "replace"))
            except Malformed:
                continue
            id_ = path.removeprefix(f"{note.FOLDER}/").removesuffix(".md")
            found.append(
                Note(
                    id=id_,
                    kind=doc.kind,
                    text=" ".join(doc.text.split()),
                    project=doc.project,
                    created_at=int(doc.created),
                )
            )
    return sorted(found, key=lambda n: (n.created_at, n.id))


def take_notes(*, store: Store, repo: Repo, config: Config) -> int:
    """Turns the notes that no run has taken yet into claims and tombstones; how many. For the holder of the lock.

    A claim that a later note took out again is not taken once more: its tombstone says so, in a rebuilt database too.
    """
    files = tree.read_tree(repo.home / tree.TREES[config.version]).files
    lines = summary.scan(files.get(tree.SUMMARY, b"").decode("utf-8", "replace")).lines
    sources = {claim.source for claim in store.hand_claims()} | {stone.source for stone in store.tombstones()}
    return sum(_take(each, lines, store) for each in read(files) if f"note:{each.id}" not in sources)


def _take(each: Note, lines: Sequence[SummaryLine], store: Store) -> bool:
    if each.kind == "forget":
        _forget(each, store)
        return True
    if any(s.created_at >= each.created_at and match.buries(s, each.text, scope=s.scope) for s in store.tombstones()):
        return False
    scope = each.project
    target = _corrected(each, lines) if each.kind == "correct" else None
    if target is not None:
        scope = target.scope
        key = (target.section, target.scope, target.text)
        store.drop_claims([c for c in store.hand_claims() if (c.section, c.scope, c.text) == key])
        store.bury([_stone(target.text, scope=scope, created=each.created_at, source=f"correct:{each.id}")])
    section = Section.PROFILE if match.judge(each.text).wish is match.Wish.PROFILE else Section.PREFERENCES
    store.keep_claims(
        [Claim(section=section, text=each.text, scope=scope, created_at=each.created_at, source=f"note:{each.id}")]
    )
    return True


def _forget(each: Note, store: Store) -> None:
    named = [
        c
        for c in store.hand_claims()
        if c.created_at <= each.created_at and _in_scope(each, c.scope) and match.covers(each.text, c.text)
    ]
    store.drop_claims(named)
    store.bury([_stone(each.text, scope=each.project, created=each.created_at, source=f"note:{each.id}")])


def _stone(text: str, *, scope: str | None, created: int, source: str) -> Tombstone:
    return Tombstone(subject=match.subject(text), text=text, scope=scope, created_at=created, source=source)


def _in_scope(each: Note, scope: str | None) -> bool:
    return each.project is None or scope == each.project


def _corrected(each: Note, lines: Sequence[SummaryLine]) -> SummaryLine | None:
    """The line that a correction corrects: one that it contradicts, else the one that shares most of its words."""
    reach = (each.project, None) if each.project is not None else None
    claims = [c for c in lines if c.section is not Section.INDEX and (reach is None or c.scope in reach)]
    plain = [line for line in claims if match.conflict(each.text, line.text)]
    if plain:
        return max(plain, key=lambda line: (_shared(each.text, line.text), line.text))
    near = [line for line in claims if _shared(each.text, line.text) >= _NEAR]
    return max(near, key=lambda line: (_shared(each.text, line.text), line.text), default=None)


def _shared(a: str, b: str) -> float:
    x, y = match.stance(a).words, match.stance(b).words
    return len(x & y) / len(x | y) if x | y else 0.0


def matches(*, files: Mapping[str, bytes], text: str, project: str | None) -> list[Place]:
    """The lines of summary, handbook and records that a request to forget names, in other words or order too.

    files: the tree by path. project: only what stands in its scope; None for all of it.
    """
    found = []
    for path, data in files.items():
        if path == tree.SUMMARY:
            lines = summary.scan(data.decode("utf-8", "replace")).lines
            found += [
                Place(file=path, line=line.line, text=line.raw.strip())
                for line in lines
                if (project is None or line.scope == project or line.heading == project) and _names(text, line.text)
            ]
        elif project is None and not path.startswith("extensions/"):
            rows = data.decode("utf-8", "replace").splitlines()
            found += [Place(file=path, line=n, text=row.strip()) for n, row in enumerate(rows, 1) if _names(text, row)]
    return found


def _names(request: str, line: str) -> bool:
    return any(match.covers(request, sentence) for sentence in match.sentences(line.strip("- #")))


def pending(*, repo: Repo, files: Mapping[str, bytes]) -> list[Note]:
    """The notes of a tree that no commit names yet."""
    done = _named(repo)
    return [each for each in read(files) if each.id not in done]


def applied(notes: Sequence[Note], before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[str]:
    """The ids of the notes that a change from one tree to another carries out."""
    text = after.get(tree.SUMMARY, b"").decode("utf-8", "replace")
    done = []
    for each in notes:
        asked = each.kind != "forget" or matches(files=before, text=each.text, project=each.project)
        if asked and in_place(each, text):
            done.append(each.id)
    return done


def in_place(each: Note, text: str) -> bool:
    """Does a summary say what the note asks for: the words are there, or nothing that was to be forgotten is?"""
    lines = summary.scan(text).lines
    if each.kind == "forget":
        return not any(
            _in_scope(each, line.scope) and match.covers(each.text, line.text) for line in lines if not line.mark
        )
    return any(match.normalise(line.text) == match.normalise(each.text) for line in lines)


def _named(repo: Repo) -> dict[str, str]:
    """Note id to the first commit that names it."""
    found: dict[str, str] = {}
    for commit in repo.history():
        for key, value in commit.trailers:
            if key == _TRAILER:
                found[value] = commit.id
    return found


def listing(*, repo: Repo, store: Store, config: Config) -> list[Listed]:
    """Every note with its state: applied only while the memory still says what it asked for."""
    files = tree.read_tree(config.home / tree.TREES[config.version]).files
    text = files.get(tree.SUMMARY, b"").decode("utf-8", "replace")
    named = _named(repo)
    taken = {stone.source for stone in store.tombstones()}
    found = []
    for each in read(files):
        good = in_place(each, text)
        if each.id in named and good:
            found.append(Listed(note=each, state="applied", commit=named[each.id]))
        elif each.kind == "forget" and f"note:{each.id}" in taken and good:
            found.append(Listed(note=each, state="no_match"))
        else:
            found.append(Listed(note=each, state="pending"))
    return found
