"""Listing the committed tree, and reading one file of it by lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memkit import tokens
from memkit.errors import UsageError
from memkit.repo.view import View, view
from memkit.stages.search import paths
from memkit.stages.search.paths import Cursors


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A file or folder. bytes: of a file's content, None for a folder."""

    path: str
    kind: Literal["file", "folder"]
    bytes: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """What lies in a folder, or the one file that was named. cursor: of the next page, "" when there is none."""

    path: str
    entries: tuple[Listed, ...] = ()
    cursor: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Lines of a file. line: number of the first, from 1. lines: how many the file has. next: the line after these.

    text: without the last newline; a line that is longer than what was asked for ends in a mark. next is None at the
    file's end. Bytes that are no UTF-8 read as U+FFFD, line ends as newlines.
    """

    path: str
    line: int
    lines: int
    text: str
    next: int | None = None


def list_files(*, home: Path, folder: str, path: str = "", most: int, cursor: str = "") -> Listing:
    """What stands at a path of the committed tree, not deeper; most: entries on a page.

    folder: the tree in the home. Hidden files, links and names that can't be typed are left out. Raises UsageError for
    a path outside the tree or at which nothing stands, and for a cursor of something else.
    """
    with view(home, folder) as seen:
        path, found = paths.entry(seen, path)
        cursors = Cursors(tree=seen.tree, call=f"list {path}")
        start, _ = cursors.place(cursor)
        if found.kind == "file":
            return Listing(path=path, entries=(Listed(path=path, kind="file", bytes=seen.sizes([found.oid])[0]),))
        there = {f"{path}/{name}" if path else name: entry for name, entry in seen.entries(found.oid)}
        names = paths.ordered(name for name, each in there.items() if each.kind in ("file", "folder"))
        names = [name for name in names if paths.shown(name)]
        page = names[start : start + most]
        files = [name for name in page if there[name].kind == "file"]
        sizes = dict(zip(files, seen.sizes([there[name].oid for name in files]), strict=True))
        entries = (Listed(path=n, kind="file" if n in sizes else "folder", bytes=sizes.get(n)) for n in page)
        more = start + most < len(names)
        return Listing(path=path, entries=tuple(entries), cursor=cursors.at(start + most) if more else "")


def read(
    *, home: Path, folder: str, path: str, line: int = 1, most: int | None = None, max_bytes: int | None = None
) -> Page:
    """Lines of a committed file from a line on: at most so many, and within so many bytes. None: no limit.

    Raises UsageError as `list_files` does, for a folder, and for a line that the file does not have.
    """
    with view(home, folder) as seen:
        path, data = _content(seen, path)
    lines = lines_of(data)
    if line > max(len(lines), 1):
        raise UsageError(f"{path} has {len(lines)} lines, so there is no line {line}", mend="lines are counted from 1")
    page = lines[line - 1 : None if most is None else line - 1 + most]
    if max_bytes is not None:
        page = _within(page, max_bytes)
    after = line + len(page)
    return Page(
        path=path, line=line, lines=len(lines), text="\n".join(page), next=after if after <= len(lines) else None
    )


def _content(seen: View, path: str) -> tuple[str, bytes]:
    path, found = paths.entry(seen, path)
    if found.kind == "folder":
        raise UsageError(f"{path or 'the tree itself'} is a folder", mend=f"memkit list {path}".rstrip())
    return path, next(seen.contents([found.oid]))


def lines_of(data: bytes) -> list[str]:
    """A file's lines as people count them: ended by a newline, a carriage return before it left out."""
    text = data.decode("utf-8", "replace")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _within(lines: list[str], max_bytes: int) -> list[str]:
    """The first lines that fit; the first one always, cut where it is too long."""
    room = max_bytes
    for at, line in enumerate(lines):
        room -= tokens.byte_length(line) + 1
        if room < 0:
            return lines[:at] if at else [tokens.cut(line, max_bytes=max_bytes)]
    return lines
