"""Which sessions are taken, and why the others are not."""

from __future__ import annotations

from typing import Any

import pytest

from memkit.model import Facts, Reason, Session, State
from memkit.rollouts.eligible import judge, judge_facts

NOW = 1_796_000_000.0
HOUR, DAY = 3_600.0, 86_400.0


def session(**more: Any) -> Session:
    return Session(**{"id": "s", "path": "/x", "updated_at": NOW - 2 * DAY, **more})


@pytest.mark.parametrize(
    ("more", "reason", "explicit_reason"),
    [
        ({}, None, None),
        ({"source": "vscode"}, None, None),
        ({"updated_at": NOW - HOUR}, Reason.TOO_FRESH, None),
        ({"updated_at": NOW + DAY}, Reason.TOO_FRESH, None),
        ({"updated_at": NOW - 11 * DAY}, Reason.TOO_OLD, None),
        ({"source": "exec"}, Reason.NOT_INTERACTIVE, None),
        ({"source": "subagent"}, Reason.SUBAGENT, Reason.SUBAGENT),
        ({"thread_source": "subagent"}, Reason.SUBAGENT, Reason.SUBAGENT),
        ({"memory_mode": "disabled"}, Reason.MEMORY_OFF, Reason.MEMORY_OFF),
        ({"memory_mode": "polluted"}, Reason.MEMORY_OFF, Reason.MEMORY_OFF),
    ],
)
def test_the_head_decides(more: dict[str, Any], reason: Reason | None, explicit_reason: Reason | None) -> None:
    verdict = judge(session(**more), now=NOW)
    assert verdict.reason is reason and verdict.taken == (reason is None)
    assert judge(session(**more), now=NOW, explicit=True).reason is explicit_reason


def test_a_fresh_session_waits_until_it_was_idle_long_enough() -> None:
    verdict = judge(session(updated_at=NOW - HOUR), now=NOW, min_idle_hours=6)
    assert (verdict.state, verdict.until) == (State.WAITING, NOW + 5 * HOUR)
    assert judge(session(updated_at=NOW - HOUR), now=NOW + 5 * HOUR).taken


def test_the_switch_counts_for_named_files_too() -> None:
    assert judge(session(), now=NOW, explicit=True, generate=False).reason is Reason.SWITCHED_OFF


def test_a_machines_prompt_and_text_from_outside_are_told_by_a_full_read() -> None:
    prompt = "The following is the Codex agent history"
    assert judge_facts(Facts(session=session(source="exec"), first_human=prompt)).reason is Reason.MACHINE_PROMPT
    assert judge_facts(Facts(session=session(source="vscode"), first_human=prompt)).taken
    outside = Facts(session=session(), external_context=True)
    assert judge_facts(outside).taken
    assert judge_facts(outside, disable_on_external_context=True).reason is Reason.EXTERNAL_CONTEXT
