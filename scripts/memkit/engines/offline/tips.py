"""What commands showed over several sessions: failures with what helped, and commands that verified work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memkit import clock, match
from memkit.documents.record import Body
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs, Source
from memkit.engines.offline import done
from memkit.model import Section, Tombstone


@dataclass(frozen=True, slots=True)
class Tip:
    """What a session's commands showed: a failure and what helped, or a command that verified work."""

    text: str
    command: str
    scope: str
    session: str
    at: int
    fix: bool


def tips(read: Sequence[tuple[Source, Body]], inputs: Inputs) -> list[Tip]:
    """Failures with what helped, and verified commands, oldest first; only of sessions that have a project."""
    found = []
    for source, body in read:
        for task in body.tasks:
            project = inputs.project_of(task.project) if task.project else source.project
            if project is None:
                continue
            for bullet in task.labelled("failed", "verified"):
                command, outcome, fix = bullet.failed if bullet.label == "failed" else (*bullet.verified, "")
                if not command or (bullet.label == "failed" and not fix) or outcome.endswith(done.AS_MEANT):
                    continue
                text = (
                    f'`{command}` gave "{_plain(outcome)}"; what helped: {fix}'
                    if fix
                    else f'`{command}` works: "{_plain(outcome)}"'
                )
                found.append(Tip(text, command, project, source.record.session_id, source.record.updated_at, bool(fix)))
    return found


def _plain(text: str) -> str:
    return text.replace('"', "'")


def tip_lines(found: Sequence[Tip], *, tombstones: Sequence[Tombstone]) -> list[SummaryLine]:
    """Failures with what helped; commands that verified work in two sessions or more. Newest first."""
    groups: dict[tuple[str, str, bool], list[Tip]] = {}
    for tip in found:
        groups.setdefault((tip.scope, tip.command, tip.fix), []).append(tip)
    kept = []
    for tips in groups.values():
        newest = max(tips, key=lambda t: (t.at, t.session, t.text))
        sessions = {t.session for t in tips}
        buried = any(
            (s.scope is None or s.scope == newest.scope)
            and newest.at <= s.created_at
            and match.same(s.text, newest.text)
            for s in tombstones
        )
        if not buried and (newest.fix or len(sessions) > 1):
            kept.append((newest, len(sessions)))
    # What a command mended can be done again; a change of code tells less beyond its day.
    kept.sort(
        key=lambda pair: (pair[0].fix, "; what helped: `" in pair[0].text, pair[0].at, pair[0].text), reverse=True
    )
    return [
        SummaryLine(section=Section.TIPS, text=t.text, scope=t.scope, sessions=n, last=clock.date(t.at))
        for t, n in kept
    ]
