"""Bytes to lines to payloads: streaming, any key order, and nothing lost to one bad line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from memkit.rollouts import frames, shapes

Line = shapes.Line[shapes.Payload]
_TIME = b'{"timestamp":"'
_TIME_END = len(_TIME) + len("2026-11-20T09:00:00.000Z")
_TIMED = b'"timestamp":'
_PAYLOAD = b'"payload":'
_END = b"}}\n"
_ENDS = (_END, b"}}\r\n", b"}}")


class Lines:
    """The lines of a session's files that are read, in their order, with counts of the others.

    count: lines that are not empty; bad: lines, or pieces of lines, that gave nothing; unknown: lines of a type
    name, or a shape, that is not known. Of a line whose type is not read, only the beginning and the end are looked at.
    With `fast` off, every line is decoded in full: same lines, same counts.
    """

    def __init__(self, paths: Sequence[Path], *, fast: bool = True) -> None:
        self._paths = paths
        self._fast = fast
        self.count = 0
        self.bad = 0
        self.unknown = 0
        self._before = b""
        self._newest = b""

    def __iter__(self) -> Iterator[Line]:
        """Raises OSError, and RolloutError as `opened` does."""
        return chain.from_iterable(map(self._by_heads, self._paths)) if self._fast else self._in_full()

    def rate(self) -> Line | None:
        """The newest line with rate limits, of those that were passed."""
        for raw in (self._newest, *frames.mended(self._newest)[0]):
            with suppress(*frames.DAMAGED):
                if (frame := frames.framed(raw)) is not None:
                    return shapes.Line(shapes.payload_decoder(shapes.NEWEST).decode(frame.payload), frame.time)
        return None

    def _by_heads(self, path: Path) -> Iterator[Line]:
        """Every line of every file passes this loop: what it does not need is left out of it."""
        (pattern, plans), at, count, before = _table(), _TIME_END, 0, self._before
        match = pattern.match
        with frames.opened(path) as stream:
            for raw in frames.raw_lines(stream):
                head = match(raw, at)
                if head is None and raw.startswith(_TIME):  # a time of another length
                    head = match(raw, at := raw.find(b'"', len(_TIME)))
                if head is not None:
                    decode, needle, left_alone = plans[head.lastindex or 0]
                    if decode is not None and (needle is None or needle in raw):
                        try:
                            line = decode(raw)
                        except frames.DAMAGED:
                            pass
                        else:
                            count += 1
                            if not before.endswith(raw):
                                self._before = before = raw
                                yield line
                            continue
                    elif raw.endswith(_END) and raw.find(_PAYLOAD, head.end(), raw.rfind(b"{")) < 0:
                        count += 1
                        if left_alone is not None:
                            left_alone(self, raw)
                        continue
                yield from self._whole(raw)
                before = self._before
        self.count += count

    def _in_full(self) -> Iterator[Line]:
        for path in self._paths:
            with frames.opened(path) as stream:
                for raw in frames.raw_lines(stream):
                    yield from self._whole(raw)

    def _whole(self, raw: bytes) -> Iterator[Line]:
        """A line that its beginning does not decide on."""
        if not raw.strip(frames.BLANK):
            return
        self.count += 1
        if self._before.endswith(raw) and _TIMED in raw:
            return
        try:
            line = self._read(raw)
        except frames.DAMAGED:
            if not self._is_left_alone(raw):
                for line in self._mended(raw):
                    self._before = raw
                    yield line
        else:
            if line is not None:
                self._before = raw
                yield line

    def _is_left_alone(self, raw: bytes) -> bool:
        """Whether a damaged line need not be mended: of a type that is not read, and whole as far as its ends tell."""
        pattern, plans = _table()
        head = pattern.match(raw, raw.find(b'"', len(_TIME))) if raw.startswith(_TIME) else None
        if head is None or not raw.endswith(_ENDS) or raw.find(_PAYLOAD, head.end(), raw.rfind(b"{")) >= 0:
            return False
        decode, needle, left_alone = plans[head.lastindex or 0]
        if decode is not None and (needle is None or needle in raw):
            return False
        if left_alone is not None:
            left_alone(self, raw)
        return True

    def _mended(self, raw: bytes) -> list[Line]:
        objects, bad = frames.mended(raw)
        self.bad += bad
        found = []
        for each in objects:
            try:
                line = self._read(each)
            except frames.DAMAGED:
                self.unknown += 1
            else:
                found += [] if line is None else [line]
        return found

    def _read(self, raw: bytes) -> Line | None:
        """Raises what msgspec does for a damaged line."""
        frame = frames.framed(raw)
        if frame is None or frame.kind not in shapes.known():
            self.unknown += frame is None or frame.kind != frames.STATE
        elif frame.kind == shapes.NEWEST:
            self.take_newest(raw)
        elif frame.kind in shapes.WANTED and shapes.NEEDLES.get(frame.kind, b"") in frame.payload:
            return shapes.Line(shapes.payload_decoder(frame.kind).decode(frame.payload), frame.time)
        return None

    def take_newest(self, raw: bytes) -> None:
        """A line of which only the newest counts."""
        if shapes.NEEDLES[shapes.NEWEST] in raw:
            self._newest = raw

    def count_unknown(self, _: bytes) -> None:
        """A line of a type that has no known name."""
        self.unknown += 1


class _Plan(NamedTuple):
    """What is done with a line by the names at its head.

    decode None: it is not read; needle: it is when it holds this. left_alone: what is noted of one that is not read.
    """

    decode: Callable[[bytes], Line] | None = None
    needle: bytes | None = None
    left_alone: Callable[[Lines, bytes], None] | None = None


@cache
def _table() -> tuple[re.Pattern[bytes], list[_Plan]]:
    """What follows a line's time as clients write it, and the plans by the group that took part; none took: 0."""
    plans = [_Plan()]

    def planned(head: str, plan: _Plan) -> str:
        plans.append(plan)
        return f"{head}()"

    unknown = _Plan(left_alone=Lines.count_unknown)
    branches = []
    for kind in frames.NESTED:
        names = ['message","role":"developer"'] if kind == "response_item" else []
        names += [planned(f'{name}"', _plan((kind, name))) for outer, name in shapes.WANTED if outer == kind]
        names += [f'{name}"' for outer, name in shapes.ignored() if outer == kind]
        names += [planned(r'\w++"', unknown)]
        branches.append(rf'{kind}","payload":\{{"type":"(?>{"|".join(names)})')
    for kind, name in [*shapes.WANTED, *shapes.ignored()]:
        if not name:
            branches.append(planned(rf'{kind}","payload":\{{', _plan((kind, ""))))
    branches.append(planned(rf'(?!(?:{"|".join(frames.NESTED)})")\w++","payload":\{{', unknown))
    return re.compile(rf'",(?:"ordinal":\d++,)?+"type":"(?>{"|".join(branches)})'.encode()), plans


def _plan(kind: tuple[str, str]) -> _Plan:
    if kind == shapes.NEWEST:
        return _Plan(left_alone=Lines.take_newest)
    if kind in shapes.WANTED:
        return _Plan(shapes.line_decoder(kind).decode, shapes.NEEDLES.get(kind))
    return _Plan()
