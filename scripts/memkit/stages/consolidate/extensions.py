"""Extensions as an input: what their resources say, for as long as they are young (CODEX.md, "Notes").

It ranks below all that the user said and all that sessions show, and is never a preference of the user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memkit import match, redact, tokens, tree
from memkit.clock import DAY
from memkit.documents import extension
from memkit.engines.base import Left
from memkit.model import Claim, Section

SOURCE = "extension:"
_KEPT_DAYS = 7
_MOST_LINES = 100  # of an extension
_LINE_BYTES = 600


@dataclass(frozen=True, kw_only=True, slots=True)
class Extensions:
    """claims: what the extensions say, newest first, with the source `extension:<name>`. stale: resources that are too
    old. left: what those said."""

    claims: tuple[Claim, ...] = ()
    stale: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()


def read(files: Mapping[str, bytes], *, now: float) -> Extensions:
    """From a tree's files by path. A resource whose name tells no time does not age."""
    claims: list[Claim] = []
    stale: list[Left] = []
    said: dict[str, int] = {}
    found = ((path, extension.resource(path)) for path in files)
    mine = [(path, each) for path, each in found if each and extension.instructions(each.name) in files]
    for path, each in sorted(mine, key=lambda pair: (-(pair[1].at or 0), pair[0])):
        if each.at is not None and each.at < now - _KEPT_DAYS * DAY:
            text = files[path].decode("utf-8", "replace")
            stale.append(Left(session_id=path, reason=f"expired: {path} is older than {_KEPT_DAYS} days", text=text))
            continue
        for line in extension.said(files[path]):
            if said.setdefault(each.name, 0) < _MOST_LINES and match.subject(line.text):
                said[each.name] += 1
                claims.append(_claim(line, each))
    return Extensions(
        claims=tuple(dict.fromkeys(claims)), stale=tuple(each.session_id for each in stale), left=tuple(stale)
    )


def look(roots: Sequence[Path], *, now: float) -> tuple[Extensions, ...]:
    """The extensions of trees on the disk; what a tree without any costs is one look into a folder."""
    return tuple(read(_files(root), now=now) for root in roots)


def _files(root: Path) -> dict[str, bytes]:
    folder = root / "extensions"
    if not folder.is_dir() or all(each.name == extension.OWN for each in folder.iterdir()):
        return {}
    return {f"extensions/{path}": data for path, data in tree.read_tree(folder).files.items()}


def _claim(line: extension.Said, of: extension.Resource) -> Claim:
    return Claim(
        section=Section.TIPS,
        text=tokens.cut(redact.mask(line.text), max_bytes=_LINE_BYTES),
        scope=line.scope,
        created_at=int(of.at or 0),
        source=f"{SOURCE}{of.name}",
    )
