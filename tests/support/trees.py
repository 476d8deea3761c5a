"""File trees from and to plain dicts, and memory trees from what they say."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.support import shapes

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BODY = """# Retry limit

## Task 1: Raise the retry limit
- outcome: success
- request: "Raise the retry limit."
"""


@dataclass(frozen=True)
class Link:
    """A symbolic link in a tree, to a target as it would be typed."""

    target: str


Tree = Mapping[str, str | bytes | Link | None]


def write_tree(root: Path, files: Tree) -> Path:
    """Make the files of a dict by path below `root`: text (UTF-8, as it is), bytes, a Link, None for a directory."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        if content is None:
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def read_tree(root: Path) -> dict[str, str]:
    """The text of every file below `root` by path, Git's own files left out, links as `-> target`."""
    found: dict[str, str] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for path in (Path(folder) / name for name in sorted(names) if name != ".git"):
            said = f"-> {path.readlink()}" if path.is_symlink() else path.read_bytes().decode("utf-8", "replace")
            found[path.relative_to(root).as_posix()] = said
    return dict(sorted(found.items()))


def summary(
    *,
    profile: Iterable[str] = (),
    preferences: Iterable[str] = (),
    tips: Iterable[str] = (),
    index: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
) -> str:
    """A memory_summary.md; lines without their bullet; index: project, then day, then lines."""
    sections = [("User Profile", profile), ("User preferences", preferences), ("General Tips", tips)]
    lines = ["v1"]
    for heading, said in sections:
        lines += ["", f"## {heading}", *(f"- {line}" for line in said)]
    lines += ["", "## What's in Memory"]
    for project, days in (index or {}).items():
        lines += ["", f"### {project}"]
        for day, said in days.items():
            lines += ["", f"#### {day}", *(f"- {line}" for line in said)]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, kw_only=True)
class RecordFile:
    """A rollout summary as a file; its id is the UUIDv7 of `started` and `name` unless `thread_id` gives one."""

    body: str = _BODY
    name: str = "session"
    started: str = "2026-11-20T09:00:00Z"
    thread_id: str = ""
    slug: str = "retry_limit"
    updated_at: str = "2026-11-20T09:04:00+00:00"
    rollout_path: str = "/home/dev/.codex/sessions/2026/11/20/rollout.jsonl"
    cwd: str = "/home/dev/shop"
    branch: str = "main"

    @property
    def id(self) -> str:
        """The session's id."""
        return self.thread_id or shapes.uuid7(datetime.fromisoformat(self.started).timestamp(), self.name)

    @property
    def path(self) -> str:
        """Where it lies in its tree: the time of the id, four characters of it, the slug."""
        number = uuid.UUID(self.id).int
        time = datetime.fromtimestamp((number >> 80) / 1000, UTC)
        low, mark = (number & 0xFFFFFFFF) % 62**4, ""
        for _ in range(4):
            low, digit = divmod(low, 62)
            mark = _DIGITS[digit] + mark
        stem = "-".join(part for part in (f"{time:%Y-%m-%dT%H-%M-%S}", mark, self.slug) if part)
        return f"rollout_summaries/{stem}.md"

    @property
    def text(self) -> str:
        """Header lines, a blank line, the body and one newline."""
        header = {
            "thread_id": self.id,
            "updated_at": self.updated_at,
            "rollout_path": self.rollout_path,
            "cwd": self.cwd,
            "git_branch": self.branch,
        }
        return "".join(f"{key}: {value}\n" for key, value in header.items() if value) + f"\n{self.body}\n"

    def index_line(self, said: str) -> str:
        """Its line in What's in Memory, without the bullet."""
        return f"{self.path} — {said}; thread_id={self.id}"


def memory_tree(
    root: Path, *, text: str | None = None, records: Iterable[RecordFile] = (), more: Tree | None = None
) -> Path:
    """A V2 tree at `root`: its summary (None: the skeleton), its records, and any other files."""
    files: dict[str, str | bytes | Link | None] = {"memory_summary.md": summary() if text is None else text}
    files |= {record.path: record.text for record in records}
    return write_tree(root, {**files, **(more or {})})
