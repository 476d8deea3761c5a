"""Bytes to lines and their frames: any format and key order, damage mended where it can be."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import IO

import msgspec
import zstandard

from memkit import clock
from memkit.errors import RolloutError
from memkit.rollouts import shapes

BUFFER = 1 << 20
_MOST_LINE = 64 << 20  # a longer line comes in pieces, so that a damaged file can't take all memory
_MOST_MENDED = 24 << 20  # of a longer one, only what stands behind this much from its end is looked at
_MOST_STARTS = 64  # places in a damaged line where a whole object is looked for
BLANK = b" \t\r\n\0\xef\xbb\xbf"
NESTED = ("response_item", "event_msg")
DAMAGED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
STATE = ("state", "")  # the bare format's own records: known, not read


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of any format: its type and payload type, its time as written, its payload's bytes."""

    kind: tuple[str, str]
    time: object
    payload: bytes


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes, decompressed where its name says so.

    Raises OSError, and RolloutError where a compressed file is damaged.
    """
    with path.open("rb", buffering=BUFFER) as file:
        if path.suffix != ".zst":
            yield file
            return
        try:
            with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
                yield io.BufferedReader(stream, BUFFER)
        except zstandard.ZstdError as error:
            raise RolloutError(f"{path} is damaged: {error}") from error


def raw_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines with their ends; one that is beyond all measure comes in pieces, which no reader takes."""
    return iter(partial(stream.readline, _MOST_LINE), b"")


def contains(path: Path, needle: bytes) -> bool:
    """Whether the bytes stand anywhere in the file. Raises as `opened` does."""
    with opened(path) as stream:
        before = b""
        while block := stream.read(BUFFER):
            if needle in before + block[: len(needle)] or needle in block:
                return True
            before = block[-len(needle) :]
    return False


def seconds(value: object) -> float | None:
    """Unix seconds of a line's time: ISO 8601, or a number of seconds or milliseconds; None when it is none."""
    if isinstance(value, str):
        return clock.parse(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return clock.checked(value / 1000 if 1e11 < value <= 1000 * clock.LAST else value)


def framed(raw: bytes) -> Frame | None:
    """What a line says it is, wrapped or bare, in any key order; None when it is no line of a rollout.

    Raises msgspec.DecodeError, UnicodeDecodeError or RecursionError for what is no JSON object.
    """
    loose = shapes.loose_decoder().decode(raw)
    kind = loose.type if isinstance(loose.type, str) else ""
    if isinstance(loose.payload, msgspec.Raw):
        payload = bytes(loose.payload)
        if kind not in NESTED:
            return Frame((kind, ""), loose.timestamp, payload)
        tag = shapes.tag_decoder().decode(payload).type
        return Frame((kind, tag if isinstance(tag, str) else ""), loose.timestamp, payload)
    if loose.record_type is not None:
        return Frame(STATE, None, raw)
    if kind:
        bare = ("response_item", kind)
        return Frame(bare if bare in shapes.known() else (kind, ""), None, raw)
    is_meta = loose.id is not None and loose.timestamp is not None
    return Frame(("session_meta", ""), None, raw) if is_meta else None


def frames(raw: bytes) -> list[Frame]:
    """Every line that can be made out in one, damaged or not."""
    if not raw.strip(BLANK):
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
    end = (raw if ending is None else ending).rstrip(BLANK)
    if not end.endswith(b"}"):
        return None
    found = _first_time().match(raw)
    if found is None and b'"payload"' in raw[:200]:
        found = _last_time().search(end[-200:])
    if found is not None:
        return seconds(found[1].decode("utf-8", "replace"))
    times = [frame.time for frame in frames(raw)] if ending is None or len(ending) == len(raw) else []
    return seconds(times[-1]) if times else None


def mended(raw: bytes) -> tuple[list[bytes], int]:
    """The whole JSON objects of a damaged line as clean UTF-8, and how many pieces of it are none.

    Takes byte-order marks, NUL bytes, invalid UTF-8, lone surrogates, NaN, and a half line with a whole one behind it.
    """
    if b"{" not in raw and b"\0" not in raw:
        return [], 1
    text = raw[-_MOST_MENDED:].replace(b"\0", b"").decode("utf-8", "replace").replace("\ufeff", "").strip()
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
    text = json.dumps(value, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
