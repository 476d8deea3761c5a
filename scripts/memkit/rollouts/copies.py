"""A session's own history that a client wrote once more, counted once."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TypedDict

from memkit.model import Kind, Tier

_SURE = 3  # items in a row that are no coincidence
_LOOKED_AT = 256  # characters of a text by which it is known again


class Given(TypedDict):
    """An item before it is known to be the session's own; the fields are those of Item."""

    tier: Tier
    kind: Kind
    text: str
    said_at: object
    cwd: str
    call_id: str
    tool: str
    exit_code: int | None
    question: str


class Copies:
    """Knows a session's own history when a client writes it again, as some do on each resume.

    A copy begins with the session's first human message and goes on item by item as the file did; harness rows, which
    are written anew, do not count. What is held for a copy is given back where it turns out to be none: a person may
    say the same words again. Memory: 8 bytes an item.
    """

    def __init__(self) -> None:
        self._seen = array("q")
        self._first = -1
        self._at = -1
        self._end = 0
        self._matched = 0
        self._held: list[Given] = []

    @property
    def running(self) -> bool:
        """Whether the last item may be a copy."""
        return self._at >= 0

    def passed(self, given: Given) -> Sequence[Given]:
        """What can be given out now that this item came."""
        key = _key(given)
        released: list[Given] = []
        if self._at >= 0:
            if not key or self._follows(key):
                self._hold(given, key=key)
                return ()
            released = self.rest()
        if key and key == self._opening() and given["tier"] is Tier.HUMAN:
            self._at, self._end, self._matched = self._first, len(self._seen), 0
            self._follows(key)
            self._hold(given, key=key)
            return released
        self._note(key)
        return [*released, given]

    def rest(self) -> list[Given]:
        """What was held for a copy that was none; at the end of the file, or when it stops being one."""
        released, self._held, self._at = self._held, [], -1
        for each in released:
            self._note(_key(each))
        return released

    def take_back(self, first: int) -> None:
        """What stands from that index on is no longer history."""
        del self._seen[first:]

    def _opening(self) -> int:
        return self._seen[self._first] if 0 <= self._first < len(self._seen) else 0

    def _note(self, key: int) -> None:
        if key and self._first < 0:
            self._first = len(self._seen)
        self._seen.append(key)

    def _follows(self, key: int) -> bool:
        at = self._at
        while at < self._end and not self._seen[at]:
            at += 1
        if at == self._end or self._seen[at] != key:
            return False
        self._at, self._matched = at + 1, self._matched + 1
        return True

    def _hold(self, given: Given, *, key: int) -> None:
        self._held.append(given)
        whole = self._matched > 1 and not any(self._seen[self._at : self._end])
        if self._matched >= _SURE or whole:
            self._held.clear()
        if whole and key:
            self._at = -1


def _key(given: Given) -> int:
    """By what an item is known again; 0 for harness rows."""
    text = given["text"]
    return 0 if given["tier"] is Tier.HARNESS else hash((given["kind"], len(text), text[:_LOOKED_AT])) or 1
