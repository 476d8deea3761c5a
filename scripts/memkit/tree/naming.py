"""What the files of a tree are called, and the rollout summaries that go into it."""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memkit import clock, prompts
from memkit.documents import names
from memkit.documents.raw import RawEntry
from memkit.errors import GateError
from memkit.model import content_hash
from memkit.tree.layout import RECORDS

if TYPE_CHECKING:
    from memkit.model import Record

_MAX_SLUG = 60
_LAST_MOMENT = 253_402_300_799  # 9999-12-31T23:59:59Z, the last that a datetime holds


def file_name(*, session_id: str, updated_at: float, slug: str) -> str:
    """`<time>-<4 characters>[-<slug>].md` (CODEX.md, Files), a plain ASCII name whatever comes in.

    updated_at (Unix seconds) counts only when the id is no UUIDv7. Two ids may share a name: see `record_names`.
    """
    return _file_name(session_id, updated_at=updated_at, slug=_slug(slug))


def slug_of(name: str) -> str:
    """The slug in a rollout summary's file name, "" when it has none: what `file_name` would be given to make it."""
    found = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9A-Za-z]{4}(?:-(.+))?\.md", name)
    return found[1] or "" if found else ""


def record_names(records: Sequence[Record]) -> dict[str, str]:
    """File names by session id, ids ascending; no two are equal, not even where case does not count.

    Of records that would share a name the lowest id keeps it, the others get 8 digits of their id's hash at the end of
    the slug. Raises GateError when an id comes twice.
    """
    result: dict[str, str] = {}
    taken: set[str] = set()
    for record in sorted(records, key=lambda record: record.session_id):
        if record.session_id in result:
            raise GateError(f"two records of session {record.session_id!r} are to go into one tree")
        name = next(name for name in _candidates(record) if name.casefold() not in taken)
        taken.add(name.casefold())
        result[record.session_id] = name
    return result


def record_files(records: Sequence[Record]) -> dict[str, str]:
    """V2's rollout summaries: text by path relative to the tree's root, in ascending order of ids."""
    by_id = {record.session_id: record for record in records}
    return {f"{RECORDS}/{name}": _record_text(by_id[id_]) for id_, name in record_names(records).items()}


def _record_text(record: Record) -> str:
    return prompts.record(
        thread_id=record.session_id,
        updated_at=_moment(record.updated_at),
        rollout_path=record.path,
        cwd=record.cwd,
        git_branch=record.branch,
        text=record.rollout_summary,
    )


def _candidates(record: Record) -> Iterator[str]:
    slug = _slug(record.slug)
    yield _file_name(record.session_id, updated_at=record.updated_at, slug=slug)
    for attempt in itertools.count():
        tag = content_hash(f"{record.session_id}\n{attempt}")[:8]
        tagged = f"{slug[: _MAX_SLUG - 9]}_{tag}" if slug else tag
        yield _file_name(record.session_id, updated_at=record.updated_at, slug=tagged)


def _file_name(session_id: str, *, updated_at: float, slug: str) -> str:
    started = _started(session_id)
    stamp = clock.stamp(_moment(updated_at) if started is None else started)
    return "-".join(part for part in (stamp, names.short_hash(session_id), slug) if part) + ".md"


def _slug(text: str) -> str:
    kept = (char.lower() if char.isascii() and char.isalnum() else "_" for char in text[:_MAX_SLUG])
    return "".join(kept).rstrip("_")


def _started(session_id: str) -> float | None:
    """The time in a UUIDv7, in Unix seconds; None for another id, or for a time that no calendar holds."""
    try:
        value = uuid.UUID(session_id)
    except ValueError:
        return None
    seconds = (value.int >> 80) / 1000
    return seconds if value.version == 7 and seconds <= _LAST_MOMENT else None


def _moment(seconds: float) -> float:
    return min(seconds, _LAST_MOMENT) if seconds > 0 else 0


def raw_text(records: Sequence[Record]) -> str:
    """V1's raw_memories.md of the records that have a raw memory, in ascending order of ids."""
    by_id = {record.session_id: record for record in records}
    entries = [
        RawEntry(
            thread_id=id_,
            updated_at=clock.iso(_moment(by_id[id_].updated_at)),
            cwd=by_id[id_].cwd,
            rollout_path=by_id[id_].path,
            rollout_summary_file=name,
            text=by_id[id_].raw_memory,
            line=0,
        )
        for id_, name in record_names(records).items()
        if by_id[id_].raw_memory.strip()
    ]
    return prompts.raw_memories(entries=entries)
