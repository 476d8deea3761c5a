"""Which statements may say the same as a text or contradict it: only those are compared, so that cost stays linear."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from memkit import match

T = TypeVar("T", bound=Hashable)


class Index(Generic[T]):
    """Things by the keys of what was said of them, kept apart by shelf (a scope)."""

    def __init__(self) -> None:
        self._found: dict[tuple[Hashable, str], dict[T, None]] = {}
        self._shelves: dict[str, dict[Hashable, None]] = {}

    def add(self, thing: T, text: str, *, shelf: Hashable) -> None:
        for key in match.key_words(text):
            self._found.setdefault((shelf, key), {})[thing] = None
            self._shelves.setdefault(key, {})[shelf] = None

    def near(self, text: str, *, shelf: Hashable) -> Iterator[T]:
        """The things on a shelf that share a key with the text, each once."""
        seen: dict[T, None] = {}
        for key in sorted(match.key_words(text)):
            seen.update(self._found.get((shelf, key), {}))
        return iter(seen)

    def anywhere(self, text: str) -> Iterator[T]:
        """The same over all shelves."""
        seen: dict[T, None] = {}
        for key in sorted(match.key_words(text)):
            for shelf in self._shelves.get(key, {}):
                seen.update(self._found[shelf, key])
        return iter(seen)
