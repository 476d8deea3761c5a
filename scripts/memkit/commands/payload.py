"""What an agent tells its hooks on stdin: which session has begun or ended."""

from __future__ import annotations

import json
import os
import select
import time
from dataclasses import dataclass

from memkit import prompts, redact

_SECONDS = 3.0  # that the agent has to say it
_BYTES = 1 << 20
_ID_BYTES = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Payload:
    """began, ended: a session's id, "" when none is named; wrong: why what was said can't be used."""

    began: str = ""
    ended: str = ""
    wrong: str = ""


def read(descriptor: int = 0) -> Payload:
    """The payload of a SessionStart or SessionEnd hook. A terminal and silence say nothing."""
    if os.isatty(descriptor):
        return Payload()
    return parse(_all(descriptor))


def parse(data: bytes) -> Payload:
    """The payload in a hook's JSON."""
    if not data.strip():
        return Payload()
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return Payload(wrong="the hook's stdin is no JSON")
    session = said.get("session_id") if isinstance(said, dict) else None
    if not isinstance(session, str) or not session or len(session) > _ID_BYTES:
        return Payload(wrong="the hook's JSON names no session")
    name = prompts.one_line(redact.mask(session)).replace(" ", "_")  # as the ledger has it
    event = said.get("hook_event_name")
    return Payload(began=name if event == "SessionStart" else "", ended=name if event == "SessionEnd" else "")


def _all(descriptor: int) -> bytes:
    """What comes until its end, or until it is long enough or took long enough."""
    parts: list[bytes] = []
    until = time.monotonic() + _SECONDS
    while sum(map(len, parts)) < _BYTES and (left := until - time.monotonic()) > 0:
        if not select.select([descriptor], [], [], left)[0]:
            break
        part = os.read(descriptor, _BYTES)
        if not part:
            break
        parts.append(part)
    return b"".join(parts)
