"""Context: what a new session in a directory is told. Reads the committed tree; imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memkit import clock, documents
from memkit.documents import Malformed, places, record, summary
from memkit.documents.record import RecordDoc
from memkit.documents.summary import FILE, SummaryDoc, SummaryLine
from memkit.model import Section
from memkit.projects import Place, Project, Projects

_KEPT = ("decision", "verified", "failed")
_HEADINGS = {
    Section.PROFILE: "## About the user",
    Section.PREFERENCES: "## Preferences",
    Section.TIPS: "## Tips",
    Section.INDEX: "## Earlier work here",
}


class Told(NamedTuple):
    """The lines of the context without its frame; empty when there is nothing to say. tokens as counted."""

    body: str = ""
    tokens: int = 0
    project: str = ""
    left_out: int = 0


def context(
    *,
    files: Mapping[str, bytes],
    directory: str,
    projects: Projects,
    remotes: Mapping[str, str],
    max_tokens: int,
    count: Callable[[str], int],
) -> Told:
    """Global lines, then all that the tree knows of the directory's project, newest first, up to max_tokens.

    files: the committed tree by path from its root. remotes: session id to its remote, where known. count: tokens of a
    line.
    """
    doc = summary.scan(files.get(FILE, b"").decode("utf-8", "replace"))
    project = projects.of_directory(directory)
    claims = (Section.PROFILE, Section.PREFERENCES, Section.TIPS)
    blocks = [(f"{_HEADINGS[s]} (everywhere)", _lines(doc, s, scope=None)) for s in claims]
    if project:
        blocks += [(f"{_HEADINGS[s]} (in {project.name})", _lines(doc, s, scope=project.name)) for s in claims]
        index = [line for line in doc.of(Section.INDEX) if line.heading == project.name]
        blocks.append(
            (_HEADINGS[Section.INDEX], [f"- {line.date or 'older'}: {line.text} ({line.pointer})" for line in index])
        )
        handed = _handbook(files, project)  # V1: the handbook says what V2 has to gather from the records
        facts = handed if handed is not None else _facts(files, project, projects=projects, remotes=remotes)
        blocks.append(("## What was decided, verified, and went wrong here", facts))
    blocks.append(("## Notes on memory", [f"- {line.text}" for line in doc.of(Section.INDEX) if not line.heading]))
    return _within(blocks, max_tokens=max_tokens, count=count, project=project.name if project else "")


def whole(*, files: Mapping[str, bytes], cut: Callable[[str], str], count: Callable[[str], int]) -> Told:
    """The whole summary, as Codex would inject it; nothing for a skeleton."""
    text = files.get(FILE, b"").decode("utf-8", "replace")
    if not summary.scan(text).lines:
        return Told()
    body = cut(text)
    return Told(body=body, tokens=count(body), left_out=int(body != text))


def _lines(doc: SummaryDoc, section: Section, *, scope: str | None) -> list[str]:
    return [f"- {line.text}{_support(line)}" for line in doc.of(section) if line.scope == scope]


def _support(line: SummaryLine) -> str:
    return (
        f" ({line.sessions} session{'s' if line.sessions != 1 else ''}, last {line.last})"
        if line.sessions
        else f" [{line.mark}]"
        if line.mark
        else ""
    )


def _facts(
    files: Mapping[str, bytes], project: Project, *, projects: Projects, remotes: Mapping[str, str]
) -> list[str]:
    here = _Here(project, projects)
    docs = sorted(_records(files, here=here, remotes=remotes), key=lambda d: (d.time, d.thread_id), reverse=True)
    lines: dict[str, None] = {}
    for doc in docs:
        for task in doc.body.tasks:
            remote = remotes.get(doc.thread_id, "")
            if not (here.directory(task.project) if task.project else here.place(doc.cwd, remote)):
                continue
            for bullet in task.labelled(*_KEPT):
                if bullet.label != "failed" or bullet.failed[2]:
                    lines.setdefault(f"- {bullet.label}: {bullet.text} ({clock.date(doc.time)})")
    return list(lines)


class _Here:
    """Whether a place is of the one project; asked for each record, while there are few places."""

    def __init__(self, project: Project, projects: Projects) -> None:
        self._project = project
        self._projects = projects
        self._known: dict[tuple[str, str | None], bool] = {}

    def place(self, cwd: str, remote: str) -> bool:
        if (cwd, remote) not in self._known:
            self._known[cwd, remote] = self._is(self._projects.of_place(Place(cwd, remote)))
        return self._known[cwd, remote]

    def directory(self, path: str) -> bool:
        if (path, None) not in self._known:
            self._known[path, None] = self._is(self._projects.of_directory(path))
        return self._known[path, None]

    def _is(self, found: Project | None) -> bool:
        return found is not None and found.key == self._project.key


def _handbook(files: Mapping[str, bytes], project: Project) -> list[str] | None:
    """What the handbook's block of the project adds to the summary; None in a tree without a handbook."""
    if places.HANDBOOK not in files:
        return None
    handbook = documents.handbook
    doc = handbook.scan(files[places.HANDBOOK].decode("utf-8", "replace"))
    mine = [line for block in doc.blocks if block.cwd == project.name for line in block.lines]
    wishes = handbook.SECTIONS[0]
    return [f"- {line.text}" for line in mine if line.section != wishes or line.text.startswith("uncertain: ")]


def _records(files: Mapping[str, bytes], *, here: _Here, remotes: Mapping[str, str]) -> list[RecordDoc]:
    """The records that can say something of the project."""
    docs = []
    for path, data in files.items():
        if path.startswith(f"{places.RECORDS}/"):
            text = data.decode("utf-8", "replace")
            try:
                head = record.header(text)
                if record.ELSEWHERE in text or here.place(head.cwd, remotes.get(head.thread_id, "")):
                    docs.append(record.parse(text))
            except Malformed:
                continue  # lint reports it; a reader goes on with the rest
    return docs


def _within(
    blocks: Sequence[tuple[str, list[str]]], *, max_tokens: int, count: Callable[[str], int], project: str
) -> Told:
    kept: list[str] = []
    used = left_out = 0
    for heading, lines in blocks:
        opened = False
        for line in lines:
            cost = count(line) + (0 if opened else count(heading) + 1)
            if used + cost > max_tokens:
                left_out += 1
                continue
            if not opened:
                kept += ["", heading]
                opened = True
            kept.append(line)
            used += cost
    if left_out and kept:
        kept += ["", f"({left_out} lines are left out for length; see `memkit summary` and the files named above.)"]
    return Told(body="\n".join(kept).strip("\n"), tokens=used, project=project, left_out=left_out)
