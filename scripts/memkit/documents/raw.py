"""raw_memories.md: V1's stage-1 texts, one after another in ascending order of their thread ids (golden/)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from memkit import clock
from memkit.documents import Malformed, places

FILE = places.RAW
TITLE = "# Raw Memories"

_FIELDS = ("updated_at", "cwd", "rollout_path", "rollout_summary_file")


@dataclass(frozen=True, kw_only=True, slots=True)
class RawEntry:
    """A thread's part. rollout_summary_file: a name inside rollout_summaries/; line: of its `## Thread` heading."""

    thread_id: str
    updated_at: str
    cwd: str
    rollout_path: str
    rollout_summary_file: str
    text: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RawDoc:
    """The entries as they stand."""

    entries: tuple[RawEntry, ...] = ()


def parse(text: str) -> RawDoc:
    """Reads a whole file; raises Malformed at the first line of its title or a header that is off; judges no order."""
    lines = text.split("\n")
    if lines[0] != TITLE:
        raise Malformed(1, f"the first line must be `{TITLE}`")
    heads = [at for at, line in enumerate(lines) if line.startswith("## Thread ") and _is_head(lines, at)]
    return RawDoc(entries=tuple(_entry(lines, at, end=end) for at, end in pairwise([*heads, len(lines)])))


def _entry(lines: list[str], at: int, *, end: int) -> RawEntry:
    head = _head().fullmatch(lines[at])
    if head is None:
        raise Malformed(at + 1, "a thread's heading must be ``## Thread `<id>` ``")
    values: dict[str, str] = {}
    for number, name in enumerate(_FIELDS, at + 1):
        line = lines[number] if number < len(lines) else ""
        if not line.startswith(f"{name}:"):
            raise Malformed(number + 1, f"`{name}: …` must stand here")
        values[name] = line[len(name) + 1 :].strip(" ")
    if "T" not in values["updated_at"] or clock.parse(values["updated_at"]) is None:
        raise Malformed(at + 2, "updated_at must be a time such as 2026-11-26T19:40:36+00:00")
    start = at + 1 + len(_FIELDS)
    if lines[start : start + 1] != [""]:
        raise Malformed(start + 1, "a blank line must follow a thread's header")
    body = "\n".join(lines[start + 1 : end]).rstrip("\n")
    return RawEntry(thread_id=head[1], text=body, line=at + 1, **values)


def _is_head(lines: list[str], at: int) -> bool:
    """Not every heading that begins with the word: a stage-1 text may have a `## Thread safety`."""
    return _head().fullmatch(lines[at]) is not None or "\n".join(lines[at + 1 : at + 2]).startswith("updated_at:")


@cache
def _head() -> re.Pattern[str]:
    return re.compile(r"## Thread `([^`\s]+)`")
