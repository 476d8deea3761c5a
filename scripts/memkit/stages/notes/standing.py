"""What the memory says of a note: where its words stand, whether it is carried out, and by which commit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memkit import clock, match, tree
from memkit.config import Config
from memkit.documents import Malformed, handbook, places, record, summary
from memkit.documents.record import RecordDoc
from memkit.documents.summary import SummaryLine
from memkit.model import Claim, Note, Tombstone
from memkit.projects import Place as Where
from memkit.projects import Projects
from memkit.repo import Repo, Trailer
from memkit.stages.notes import writing
from memkit.stages.notes.taking import in_scope, text_of
from memkit.store import Store

State = Literal["pending", "applied", "no_match"]
ProjectOf = Callable[[str], str | None]
_ROOT = 3  # characters at a word's begin that its inflected forms share


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A note and what became of it; commit is "" until it is applied.

    corrects: the words of the lines that it corrected. gone: why the memory no longer says it, "" while it does.
    """

    note: Note
    state: State
    commit: str = ""
    corrects: tuple[str, ...] = ()
    gone: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A line of the memory that a request names. line: from 1."""

    file: str
    line: int
    text: str


def matches(
    *, files: Mapping[str, bytes], text: str, project: str | None, project_of: ProjectOf | None = None
) -> list[Place]:
    """The lines of summary, handbook, records and skills that a request to forget names, in other words or order too.

    files: the tree by path. project: only what stands in its scope; None for all of it. project_of: a directory's
    project as written; without it only summary lines have a scope.
    """
    found = []
    for path, data in files.items():
        if path.startswith("extensions/"):
            continue
        rows = data.decode("utf-8", "replace")
        if path == tree.SUMMARY:
            lines = summary.scan(rows).lines
            found += [
                Place(file=path, line=line.line, text=line.raw.strip())
                for line in lines
                if (project is None or project in (line.scope, line.heading)) and names(text, line.text)
            ]
        else:
            inside = _inside(path, rows, project, project_of)
            found += [
                Place(file=path, line=n, text=row.strip())
                for n, row in enumerate(rows.splitlines(), 1)
                if inside(n) and names(text, row)
            ]
    return found


def _inside(path: str, text: str, project: str | None, project_of: ProjectOf | None) -> Callable[[int], bool]:
    """Whether a line of a file, by its number, is of the project."""
    if project is None:
        return lambda _number: True
    if path == places.HANDBOOK:
        blocks = handbook.scan(text).blocks
        starts = [(block.line, block.cwd == project) for block in blocks]
        return lambda number: next((mine for start, mine in reversed(starts) if start <= number), False)
    doc = _record(path, text)
    mine = doc is not None and project_of is not None and project_of(doc.cwd) == project
    return lambda _number: mine


def _record(path: str, text: str) -> RecordDoc | None:
    if not path.startswith(f"{tree.RECORDS}/"):
        return None
    try:
        return record.parse(text)
    except Malformed:
        return None


def names(request: str, line: str) -> bool:
    """Does a line say what a request names?"""
    return any(match.covers(request, sentence) for sentence in match.sentences(line.strip("- #")))


@dataclass
class Memory:
    """A tree as it stands, asked for notes. claims, stones: what the notes became, where that is known."""

    files: Mapping[str, bytes]
    claims: Sequence[Claim] = ()
    stones: Sequence[Tombstone] = ()
    project_of: ProjectOf | None = None
    lines: tuple[SummaryLine, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = summary.scan(self.files.get(tree.SUMMARY, b"").decode("utf-8", "replace")).lines
        self._docs: list[RecordDoc] | None = None

    @property
    def docs(self) -> list[RecordDoc]:
        if self._docs is None:
            texts = ((path, data.decode("utf-8", "replace")) for path, data in self.files.items())
            self._docs = [doc for path, text in texts if (doc := _record(path, text))]
        return self._docs

    def holds(self, each: Note) -> bool:
        """Is what the note asks for in place: its words are there, and none of what it took out is?"""
        if each.kind == "forget":
            if each.by_hand:
                return not any(self._says(s.text, s.scope, each) for s in self.stones if s.source == f"hand:{each.id}")
            return not self._still(each)
        wanted = match.normalise(text_of(each))
        if not any(match.normalise(line.text) == wanted for line in self.lines):
            return False
        return not any(self._says(text, scope, each) for text, scope in self._corrected(each))

    def corrected(self, each: Note) -> tuple[str, ...]:
        """The words that a note took out for its own."""
        return tuple(text for text, _ in self._corrected(each))

    def _corrected(self, each: Note) -> list[tuple[str, str | None]]:
        return [(s.text, s.scope) for s in self.stones if s.source == f"correct:{each.id}"]

    def _says(self, text: str, scope: str | None, each: Note) -> bool:
        """Does a line of sessions or older notes still say, in its scope, what was taken out?"""
        new = match.normalise(text_of(each))
        return any(
            line.scope == scope
            and match.normalise(line.text) not in ("", new)
            and match.normalise(line.text) == match.normalise(text)
            and not self._restated(line, each)
            for line in self.lines
        )

    def _still(self, each: Note) -> bool:
        """Do summary or records of that time still say what was to be forgotten?"""
        for line in self.lines:
            if (in_scope(each, line.scope) or line.heading == each.project) and match.covers(each.text, line.text):
                known = any(c.text == line.text and c.scope == line.scope for c in self.claims)
                if not (known if line.mark else self._restated(line, each)):
                    return True
        roots = _roots(each.text)
        return any(names(each.text, row) for row in self._rows(each, newer=False) if _may(row, roots))

    def _restated(self, line: SummaryLine, each: Note) -> bool:
        """Was a line said again after the note?"""
        if (line.last or line.date or "") > clock.date(each.created_at):
            return True
        roots = _roots(line.text)
        return any(names(line.text, row) for row in self._rows(each, newer=True) if _may(row, roots))

    def _rows(self, each: Note, *, newer: bool) -> Iterator[str]:
        for doc in self.docs:
            if (doc.time > each.created_at) is newer and (
                each.project is None or (self.project_of is not None and self.project_of(doc.cwd) == each.project)
            ):
                yield from doc.body.text.splitlines()


def _roots(text: str) -> set[str]:
    return {word[:_ROOT] for word in re.findall(r"\w+", match.normalise(text))}


def _may(row: str, roots: set[str]) -> bool:
    """A cheap no before the dear question."""
    low = row.casefold()
    return any(root in low for root in roots)


def projects(store: Store, *, user_home: str) -> ProjectOf:
    """A directory to its project as written, by the sessions of the ledger."""
    found = Projects.of(
        (Where(e.session.cwd, e.session.remote) for e in store.entries() if e.session.cwd), user_home=user_home
    )

    def project_of(directory: str) -> str | None:
        project = found.of_directory(directory)
        return project.name if project else None

    return project_of


def pending(*, repo: Repo, files: Mapping[str, bytes]) -> list[Note]:
    """The notes of a tree that no commit names yet."""
    done = _named(repo)
    return [each for each in writing.read(files) if each.id not in done]


def applied(
    waiting: Sequence[Note],
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    *,
    store: Store,
    user_home: str,
) -> list[str]:
    """The ids of the notes that a change from one tree to another carries out."""
    if not waiting:
        return []
    project_of = projects(store, user_home=user_home)
    now = Memory(after, store.hand_claims(), store.tombstones(), project_of)
    done = []
    for each in waiting:
        asked = each.kind != "forget" or matches(
            files=before, text=each.text, project=each.project, project_of=project_of
        )
        if asked and now.holds(each):
            done.append(each.id)
    return done


def _named(repo: Repo) -> dict[str, str]:
    """Note id to the first commit that names it."""
    found: dict[str, str] = {}
    for commit in repo.history():
        found |= dict.fromkeys(commit.named(Trailer.NOTE), commit.id)
    return found


def listing(*, repo: Repo, store: Store, config: Config, user_home: str) -> list[Listed]:
    """Every note with its state: applied only while the memory still says what it asked for, or what came later."""
    files = tree.read_tree(config.home / tree.TREES[config.version]).files
    found = writing.read(files)
    if not found:
        return []
    memory = Memory(files, store.hand_claims(), store.tombstones(), projects(store, user_home=user_home))
    named = _named(repo)
    again = {text_of(each): named[each.id] for each in found if each.id in named and each.kind != "forget"}
    return [_listed(each, memory, named.get(each.id, "") or _same(each, memory, again), found) for each in found]


def _same(each: Note, memory: Memory, commits: Mapping[str, str]) -> str:
    """The commit of an earlier note of the same words, which stand in the memory: nothing is left to do."""
    text = text_of(each) if each.kind != "forget" else ""
    return commits.get(text, "") if any(line.mark and line.text == text for line in memory.lines) else ""


def _listed(each: Note, memory: Memory, commit: str, found: Sequence[Note]) -> Listed:
    good = memory.holds(each)
    corrects = memory.corrected(each) or ((each.replaces,) if each.replaces else ())
    gone = "" if good or each.kind == "forget" else _superseded(each, memory, found)
    if commit and (good or gone):
        return Listed(note=each, state="applied", commit=commit, corrects=corrects, gone=gone)
    taken = any(_is_of(s, each) for s in memory.stones)
    if gone or (each.kind == "forget" and taken and good):
        return Listed(note=each, state="no_match", corrects=corrects, gone=gone)
    return Listed(note=each, state="pending", corrects=corrects)


def _is_of(stone: Tombstone, each: Note) -> bool:
    mine = (f"note:{each.id}", f"hand:{each.id}")
    again = stone.source.startswith("note:") and (stone.text, stone.scope) == (each.text, each.project)
    return stone.source in mine or (again and stone.created_at >= each.created_at)


def _superseded(each: Note, memory: Memory, found: Sequence[Note]) -> str:
    """Which later note, edit or undo took out what this one said."""
    orders = {other.id: other.order for other in found}
    text = text_of(each)
    if any(c.text == text and c.created_at >= each.created_at for c in memory.claims):
        return ""  # it is kept and only waits
    for stone in memory.stones:
        kind, _, by = stone.source.partition(":")
        later = orders.get(by, stone.created_at) > each.order or (
            by not in orders and stone.created_at >= each.created_at
        )
        if by != each.id and later and match.buries(stone, text, scope=stone.scope):
            why = {"note": "forgotten by the note", "correct": "corrected by the note", "undo": "taken back with"}
            return f"{why[kind]} {by[:10] if kind == 'undo' else by}" if kind in why else "taken out by hand"
    return ""
