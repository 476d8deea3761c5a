"""Bytes to lines to payloads: streaming, any key order, and nothing lost to one bad line."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

import msgspec

from memkit import clock
from memkit.errors import RolloutError
from memkit.rollouts import shapes

try:
    import zstandard
except ImportError:  # the extra is optional; such a file is then reported as unreadable
    zstandard = None  # type: ignore[assignment]

BUFFER = 1 << 20
_MOST_LINE = 256 << 20  # a longer line is dropped unread, so that a damaged file can't take all memory
_MOST_STARTS = 64  # places in a damaged line where a whole object is looked for
_MOST_REPEATED = 1 << 20
_GLUED = b'{"timestamp":'
_BLANK = b" \t\r\n\0\xef\xbb\xbf"
_NESTED = ("response_item", "event_msg")
DAMAGED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
STATE = ("state", "")  # the bare format's own records: known, not read


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is read: its type and payload type, its time as written, its decoded payload."""

    kind: tuple[str, str]
    time: object
    data: shapes.Payload


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of any format: its type and payload type, its time as written, its payload's bytes."""

    kind: tuple[str, str]
    time: object
    payload: bytes


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes, decompressed where its name says so.

    Raises OSError, and RolloutError where a compressed file is damaged or can't be read on this machine.
    """
    with path.open("rb", buffering=BUFFER) as file:
        if path.suffix != ".zst":
            yield file
            return
        if zstandard is None:
            raise RolloutError(f"{path} is compressed", mend="install zstandard")
        try:
            with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
                yield io.BufferedReader(stream, BUFFER)
        except zstandard.ZstdError as error:
            raise RolloutError(f"{path} is damaged: {error}") from error


def raw_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines with their ends; one that is beyond all measure comes as `?`, which no reader takes."""
    while raw := stream.readline(_MOST_LINE):
        if len(raw) < _MOST_LINE or raw.endswith(b"\n"):
            yield raw
            continue
        while (rest := stream.readline(BUFFER)) and not rest.endswith(b"\n"):
            pass
        yield b"?"


