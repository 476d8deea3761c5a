"""The documents that a model works on, in memory: inputs to read, documents to change, names and sizes held here.

Nothing outside of it can be named, so that no text of a session can make a model write anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from memkit import tokens
from memkit.documents import places
from memkit.model import Version

_MOST_LINES, _MOST_BYTES = 400, 24_000  # that one reading shows
_LINE_BYTES = 2_000
_MOST_HITS = 60
_DOCUMENT_BYTES = 400_000
_SKILL_BYTES = 20_000
_MOST_SKILLS = 60


class Refused(Exception):
    """What was asked can't be done; says why, for the model to read."""


class Workspace:
    """inputs: texts by path that are only read; documents: those that are made; diff: the input to be read first."""

    def __init__(self, *, version: Version, inputs: Mapping[str, str], documents: Mapping[str, str], diff: str) -> None:
        self.documents = dict(documents)
        self._inputs = dict(inputs)
        self._version = version
        self._diff = diff
        self._unread = set(range(1, len(_lines(self._inputs[diff])) + 1))

    def list(self, folder: str = "") -> str:
        """Every file below a folder (all without one), with its size; the documents first."""
        prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
        rows = [
            f"{path} ({len(_lines(text))} lines, {tokens.byte_length(text)} bytes{', yours to change' if own else ''})"
            for own, files in ((True, self.documents), (False, self._inputs))
            for path, text in sorted(files.items())
            if path.startswith(prefix) or path == folder
        ]
        return "\n".join(rows) or "no files"

    def read(self, path: str, *, first: int, count: int) -> str:
        """Lines of a file from `first` (1 is the first) on, as many as one reading shows."""
        rows = _lines(self._text(path))
        if not 1 <= first <= max(len(rows), 1):
            raise Refused(f"{path} has {len(rows)} lines; first must be from 1 to {max(len(rows), 1)}")
        shown: list[str] = []
        size = 0
        for row in rows[first - 1 : first - 1 + max(1, min(count, _MOST_LINES))]:
            text = tokens.cut(row, max_bytes=_LINE_BYTES)
            size += tokens.byte_length(text) + 1
            if shown and size > _MOST_BYTES:
                break
            shown.append(text)
        last = first + len(shown) - 1
        if path == self._diff:
            self._unread -= set(range(first, last + 1))
        more = f"; go on with first={last + 1}" if last < len(rows) else ""
        return "\n".join((f"{path}, lines {first} to {last} of {len(rows)}{more}", *shown))

    def search(self, words: str, *, folder: str) -> str:
        """The lines that hold the words, whatever their case, as `path:line: text`."""
        if not words.strip():
            raise Refused("search needs words")
        hits = []
        for path, text in sorted({**self._inputs, **self.documents}.items()):
            if folder and not (path == folder or path.startswith(f"{folder.strip('/')}/")):
                continue
            for number, row in enumerate(_lines(text), 1):
                if words.casefold() in row.casefold():
                    hits.append(f"{path}:{number}: {tokens.cut(row.strip(), max_bytes=300)}")
        more = [f"and {len(hits) - _MOST_HITS} more lines"] if len(hits) > _MOST_HITS else []
        return "\n".join((*hits[:_MOST_HITS], *more)) or "nothing found"

    def write(self, path: str, text: str) -> str:
        """Makes a document, or replaces it whole."""
        self._may_change(path)
        self._hold(path, text)
        return f"{path} has {len(_lines(text))} lines now"

    def replace(self, path: str, old: str, new: str) -> str:
        """Replaces a stretch of a document that stands in it once."""
        self._may_change(path)
        text = self.documents.get(path)
        if text is None:
            raise Refused(f"there is no {path} yet; write it")
        found = text.count(old) if old else 0
        if found != 1:
            raise Refused(f"`old` stands {found} times in {path}; it must stand there exactly once")
        self._hold(path, text.replace(old, new))
        return f"{path} has {len(_lines(self.documents[path]))} lines now"

    def delete(self, path: str) -> str:
        """Removes a document."""
        self._may_change(path)
        if path not in self.documents:
            raise Refused(f"there is no {path}")
        del self.documents[path]
        return f"{path} is gone"

    def _text(self, path: str) -> str:
        text = self.documents.get(path, self._inputs.get(path))
        if text is None:
            raise Refused(f"there is no {path[:200]}; `list` shows what there is")
        return text

    def _may_change(self, path: str) -> None:
        if not writable(path, version=self._version):
            raise Refused(f"{path[:200]} is not yours to change; you may write {names(self._version)}")
        if self._unread:
            first = min(self._unread)
            raise Refused(f"read {self._diff} first: from line {first} on there are {len(self._unread)} unread lines")

    def _hold(self, path: str, text: str) -> None:
        skill = path.startswith(_SKILLS)
        most = _SKILL_BYTES if skill else _DOCUMENT_BYTES
        if tokens.byte_length(text) > most:
            raise Refused(f"{path} may have {most:,} bytes at most")
        if skill and path not in self.documents and sum(map(_is_skill, self.documents)) >= _MOST_SKILLS:
            raise Refused(f"there may be {_MOST_SKILLS} skills at most")
        self.documents[path] = text


_SKILLS = "skills/"


def writable(path: str, *, version: Version) -> bool:
    """Is it the name of a document that a consolidation of this version makes?"""
    if path == places.SUMMARY:
        return True
    return version == "v1" and (path == places.HANDBOOK or _is_skill(path))


def names(version: Version) -> str:
    """The names of the documents of a version, in words."""
    more = f", {places.HANDBOOK} and skills/<name>/SKILL.md" if version == "v1" else ""
    return f"{places.SUMMARY}{more}"


def skills(paths: Mapping[str, str]) -> Iterator[str]:
    """The paths among these that are skills."""
    return filter(_is_skill, paths)


def _is_skill(path: str) -> bool:
    return _skill().fullmatch(path) is not None


@cache
def _skill() -> re.Pattern[str]:
    return re.compile(r"skills/[a-z0-9][a-z0-9-]{0,63}/SKILL\.md")


def _lines(text: str) -> list[str]:
    return text.split("\n")[: -1 if text.endswith("\n") else None]
