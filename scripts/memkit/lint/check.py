"""Linting a whole tree, or one file by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from memkit.documents import Malformed, extension, record, summary
from memkit.documents.record import RecordDoc
from memkit.lint import files as rules_of
from memkit.lint import plain
from memkit.lint import summary as summary_rules
from memkit.lint.rules import finding
from memkit.lint.world import FRAME_DELIMITERS, Place, World, place, place_anywhere
from memkit.model import Finding


def lint_tree(
    files: Mapping[str, bytes],
    *,
    max_bytes: int,
    max_tokens: int,
    symlinks: Collection[str] = (),
    frame_delimiters: Collection[str] = FRAME_DELIMITERS,
    home: str = "",
) -> tuple[Finding, ...]:
    """What is wrong with a tree, sorted. files: bytes by path from the tree's root, `/` between names.

    The summary must stay under max_bytes UTF-8 bytes and may have max_tokens tokens. symlinks: paths of the tree that
    are symbolic links; they are not read. frame_delimiters: names of the tags around what a session reads. home: the
    user's home directory, so that `~/shop` and a record's directory can be the same project.
    """
    world = World(
        max_bytes=max_bytes,
        max_tokens=max_tokens,
        delimiters=tuple(frame_delimiters),
        home=home,
        whole=True,
        names=frozenset(files) - frozenset(symlinks),
        records=_records({path: data for path, data in files.items() if path not in symlinks}),
    )
    found = {
        finding(path, 0, rule="symlink", message="a symbolic link; a tree holds files only: remove it")
        for path in symlinks
    }
    if summary.FILE not in files:
        message = f"there is no {summary.FILE}; an empty memory has one with `v1` and the four sections"
        found.add(finding(summary.FILE, 0, rule="summary-first-line", message=message))
    for path in world.names:
        found.update(_check(path, files[path], kind=place(path), world=world))
    return tuple(sorted(found))


def lint_file(
    name: str,
    data: bytes,
    *,
    max_bytes: int,
    max_tokens: int,
    frame_delimiters: Collection[str] = FRAME_DELIMITERS,
    home: str = "",
) -> tuple[Finding, ...]:
    """What is wrong with one file by itself, sorted; what needs its tree (does a pointer's file exist?) is not asked.

    name: its path, in the tree or from further up; the rules follow from its last parts.
    """
    world = World(max_bytes=max_bytes, max_tokens=max_tokens, delimiters=tuple(frame_delimiters), home=home)
    return tuple(sorted(set(_check(name, data, kind=place_anywhere(name), world=world))))


def _check(path: str, data: bytes, *, kind: Place | None, world: World) -> Iterator[Finding]:
    if kind is None:
        message = "this file belongs to no part of a memory tree"
        yield finding(path, 0, rule="unknown-file", message=message)
    if kind is Place.EXTENSION and world.whole and (message := extension.fault(path, world.names)):
        yield finding(path, 0, rule="unknown-file", message=message)
    text, broken = plain.decode(path, data, kind=kind)
    yield from plain.check(path, text, kind=kind, world=world)
    if broken:
        yield broken
    elif kind is Place.SUMMARY:
        yield from summary_rules.check(path, text, size=len(data), world=world)
    elif kind is Place.RECORD:
        yield from rules_of.check_record(path, text, world=world)
    elif kind is Place.HANDBOOK:
        yield from rules_of.check_handbook(path, text, world=world)
    elif kind is Place.RAW:
        yield from rules_of.check_raw(path, text, world=world)
    elif kind is Place.NOTE:
        yield from rules_of.check_note(path, text)


def _records(files: Mapping[str, bytes]) -> dict[str, RecordDoc]:
    """The tree's records that can be read; those that can't get their finding where they are checked."""
    found: dict[str, RecordDoc] = {}
    for path in sorted(files):
        if place(path) is Place.RECORD:
            try:
                found[path] = record.parse(files[path].decode())
            except (Malformed, UnicodeDecodeError):
                continue
    return found
