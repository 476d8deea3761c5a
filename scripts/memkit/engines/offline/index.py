"""What's in Memory: a line a record, in full for recent work and in a shorter form for older work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memkit import clock, tokens
from memkit.documents.record import Body, Task
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs, Source
from memkit.engines.offline import titles
from memkit.engines.offline.programs import Use, listed, use_of
from memkit.model import Claim, Section

NO_PROJECT = "no project"
_FULL_BYTES = 260
_SHORT_CHARS = 60


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the index, and its title for the shorter form."""

    line: SummaryLine
    title: str


def entries(read: Sequence[tuple[Source, Body]], inputs: Inputs) -> list[Entry]:
    """The records' lines, newest first; a line changed by hand keeps its words, one taken out by hand stays out.

    A session that worked in several projects has a line in each, which tells of that project's tasks only.
    """
    words = {c.thread_id: c for c in inputs.claims if c.section is Section.INDEX and c.thread_id}
    hidden = {t.thread_id for t in inputs.tombstones if t.thread_id and t.thread_id not in words}
    return [
        _entry(source, body, project, tasks, by_hand=words.get(source.record.session_id))
        for source, body in reversed(read)
        if source.record.session_id not in hidden
        for project, tasks in _by_project(source, body, inputs).items()
    ]


def _by_project(source: Source, body: Body, inputs: Inputs) -> dict[str | None, list[Task]]:
    groups: dict[str | None, list[Task]] = {} if body.tasks else {source.project: []}
    for task in body.tasks:
        project = inputs.project_of(task.project) if task.project else source.project
        groups.setdefault(project, []).append(task)
    return groups


def _entry(source: Source, body: Body, project: str | None, tasks: Sequence[Task], *, by_hand: Claim | None) -> Entry:
    own = by_hand if project == source.project else None
    line = SummaryLine(
        section=Section.INDEX,
        text=own.text if own else sentence(tasks) or _quoted(titles.clip(_title(body), max_chars=_FULL_BYTES)),
        pointer=source.file,
        thread_id=source.record.session_id,
        heading=project or NO_PROJECT,
        date=clock.date(source.record.updated_at),
        mark="ad-hoc note" if own else "",
    )
    return Entry(line, tasks[0].title if tasks else _title(body))


def _title(body: Body) -> str:
    first = next((row.strip("#*- ") for row in body.text.splitlines() if row.strip("#*- ")), "")
    return body.title or first or "untitled"


def short(entry: Entry) -> SummaryLine:
    """The older form: the first title alone, under "Older Memory Topics"."""
    text = entry.line.text if entry.line.mark else _quoted(titles.clip(entry.title, max_chars=_SHORT_CHARS))
    return entry.line._replace(text=text, date="")


def sentence(tasks: Sequence[Task]) -> str:
    """What tasks were about: in the user's words, how each ended, what verified it; "" without any."""
    parts: list[str] = []
    for task in tasks:
        part = _task(task, brief=len(tasks) > 2)
        if parts and tokens.byte_length("; ".join([*parts, part])) > _FULL_BYTES:
            parts.append(f"and {len(tasks) - len(parts)} more")
            break
        parts.append(part)
    return "; ".join(parts)


def _task(task: Task, *, brief: bool) -> str:
    facts = [task.outcome] if task.outcome else []
    if not brief:
        verified = [b.verified[0] for b in task.labelled("verified") if b.verified[0]]
        if verified:
            checks = [line for line in verified if use_of(line) is Use.VERIFY]
            others = [line for line in verified if not listed(line, "keeping")]
            facts += [f"`{titles.clip(line, max_chars=70)}`" for line in (checks or others)[-1:]]
        changed = [b.text for b in task.labelled("changed") if not b.text.startswith("put back: ")]
        if changed:
            facts.append(f"changed `{titles.clip(changed[0].partition(';')[0], max_chars=70)}`")
    return _quoted(task.title) + (f" ({', '.join(facts)})" if facts else "")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', "'") + '"'
