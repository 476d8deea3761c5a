"""Where keywords stand in a text: by hyperscan when it is installed, else by bytes.find, with equal results.

A process that masks little, as most commands do, does not load it.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Hit = tuple[int, int]
_FEW_BYTES = 16_384  # of all texts so far: looking for each word by itself is quicker than loading the library


@functools.cache
def hyperscan() -> Any:
    """The library, None where it is not installed: it is an extra, there is no wheel for every platform."""
    try:
        import hyperscan as library
    except ImportError:
        return None
    return library


@dataclass(slots=True)
class _Seen:
    """How much was looked through without the library."""

    size: int = 0

    def few(self, size: int) -> bool:
        self.size += size
        return self.size <= _FEW_BYTES


_seen = _Seen()


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
            self.local.scratch = hyperscan().Scratch(self.database)
        self.database.scan(data, match_event_handler=on_match, scratch=self.local.scratch)


@functools.cache
def _engine(keywords: tuple[Keyword, ...], *, once: bool = False) -> _Engine | None:
    """once: each keyword is told at most once."""
    library = hyperscan()
    if library is None:
        return None
    database = library.Database(mode=library.HS_MODE_BLOCK)
    database.compile(
        expressions=[keyword.data for keyword in keywords],
        ids=list(range(len(keywords))),
        elements=len(keywords),
        flags=[
            (library.HS_FLAG_CASELESS if keyword.anycase else 0) | (library.HS_FLAG_SINGLEMATCH if once else 0)
            for keyword in keywords
        ],
        literal=True,
    )
    return _Engine(database, tuple(len(keyword.data) for keyword in keywords), threading.local())


@functools.cache
def _literals(keywords: tuple[Keyword, ...]) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """(the keywords that are looked for as they are, those in any case); thousands of short texts are held to them."""
    exact = tuple(keyword.data for keyword in keywords if not keyword.anycase)
    return exact, tuple(keyword.data for keyword in keywords if keyword.anycase)


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


def any_hit(text: str, keywords: tuple[Keyword, ...]) -> bool | None:
    """Whether any keyword stands in a text; None where finding out would take long: without the library."""
    data = text.encode("utf-8", "surrogatepass")
    if _seen.few(len(data)):
        exact, folded = _literals(keywords)
        return any(map(data.__contains__, exact)) or any(map(data.lower().__contains__, folded))
    engine = _engine(keywords, once=True)
    return engine.any(data) if engine else None


def hits(text: str, keywords: tuple[Keyword, ...]) -> list[Hit]:
    """(character offset, index of the keyword), ascending; overlapping keywords are all there."""
    data = text.encode("utf-8", "surrogatepass")
    engine = None if _seen.few(len(data)) else _engine(keywords)
    scan: Callable[[bytes], list[Hit]] = engine.scan if engine else lambda raw: _plain(raw, keywords)
    found = scan(data)
    return found if len(data) == len(text) else list(_in_characters(data, found))
