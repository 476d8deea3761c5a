"""Rollout files by their names and folders, newest first: none is opened, which is all that most runs need."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SUFFIXES = (".jsonl", ".jsonl.zst")
_MOST_NS = (1 << 63) - 1  # the store's integers end here; a file's time may not


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A file or folder that gives no session: what is wrong, in a few words.

    kind: `unreadable` (the system refuses it), `missing`, `empty`, or `no_rollout` (it holds something else).
    """

    path: Path
    what: str
    kind: Literal["unreadable", "missing", "empty", "no_rollout"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A rollout file. size in bytes, mtime_ns in nanoseconds."""

    path: Path
    size: int
    mtime_ns: int


def find(*, codex_home: Path, archived: bool = False) -> Iterator[Found | Problem]:
    """The files under `sessions/` of Codex's home, newest first by file name; a home without sessions gives none.

    archived: those under `archived_sessions/` too, after the others.
    """
    for name in ("sessions", "archived_sessions")[: 1 + archived]:
        folder = codex_home / name
        for each in in_order(_walk(folder, named="rollout-", seen=set())):
            if each.path != folder or not isinstance(each, Problem) or each.kind != "missing":
                yield each


def find_in(paths: Sequence[Path]) -> Iterator[Found | Problem]:
    """The files that were named, and every `*.jsonl` and `*.jsonl.zst` under the folders that were, newest first.

    A named file is taken whatever it is called; only `.deleted` ones never are. Each file comes once.
    """
    seen: set[tuple[int, int]] = set()
    yield from in_order(each for path in paths for each in _named(path, seen=seen))


def mtime_ns(about: os.stat_result) -> int:
    """When the file was changed, in nanoseconds, as far as the store can count them."""
    return min(max(about.st_mtime_ns, -_MOST_NS), _MOST_NS)


# --- walking -------------------------------------------------------------------------------------------------------


def in_order(found: Iterator[Found | Problem]) -> list[Found | Problem]:
    """Newest first by file name; where a file also stands there compressed, only the plain one."""
    every = sorted(found, key=lambda each: (each.path.name, str(each.path)), reverse=True)
    places = [str(each.path) for each in every]  # text: a run with nothing new asks this of every file ever seen
    plain = set(places)
    return [
        each
        for each, place in zip(every, places, strict=True)
        if not place.endswith(".zst") or place.removesuffix(".zst") not in plain
    ]


def _named(path: Path, *, seen: set[tuple[int, int]]) -> Iterator[Found | Problem]:
    if path.is_dir():
        yield from _walk(path, named="", seen=seen)
    elif ".deleted" not in path.suffixes:
        yield from file_at(path, seen=seen)


def _walk(top: Path, *, named: str, seen: set[tuple[int, int]]) -> Iterator[Found | Problem]:
    folders, linked = [top], set[Path]()
    while folders:
        folder = folders.pop()
        try:
            about = folder.stat()
            if (about.st_dev, about.st_ino) in seen:
                continue
            seen.add((about.st_dev, about.st_ino))
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            yield _refused(folder, error=error)
            continue
        for entry in inside:
            if _is_folder(entry):
                below = Path(entry.path)
                if folder in linked or entry.is_symlink():
                    linked.add(below)
                if not entry.is_symlink() or (folder not in linked and not _holds(below, top)):
                    folders.append(below)
            elif entry.name.startswith(named) and entry.name.endswith(SUFFIXES):
                yield from file_at(Path(entry.path), seen=seen)


def file_at(path: Path, *, seen: set[tuple[int, int]]) -> Iterator[Found | Problem]:
    try:
        about = path.stat()
    except OSError as error:
        yield _refused(path, error=error)
        return
    if not stat.S_ISREG(about.st_mode):
        yield Problem(path=path, what="not a file", kind="unreadable")
    elif (about.st_dev, about.st_ino) not in seen:
        seen.add((about.st_dev, about.st_ino))
        yield Found(path=path, size=about.st_size, mtime_ns=mtime_ns(about))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in circles
        return False


def _holds(link: Path, folder: Path) -> bool:
    """Whether a link leads to a folder that the other one lies in: it adds nothing but the rest of the machine."""
    try:
        return folder.resolve().is_relative_to(link.resolve())
    except (OSError, RuntimeError):
        return True


def _refused(path: Path, *, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError):
        return Problem(path=path, what="no such file or folder", kind="missing")
    return Problem(path=path, what=error.strerror or str(error), kind="unreadable")
