"""Scan: rollout files to ledger rows. Each session seen gets a state, and a reason where it is not taken."""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memkit import prompts, redact, rollouts
from memkit.config import Config
from memkit.documents import erased
from memkit.model import Entry, Reason, Session, State, content_hash
from memkit.rollouts import eligible
from memkit.rollouts.files import Found, Problem, find, find_in
from memkit.store import Judgement, Store

if TYPE_CHECKING:
    from memkit.rollouts import quota

_HOUR = 3_600
_FLUSH = 10  # seconds that an agent may still write after it said that the session ended
_LAST_MOMENT = 253_402_300_799  # 9999-12-31T23:59:59Z, the last that a datetime holds


@dataclass(frozen=True, kw_only=True, slots=True)
class Scanned:
    """What a scan saw. due: ids of the sessions to extract, latest activity first; paths: session id to its file.

    unreadable: how many sessions there are whose file can't be opened. limit: the rate limit that holds all work back.
    """

    files: int
    due: tuple[str, ...]
    ids: tuple[str, ...]
    paths: Mapping[str, Path] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    unreadable: int = 0
    limit: quota.Limit | None = None


def scan(
    *,
    store: Store,
    config: Config,
    now: float,
    paths: Sequence[Path] = (),
    again: bool = False,
    retry: bool = False,
    guarded: bool = False,
    current: str = "",
    allows: Callable[[str], bool] = lambda _provider: True,
) -> Scanned:
    """Takes down every session of Codex's folders, archived ones too, or of what is in `paths`, and judges each.

    A file whose size and time are known is not opened. With paths the rules of age, idle time and source are off.
    again: unchanged sessions are due as well; retry: failed ones are, whatever their tries. guarded: none is due while
    less than memories.min_rate_limit_remaining_percent of the agent's rate limit remains. current: the id of a session
    that has just begun or goes on. A session that was reported as ended, and did not go on since, need not rest.
    allows: may the engine get the sessions of a model provider?
    """
    seen = list(find_in(paths) if paths else find(codex_home=config.codex_home, archived=True))
    known = store.stats()
    found = {str(f.path): f for f in seen if isinstance(f, Found)}
    problems = [f for f in seen if isinstance(f, Problem)]
    ids: dict[str, Path] = {}
    fresh: list[Session] = []
    for path, file in found.items():
        row = known.get(path)
        if row and row[1:] == (file.size, file.mtime_ns):
            ids.setdefault(row[0], file.path)
            continue
        head = rollouts.find.head(file.path)
        if isinstance(head, Problem):
            problems.append(head)
            continue
        fresh.append(_named(redact.mask_fields(head)))
        ids.setdefault(fresh[-1].id, file.path)
    if fresh:
        gone = erased.load(config.home)
        fresh = [erased.clean_session(each, gone) for each in fresh]
    refused = [p.path for p in problems if _is_session(p)]
    shut = {str(path): _unreadable(path) for path in refused if str(path) not in known}
    unreadable = {known[str(path)][0] if str(path) in known else shut[str(path)].id for path in refused}
    if fresh or shut:
        store.see([*fresh, *shut.values()])
    grown = {s.id for s in fresh}
    entries = {e.session.id: e for e in store.entries() if e.session.id in ids}
    entries |= _forgotten_again(entries, store)
    taken, ended = store.watermarks(config.versions), store.ended()
    judged = [
        _judge(
            e,
            taken.get(e.session.id),
            config=config,
            now=now,
            explicit=bool(paths),
            again=again,
            retry=retry,
            over=e.session.updated_at <= ended.get(e.session.id, 0) + _FLUSH,
            goes_on=e.session.id == current,
            allows=allows,
        )
        for e in entries.values()
    ]
    limit = _limit(list(found.values()), config=config, now=now) if guarded else None
    if limit is not None:
        judged = [_held(j, limit) for j in judged]
    changed = [j for j in judged if j and _differs(entries[j.id], j)]
    changed += [
        Judgement(id=each, state=State.FAILED, reason=Reason.UNREADABLE, detail="the file can't be opened")
        for each in sorted(unreadable - set(ids))
    ]
    if changed:
        store.judge_many(changed)
    due = [j.id for j in judged if j and j.state is State.WAITING and j.reason is Reason.NOT_YET]
    for session in grown & set(entries):
        source = store.source_path(session)
        ids[session] = Path(source) if os.path.exists(source) else ids[session]  # noqa: PTH110 - never raises
    return Scanned(
        files=len(found),
        due=tuple(due),
        ids=tuple(entries),
        paths=ids,
        problems=tuple(problems),
        unreadable=len(unreadable - set(ids)),
        limit=limit,
    )


