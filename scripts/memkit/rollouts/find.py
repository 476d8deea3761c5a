"""Finding rollout files, newest first, and what the head and the tail of one say of its session."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memkit.rollouts.heads import Problem, first_ordinal, head, mtime_ns, named_session, paged

__all__ = ["Found", "Problem", "find", "find_in", "head", "named_session"]

_SUFFIXES = (".jsonl", ".jsonl.zst")


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
        for each in _in_order(_walk(folder, named="rollout-", seen=set())):
            if each.path != folder or not isinstance(each, Problem) or each.kind != "missing":
                yield each


def find_in(paths: Sequence[Path]) -> Iterator[Found | Problem]:
    """The files that were named, and every `*.jsonl` and `*.jsonl.zst` under the folders that were, newest first.

    A named file is taken whatever it is called; only `.deleted` ones never are. Each file comes once.
    """
    seen: set[tuple[int, int]] = set()
    yield from _in_order(each for path in paths for each in _named(path, seen=seen))


def segments(path: Path) -> list[Path]:
    """The files of a thread that is written page by page, in order up to that one; any other file alone.

    Pages lie in the same folder, or in others of the same tree by day. Their order is that of their first ordinals.
    """
    named = paged().fullmatch(path.name)
    if named is None:
        return [path]
    top = path.absolute().parent
    days = top.parts[-3:]
    folders = top.parents[2].glob("*/*/*") if len(days) == 3 and all(map(str.isdigit, days)) else [top]
    pages = _in_order(each for folder in folders for each in _pages(folder, thread=named[1]))
    others = [each.path for each in pages if each.path.name != path.name]
    last = (first_ordinal(path), path.name)
    before = sorted((first_ordinal(each), each.name, each) for each in others)
    return [*(each for ordinal, name, each in before if (ordinal, name) < last), path]


def _pages(folder: Path, *, thread: str) -> Iterator[Found | Problem]:
    for path in folder.glob(f"rollout-*{thread}*"):
        if paged().fullmatch(path.name) or path.name.partition(thread)[2] in _SUFFIXES:
            yield from _file(path, seen=set())


# --- walking -------------------------------------------------------------------------------------------------------


def _in_order(found: Iterator[Found | Problem]) -> list[Found | Problem]:
    """Newest first by file name; where a file also stands there compressed, only the plain one."""
    every = sorted(found, key=lambda each: (each.path.name, str(each.path)), reverse=True)
    plain = {each.path for each in every}
    return [each for each in every if each.path.suffix != ".zst" or each.path.with_suffix("") not in plain]


def _named(path: Path, *, seen: set[tuple[int, int]]) -> Iterator[Found | Problem]:
    if path.is_dir():
        yield from _walk(path, named="", seen=seen)
    elif ".deleted" not in path.suffixes:
        yield from _file(path, seen=seen)


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
            elif entry.name.startswith(named) and entry.name.endswith(_SUFFIXES):
                yield from _file(Path(entry.path), seen=seen)


def _file(path: Path, *, seen: set[tuple[int, int]]) -> Iterator[Found | Problem]:
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
