"""What a commit changed, in words: which claims came, changed and went, by which session or note, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

from memkit import match, tree
from memkit.documents import Malformed, note, record, summary
from memkit.documents.identity import identity
from memkit.documents.note import NoteDoc
from memkit.documents.summary import SummaryLine
from memkit.model import Section
from memkit.repo import Commit, Repo, Trailer

_CUT = 60  # characters: the commit's list of losses cuts long lines, never before these

Kind = Literal["added", "changed", "removed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A line of the summary that a commit changed.

    line: as it stands, of a removed one as it stood; before: of a changed one. sessions: ids of those that came with
    the commit and say it, else of the earlier ones that do; notes: those that say it, or that took it out; both are
    empty where the commit does not tell. reason: why it went, or whose line it is.
    """

    kind: Kind
    section: Section
    scope: str | None
    line: str
    before: str = ""
    sessions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A note whose file came with a commit. scope: a project's root, None for everywhere."""

    id: str
    kind: str
    text: str
    scope: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """What one commit changed. written: notes that came with it; files: every path, for those who want them."""

    commit: Commit
    changes: tuple[Change, ...] = ()
    written: tuple[Written, ...] = ()
    files: tuple[str, ...] = ()

    def of(self, kind: Kind) -> tuple[Change, ...]:
        """The changes of one kind, in the summary's order."""
        return tuple(change for change in self.changes if change.kind == kind)


def history(*, repo: Repo, limit: int | None = None) -> tuple[Step, ...]:
    """The commits, newest first, each with what it changed."""
    return tuple(step(repo=repo, commit=each) for each in repo.history(limit=limit))


def step(*, repo: Repo, commit: Commit) -> Step:
    """One commit in words. A line that both trees of a home have is told once."""
    files = repo.show_files(commit.id)
    causes = _Causes(repo, commit, files)
    found: dict[tuple[Kind, str, str], Change] = {}
    for path, (old, new) in files.items():
        if PurePosixPath(path).name == tree.SUMMARY:
            for key, change in _compare(_lines(old), _lines(new), causes):
                found.setdefault(key, change)
    order = ("added", "changed", "removed")
    changes = sorted(found.values(), key=lambda change: order.index(change.kind))
    came = {path: new for path, (old, new) in files.items() if old is None and new is not None}
    written = {each.id: each for each in _written(came)}
    return Step(commit=commit, changes=tuple(changes), written=tuple(written.values()), files=tuple(files))


def raw_diff(*, repo: Repo, commit: str) -> dict[str, tuple[str, str]]:
    """Path to text before and after, as one commit changed it."""
    return {path: (_text(old), _text(new)) for path, (old, new) in repo.show_files(commit).items()}


def find_commit(*, repo: Repo, word: str) -> Commit:
    """The commit that a user's word means. Raises GitError when it means none."""
    oid = repo.resolve(word)
    return next(each for each in repo.history() if each.id == oid)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _lines(data: bytes | None) -> dict[tuple[str, str], SummaryLine]:
    """By what makes a line the same one, as the counts in the commit's subject have it."""
    lines = summary.scan(_text(data)).lines
    return {identity(line): line for line in lines}


_Keyed = tuple[tuple[Kind, str, str], Change]


def _compare(
    old: Mapping[tuple[str, str], SummaryLine], new: Mapping[tuple[str, str], SummaryLine], causes: _Causes
) -> Iterator[_Keyed]:
    for key, line in new.items():
        if key not in old:
            yield ("added", *key), causes.of_line("added", line)
        elif str(line) != str(old[key]):
            yield ("changed", *key), causes.of_line("changed", line, before=str(old[key]))
    for key, line in old.items():
        if key not in new:
            yield ("removed", *key), causes.of_loss(line)


