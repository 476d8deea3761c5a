"""The work on the sessions that are due, in one transaction each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from memkit import redact, tree
from memkit.config import Config
from memkit.documents import erased
from memkit.engines.base import Engine
from memkit.errors import BudgetError, EngineError, MalformedError, MemkitError, ModelError
from memkit.model import Entry, Facts, Outcome, Reason, Record, RunLog, StageOne, State, Version
from memkit.rollouts.eligible import Verdict
from memkit.stages.extract.outcome import Cost, Extracted
from memkit.stages.extract.pool import results
from memkit.stages.extract.session import Read, Reading, look
from memkit.store import Store

_WORTH = 24 << 20  # bytes of sessions from which starting other processes pays


@dataclass(frozen=True, kw_only=True)
class _Job:
    """What the work on sessions needs. held: the sessions that are leased, and in which versions."""

    store: Store
    config: Config
    engine: Engine
    owner: str
    now: float
    erased: erased.Hashes
    held: dict[str, list[Version]] = field(default_factory=dict)
    busy: list[str] = field(default_factory=list)
    waiting: dict[str, str] = field(default_factory=dict)  # sessions that the engine may not be asked about, and why


def extract(
    *,
    store: Store,
    config: Config,
    engine: Engine,
    due: Sequence[str],
    paths: Mapping[str, Path],
    owner: str,
    alive: Callable[[str], bool],
    now: float,
    limit: int | None = None,
    forced: bool = False,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Extracted:
    """Works on the sessions in order until all or `limit` are done. owner: a token of locks.run_token.

    A failing session is kept as failed and the rest goes on; StorageError ends the run, what is done stays done.
    processes: how many may share the work, where there is much of it; what comes out is the same.
    """
    job = _Job(store=store, config=config, engine=engine, owner=owner, now=now, erased=erased.load(config.home))
    outcomes: dict[str, Outcome] = {}
    before = engine.tokens_used

    def lease(session_id: str) -> bool:
        versions = [
            version
            for version in config.versions
            if store.lease(session_id, version=version, owner=owner, now=now, alive=alive, forced=forced)
        ]
        if versions:
            job.held[session_id] = versions
        else:
            job.busy.append(session_id)
            store.judge(session_id, state=State.WAITING, reason=Reason.IN_PROGRESS)
        return bool(versions)

    def unspent(session_id: str) -> bool:
        if job.waiting:
            job.waiting.setdefault(session_id, "")
        return not job.waiting

    leased = filter(lease, filter(unspent, due))
    readings = (_reading(each, paths.get(each), job) for each in islice(leased, limit))
    many = processes > 1 and _size(due[:limit], store) >= _WORTH
    progress(0, len(due))
    try:
        with closing(results(readings, engine=engine, processes=processes if many else 1)) as found:
            for reading, ask in found:
                if (outcome := _ended(reading, ask, job)) is not None:
                    outcomes[reading.session.id] = outcome
                progress(len(outcomes), len(due))
    except EngineError as broken:
        used = engine.tokens_used - before
        store.log_run(RunLog(stage="extract", started_at=now, ended_at=now, error=str(broken), tokens_used=used))
        raise
    finally:
        for session_id, versions in job.held.items():
            for version in versions:
                store.release(session_id, version=version, owner=owner)
        for session_id in job.waiting:
            store.judge(session_id, state=State.WAITING, reason=Reason.BUDGET)
    progress(len(due), len(due))
    done = tuple(outcomes[each] for each in due if each in outcomes)
    failed = [o for o in done if o.state is State.FAILED]
    if done:
        error = f"{len(failed)} of {len(done)} sessions failed: {failed[0].detail}" if failed else ""
        used = engine.tokens_used - before
        store.log_run(RunLog(stage="extract", started_at=now, ended_at=now, error=error, tokens_used=used))
    left = len(due) - len(done) - len(job.busy) - len(job.waiting)
    return Extracted(outcomes=done, busy=len(job.busy), left=left, spent=next(filter(None, job.waiting.values()), ""))


def _size(due: Sequence[str], store: Store) -> int:
    known = {entry.session.id: entry.session.size for entry in store.entries()}
    return sum(known.get(each, 0) for each in due)


def preview(*, store: Store, due: Sequence[str], limit: int | None = None) -> tuple[Entry, ...]:
    """The sessions that an extraction would work on, for --dry-run; nothing is written."""
    entries = [entry for each in due if (entry := store.entry(each))]
    return tuple(entries[:limit])


def cost(
    *,
    store: Store,
    config: Config,
    engine: Engine,
    due: Sequence[str],
    paths: Mapping[str, Path],
    now: float,
    limit: int | None = None,
) -> Cost:
    """Counts without asking: each session is read, and nothing is leased, sent or written."""
    job = _Job(store=store, config=config, engine=engine, owner="", now=now, erased=erased.load(config.home))
    seen = []
    for session_id in due[:limit]:
        job.held[session_id] = list(config.versions)
        if found := look(_reading(session_id, paths.get(session_id), job), engine=engine):
            seen.append(found.tokens * len(config.versions))
    return Cost(sessions=len(seen), tokens=sum(seen))


def _reading(session_id: str, path: Path | None, job: _Job) -> Reading:
    entry = job.store.entry(session_id)
    if entry is None:
        raise LookupError(session_id)
    return Reading(
        session=entry.session,
        path=path if path is not None and _there(path) else Path(job.store.source_path(session_id)),
        parent=_parent(entry, job),
        versions=tuple(job.held[session_id]),
        disable_on_external_context=job.config.memories.disable_on_external_context,
        erased=job.erased,
    )


def _ended(reading: Reading, ask: Callable[[], Read], job: _Job) -> Outcome | None:
    """Stores what reading a session came to; its lease ends with that. None where the engine may not be asked."""
    try:
        result = ask()
    except BudgetError as spent:
        job.waiting[reading.session.id] = str(spent)
        return None
    except MemkitError:
        raise
    except Exception as error:
        # A bug: this session is set aside, so that the next run gets past it.
        _failed(reading, f"a bug in memkit: {type(error).__name__}", job)
        raise
    if result.facts is None:
        return _failed(reading, result.problem, job)
    if result.failure is not None:
        return _failed(
            reading, str(result.failure), job, reason=_reason(result.failure), tokens=result.failure.tokens_used
        )
    _count_usage(reading, result.facts, job)
    outputs = result.outputs or (StageOne(rollout_summary=""),) * len(reading.versions)
    outcomes = [
        _finish(reading, result.facts, result.verdict, output, job, version=version)
        for version, output in zip(reading.versions, outputs, strict=True)
    ]
    job.held.pop(reading.session.id)
    return outcomes[0]


def _parent(entry: Entry, job: _Job) -> Path | None:
    """The file of the session that this one was forked from, to tell the repeated history from its own part."""
    forked = entry.session.forked_from
    if not forked or job.store.entry(forked) is None:
        return None
    path = Path(job.store.source_path(forked))
    return path if _there(path) else None


def _there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises where a folder may not be looked into


def _count_usage(reading: Reading, facts: Facts, job: _Job) -> None:
    """Counts the records that the session cites or opened the file of; its own and unknown ones are no use."""
    cited = set(facts.citations)
    if facts.reads:
        for version in job.config.versions:
            names = tree.record_names(job.store.records(version))
            cited |= {session for session, name in names.items() if name in facts.reads}
    if cited := cited - {reading.session.id}:
        job.store.count_usage(rollout_id=reading.session.id, cited=cited, now=job.now)


def _finish(
    reading: Reading, facts: Facts, verdict: Verdict, output: StageOne, job: _Job, *, version: Version
) -> Outcome:
    session = reading.session
    lines = {"bad_lines": facts.bad_lines, "unknown_lines": facts.unknown_lines, "tokens_used": output.tokens_used}
    if not output.empty:
        record = _record(reading, output, job, version=version)
        job.store.finish_good(record, owner=job.owner, taken_size=session.size, **lines)
        return Outcome(session_id=session.id, state=State.EXTRACTED)
    # Also what has been read and may not be kept: it is not read again until it grows.
    job.store.finish_empty(
        session.id,
        version=version,
        owner=job.owner,
        taken_at=session.updated_at,
        taken_size=session.size,
        skipped=verdict.reason,
        **lines,
    )
    if verdict.state is not None:
        return Outcome(session_id=session.id, state=verdict.state, reason=verdict.reason)
    after = job.store.entry(session.id)
    return Outcome(session_id=session.id, state=after.state if after else State.EMPTY)


def _record(reading: Reading, output: StageOne, job: _Job, *, version: Version) -> Record:
    session = reading.session
    record = redact.mask_fields(
        Record(
            session_id=session.id,
            version=version,
            updated_at=int(session.updated_at),
            path=session.path,
            cwd=session.cwd,
            branch=session.branch,
            remote=session.remote,
            rollout_summary=output.rollout_summary,
            slug=output.rollout_slug,
            raw_memory=output.raw_memory,
            generated_at=int(job.now),
            engine=job.engine.name,
        )
    )
    return erased.clean_record(record, job.erased)


def _reason(failure: ModelError) -> Reason:
    return Reason.MALFORMED_OUTPUT if isinstance(failure, MalformedError) else Reason.MODEL_ERROR


def _failed(
    reading: Reading, detail: str, job: _Job, *, reason: Reason = Reason.UNREADABLE, tokens: int = 0
) -> Outcome:
    session_id = reading.session.id
    for number, version in enumerate(job.held.pop(session_id)):
        job.store.finish_failed(
            session_id,
            version=version,
            owner=job.owner,
            reason=reason,
            detail=detail,
            now=job.now,
            tokens_used=0 if number else tokens,
        )
    return Outcome(session_id=session_id, state=State.FAILED, reason=reason, detail=detail)