def seconds(value: object) -> float | None:
    """Unix seconds of a line's time: ISO 8601, or a number of seconds or milliseconds; None when it is none."""
    if isinstance(value, str):
        return clock.parse(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value / 1000 if value > 1e11 else float(value)


@cache
def _head() -> re.Pattern[bytes]:
    """The start of a line in the usual key order: time, type, payload type, role."""
    return re.compile(
        rb'\{"timestamp": ?"([^"\\]{1,40})", ?(?:"ordinal": ?\d+, ?)?"type": ?"(\w+)", ?"payload": ?\{'
        rb'(?:"type": ?"(\w+)"(?:, ?"role": ?"(\w+)")?)?'
    )


class Lines:
    """The lines of a rollout file that are read, in file order, with counts of the others.

    count: lines that are not empty; bad: lines, or pieces of lines, that gave nothing; unknown: lines of a type
    name, or a shape, that is not known. last_time: the time of the last good line that has one, as written.
    rate: the newest line with rate limits, undecoded. With `fast` off, every line is decoded in full: same lines.
    """

    def __init__(self, path: Path, *, fast: bool = True) -> None:
        self._path = path
        self._fast = fast
        self.count = 0
        self.bad = 0
        self.unknown = 0
        self.last_time: object = None
        self.rate: Line | None = None

    def __iter__(self) -> Iterator[Line]:
        """Raises OSError, and RolloutError as `opened` does."""
        before = b""
        with opened(self._path) as stream:
            for raw in raw_lines(stream):
                if raw == before:  # written twice: its time says so
                    continue
                before = raw if len(raw) < _MOST_REPEATED and raw.startswith(_GLUED) else b""
                quick = self._quick(raw) if self._fast else None
                if quick is None:
                    yield from self._slow(raw)
                elif isinstance(quick, Line):
                    yield quick

    def _quick(self, raw: bytes) -> Line | bool | None:
        """The line, False when it is not read, None when only a full decode can tell."""
        head = _head().match(raw)
        if head is None or raw.find(_GLUED, 1) > 0 or raw[-3:].rstrip()[-1:] != b"}":
            return None
        kind = _kind(head[2], head[3])
        if kind not in shapes.known():
            return None
        if kind not in shapes.WANTED or head[4] == b"developer" or shapes.NEEDLES.get(kind, b"") not in raw:
            self._seen(head[1])
            return False
        try:
            data = shapes.wrapped_decoder(kind).decode(raw).payload
        except DAMAGED:
            return None
        self._seen(head[1])
        return self._line(kind, time=self.last_time, data=data) or False

    def _seen(self, time: bytes) -> None:
        self.count += 1
        self.last_time = time.decode("ascii", "replace")

    def _slow(self, raw: bytes) -> Iterator[Line]:
        if not raw.strip(_BLANK):
            return
        self.count += 1
        try:
            line = self._read(raw)
        except DAMAGED:
            yield from self._mended(raw)
        else:
            if line is not None:
                yield line

    def _mended(self, raw: bytes) -> Iterator[Line]:
        objects, bad = mended(raw)
        self.bad += bad
        for each in objects:
            try:
                line = self._read(each)
            except DAMAGED:
                self.unknown += 1
                continue
            if line is not None:
                yield line

    def _read(self, raw: bytes) -> Line | None:
        """Raises what msgspec does for a damaged line."""
        frame = framed(raw)
        line = None
        if frame is None or frame.kind not in shapes.known():
            self.unknown += frame is None or frame.kind != STATE
        elif frame.kind in shapes.WANTED and shapes.NEEDLES.get(frame.kind, b"") in frame.payload:
            data = shapes.payload_decoder(frame.kind).decode(frame.payload)
            line = self._line(frame.kind, time=frame.time, data=data)
        if frame is not None and frame.time is not None:
            self.last_time = frame.time
        return line

    def _line(self, kind: tuple[str, str], *, time: object, data: shapes.Payload) -> Line | None:
        line = Line(kind, time, data)
        if isinstance(data, shapes.TokenCount):
            self.rate = line if data.rate_limits is not None else self.rate
            return None
        return line


def framed(raw: bytes) -> Frame | None:
    """What a line says it is, wrapped or bare, in any key order; None when it is no line of a rollout.

    Raises msgspec.DecodeError, UnicodeDecodeError or RecursionError for what is no JSON object.
    """
    loose = shapes.loose_decoder().decode(raw)
    kind = loose.type if isinstance(loose.type, str) else ""
    if isinstance(loose.payload, msgspec.Raw):
        payload = bytes(loose.payload)
        if kind not in _NESTED:
            return Frame((kind, ""), loose.timestamp, payload)
        tag = shapes.tag_decoder().decode(payload).type
        return Frame((kind, tag if isinstance(tag, str) else ""), loose.timestamp, payload)
    if loose.record_type is not None:
        return Frame(STATE, None, raw)
    if kind:
        bare = ("response_item", kind)
        return Frame(bare if bare in shapes.known() else (kind, ""), None, raw)
    is_meta = loose.id is not None and loose.timestamp is not None
    return Frame(("session_meta", ""), loose.timestamp, raw) if is_meta else None


def frames(raw: bytes) -> list[Frame]:
    """Every line that can be made out in one, damaged or not."""
    if not raw.strip(_BLANK):
        return []
    try:
        frame = framed(raw)
        return [] if frame is None else [frame]
    except DAMAGED:
        found = []
    for each in mended(raw)[0]:
        with suppress(*DAMAGED):
            found.append(framed(each))
    return [frame for frame in found if frame is not None]


def time_of(raw: bytes, *, ending: bytes | None = None) -> float | None:
    """The time of a whole line in Unix seconds, None when it is cut or has none.

    ending: the line's last bytes, where `raw` is only its first ones.
    """
    end = (raw if ending is None else ending).rstrip(_BLANK)
    if not end.endswith(b"}"):
        return None
    found = _first_time().match(raw) or _last_time().search(end[-200:])
    if found is not None:
        return seconds(found[1].decode("utf-8", "replace"))
    times = [frame.time for frame in frames(raw)] if ending is None or len(ending) == len(raw) else []
    return seconds(times[-1]) if times else None


def mended(raw: bytes) -> tuple[list[bytes], int]:
    """The whole JSON objects of a damaged line as clean UTF-8, and how many pieces of it are none.

    Takes byte-order marks, NUL bytes, invalid UTF-8, lone surrogates, NaN, and a half line with a whole one behind it.
    """
    text = raw.replace(b"\0", b"").decode("utf-8", "replace").replace("\ufeff", "").strip()
    starts = _wrapped_start() if '"payload"' in text or '"timestamp"' in text else _bare_start()
    decoder = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
    found: list[bytes] = []
    bad = at = 0
    for _ in range(_MOST_STARTS):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = None, at + 1
        if isinstance(value, dict):
            found.append(_dumped(value))
        else:
            bad += 1
        start = starts.search(text, end)
        if start is None:
            return found, bad + (isinstance(value, dict) and bool(text[end:].strip()))
        at = start.start()
    return found, bad + 1


@cache
def _first_time() -> re.Pattern[bytes]:
    return re.compile(rb'[\s\0\xef\xbb\xbf]*\{"timestamp": ?"([^"\\]{1,40})"')


@cache
def _last_time() -> re.Pattern[bytes]:
    return re.compile(rb'"timestamp": ?"([^"\\]{1,40})"(?:, ?"\w{1,20}": ?[^"{}\[\],]{1,20}){0,3}\}\Z')


@cache
def _wrapped_start() -> re.Pattern[str]:
    """Where a wrapped line may begin inside a damaged one; its nested objects, which were never lines, do not count."""
    return re.compile(
        r'\{"(?:timestamp": ?"|payload": ?\{|type": ?"(?:response_item|event_msg|session_meta|turn_context|compacted)")'
    )


@cache
def _bare_start() -> re.Pattern[str]:
    names = "|".join(sorted(name for kind, name in shapes.known() if kind == "response_item"))
    return re.compile(rf'\{{"type": ?"(?:{names})"')


def _dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _kind(first: bytes, second: bytes | None) -> tuple[str, str]:
    kind = first.decode("ascii", "replace")
    return kind, second.decode("ascii", "replace") if second is not None and kind in _NESTED else ""
