"""The state of everything: coverage, failures, runs, size over time, switches, and what should be looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memkit import clock, tokens, tree
from memkit.config import Config
from memkit.model import Entry, Reason, State
from memkit.repo import Repo
from memkit.stages.tell.outcomes import coverage, missing
from memkit.stages.tell.sizes import Budget, budget
from memkit.store import TRIES, LastRun, Stage, Store

_STREAK = 5  # sessions in a row that gave nothing: fewer may well be chance
_STALE = 2 * 86_400  # seconds since the last good run after which sessions that wait are worth a warning
_TREND = 5  # commits that changed the summary


@dataclass(frozen=True, kw_only=True, slots=True)
class Failures:
    """Sessions that failed for one reason. final: those that are not tried again; next_try: Unix seconds, of the rest.

    next_try is None when the rest is tried by every run.
    """

    reason: Reason
    sessions: int
    final: int
    next_try: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Size:
    """The summary's size as of a commit; time: Unix seconds."""

    commit: str
    time: int
    bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """The state of everything, for `status`.

    empty_streak: how many of the sessions read last gave nothing, without a break; trend: the oldest first.
    """

    sessions: Mapping[str, int]
    reasons: Mapping[str, int]
    failures: tuple[Failures, ...]
    empty_streak: int
    runs: Mapping[Stage, LastRun]
    budget: Budget
    trend: tuple[Size, ...]
    coverage: str
    records: int
    tokens_used: int
    head: str
    warnings: tuple[str, ...] = ()


def status(*, store: Store, repo: Repo, config: Config, now: float) -> Status:
    """Coverage by state and reason, failures, last runs, budget and size over time, warnings."""
    entries = store.entries()
    held = budget(repo=repo, config=config)
    runs = store.last_runs()
    streak = _streak(entries)
    return Status(
        sessions={s.value: n for s, n in Counter(e.state for e in entries).items()},
        reasons={r.value: n for r, n in Counter(e.reason for e in entries if e.reason).items()},
        failures=tuple(_failures(entries)),
        empty_streak=streak,
        runs=runs,
        budget=held,
        trend=trend(repo=repo, config=config),
        coverage=coverage(store.tallies(), now=now),
        records=len(store.records(config.version)),
        tokens_used=store.tokens_used(),
        head=repo.head(),
        warnings=(
            *config.warnings,
            *_of_place(repo.outer_worktree()),
            *_of_switches(config),
            *_of_sessions(entries, held, streak=streak),
            *_of_undo(store),
            *_of_age(entries, runs["extract"], now=now),
        ),
    )


def trend(*, repo: Repo, config: Config) -> tuple[Size, ...]:
    """The summary's size after each of the last commits that changed it, the oldest first."""
    path = f"{tree.TREES[config.version]}/{tree.SUMMARY}"
    commits = repo.history([path], limit=_TREND)
    return tuple(
        Size(commit=each.id, time=each.time, bytes=len(repo.read_files([path], rev=each.id).get(path, b"")))
        for each in reversed(commits)
    )


def _failures(entries: Sequence[Entry]) -> list[Failures]:
    found = []
    failed = [e for e in entries if e.state is State.FAILED and e.reason]
    for reason in sorted({e.reason for e in failed if e.reason}):
        mine = [e for e in failed if e.reason is reason]
        final = [e for e in mine if e.until is None and e.attempts >= TRIES]
        times = [e.until for e in mine if e.until is not None]
        found.append(
            Failures(reason=reason, sessions=len(mine), final=len(final), next_try=min(times) if times else None)
        )
    return found


def _streak(entries: Sequence[Entry]) -> int:
    """entries: the newest first, as the store gives them."""
    read = [e.state for e in entries if e.state in (State.EXTRACTED, State.EMPTY)]
    return next((at for at, state in enumerate(read) if state is State.EXTRACTED), len(read))


def _of_place(outer: Path | None) -> list[str]:
    if outer is None:
        return []
    return [f"the home lies inside the Git work tree {outer}; it is a repository of its own, keep it out of that one"]


def _of_switches(config: Config) -> list[str]:
    said = {
        "MEMKIT_DISABLE is set: nothing is read or learned": config.disabled,
        "memories.generate_memories is false: new sessions are not learned from": not config.memories.generate_memories,
        "memories.use_memories is false: new sessions are told nothing": not config.memories.use_memories,
    }
    return [text for text, holds in said.items() if holds]


def _of_sessions(entries: Sequence[Entry], held: Budget, *, streak: int) -> list[str]:
    found = []
    if entries and not held.lines:
        found.append("the summary is empty: nothing will be told to a new session")
    if streak >= _STREAK:
        found.append(
            f"the {streak} sessions that were read last all gave nothing to keep, which is suspicious"
            " (memkit sessions --state empty)"
        )
    final = sum(each.final for each in _failures(entries))
    if final:
        failed = "1 session has failed and is" if final == 1 else f"{final} sessions have failed and are"
        found.append(f"{failed} not tried again (memkit extract --retry-failed)")
    if gone := len(missing(entries)):
        files = "1 session's file is" if gone == 1 else f"the files of {gone} sessions are"
        found.append(f"{files} gone; what was learned from them stays (see `memkit sessions`)")
    bad = sum(e.bad_lines for e in entries)
    if bad:
        found.append(f"{bad} line{'s' if bad != 1 else ''} of rollout files could not be read (see `memkit sessions`)")
    return found


def _of_undo(store: Store) -> list[str]:
    """Sessions that count as extracted and are in no memory: what became of them is said (promise 1)."""
    held = {s.source for s in store.tombstones() if s.source.startswith("undo:")}
    if not held:
        return []
    what = "1 change is" if len(held) == 1 else f"{len(held)} changes are"
    return [f"{what} held back by undo (memkit undo --release lets the last one come again)"]


def _of_age(entries: Sequence[Entry], run: LastRun, *, now: float) -> list[str]:
    due = [e for e in entries if e.state is State.WAITING and _is_due(e, now)]
    last = run.last_success
    if not due or (last is not None and now - last < _STALE):
        return []
    wait = "1 session waits" if len(due) == 1 else f"{len(due)} sessions wait"
    when = "no run has succeeded yet" if last is None else f"the last good run was on {clock.date(last)}"
    return [f"{wait}, and {when} (memkit run)"]


def _is_due(entry: Entry, now: float) -> bool:
    return entry.reason is Reason.NOT_YET if entry.until is None else entry.until <= now


def gauge(used: int, allowed: int, *, width: int = 10) -> str:
    """ "[####------] 38%"."""
    share = used / allowed
    full = min(width, int(share * width))
    return f"[{'#' * full}{'-' * (width - full)}] {int(share * 100)}%"


def tokens_of(text: str) -> int:
    """How many tokens a reader pays for a text."""
    return tokens.count(text)
