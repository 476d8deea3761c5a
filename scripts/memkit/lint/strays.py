"""Memory where it does not belong: files that memkit or Codex generated, found in the work tree of a project."""

from __future__ import annotations

import json
from collections.abc import Callable

from memkit.documents import Malformed, handbook, places, raw, record, summary

_JOURNALS = (places.CLAIMS, places.TOMBSTONES, places.HASHES)


def memory(name: str, data: bytes) -> str:
    """What part of a memory a file is, "" for none. It is told by what the file holds, so a renamed one is known too.

    name: its path; only its last part counts, and only for the files that have no form of their own.
    """
    last = name.rpartition("/")[2]
    if last == places.HASHES_KEY:
        return "the key of erased words"
    if data.startswith(b"SQLite format 3\0"):
        return "memkit's database" if last == "state.sqlite" else ""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    if last in _JOURNALS:
        return "a journal of notes" if _is_journal(text) else ""
    kinds: tuple[tuple[str, Callable[[str], bool]], ...] = (
        ("a memory summary", _is_summary),
        ("a rollout summary", _is_record),
        ("a memory handbook", _is_handbook),
        ("raw memories", _is_raw),
    )
    return next((kind for kind, holds in kinds if holds(text)), "")


def _is_journal(text: str) -> bool:
    try:
        return isinstance(json.loads(text.partition("\n")[0]), dict)
    except ValueError:
        return False


def _is_summary(text: str) -> bool:
    if not text.startswith("v1\n"):
        return False
    try:
        summary.parse(text)
    except Malformed:
        return "\n## User preferences\n" in text  # another's, or one that was changed
    return True


def _is_record(text: str) -> bool:
    try:
        record.header(text)
    except Malformed:
        return False
    return True


def _is_handbook(text: str) -> bool:
    return text.startswith("# Task Group: ") and bool(handbook.scan(text).blocks)


def _is_raw(text: str) -> bool:
    try:
        return bool(raw.parse(text).entries)
    except Malformed:
        return False