def _limit(files: Sequence[Found], *, config: Config, now: float) -> quota.Limit | None:
    """The rate limit of which too little remains."""
    found = rollouts.quota.tightest(files, now=now)
    least = config.memories.min_rate_limit_remaining_percent
    return found if found is not None and 100 - found.used_percent < least else None


def _held(judgement: Judgement | None, limit: quota.Limit) -> Judgement | None:
    """A session that would be read waits for the limit's window to end."""
    if judgement is None or judgement.reason is not Reason.NOT_YET:
        return judgement
    return replace(judgement, reason=Reason.RATE_LIMIT, until=limit.ends)


def _forgotten_again(entries: Mapping[str, Entry], store: Store) -> dict[str, Entry]:
    """The entries that a new database does not know to be forgotten, once it does."""
    ids = {stone.thread_id for stone in store.tombstones() if stone.source.startswith("session:")}
    due = [each for each in sorted(ids & set(entries)) if entries[each].reason is not Reason.FORGOTTEN]
    for each in due:
        store.forget(each)
    return {each: entry for each in due if (entry := store.entry(each))}


def _named(session: Session) -> Session:
    """The session with its id as headers and pointers can hold it, so that a tree gives back what the ledger knows."""
    known, parent = (prompts.one_line(each).replace(" ", "_") for each in (session.id, session.forked_from))
    return replace(session, id=known or content_hash(session.id)[:32], forked_from=parent)


def _is_session(problem: Problem) -> bool:
    """Whether it is a rollout file that the system refuses, rather than something else that lies there."""
    name = problem.path.name
    if problem.kind != "unreadable" or not name.startswith("rollout-") or not name.endswith((".jsonl", ".jsonl.zst")):
        return False
    try:
        return stat.S_ISREG(problem.path.stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


def _unreadable(path: Path) -> Session:
    """A file that can't be opened still is a session that was seen; its name tells which, and when it began."""
    session = rollouts.find.named_session(path, updated_at=0)
    return _named(redact.mask_fields(replace(session, updated_at=_began(session.id))))


def _began(session_id: str) -> float:
    """The time in a UUIDv7, 0 in another id: never later than what the file will say once it can be read."""
    try:
        value = uuid.UUID(session_id)
    except ValueError:
        return 0
    return min((value.int >> 80) / 1000, _LAST_MOMENT) if value.version == 7 else 0


def _judge(
    entry: Entry,
    taken: tuple[int, int | None] | None,
    *,
    config: Config,
    now: float,
    explicit: bool,
    again: bool,
    retry: bool,
    over: bool,
    goes_on: bool,
    allows: Callable[[str], bool],
) -> Judgement | None:
    """The session's new state, None where it stays as it is. taken: its watermark, None when it has none.

    over: the agent said that it has ended; goes_on: that it is in use.
    """
    session = entry.session
    grown = taken is None or int(session.updated_at) > taken[0] or (taken[1] is not None and session.size > taken[1])
    if entry.reason is Reason.FORGOTTEN:
        return None
    if entry.state is State.FAILED and entry.attempts and not retry and (entry.until is None or entry.until > now):
        return None
    settled = entry.state in (State.EXTRACTED, State.EMPTY, State.SKIPPED)
    if settled and not grown and not again:
        return None
    memories = config.memories
    verdict = eligible.judge(
        session,
        now=now,
        explicit=explicit,
        sources=config.sources,
        max_age_days=memories.max_rollout_age_days,
        min_idle_hours=0 if over and not goes_on else memories.min_rollout_idle_hours,
        generate=memories.generate_memories and entry.generate,
        sendable=allows(session.provider),
    )
    if verdict.reason is Reason.TOO_OLD and taken:
        return None  # what was kept of it stays; only its late growth is not taken
    if verdict.state is None and goes_on:
        until = now + memories.min_rollout_idle_hours * _HOUR
        return Judgement(id=session.id, state=State.WAITING, reason=Reason.TOO_FRESH, until=until)
    if verdict.state is None:
        return Judgement(id=session.id, state=State.WAITING, reason=Reason.NOT_YET)
    return Judgement(id=session.id, state=verdict.state, reason=verdict.reason, until=verdict.until)


def _differs(entry: Entry, judgement: Judgement) -> bool:
    return (entry.state, entry.reason, entry.detail, entry.until) != (
        judgement.state,
        judgement.reason,
        judgement.detail,
        judgement.until,
    )
