"""Why the sessions whose records a tree holds, and which are no longer selected, left: in the words of the commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memkit import tree
from memkit.config import Config
from memkit.engines.base import Left
from memkit.model import Entry, Reason, Record, State, Version
from memkit.store import Store

_HEADER = "thread_id:"


def leaving(
    version: Version, selected: Sequence[Record], *, files: Mapping[str, bytes], store: Store, config: Config
) -> tuple[Left, ...]:
    """The sessions of a tree's files that `selected` does not hold, with a reason where the store knows one."""
    here = {record.session_id for record in selected}
    found = []
    for path in sorted(files):
        text = files[path].decode("utf-8", "replace") if path.startswith(f"{tree.RECORDS}/") else ""
        head, _, rest = text.partition("\n")
        session = head.removeprefix(_HEADER).strip()
        if not head.startswith(_HEADER) or session in here:
            continue
        reason = _reason(store.entry(session), store.record(session, version), selected, config)
        if reason:
            found.append(Left(session_id=session, reason=reason, text=rest))
    return tuple(found)


def _reason(entry: Entry | None, record: Record | None, selected: Sequence[Record], config: Config) -> str:
    expired = f"expired: its session was not used for {config.memories.max_unused_days} days"
    if entry is None:
        return ""
    if entry.reason is Reason.FORGOTTEN:
        return "its session was forgotten"
    if not (entry.generate and entry.use):
        return "its session is switched off"
    if record is None:
        if entry.state is State.EMPTY:
            return "its session has nothing to keep"
        return expired if entry.reason is Reason.TOO_OLD else ""
    limit = config.memories.max_raw_memories_for_consolidation
    if len(selected) >= limit and all(_rank(record) < _rank(each) for each in selected):
        return f"dropped: {limit} sessions are used more or are more recent"
    return expired


def _rank(record: Record) -> tuple[int, int, int, str]:
    """The order of the selection (CODEX.md, "Store, selection, forgetting")."""
    last = record.updated_at if record.last_usage is None else record.last_usage
    return record.usage_count, last, record.updated_at, record.session_id
