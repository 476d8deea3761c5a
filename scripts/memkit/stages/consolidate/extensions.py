"""Extensions: what other programs put into the tree for the memory (CODEX.md, "Notes and extensions").

`extensions/<name>/instructions.md` makes an extension; the bullet lines of its `resources/*.md` are what it says, for
as long as their file is young. They rank below all that the user said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from memkit import match, redact, tree
from memkit.clock import DAY
from memkit.model import Claim, Section

SOURCE = "extension:"
_KEPT_DAYS = 7
_MOST_BYTES = 64 << 10  # of a resource
_MOST_LINES = 100  # of an extension
_OWN = "ad_hoc"


@dataclass(frozen=True, kw_only=True, slots=True)
class Extensions:
    """claims: what the extensions say, with the source `extension:<name>`. stale: resources that are too old."""

    claims: tuple[Claim, ...] = ()
    stale: tuple[str, ...] = ()


def read(files: Mapping[str, bytes], *, now: float) -> Extensions:
    """From a tree's files by path. A resource whose name tells no time is kept."""
    claims: list[Claim] = []
    stale: list[str] = []
    said: dict[str, int] = {}
    for path in sorted(files):
        found = _resource().fullmatch(path)
        if found is None or found["name"] == _OWN or f"extensions/{found['name']}/instructions.md" not in files:
            continue
        name, at = found["name"], _time(found["time"])
        if at is not None and at < now - _KEPT_DAYS * DAY:
            stale.append(path)
            continue
        for text in _bullets(files[path]):
            if said.setdefault(name, 0) < _MOST_LINES:
                said[name] += 1
                claims.append(_claim(text, name=name, at=int(at or 0)))
    return Extensions(claims=tuple(dict.fromkeys(claims)), stale=tuple(stale))


def claims(root: Path, *, now: float) -> tuple[Claim, ...]:
    """The claims of a tree on the disk; asks only whether there is any extension where there is none."""
    folder = root / "extensions"
    others = [each for each in sorted(folder.iterdir()) if each.name != _OWN] if folder.is_dir() else []
    return read(tree.read_tree(root).files, now=now).claims if others else ()


def _bullets(data: bytes) -> list[str]:
    rows = data[:_MOST_BYTES].decode("utf-8", "replace").splitlines()
    texts = (redact.mask(row.lstrip()[2:].strip()) for row in rows if row.lstrip().startswith(("- ", "* ")))
    return [text for text in texts if match.subject(text)]


def _claim(text: str, *, name: str, at: int) -> Claim:
    bound = re.match(r"\(in ([^()\s]+)\) +", text)
    rest = text[bound.end() :] if bound else text
    profile = match.judge(rest).wish is match.Wish.PROFILE
    return Claim(
        section=Section.PROFILE if profile else Section.PREFERENCES,
        text=rest,
        scope=bound[1] if bound else None,
        created_at=at,
        source=f"{SOURCE}{name}",
    )


def _time(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H-%M-%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


@cache
def _resource() -> re.Pattern[str]:
    return re.compile(r"extensions/(?P<name>[\w.-]{1,40})/resources/(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)?[^/]*\.md")
