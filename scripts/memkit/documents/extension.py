"""What other programs put into a tree: `extensions/<name>/instructions.md`, and what it says in `resources/*.md`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from memkit import clock
from memkit.documents import summary
from memkit.model import Section

OWN = "ad_hoc"  # memkit's: it has notes
_MAX_BYTES = 64 << 10
_MAX_HEADER = 20  # lines


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """A file of an extension. at: Unix seconds of its name, None where the name tells no time."""

    name: str
    at: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A bullet line of a resource. scope: a project as written, None for everywhere."""

    text: str
    scope: str | None = None


def resource(path: str) -> Resource | None:
    """The extension and time of a resource by its path in the tree, None for another file."""
    found = _forms()[0].fullmatch(path)
    if found is None or found["name"] == OWN:
        return None
    date, _, time = found["time"].partition("T") if found["time"] else ("", "", "")
    return Resource(name=found["name"], at=clock.parse(f"{date}T{time.replace('-', ':')}") if date else None)


def instructions(name: str) -> str:
    """The path of what makes a folder an extension."""
    return f"extensions/{name}/instructions.md"


def fault(path: str, names: Collection[str]) -> str:
    """Why a file of extensions/ is not read, "" when it is. names: every path of the tree."""
    parts = path.split("/")
    if len(parts) < 3 or parts[1] == OWN:
        return ""
    if not _forms()[1].fullmatch(parts[1]):
        return "an extension's name has letters, digits, `.`, `-` and `_`, at most 40: it is not read"
    if instructions(parts[1]) not in names:
        return f"it is not read: there is no {instructions(parts[1])}"
    return ""


def said(data: bytes) -> list[Said]:
    """The bullet lines of a resource's first 64 KiB, outside of code. `project:` in its front matter binds all of them
    to a project, `(in <project>)` at the begin of one just that."""
    text = data[:_MAX_BYTES].decode("utf-8", "replace")
    rows = text.splitlines()[: -1 if len(data) > _MAX_BYTES else None]  # the last one is cut
    start, project = _header(rows)
    found, code = [], False
    for row in rows[start:]:
        if row.lstrip().startswith(("```", "~~~")):
            code = not code
        elif not code and row.lstrip().startswith(("- ", "* ")):
            line = summary.parse_line(row, section=Section.TIPS)
            found.append(Said(text=line.text, scope=line.scope or project))
    return found


def _header(rows: list[str]) -> tuple[int, str | None]:
    """(where the text begins, the project of the front matter)."""
    if not rows or rows[0].rstrip() != "---":
        return 0, None
    end = next((at for at, row in enumerate(rows[1:_MAX_HEADER], 1) if row.rstrip() == "---"), 0)
    values = (row.partition(":") for row in rows[1:end])
    project = next((value.strip().strip("\"'") for key, _, value in values if key.strip() == "project"), "")
    return (end + 1, project or None) if end else (0, None)


@cache
def _forms() -> tuple[re.Pattern[str], re.Pattern[str]]:
    name = r"[\w.-]{1,40}"
    time = r"(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)(?!\d)"
    return re.compile(rf"extensions/(?P<name>{name})/resources/(?:{time})?[^/]*\.md"), re.compile(name)
