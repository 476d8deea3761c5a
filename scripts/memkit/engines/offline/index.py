"""What's in Memory: a line a record, in full for recent work and in a shorter form for older work."""

from __future__ import annotations

from collections.abc import Sequence

from memkit import clock, tokens
from memkit.documents.record import Body, Task
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Source
from memkit.engines.offline import titles
from memkit.engines.offline.programs import Use, listed, use_of
from memkit.model import Claim, Section, Tombstone

NO_PROJECT = "no project"
_FULL_BYTES = 260
_SHORT_CHARS = 60


def full(
    read: Sequence[tuple[Source, Body]], *, claims: Sequence[Claim], tombstones: Sequence[Tombstone]
) -> list[SummaryLine]:
    """The records' lines, newest first; a line changed by hand keeps its words, one taken out by hand stays out."""
    words = {c.thread_id: c for c in claims if c.section is Section.INDEX and c.thread_id}
    hidden = {t.thread_id for t in tombstones if t.thread_id and t.thread_id not in words}
    lines = []
    for source, body in reversed(read):
        thread = source.record.session_id
        if thread in hidden:
            continue
        by_hand = words.get(thread)
        lines.append(
            SummaryLine(
                section=Section.INDEX,
                text=by_hand.text if by_hand else sentence(body),
                pointer=source.file,
                thread_id=thread,
                heading=source.project or NO_PROJECT,
                date=clock.date(source.record.updated_at),
                mark="by hand" if by_hand else "",
            )
        )
    return lines


def short(line: SummaryLine, body: Body) -> SummaryLine:
    """The older form: the first title alone, under "Older Memory Topics"."""
    title = body.title or line.text
    text = line.text if line.mark else _quoted(titles.clip(title, max_chars=_SHORT_CHARS))
    return SummaryLine(
        section=Section.INDEX,
        text=text,
        pointer=line.pointer,
        thread_id=line.thread_id,
        heading=line.heading,
        mark=line.mark,
    )


def sentence(body: Body) -> str:
    """What a session was about: its tasks in the user's words, how each ended, what verified it."""
    if not body.tasks:
        first = next((row.strip("#*- ") for row in body.text.splitlines() if row.strip("#*- ")), "")
        return _quoted(titles.clip(body.title or first or "untitled", max_chars=_FULL_BYTES))
    parts: list[str] = []
    for task in body.tasks:
        part = _task(task, brief=len(body.tasks) > 2)
        if parts and tokens.byte_length("; ".join([*parts, part])) > _FULL_BYTES:
            parts.append(f"and {len(body.tasks) - len(parts)} more")
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