class _Causes:
    """Who and what stands behind a commit's changes, as far as the commit itself tells."""

    def __init__(self, repo: Repo, commit: Commit, files: Mapping[str, tuple[bytes | None, bytes | None]]) -> None:
        self._repo, self._commit, self._files = repo, commit, files

    def of_line(self, kind: Kind, line: SummaryLine, *, before: str = "") -> Change:
        typed = self._commit.by_hand
        notes = [id_ for id_, each in self._notes.items() if each.kind != "forget" and match.same(each.text, line.text)]
        return Change(
            kind=kind,
            section=line.section,
            scope=line.scope,
            line=str(line),
            before=before,
            sessions=() if typed or line.mark else self._speakers(line),
            notes=tuple(notes),
            reason="by hand" if typed else "kept as your line" if line.mark == "by hand" else "",
        )

    def of_loss(self, line: SummaryLine) -> Change:
        reason = "taken out by hand" if self._commit.by_hand else self._reason(line)
        kind = {"forgotten by a note": "forget", "corrected by a note": "correct"}.get(reason)
        notes = {id_: each for id_, each in self._notes.items() if each.kind == kind}
        if len(notes) > 1:
            notes = {id_: each for id_, each in notes.items() if match.covers(each.text, line.text)}
        return Change(
            kind="removed",
            section=line.section,
            scope=line.scope,
            line=str(line),
            notes=tuple(notes),
            reason=reason,
        )

    def _reason(self, line: SummaryLine) -> str:
        """Of the commit's list: `- <reason>: <line>`."""
        words = f": {str(line).removeprefix('- ')}"
        rows = [row[2:] for row in self._commit.body.splitlines() if row.startswith("- ")]
        whole = next((row.removesuffix(words) for row in rows if row.endswith(words)), None)
        cut = (row.partition(words[:_CUT])[0] for row in rows if len(words) > _CUT and words[:_CUT] in row)
        return next(cut, "") if whole is None else whole

    def _speakers(self, line: SummaryLine) -> tuple[str, ...]:
        """Those that came or grew with the commit; for a line that is back, those that had said it."""
        return _who(line, self._new_records) or _who(line, self._records)

    @cached_property
    def _new_records(self) -> dict[str, str]:
        return _by_session({path: data for path, (_, data) in self._files.items() if data is not None})

    @cached_property
    def _records(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for root in tree.TREES.values():
            found |= _by_session(self._repo.read_files(f"{root}/{tree.RECORDS}", rev=self._commit.id))
        return found

    @cached_property
    def _notes(self) -> dict[str, NoteDoc]:
        """The notes that the commit applied, by id, as far as their files are there."""
        ids = set(self._commit.named(Trailer.NOTE))
        if not ids:
            return {}
        paths = [f"{root}/{note.FOLDER}/{id_}.md" for root in tree.TREES.values() for id_ in sorted(ids)]
        return dict(_notes(self._repo.read_files(paths, rev=self._commit.id)))


def _by_session(files: Mapping[str, bytes]) -> dict[str, str]:
    """Session to its record's text in the words' common form; a file that is no record is left."""
    found = {}
    for path, data in files.items():
        if PurePosixPath(path).parent.name == tree.RECORDS:
            with suppress(Malformed):
                doc = record.parse(_text(data))
                found[doc.thread_id] = match.normalise(doc.body.text)
    return found


def _who(line: SummaryLine, records: Mapping[str, str]) -> tuple[str, ...]:
    if line.thread_id:
        return (line.thread_id,) if line.thread_id in records else ()
    words = _said(line)
    return tuple(id_ for id_, text in records.items() if words and words in text)


def _said(line: SummaryLine) -> str:
    """The words by which a record says a line: of a tip its command."""
    if line.section is Section.TIPS and line.text.startswith("`"):
        return match.normalise(line.text.split("`")[1])
    return match.normalise(line.text.strip('"'))


def _notes(files: Mapping[str, bytes]) -> Iterator[tuple[str, NoteDoc]]:
    for path, data in files.items():
        if f"/{note.FOLDER}/" in f"/{path}":
            with suppress(Malformed):
                yield PurePosixPath(path).stem, note.parse(_text(data))


def _written(came: Mapping[str, bytes]) -> Sequence[Written]:
    return [
        Written(id=id_, kind=doc.kind, text=" ".join(doc.text.split()), scope=doc.project) for id_, doc in _notes(came)
    ]
