"""Finding rollout files, newest first, and what the head and the tail of one say of its session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.rollouts.files import SUFFIXES, Found, Problem, file_at, find, find_in, in_order
from memkit.rollouts.heads import first_ordinal, head, named_session, paged

__all__ = ["Found", "Problem", "find", "find_in", "head", "named_session", "segments"]


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
    pages = in_order(each for folder in folders for each in _pages(folder, thread=named[1]))
    others = [each.path for each in pages if each.path.name != path.name]
    last = (first_ordinal(path), path.name)
    before = sorted((first_ordinal(each), each.name, each) for each in others)
    return [*(each for ordinal, name, each in before if (ordinal, name) < last), path]


def _pages(folder: Path, *, thread: str) -> Iterator[Found | Problem]:
    for path in folder.glob(f"rollout-*{thread}*"):
        if paged().fullmatch(path.name) or path.name.partition(thread)[2] in SUFFIXES:
            yield from file_at(path, seen=set())
