"""Bytes to lines to payloads: streaming, any key order, and nothing lost to one bad line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from memkit.rollouts import frames, shapes

_MOST_REPEATED = 1 << 20
_ENDS = (b"}\n", b"}\r\n", b"}")
_GLUED = b'{"timestamp":'


class Line(NamedTuple):
    """A line that is read: its type and payload type, its time as written, its decoded payload."""

    kind: tuple[str, str]
    time: object
    data: shapes.Payload


@cache
def _head() -> re.Pattern[bytes]:
    """The start of a line as clients write it: time, type, payload type, role."""
    return re.compile(
        rb'{"timestamp":"([^"\\]{1,40})",(?:"ordinal":\d+,)?"type":"(\w+)","payload":{'
        rb'(?:"type":"(\w+)"(?:,"role":"(\w+)")?)?'
    )


class Lines:
    """The lines of a rollout file that are read, in file order, with counts of the others.

    count: lines that are not empty; bad: lines, or pieces of lines, that gave nothing; unknown: lines of a type
    name, or a shape, that is not known. rate: the newest line with rate limits. With `fast` off, every line is decoded
    in full: same lines.
    """

    def __init__(self, path: Path, *, fast: bool = True) -> None:
        self._path = path
        self._fast = fast
        self.count = 0
        self.bad = 0
        self.unknown = 0
        self._match = _head().match
        self._plans = _plans()
        self.rate: Line | None = None

    def __iter__(self) -> Iterator[Line]:
        """Raises OSError, and RolloutError as `opened` does."""
        before = b""
        with frames.opened(self._path) as stream:
            for raw in frames.raw_lines(stream):
                if before.endswith(raw):  # written twice: its time says so
                    continue
                before = raw if len(raw) < _MOST_REPEATED and raw.startswith(_GLUED) else b""
                quick = self._quick(raw) if self._fast else None
                if quick is None:
                    yield from self._slow(raw)
                elif isinstance(quick, Line):
                    yield quick

    def _quick(self, raw: bytes) -> Line | bool | None:
        """The line, False when it is not read, None when only a full decode can tell."""
        head = self._match(raw)
        if head is None or raw.find(_GLUED, 1) > 0 or not raw.endswith(_ENDS):
            return None
        time, first, second, role = head.groups()
        plan = self._plans.get((first, second))
        if plan is None:
            return None
        if plan.decoder is None or role == b"developer" or (plan.needle and plan.needle not in raw):
            self.count += 1
            return False
        try:
            data = plan.decoder.decode(raw).payload
        except frames.DAMAGED:
            return None
        self.count += 1
        return self._line(plan.kind, time=time.decode("ascii", "replace"), data=data) or False

    def _slow(self, raw: bytes) -> Iterator[Line]:
        if not raw.strip(frames.BLANK):
            return
        self.count += 1
        try:
            line = self._read(raw)
        except frames.DAMAGED:
            yield from self._mended(raw)
        else:
            if line is not None:
                yield line

    def _mended(self, raw: bytes) -> Iterator[Line]:
        objects, bad = frames.mended(raw)
        self.bad += bad
        for each in objects:
            try:
                line = self._read(each)
            except frames.DAMAGED:
                self.unknown += 1
                continue
            if line is not None:
                yield line

    def _read(self, raw: bytes) -> Line | None:
        """Raises what msgspec does for a damaged line."""
        frame = frames.framed(raw)
        line = None
        if frame is None or frame.kind not in shapes.known():
            self.unknown += frame is None or frame.kind != frames.STATE
        elif frame.kind in shapes.WANTED and shapes.NEEDLES.get(frame.kind, b"") in frame.payload:
            data = shapes.payload_decoder(frame.kind).decode(frame.payload)
            line = self._line(frame.kind, time=frame.time, data=data)
        return line

    def _line(self, kind: tuple[str, str], *, time: object, data: shapes.Payload) -> Line | None:
        line = Line(kind, time, data)
        if isinstance(data, shapes.TokenCount):
            self.rate = line if data.rate_limits is not None else self.rate
            return None
        return line


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is done with a line by the names at its head; decoder None: it is not read."""

    kind: tuple[str, str]
    decoder: msgspec.json.Decoder[shapes.Wrapped[shapes.Payload]] | None
    needle: bytes


@cache
def _plans() -> dict[tuple[bytes, bytes | None], _Plan]:
    plans: dict[tuple[bytes, bytes | None], _Plan] = {}
    for kind in shapes.known():
        decoder = shapes.wrapped_decoder(kind) if kind in shapes.WANTED else None
        plans[kind[0].encode(), kind[1].encode() or None] = _Plan(kind, decoder, shapes.NEEDLES.get(kind, b""))
    return plans
