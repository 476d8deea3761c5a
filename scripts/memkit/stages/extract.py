"""Extract: a session's bytes to a record, to nothing to keep, or to a failure with its reason. One transaction each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memkit import redact, tokens
from memkit.config import Config
from memkit.engines.base import Engine
from memkit.errors import EngineError, MemkitError, RolloutError
from memkit.model import Entry, Evidence, Facts, Outcome, Reason, Record, RunLog, StageOne, State, Version
from memkit.rollouts import decode, eligible, evidence
from memkit.store import Store

EVIDENCE_TOKENS = 150_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Extracted:
    """What became of each session that was due, in the order of the work; busy: those that another run works on."""

    outcomes: tuple[Outcome, ...] = ()
    busy: int = 0
    left: int = 0

    def count(self, state: State) -> int:
        return sum(o.state is state for o in self.outcomes)


@dataclass(frozen=True, kw_only=True)
class Job:
    """What the work on one session needs."""

    store: Store
    config: Config
    engine: Engine
    owner: str
    now: float


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
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Extracted:
    """Works on the sessions in order until all or `limit` are done. owner: a token of locks.run_token.

    A failing session is kept as failed and the rest goes on; StorageError ends the run, what is done stays done.
    """
    job = Job(store=store, config=config, engine=engine, owner=owner, now=now)
    outcomes: list[Outcome] = []
    busy = 0
    for at, session_id in enumerate(due):
        if limit is not None and len(outcomes) >= limit:
            break
        progress(at, len(due))
        versions = [
            version
            for version in config.versions
            if store.lease(session_id, version=version, owner=owner, now=now, alive=alive, forced=forced)
        ]
        if not versions:
            busy += 1
            store.judge(session_id, state=State.WAITING, reason=Reason.IN_PROGRESS)
            continue
        try:
            outcomes.append(_one(session_id, paths.get(session_id), job, versions=versions))
        except EngineError as broken:
            store.log_run(RunLog(stage="extract", started_at=now, ended_at=now, error=str(broken)))
            raise
    progress(len(due), len(due))
    failed = [o for o in outcomes if o.state is State.FAILED]
    if outcomes:
        error = f"{len(failed)} of {len(outcomes)} sessions failed: {failed[0].detail}" if failed else ""
        store.log_run(RunLog(stage="extract", started_at=now, ended_at=now, error=error))
    return Extracted(outcomes=tuple(outcomes), busy=busy, left=len(due) - len(outcomes) - busy)


def preview(*, store: Store, due: Sequence[str], limit: int | None = None) -> tuple[Entry, ...]:
    """The sessions that an extraction would work on, for --dry-run; nothing is written."""
    entries = [entry for each in due if (entry := store.entry(each))]
    return tuple(entries[:limit])


def _one(session_id: str, path: Path | None, job: Job, *, versions: Sequence[Version]) -> Outcome:
    entry = job.store.entry(session_id)
    if entry is None:
        raise LookupError(session_id)
    where = path if path is not None and _there(path) else Path(job.store.source_path(session_id))
    try:
        facts, seen = _read(where, entry, parent=_parent(entry, job))
        outcomes = [_finish(entry, facts, seen, job, version=version) for version in versions]
        return outcomes[0]
    except RolloutError as error:
        return _failed(session_id, Reason.UNREADABLE, redact.mask(str(error)), job, versions=versions)
    except MemkitError:
        raise
    except Exception as error:
        # A bug: this session is set aside, so that the next run gets past it.
        _failed(session_id, Reason.UNREADABLE, f"a bug in memkit: {type(error).__name__}", job, versions=versions)
        raise
    except BaseException:
        for version in versions:
            job.store.release(session_id, version=version, owner=job.owner)
        raise


def _parent(entry: Entry, job: Job) -> Path | None:
    """The file of the session that this one was forked from, to tell the repeated history from its own part."""
    forked = entry.session.forked_from
    if not forked or job.store.entry(forked) is None:
        return None
    path = Path(job.store.source_path(forked))
    return path if _there(path) else None


def _there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises where a folder may not be looked into


def _read(path: Path, entry: Entry, *, parent: Path | None) -> tuple[Facts, Evidence]:
    decoder = decode.Decoder(path, session=replace(entry.session, path=str(path)), parent=parent)
    seen = evidence.collect(
        decoder, facts=lambda: decoder.facts, budget_tokens=EVIDENCE_TOKENS, mask=redact.mask, count=tokens.estimate
    )
    return decoder.facts, seen


def _finish(entry: Entry, facts: Facts, seen: Evidence, job: Job, *, version: Version) -> Outcome:
    session = entry.session
    verdict = eligible.judge_facts(facts, disable_on_external_context=job.config.memories.disable_on_external_context)
    output = StageOne(rollout_summary="") if verdict.state else _masked(job.engine.extract(seen, version=version))
    lines = {"bad_lines": facts.bad_lines, "unknown_lines": facts.unknown_lines, "tokens_used": output.tokens_used}
    if not output.empty:
        record = _record(entry, output, job, version=version)
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


def _masked(output: StageOne) -> StageOne:
    return redact.mask_fields(output)


def _record(entry: Entry, output: StageOne, job: Job, *, version: Version) -> Record:
    session = entry.session
    return redact.mask_fields(
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


def _failed(session_id: str, reason: Reason, detail: str, job: Job, *, versions: Sequence[Version]) -> Outcome:
    for version in versions:
        job.store.finish_failed(session_id, version=version, owner=job.owner, reason=reason, detail=detail, now=job.now)
    return Outcome(session_id=session_id, state=State.FAILED, reason=reason, detail=detail)
