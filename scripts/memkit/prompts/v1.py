"""V1's files: raw memories, the handbook by task group, skills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memkit.documents.handbook import SECTIONS, Block, HandbookTask, Reference
from memkit.documents.raw import RawEntry
from memkit.prompts import safe
from memkit.prompts.jinja import render
from memkit.prompts.records import TaskBlock
from memkit.prompts.safe import UNTITLED, defuse, encodable, one_line


def raw_memories(*, entries: Sequence[RawEntry]) -> str:
    """raw_memories.md of entries in their order; each text ends with one blank line, as Codex writes it."""
    return render("v1/raw_memories.md.j2", entries=[_entry(entry) for entry in entries])


def _entry(entry: RawEntry) -> RawEntry:
    return replace(
        entry,
        thread_id=safe.thread_id(entry.thread_id).replace("`", "'"),
        cwd=one_line(entry.cwd),
        rollout_path=one_line(entry.rollout_path),
        rollout_summary_file=one_line(entry.rollout_summary_file),
        text=defuse(encodable(entry.text)).rstrip("\n"),
    )


def raw_memory(*, description: str, tasks: Sequence[TaskBlock]) -> str:
    """V1's second stage-1 text: what a session leaves for the handbook."""
    blocks = [(one_line(t.title) or UNTITLED, [(one_line(a), one_line(b)) for a, b in t.bullets]) for t in tasks]
    return render("v1/raw_memory.md.j2", description=one_line(description) or UNTITLED, tasks=blocks)


def handbook(*, blocks: Sequence[Block]) -> str:
    """MEMORY.md of blocks in their order; no blocks, an empty text. What `documents.handbook.parse` reads are these."""
    return render("v1/handbook.md.j2", blocks=[_block(block) for block in blocks])


def _block(block: Block) -> dict[str, object]:
    sections = [(s, [t for line in block.lines if line.section == s and (t := one_line(line.text))]) for s in SECTIONS]
    return {
        "name": one_line(block.name) or UNTITLED,
        "scope": one_line(block.scope) or "unknown",
        "applies_to": one_line(block.applies_to),
        "tasks": [_task(task) for task in block.tasks],
        "sections": sections,
    }


def _task(task: HandbookTask) -> HandbookTask:
    words = [w for word in task.keywords if (w := one_line(word).replace(",", " ").strip())]
    return replace(
        task,
        title=one_line(task.title) or UNTITLED,
        keywords=tuple(words) or ("task",),
        references=tuple(_reference(r) for r in task.references),
    )


def _reference(reference: Reference) -> Reference:
    return replace(
        reference,
        pointer=one_line(reference.pointer).replace(" ", "_"),
        thread_id=safe.thread_id(reference.thread_id),
        cwd=one_line(reference.cwd),
        rollout_path=one_line(reference.rollout_path),
        updated_at=one_line(reference.updated_at),
    )


def skill(
    *, name: str, description: str, title: str, when: str, commands: Sequence[str], sessions: Sequence[str], last: str
) -> str:
    """skills/<name>/SKILL.md: a procedure that succeeded several times. sessions: pointers to rollout summaries."""
    return render(
        "v1/skill.md.j2",
        name=one_line(name),
        description=one_line(description).replace(": ", " - "),
        title=one_line(title) or UNTITLED,
        when=one_line(when),
        commands=[one_line(c).replace("`", "'") for c in commands],
        sessions=[one_line(s) for s in sessions],
        last=one_line(last),
    )
