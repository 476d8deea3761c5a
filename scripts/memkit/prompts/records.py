"""A rollout summary: the file, and the text in it as the offline engine writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memkit import clock
from memkit.documents.record import LABELS
from memkit.prompts import safe
from memkit.prompts.jinja import render
from memkit.prompts.safe import UNTITLED, defuse, encodable, one_line


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskBlock:
    """A task of a record. bullets: (label, text), labels of documents.record.LABELS, texts with their quote marks."""

    title: str
    outcome: str
    bullets: tuple[tuple[str, str], ...] = ()


def record(*, thread_id: str, updated_at: float, rollout_path: str, cwd: str, git_branch: str, text: str) -> str:
    """A rollout summary file (CODEX.md, Files): header, blank line, the stage-1 text as it is, one newline.

    updated_at is in Unix seconds. A branch is shown only when known.
    """
    return render(
        "record.md.j2",
        thread_id=safe.thread_id(thread_id),
        updated_at=clock.iso(updated_at),
        rollout_path=one_line(rollout_path),
        cwd=one_line(cwd),
        git_branch=one_line(git_branch),
        text=defuse(encodable(text)),
    )


def record_body(*, title: str, tasks: Sequence[TaskBlock]) -> str:
    """The stage-1 text of DESIGN.md's own shape, without a newline at its end (the file adds it).

    A task's outcome and bullets are brought into the order of documents.record.LABELS, equal labels stay in theirs;
    bullets without text are left out.
    """
    blocks = [(one_line(task.title) or UNTITLED, _bullets(task)) for task in tasks]
    return render("record_body.md.j2", title=one_line(title) or UNTITLED, tasks=blocks).removesuffix("\n")


def _bullets(task: TaskBlock) -> list[tuple[str, str]]:
    safe = ((one_line(label), one_line(text)) for label, text in (("outcome", task.outcome), *task.bullets))
    return sorted((pair for pair in safe if pair[1]), key=lambda pair: _rank(pair[0]))


def _rank(label: str) -> int:
    return LABELS.index(label) if label in LABELS else len(LABELS)
