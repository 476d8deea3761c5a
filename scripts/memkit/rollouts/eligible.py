"""Why a session is or is not taken, by its head and, once it was read, by its facts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memkit import rollouts
from memkit.clock import DAY
from memkit.model import Facts, Reason, Session, State

_HOUR = 3_600
_ENABLED = "enabled"
_SUBAGENT = "subagent"
_PROMPTED = frozenset({"cli", "exec"})  # sources whose first text may be a program's


@dataclass(frozen=True, slots=True)
class Verdict:
    """state None: the session is taken. until: Unix seconds from which a waiting one is."""

    state: State | None = None
    reason: Reason | None = None
    until: float | None = None

    @property
    def taken(self) -> bool:
        """Whether the session goes to extraction."""
        return self.state is None


def judge(
    session: Session,
    *,
    now: float,
    explicit: bool = False,
    generate: bool = True,
    sendable: bool = True,
    sources: Collection[str] = ("cli", "vscode", "atlas", "chatgpt"),
    min_idle_hours: float = 6,
    max_age_days: float = 10,
) -> Verdict:
    """What the head of a file decides (CODEX.md, "Which sessions stage 1 takes").

    explicit: the file was named by the user, so that age, idle time and source do not count. generate: the user's
    switch for this session. sendable: may its text go where the engine would send it? now: Unix seconds. A session
    from the future is too fresh.
    """
    if not generate:
        return Verdict(State.SKIPPED, Reason.SWITCHED_OFF)
    if session.memory_mode != _ENABLED:
        return Verdict(State.SKIPPED, Reason.MEMORY_OFF)
    if _SUBAGENT in (session.source, session.thread_source):
        return Verdict(State.SKIPPED, Reason.SUBAGENT)
    if not sendable:
        return Verdict(State.SKIPPED, Reason.PROVIDER)
    if explicit:
        return Verdict()
    if session.source not in sources:
        return Verdict(State.SKIPPED, Reason.NOT_INTERACTIVE)
    ready = session.updated_at + min_idle_hours * _HOUR
    if now < ready:
        return Verdict(State.WAITING, Reason.TOO_FRESH, ready)
    if now > session.updated_at + max_age_days * DAY:
        return Verdict(State.SKIPPED, Reason.TOO_OLD)
    return Verdict()


def judge_facts(facts: Facts, *, disable_on_external_context: bool = False) -> Verdict:
    """What only a full read decides: a machine's prompt, and text from outside where that is not wanted."""
    source = facts.session.source
    if source in _PROMPTED and rollouts.speakers.is_machine_prompt(facts.first_human, source=source):
        return Verdict(State.SKIPPED, Reason.MACHINE_PROMPT)
    if disable_on_external_context and facts.external_context:
        return Verdict(State.SKIPPED, Reason.EXTERNAL_CONTEXT)
    return Verdict()
