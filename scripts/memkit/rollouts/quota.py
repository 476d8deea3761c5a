"""How much of the agent's own rate limits is used, by the newest token count of any rollout file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memkit.errors import RolloutError
from memkit.rollouts import frames, noted, shapes
from memkit.rollouts.files import Found

_MOST_FILES = 200  # that are looked at when none of them tells of limits, as those of API keys never do
_FIRST, _MOST = 256 << 10, 8 << 20  # bytes from a file's end: what is read first, and at most
_UNTOLD = 5 * 3_600  # seconds that a window is taken to last which does not say when it ends
_NEEDLE = shapes.NEEDLES[shapes.NEWEST]


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """A window that has not passed. used_percent: 0 to 100; ends: Unix seconds at which it starts anew."""

    used_percent: float
    ends: float


def tightest(files: Sequence[Found], *, now: float) -> Limit | None:
    """Of the newest token count's windows that have not passed the most used one; None when there is none.

    Files are looked at by their time of change, until none can hold a newer count. now: Unix seconds. A file that
    can't be read tells nothing.
    """
    newest: tuple[float, list[Limit]] | None = None
    for file in sorted(files, key=lambda each: (-each.mtime_ns, str(each.path)))[:_MOST_FILES]:
        if newest is not None and file.mtime_ns / 1e9 <= newest[0]:
            break
        with suppress(OSError, RolloutError):
            found = _newest_of(file)
            if found is not None and (newest is None or found[0] > newest[0]):
                newest = found
    current = [each for each in (newest[1] if newest else ()) if each.ends > now]
    return max(current, key=lambda each: (each.used_percent, each.ends), default=None)


def _newest_of(file: Found) -> tuple[float, list[Limit]] | None:
    for raw in _candidates(file.path):
        for frame in frames.frames(raw):
            if frame.kind != shapes.NEWEST:
                continue
            with suppress(*frames.DAMAGED):
                line = shapes.Line(shapes.payload_decoder(frame.kind).decode(frame.payload), frame.time)
                said = frames.seconds(line.timestamp)
                said = file.mtime_ns / 1e9 if said is None else said
                if windows := noted.windows(line):
                    return said, [Limit(used_percent=used, ends=ends or said + _UNTOLD) for used, ends in windows]
    return None


def _candidates(path: Path) -> Iterator[bytes]:
    """Lines that may tell of limits, the last one first."""
    if path.suffix == ".zst":
        with frames.opened(path) as stream:
            last = b""
            for raw in frames.raw_lines(stream):
                last = raw if _NEEDLE in raw else last
        yield last
        return
    with path.open("rb") as file:
        size, wanted = file.seek(0, 2), _FIRST
        while True:
            file.seek(max(0, size - wanted))
            lines = file.read(wanted).split(b"\n")[wanted < size :]  # the first of a part is cut
            yield from (raw for raw in reversed(lines) if _NEEDLE in raw)
            if wanted >= min(size, _MOST):
                return
            wanted *= 8
