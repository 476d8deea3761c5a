"""What a rule may ask about the files beside the one it reads, and what kind of file a path names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from memkit.documents import handbook, names, note, raw, summary
from memkit.documents.record import RecordDoc

FRAME_DELIMITERS = ("memkit-memory",)


class Place(StrEnum):
    """Kinds of files; the values are as a message names them."""

    SUMMARY = "memory summary"
    HANDBOOK = "handbook"
    RAW = "raw memories"
    RECORD = "rollout summary"
    NOTE = "note"
    EXTENSION = "extension"
    SKILL = "skill"


@dataclass(frozen=True, kw_only=True, slots=True)
class Earlier:
    """A tree as it was when it was judged before: what has not changed since is not judged again.

    files: its bytes by path; same: the paths whose bytes still are those; gone: whether files went or changed that
    others may point to.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    same: frozenset[str] = frozenset()
    gone: bool = True

    def text(self, path: str) -> str:
        """A file's text, "" where it was none."""
        data = self.files.get(path)
        return data.decode("utf-8", "replace") if data else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """Limits, and the tree around a file. whole: False when a file is judged without its tree, so nothing is missing.

    names: every path of the tree; records: those that can be read, by path; home: what `~` stands for, "" when unknown.
    earlier: what was judged before.
    """

    max_bytes: int
    max_tokens: int
    delimiters: tuple[str, ...] = FRAME_DELIMITERS
    home: str = ""
    whole: bool = False
    names: Collection[str] = ()
    records: Mapping[str, RecordDoc] = field(default_factory=dict)
    earlier: Earlier = field(default_factory=Earlier)

    def project(self, directory: str) -> str:
        """A directory as scope marks write it: `~` for the home."""
        home = self.home.rstrip("/")
        if home and (directory == home or directory.startswith(home + "/")):
            return "~" + directory[len(home) :]
        return directory


def place(path: str) -> Place | None:
    """The kind of file that a path from the tree's root names, None when it belongs into no tree."""
    for kind, form in _forms():
        if form.fullmatch(path):
            return kind
    return None


def place_anywhere(path: str) -> Place | None:
    """As `place`, for a path that may begin above the tree's root."""
    parts = re.split(r"[/\\]+", path)
    found = (place("/".join(parts[start:])) for start in range(len(parts)))
    return next((kind for kind in found if kind), None)


@cache
def _forms() -> tuple[tuple[Place, re.Pattern[str]], ...]:
    forms = {
        Place.SUMMARY: re.escape(summary.FILE),
        Place.HANDBOOK: re.escape(handbook.FILE),
        Place.RAW: re.escape(raw.FILE),
        Place.RECORD: rf"{names.FOLDER}/[^/]+\.md",
        Place.NOTE: rf"{note.FOLDER}/[^/]+\.md",
        Place.EXTENSION: r"extensions/[^/]+/(?:instructions\.md|resources/[^/]+\.md)",
        Place.SKILL: r"skills/[^/]+/.+",
    }
    return tuple((kind, re.compile(form, re.DOTALL)) for kind, form in forms.items())
