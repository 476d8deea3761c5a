"""Telling: coverage, status, budget, history and differences, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memkit import clock, tokens, tree
from memkit.config import Config
from memkit.documents import summary
from memkit.documents.summary import SummaryLine
from memkit.model import Entry, Reason, Section, State, content_hash
from memkit.repo import Commit, Repo
from memkit.store import LastRun, Stage, Store

_WORDS = {
    State.EXTRACTED: "extracted",
    State.EMPTY: "nothing to keep",
    State.WAITING: "waiting",
    State.SKIPPED: "skipped",
    State.FAILED: "failed",
}
REASONS = {
    Reason.TOO_FRESH: "not idle long enough",
    Reason.TOO_OLD: "older than the age limit",
    Reason.NOT_INTERACTIVE: "not an interactive session",
    Reason.SUBAGENT: "a subagent's session",
    Reason.MACHINE_PROMPT: "started by a program's prompt",
    Reason.MEMORY_OFF: "memory was off in it",
    Reason.EXTERNAL_CONTEXT: "drew on the web or an MCP server",
    Reason.RATE_LIMIT: "the quota is nearly used up",
    Reason.PROVIDER: "of another model provider",
    Reason.SWITCHED_OFF: "learning is switched off",
    Reason.FORGOTTEN: "forgotten",
    Reason.UNREADABLE: "the file can't be read",
    Reason.MODEL_ERROR: "the model failed",
    Reason.MALFORMED_OUTPUT: "the model's output was malformed",
    Reason.BUDGET: "the token cap was reached",
    Reason.LIMIT: "beyond this run's count limit",
    Reason.IN_PROGRESS: "another run works on it",
    Reason.NOT_YET: "to be extracted by the next run",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A section's share of the summary's bytes."""

    section: str
    lines: int
    bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What the committed summary holds against what it may. exact: whether tokens were counted or estimated."""

    text: str
    bytes: int
    tokens: int
    max_bytes: int
    max_tokens: int
    exact: bool
    parts: tuple[Part, ...] = ()
    lines: tuple[SummaryLine, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """The state of everything, for `status`."""

    sessions: Mapping[str, int]
    reasons: Mapping[str, int]
    runs: Mapping[Stage, LastRun]
    budget: Budget
    coverage: str
    records: int
    tokens_used: int
    head: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """What one commit changed in words. raw: the changed files, for those who want them."""

    commit: Commit
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def coverage(entries: Sequence[Entry], *, now: float) -> str:
    """ "12 sessions: 9 extracted, 1 nothing to keep, 2 waiting until 18:40"."""
    if not entries:
        return "no sessions seen yet"
    counts = Counter(e.state for e in entries)
    parts = [f"{counts[s]} {_WORDS[s]}{_why(s, entries, now=now)}" for s in State if counts[s]]
    return f"{len(entries)} session{'s' if len(entries) != 1 else ''}: {', '.join(parts)}"


def _why(state: State, entries: Sequence[Entry], *, now: float) -> str:
    mine = [e for e in entries if e.state is state]
    if state is State.WAITING:
        times = [e.until for e in mine if e.until is not None]
        return f" until {_when(min(times), now=now)}" if times else ""
    reasons = Counter(REASONS[e.reason] for e in mine if e.reason)
    if not reasons:
        return ""
    return f" ({', '.join(reason if len(reasons) == 1 else f'{n} {reason}' for reason, n in sorted(reasons.items()))})"


def _when(moment: float, *, now: float) -> str:
    text = clock.iso(moment)
    return f"{text[11:16]} UTC" if clock.date(moment) == clock.date(now) else f"{text[:10]} {text[11:16]} UTC"


def budget(*, repo: Repo, config: Config, counts: Mapping[str, int] | None = None) -> Budget:
    """The committed summary against its limits; counts: token counts of lines where they are known already."""
    data = repo.read_files([f"{tree.TREES[config.version]}/{tree.SUMMARY}"])
    text = next(iter(data.values()), b"").decode("utf-8", "replace")
    return budget_of(text, config=config, count=tokens.count if counts is None else _known(counts))


def _known(counts: Mapping[str, int]) -> Callable[[str], int]:
    def count(text: str) -> int:
        return sum(counts.get(content_hash(line), tokens.estimate(line)) + 1 for line in text.splitlines())

    return count


def budget_of(text: str, *, config: Config, count: Callable[[str], int]) -> Budget:
    """A summary's text against its limits."""
    doc = summary.scan(text)
    parts = [
        Part(section=s.value, lines=len(doc.of(s)), bytes=sum(tokens.byte_length(line.raw) + 1 for line in doc.of(s)))
        for s in Section
    ]
    return Budget(
        text=text,
        bytes=tokens.byte_length(text),
        tokens=count(text),
        max_bytes=config.summary.max_bytes,
        max_tokens=config.summary.max_tokens,
        exact=tokens.exact(),
        parts=tuple(parts),
        lines=doc.lines,
    )


