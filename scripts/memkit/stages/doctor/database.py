"""Checks of the database and of what it says: locked, damaged, sessions that wait, stages that failed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from memkit import clock, store
from memkit.model import Entry, Session, State
from memkit.rollouts import eligible, find
from memkit.rollouts.find import Found, Problem
from memkit.stages.doctor.values import Trouble, Visit, counted
from memkit.store import DATABASE, Store

_TRIES, _PAUSE = 5, 0.1  # a lock that a writer holds for a moment is none
_NEWEST = 500  # files that are looked into, of those that no run has seen
_DAY = 86_400


def check(visit: Visit) -> Iterator[Trouble]:
    """Everything about state.sqlite."""
    path, run = visit.home / DATABASE, f"{visit.memkit} run"
    if not path.exists():
        if any("/" in name and not name.endswith("memory_summary.md") for name in visit.repo.read_files("")):
            what = f"{DATABASE} is missing; a run makes it anew from the committed memory and the session files"
            yield Trouble(check="database", what=what, mend=run)
        else:
            yield from _waiting(visit, None)
        return
    if not visit.busy and _is_locked(path):
        what = f"{path} is locked by another program, so no run can write"
        yield Trouble(check="database-locked", what=what, mend=f"end it; fuser {visit.quoted(path)} tells which it is")
    with Store.look(path) as opened:
        if said := opened.damage():
            mend = f"mv {visit.quoted(path)} {visit.quoted(f'{path}.damaged')}, then {run}: it is made anew"
            yield Trouble(check="database", what=f"{path} is damaged: {said}", mend=mend)
            return
        yield from _waiting(visit, opened)
        yield from _failed(visit, opened)


def _is_locked(path: Path) -> bool:
    for left in range(_TRIES, 0, -1):
        if not store.held(path):
            return False
        if left > 1:
            time.sleep(_PAUSE)
    return True


def _waiting(visit: Visit, opened: Store | None) -> Iterator[Trouble]:
    """Sessions that could be taken, while no run has succeeded for a day."""
    if visit.busy or visit.config.disabled or not visit.config.memories.generate_memories:
        return
    last = opened.last_runs()["extract"].last_success if opened else None
    if last is not None and visit.now - last < _DAY:
        return
    due = len(_due(visit, opened))
    if due:
        what = (
            f"{counted(due, 'session')} {'wait' if due != 1 else 'waits'} to be read, and no run has succeeded yet"
            if last is None
            else f"the last run that succeeded was on {clock.date(last)}, and {counted(due, 'session')}"
            f" {'wait' if due != 1 else 'waits'} to be read"
        )
        yield Trouble(check="waiting", what=what, mend=f"{visit.memkit} run")


def _due(visit: Visit, opened: Store | None) -> set[str]:
    """Ids of the sessions that a run would take now: of Codex's files, by the ledger, or by their head where it has
    not seen them as they are."""
    entries = {e.session.id: e for e in opened.entries()} if opened else {}
    known = opened.stats() if opened else {}
    due: set[str] = set()
    fresh: list[Found] = []
    for file in find.find(codex_home=visit.config.codex_home, archived=True):
        if isinstance(file, Problem):
            continue
        row = known.get(str(file.path))
        if row is None or row[1:] != (file.size, file.mtime_ns):
            fresh.append(file)
        elif (entry := entries.get(row[0])) and entry.state is State.WAITING and _is_over(entry, visit.now):
            due.add(row[0])
    for file in fresh[:_NEWEST]:
        head = find.head(file.path)
        if not isinstance(head, Problem) and not _is_same(entries.get(head.id), head) and _is_eligible(head, visit):
            due.add(head.id)
    return due


def _is_over(entry: Entry, now: float) -> bool:
    return entry.until is None or entry.until <= now


def _is_eligible(session: Session, visit: Visit) -> bool:
    memories = visit.config.memories
    return eligible.judge(
        session,
        now=visit.now,
        sources=visit.config.sources,
        max_age_days=memories.max_rollout_age_days,
        min_idle_hours=memories.min_rollout_idle_hours,
    ).taken


def _is_same(entry: Entry | None, seen: Session) -> bool:
    """Whether a file only is at another place, and its session did not grow since it was judged."""
    if entry is None or entry.state is State.WAITING:
        return False
    return entry.session.size >= seen.size and int(entry.session.updated_at) >= int(seen.updated_at)


def _failed(visit: Visit, opened: Store) -> Iterator[Trouble]:
    for stage, run in opened.last_runs().items():
        if run.error_at is not None and (run.last_success is None or run.error_at >= run.last_success):
            what = f"the last {stage} failed on {clock.iso(run.error_at)}: {run.last_error}"
            yield Trouble(check="failed-run", what=what, mend=f"{visit.memkit} --verbose run")
    final = [e for e in opened.entries() if e.state is State.FAILED and e.until is None]
    if final:
        why = f", the latest: {final[0].detail}" if final[0].detail else ""
        what = f"{counted(len(final), 'session')} failed and will not be tried again by itself{why}"
        yield Trouble(check="failed-sessions", what=what, mend=f"{visit.memkit} extract --retry-failed")
