"""Stage 1 without a model: evidence to a record, by what was typed, run and returned.

Outcomes come from exit codes, interruptions and the user's last word; what the assistant claims is kept as its claim.
"""

from __future__ import annotations

from collections.abc import Sequence

from memkit import prompts
from memkit.engines.base import RECORD_BYTES
from memkit.engines.offline import done, said, titles
from memkit.engines.offline.commands import Patched, Ran, patched, ran
from memkit.engines.offline.outcome import outcome
from memkit.engines.offline.segment import Task, Turn, keeps, tasks, turns
from memkit.engines.offline.shorten import shorten
from memkit.model import Evidence, StageOne
from memkit.prompts import TaskBlock


def extract(evidence: Evidence) -> StageOne:
    """The record of a session, or an empty output when there is nothing to keep."""
    found = turns(evidence)
    if not keeps(found):
        return StageOne(rollout_summary="")
    runs, patches = ran(evidence.rows), patched(evidence.rows)
    grouped = tasks(found)
    stated: list[str] = []
    blocks = [
        _block(
            task, _next(grouped, i), runs=runs, patches=patches, cwd=evidence.session.cwd, stated=stated, opens=not i
        )
        for i, task in enumerate(grouped)
    ]
    if not blocks:
        return StageOne(rollout_summary="")
    names = list(dict.fromkeys(block.title for block in blocks))
    whole = names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"
    text = shorten(blocks, render=lambda kept: prompts.record_body(title=whole, tasks=kept), max_bytes=RECORD_BYTES)
    return StageOne(rollout_summary=text, rollout_slug=titles.slug(names[0]))


def _next(grouped: Sequence[Task], at: int) -> Turn | None:
    return grouped[at + 1].turns[0] if at + 1 < len(grouped) else None


def _block(
    task: Task,
    after: Turn | None,
    *,
    runs: Sequence[Ran],
    patches: Sequence[Patched],
    cwd: str,
    stated: list[str],
    opens: bool,
) -> TaskBlock:
    numbers = {turn.number for turn in task.turns}
    mine = [r for r in runs if r.turn in numbers]
    edits = [p for p in patches if p.turn in numbers]
    ended = outcome(task, after, mine, edits)
    where = next((t.cwd for t in reversed(task.turns) if t.cwd), "")
    undone = said.rejected(task)
    bullets = [("project", where)] if where and where != cwd else []
    bullets += said.said(task, opens=opens, stated=stated) + said.answers(task)
    bullets += done.verified(mine, undone) + done.failed(runs, patches, undone, turns=numbers) + done.changed(edits)
    bullets += said.references(task) + said.left_open(task)
    bullets += done.still_failing(runs, turns=numbers) if ended != "success" else []
    return TaskBlock(title=titles.title(task), outcome=ended, bullets=(*bullets, *done.reported(task)))
