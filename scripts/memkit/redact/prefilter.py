"""Where keywords stand in a text: by hyperscan when it is installed, else by bytes.find, with equal results."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

HYPERSCAN: Any = None
try:
    import hyperscan

    HYPERSCAN = hyperscan
except ImportError:  # an extra: no wheel for every platform
    pass

Hit = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Keyword:
    """A literal that a rule is anchored at. anycase folds ASCII letters only, so that both engines agree.

    Compared by identity: the engine of a tuple of them is looked up for every text.
    """

    text: str
    anycase: bool = False

    @property
    def data(self) -> bytes:
        raw = self.text.encode()
        return raw.lower() if self.anycase else raw


@dataclass(frozen=True, eq=False)
class _Engine:
    """A compiled hyperscan database with one scratch per thread: a scratch may not be used twice at a time."""

    database: Any
    lengths: tuple[int, ...]
    local: threading.local

    def scan(self, data: bytes) -> list[Hit]:
        hits: list[Hit] = []
        lengths = self.lengths

        def on_match(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            hits.append((end - lengths[number], number))

        self._scan(data, on_match)
        hits.sort()
        return hits

    def any(self, data: bytes) -> bool:
        hits: list[int] = []
        self._scan(data, lambda number, *_: hits.append(number))
        return bool(hits)

    def _scan(self, data: bytes, on_match: Callable[..., None]) -> None:
        if not hasattr(self.local, "scratch"):
            self.local.scratch = HYPERSCAN.Scratch(self.database)
        self.database.scan(data, match_event_handler=on_match, scratch=self.local.scratch)


@functools.cache
def _engine(keywords: tuple[Keyword, ...], *, once: bool = False) -> _Engine | None:
    """once: each keyword is told at most once."""
    if HYPERSCAN is None:
        return None
    database = HYPERSCAN.Database(mode=HYPERSCAN.HS_MODE_BLOCK)
    database.compile(
        expressions=[keyword.data for keyword in keywords],
        ids=list(range(len(keywords))),
        elements=len(keywords),
        flags=[
            (HYPERSCAN.HS_FLAG_CASELESS if keyword.anycase else 0) | (HYPERSCAN.HS_FLAG_SINGLEMATCH if once else 0)
            for keyword in keywords
        ],
        literal=True,
    )
    return _Engine(database, tuple(len(keyword.data) for keyword in keywords), threading.local())


def _plain(data: bytes, keywords: Sequence[Keyword]) -> list[Hit]:
    folded = data.lower()
    hits: list[Hit] = []
    for number, keyword in enumerate(keywords):
        where = folded if keyword.anycase else data
        at = where.find(keyword.data)
        while at >= 0:
            hits.append((at, number))
            at = where.find(keyword.data, at + 1)
    hits.sort()
    return hits


def _in_characters(data: bytes, hits: list[Hit]) -> Iterator[Hit]:
    done = characters = 0
    for at, number in hits:
        characters += len(data[done:at].decode("utf-8", "surrogatepass"))
        done = at
        yield characters, number


def any_hit(text: str, keywords: tuple[Keyword, ...]) -> bool:
    """Whether any keyword stands in a text."""
    data = text.encode("utf-8", "surrogatepass")
    engine = _engine(keywords, once=True)
    return engine.any(data) if engine else bool(_plain(data, keywords))


def hits(text: str, keywords: tuple[Keyword, ...]) -> list[Hit]:
    """(character offset, index of the keyword), ascending; overlapping keywords are all there."""
    data = text.encode("utf-8", "surrogatepass")
    engine = _engine(keywords)
    scan: Callable[[bytes], list[Hit]] = engine.scan if engine else lambda raw: _plain(raw, keywords)
    found = scan(data)
    return found if len(data) == len(text) else list(_in_characters(data, found))
