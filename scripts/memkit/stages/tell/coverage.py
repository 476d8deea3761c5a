"""Coverage: what became of the sessions seen, and why."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from memkit import clock
from memkit.model import Entry, Reason, State

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


def missing(entries: Sequence[Entry]) -> set[str]:
    """The ids of the sessions whose file is gone from where it was seen last; what was learned from them stays."""
    return {e.session.id for e in entries if not os.path.exists(e.session.path)}  # noqa: PTH110 - never raises


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