def status(*, store: Store, repo: Repo, config: Config, now: float) -> Status:
    """Coverage by state and reason, last runs, budget, warnings."""
    entries = store.entries()
    warnings = [*config.warnings]
    outer = repo.outer_worktree()
    if outer:
        warnings.append(
            f"the home lies inside the Git work tree {outer}; it is a repository of its own, keep it out of that one"
        )
    if config.disabled:
        warnings.append("MEMKIT_DISABLE is set: nothing is read or learned")
    if not config.memories.generate_memories:
        warnings.append("memories.generate_memories is false: new sessions are not learned from")
    if not config.memories.use_memories:
        warnings.append("memories.use_memories is false: new sessions are told nothing")
    held = budget(repo=repo, config=config)
    if entries and not held.lines:
        warnings.append("the summary is empty: nothing will be told to a new session")
    bad = sum(e.bad_lines for e in entries)
    if bad:
        warnings.append(
            f"{bad} line{'s' if bad != 1 else ''} of rollout files could not be read (see `memkit sessions`)"
        )
    return Status(
        sessions={s.value: n for s, n in Counter(e.state for e in entries).items()},
        reasons={r.value: n for r, n in Counter(e.reason for e in entries if e.reason).items()},
        runs=store.last_runs(),
        budget=held,
        coverage=coverage(entries, now=now),
        records=len(store.records(config.version)),
        tokens_used=store.tokens_used(),
        head=repo.head(),
        warnings=tuple(warnings),
    )


def history(*, repo: Repo, limit: int | None = None) -> tuple[Step, ...]:
    """The commits, newest first, each with the lines of the summary that it changed."""
    return tuple(step(repo=repo, commit=c) for c in repo.history(limit=limit))


def step(*, repo: Repo, commit: Commit) -> Step:
    """One commit in words: lines of the summaries that came and went, and which files changed."""
    added: list[str] = []
    removed: list[str] = []
    files = repo.show_files(commit.id)
    for path, (old, new) in files.items():
        if Path(path).name == tree.SUMMARY:
            before, after = (_texts(data) for data in (old, new))
            added += [line for line in after if line not in before]
            removed += [line for line in before if line not in after]
    return Step(commit=commit, added=tuple(added), removed=tuple(removed), files=tuple(files))


def _texts(data: bytes | None) -> list[str]:
    return [str(line) for line in summary.scan((data or b"").decode("utf-8", "replace")).lines]


def raw_diff(*, repo: Repo, commit: str) -> dict[str, tuple[str, str]]:
    """Path to text before and after, as one commit changed it."""
    return {
        p: ((a or b"").decode("utf-8", "replace"), (b or b"").decode("utf-8", "replace"))
        for p, (a, b) in repo.show_files(commit).items()
    }


def find_commit(*, repo: Repo, word: str) -> Commit:
    """The commit that a user's word means. Raises GitError when it means none."""
    oid = repo.resolve(word)
    return next(c for c in repo.history() if c.id == oid)
