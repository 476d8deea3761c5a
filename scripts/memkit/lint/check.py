"""Linting a whole tree, or one file by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from memkit.documents import Malformed, extension, record, summary
from memkit.documents.record import RecordDoc
from memkit.lint import files as rules_of
from memkit.lint import plain
from memkit.lint import summary as summary_rules
from memkit.lint.rules import finding
from memkit.lint.world import FRAME_DELIMITERS, Earlier, Place, World, place, place_anywhere
from memkit.model import Finding

_POINTING = (Place.SUMMARY, Place.HANDBOOK, Place.RAW)


def lint_tree(
    files: Mapping[str, bytes],
    *,
    max_bytes: int,
    max_tokens: int,
    symlinks: Collection[str] = (),
    frame_delimiters: Collection[str] = FRAME_DELIMITERS,
    home: str = "",
    earlier: Earlier | None = None,
) -> tuple[Finding, ...]:
    """What is wrong with a tree, sorted. files: bytes by path from the tree's root, `/` between names.

    The summary must stay under max_bytes UTF-8 bytes and may have max_tokens tokens. symlinks: paths of the tree that
    are symbolic links; they are not read. frame_delimiters: names of the tags around what a session reads. home: the
    user's home directory, so that `~/shop` and a record's directory can be the same project. earlier: only what is new
    or may have become wrong since then is judged; of `files` only what that needs is looked up.
    """
    since = earlier or Earlier()
    world = World(
        max_bytes=max_bytes,
        max_tokens=max_tokens,
        delimiters=tuple(frame_delimiters),
        home=home,
        whole=True,
        names=frozenset(files) - frozenset(symlinks),
        records=_Records(files, frozenset(files) - frozenset(symlinks)),
        earlier=since,
    )
    found = {
        finding(path, 0, rule="symlink", message="a symbolic link; a tree holds files only: remove it")
        for path in symlinks
    }
    if summary.FILE not in files:
        message = f"there is no {summary.FILE}; an empty memory has one with `v1` and the four sections"
        found.add(finding(summary.FILE, 0, rule="summary-first-line", message=message))
    for path in world.names:
        kind = place(path)
        if path not in since.same or (since.gone and kind in _POINTING):
            found.update(_check(path, files[path], kind=kind, world=world))
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


class _Records(Mapping[str, RecordDoc]):
    """The tree's records, each read when it is asked for; for one that can't be, its own check has a finding."""

    def __init__(self, files: Mapping[str, bytes], names: Collection[str]) -> None:
        self._files = files
        self._paths = sorted(path for path in names if place(path) is Place.RECORD)
        self._docs: dict[str, RecordDoc | None] = {}

    def __getitem__(self, path: str) -> RecordDoc:
        if path not in self._docs:
            self._docs[path] = self._parsed(path)
        if (doc := self._docs[path]) is None:
            raise KeyError(path)
        return doc

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._paths if self.get(path) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _parsed(self, path: str) -> RecordDoc | None:
        if place(path) is not Place.RECORD or path not in self._files:
            return None
        try:
            return record.parse(self._files[path].decode())
        except (Malformed, UnicodeDecodeError):
            return None
