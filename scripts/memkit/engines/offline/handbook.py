"""V1's handbook: a block a project, its tasks with where to read more, and what was wished, learned and went wrong.

Where two statements contradict each other and nothing settles it, both stay, marked as uncertain (V2 lets the later
one win).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memkit import clock, match, prompts
from memkit.documents.handbook import FILE, SECTIONS, Block, HandbookLine, HandbookTask, Reference
from memkit.documents.record import Body, Task
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs, Source
from memkit.engines.offline import claims
from memkit.engines.offline.claims import Standing
from memkit.engines.offline.index import NO_PROJECT
from memkit.engines.offline.statements import Statement
from memkit.model import Section

__all__ = ["FILE", "handbook"]

_TASKS, _LINES, _KEYWORDS = 60, 80, 8
_PREFERENCES, _KNOWLEDGE, _FAILURES = SECTIONS


def handbook(read: Sequence[tuple[Source, Body]], inputs: Inputs, *, said: Sequence[Statement], held: Standing) -> str:
    """MEMORY.md: the project with the freshest work first, in each the freshest task first."""
    groups: dict[str, list[tuple[Source, Task]]] = {}
    for source, body in reversed(read):
        for task in body.tasks or (Task(number=1, title=body.title or "untitled", line=0),):
            project = inputs.project_of(task.project) if task.project else source.project
            groups.setdefault(project or NO_PROJECT, []).append((source, task))
    lines = [*claims.hand_lines(inputs.claims), *claims.lines(held.groups)]
    blocks = [
        _block(
            project,
            tasks,
            wishes=_wishes(project, lines) + _without(_uncertain(project, said, held), project, inputs),
            known=_typed(project, lines)
            + _without([t for s, each in tasks for t in _knowledge(s, each)], project, inputs),
            failed=_without([t for s, each in tasks for t in _failures(s, each)], project, inputs),
        )
        for project, tasks in groups.items()
    ]
    return prompts.handbook(blocks=blocks)


def _without(texts: Sequence[str], project: str, inputs: Inputs) -> list[str]:
    """The lines that were not taken out by hand, word for word: what a later session shows has a later date."""
    gone = {
        match.normalise(stone.text)
        for stone in inputs.tombstones
        if stone.scope in (None, project) and not stone.thread_id
    }
    return [text for text in texts if match.normalise(text) not in gone]


def _block(
    project: str,
    tasks: Sequence[tuple[Source, Task]],
    *,
    wishes: Sequence[str],
    known: Sequence[str],
    failed: Sequence[str],
) -> Block:
    inside = project != NO_PROJECT
    rule = "what stands here holds in this project only" if inside else "background only; no project is known"
    return Block(
        name=f"{project.rstrip('/').rpartition('/')[2]} ({project})" if inside else project,
        line=0,
        scope=f"work in {project}" if inside else "sessions that ran in no project",
        applies_to=f"cwd={project if inside else 'any'}; reuse_rule={rule}",
        tasks=tuple(_task(number, *pair) for number, pair in enumerate(tasks[:_TASKS], 1)),
        lines=(
            *_lines(_PREFERENCES, wishes),
            *_lines(_KNOWLEDGE, known),
            *_lines(_FAILURES, failed),
        ),
    )


def _lines(section: str, texts: Sequence[str]) -> list[HandbookLine]:
    return [HandbookLine(section=section, text=text, line=0) for text in list(dict.fromkeys(texts))[:_LINES]]


def _task(number: int, source: Source, task: Task) -> HandbookTask:
    record = source.record
    reference = Reference(
        pointer=source.file,
        line=0,
        thread_id=record.session_id,
        cwd=record.cwd,
        rollout_path=record.path,
        updated_at=clock.iso(record.updated_at),
    )
    title = f"{task.title}, {task.outcome}" if task.outcome else task.title
    return HandbookTask(number=number, title=title, line=0, references=(reference,), keywords=_keywords(task))


def _keywords(task: Task) -> tuple[str, ...]:
    """Words to search by: names of changed files, programs that ran, and the title's own words."""
    words: dict[str, None] = {}
    for bullet in task.labelled("changed"):
        for path in bullet.text.split(", "):
            words.setdefault(path.rpartition("/")[2])
    for bullet in task.labelled("verified", "failed"):
        command = bullet.verified[0] if bullet.label == "verified" else bullet.failed[0]
        words.setdefault(" ".join(command.split()[:2]))
    for word in re.findall(r"\w[\w.-]+", task.title.lower()):
        if match.subject(word):
            words.setdefault(word)
    return tuple(w for w in words if w)[:_KEYWORDS] or (task.title,)


def _wishes(project: str, lines: Sequence[SummaryLine]) -> list[str]:
    found = [line for line in lines if line.scope == project and line.section in (Section.PROFILE, Section.PREFERENCES)]
    return [f"{line.text}{_support(line)}" for line in found]


def _typed(project: str, lines: Sequence[SummaryLine]) -> list[str]:
    """What the user told of how things are done here."""
    return [f"{line.text}{_support(line)}" for line in lines if line.scope == project and line.section is Section.TIPS]


def _support(line: SummaryLine) -> str:
    if line.sessions:
        return f" ({line.sessions} session{'s' if line.sessions != 1 else ''}, last {line.last})"
    return f" [{line.mark}]" if line.mark else ""


def _uncertain(project: str, said: Sequence[Statement], held: Standing) -> list[str]:
    """Statements that a later one replaced without saying so."""
    found = []
    for earlier in said:
        reason = held.gone.get(earlier.said, "")
        later = next((s for s in said if earlier.scope == project and reason == f"replaced by {s.text}"), None)
        if later and not _settled(earlier, later):
            found.append(
                f"uncertain: {earlier.text} (last {earlier.date}) against {later.text} (last {later.date}):"
                " nothing says that the later one replaces the earlier"
            )
    return found


def _settled(earlier: Statement, later: Statement) -> bool:
    return earlier.session == later.session or match.corrects(later.said)


def _knowledge(source: Source, task: Task) -> list[str]:
    """Decisions, commands that worked, references; dated, since they may have changed since."""
    when = clock.date(source.record.updated_at)
    found = [f"decision: {b.text} ({when})" for b in task.labelled("decision")]
    found += [f'`{b.verified[0]}` worked: "{_plain(b.verified[1])}" ({when})' for b in task.labelled("verified")]
    return found + [f"reference: {b.text} ({when})" for b in task.labelled("reference")]


def _failures(source: Source, task: Task) -> list[str]:
    when = clock.date(source.record.updated_at)
    found = []
    for bullet in task.labelled("failed"):
        command, error, fix = bullet.failed
        helped = f"; what helped: {fix}" if fix else "; nothing that helped is known"
        found.append(f'`{command}` gave "{_plain(error)}"{helped} ({when})')
    return found


def _plain(text: str) -> str:
    return text.replace('"', "'")
