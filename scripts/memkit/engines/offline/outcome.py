"""How a task ended: by exit codes, interruptions and the user's last word, never by the assistant's claims."""

from __future__ import annotations

from collections.abc import Sequence

from memkit import match
from memkit.engines.offline import phrases
from memkit.engines.offline.commands import Patched, Ran
from memkit.engines.offline.programs import Use
from memkit.engines.offline.segment import Task, Turn


def outcome(task: Task, after: Turn | None, runs: Sequence[Ran], edits: Sequence[Patched]) -> str:
    """success, partial, failed or unfinished. after: the turn that opens the next task; runs and edits: the task's."""
    last = task.turns[-1]
    if last.interrupted:
        return "unfinished"
    acting = [r for r in runs if r.use is not Use.EXPLORE and r.exit_code is not None]
    checks = [r for r in acting if r.use is Use.VERIFY] or acting
    good = any(e.ok for e in edits) or any(r.ok for r in acting)
    poor = "partial" if good else "failed"
    word = _last_word(task, after)
    answered_by_work = len(task.turns) > 1 and last.own == word and last.acted
    if match.complains(word) and not answered_by_work:
        return poor
    if len(task.turns) > 1 and phrases.holds(last.own, "reverts") and word == last.own:
        return "failed"
    broken = bool(checks) and checks[-1].bad
    # Thanks are politeness: only words that say that it works outweigh a check that failed.
    if match.praises(word) and not (broken and match.greets(word)):
        return "success"
    if broken:
        return poor
    if not (last.answered or last.acted):
        return "unfinished"
    if checks or any(e.ok for e in edits):
        return "success" if all(e.ok for e in edits[-1:]) else "partial"
    found_out = last.answered and any(r.ok for r in runs)
    return "success" if found_out and after is not None else "partial"


def _last_word(task: Task, after: Turn | None) -> str:
    words = [t.own for t in task.turns[1:] if t.own.strip()]
    if after is not None:
        words.append((match.sentences(after.own) or [""])[0])
    return words[-1] if words else ""
