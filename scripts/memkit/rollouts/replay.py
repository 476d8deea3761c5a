"""What in a file is not its own: a parent's history that a fork repeats, and turns that were rolled back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from memkit.model import Item, Kind, Tier

_SLACK = 2.0  # seconds: a turn's id is made a little before the file says that it begins


class Replay:
    """Tells a fork's own items from its parent's, which it repeats first.

    A turn whose id (a UUIDv7) is older than the fork is the parent's: the repeat ends where a younger one begins.
    Where ids are new or missing, the repeat is as long as the items equal those of the parent's own file. Without
    either there is nothing to tell by, and all items count as the fork's own. open: whether the repeat may go on.
    """

    def __init__(self, *, forked: bool, started_at: float, parent: Iterator[Item] | None) -> None:
        self.open = forked
        self._started_at = started_at
        self._parent = parent
        self._by_ids: bool | None = None

    def turn_begins(self, turn_id: str | None) -> None:
        """A marker of a turn went by."""
        made_at = uuid7_seconds(turn_id or "")
        if not self.open or made_at is None or not self._started_at:
            return
        if made_at < self._started_at - _SLACK:
            self._by_ids = True
        elif self._by_ids:
            self.open = False

    def covers(self, tier: Tier, *, kind: Kind, text: str) -> bool:
        """Whether the next item of the file is a repeated one."""
        if not self.open:
            return False
        if self._by_ids:
            return True
        if self._parent is None:
            return False
        if tier is Tier.HARNESS:  # written anew for the fork, and told by its session_meta
            return True
        told = next((item for item in self._parent if item.tier is not Tier.HARNESS), None)
        early = told is not None and (told.time is None or told.time <= self._started_at + _SLACK)
        self.open = told is not None and early and (told.tier, told.kind, told.text) == (tier, kind, text)
        return self.open


class Rollbacks:
    """Follows the user's turns of a file and notes the items that a thread_rolled_back takes back."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._items = 0
        self.dropped: list[tuple[int, int]] = []

    def item(self, *, human: bool) -> int:
        """Notes an item; its index, from 0."""
        if human:
            self._starts.append(self._items)
        self._items += 1
        return self._items - 1

    def take_back(self, turns: int) -> int | None:
        """The last `turns` user turns go, with all that came after them; the first index of it."""
        if turns <= 0 or not self._starts:
            return None
        first = self._starts[-turns:][0]
        del self._starts[-turns:]
        self.dropped.append((first, self._items))
        return first


class Gone:
    """Asks, for rising indexes, whether an item was taken back."""

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        self._ranges = sorted(ranges)
        self._at = 0

    def holds(self, index: int) -> bool:
        while self._at < len(self._ranges) and self._ranges[self._at][1] <= index:
            self._at += 1
        return self._at < len(self._ranges) and self._ranges[self._at][0] <= index


@cache
def _uuid7() -> re.Pattern[str]:
    return re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.I)


def uuid7_seconds(text: str) -> float | None:
    """Unix seconds that a UUIDv7 was made at, None for any other text."""
    found = _uuid7().fullmatch(text)
    return int(found[1] + found[2], 16) / 1000 if found else None
