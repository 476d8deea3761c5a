"""Coverage: what became of the sessions seen, and why."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memkit import clock
from memkit.model import Entry, Reason, State
from memkit.store import Tally

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


def coverage(tallies: Sequence[Tally], *, now: float) -> str:
    """ "12 sessions: 9 extracted, 1 nothing to keep, 2 waiting until 18:40"."""
    if not tallies:
        return "no sessions seen yet"
    counts = {state: sum(t.sessions for t in tallies if t.state is state) for state in State}
    parts = [f"{counts[s]} {_WORDS[s]}{_why(s, tallies, now=now)}" for s in State if counts[s]]
    total = sum(counts.values())
    return f"{total} session{'s' if total != 1 else ''}: {', '.join(parts)}"


def _why(state: State, tallies: Sequence[Tally], *, now: float) -> str:
    mine = [t for t in tallies if t.state is state]
    if state is State.WAITING:
        times = [t.until for t in mine if t.until is not None]
        return f" until {_when(min(times), now=now)}" if times else ""
    reasons = {REASONS[t.reason]: t.sessions for t in mine if t.reason}
    if not reasons:
        return ""
    return f" ({', '.join(reason if len(reasons) == 1 else f'{n} {reason}' for reason, n in sorted(reasons.items()))})"


def _when(moment: float, *, now: float) -> str:
    text = clock.iso(moment)
    return f"{text[11:16]} UTC" if clock.date(moment) == clock.date(now) else f"{text[:10]} {text[11:16]} UTC"
