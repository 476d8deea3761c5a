"""V1's raw memory of a session: its record without what only a reader of that session needs."""

from __future__ import annotations

from memkit import prompts
from memkit.documents import record
from memkit.prompts import TaskBlock

_KEPT = ("preference (stated)", "correction", "decision", "verified", "failed", "changed", "reference", "open")


def raw_memory(rollout_summary: str) -> str:
    """The raw memory that belongs to a rollout summary of the offline engine's own shape."""
    body = record.body_of(rollout_summary)
    tasks = [
        TaskBlock(
            title=f"{task.title} ({task.outcome})" if task.outcome else task.title,
            outcome=task.outcome,
            bullets=tuple((b.label, b.text) for b in task.labelled(*_KEPT)),
        )
        for task in body.tasks
    ]
    return prompts.raw_memory(description=body.title, tasks=tasks)
