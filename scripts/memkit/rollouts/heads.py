"""What the head and the tail of a rollout file say of its session."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import IO, TypeVar

from memkit import clock
from memkit.errors import RolloutError
from memkit.model import Session
from memkit.rollouts import frames, shapes
from memkit.rollouts.files import Problem, mtime_ns

T = TypeVar("T")
_HEAD_LINES = 64
_HEAD_BYTES = 4 << 20  # what of the file's beginning is looked at for its session_meta and its directory
_TAIL_LINES = 50
_TAIL_BYTES = 64 << 20  # how far back the last whole line may begin
_BLOCK = 1 << 16
_MOST_FIELD = 4_096  # bytes of a path, name or address; no system has a longer one


def head(path: Path) -> Session | Problem:
    """What the file's own first session_meta and the time of its last whole line say, without reading it all.

    A missing id is taken from the file name, else made of the path. `updated_at` falls back to the file's mtime.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            return Problem(path=path, what="not a file", kind="unreadable")
        if not about.st_size:
            return Problem(path=path, what="empty", kind="empty")
        with frames.opened(path) as stream:
            beginning = _beginning(stream)
        with frames.opened(path) as stream:
            last = _last_time(stream, compressed=path.suffix == ".zst")
    except FileNotFoundError:
        return Problem(path=path, what="no such file", kind="missing")
    except (OSError, RolloutError) as error:
        what = error.what if isinstance(error, RolloutError) else (error.strerror or str(error))
        return Problem(path=path, what=what, kind="unreadable")
    if not beginning.lines and path.suffix == ".zst":
        return Problem(path=path, what="its compressed data is cut off", kind="unreadable")
    if not beginning.is_rollout:
        return Problem(path=path, what="not a rollout file", kind="no_rollout")
    return _session(path, about=about, beginning=beginning, last=last)


@dataclass(slots=True)
class _Beginning:
    meta: shapes.Meta | None = None
    meta_first: bool = False
    cwd: str = ""
    lines: int = 0
    is_rollout: bool = False


def _beginning(stream: IO[bytes]) -> _Beginning:
    """The own session_meta, and where it names no directory, the one that the environment message names."""
    seen, size = _Beginning(), 0
    for raw in islice(frames.raw_lines(stream), _HEAD_LINES):
        size += len(raw)
        for each in frames.frames(raw):
            seen.is_rollout = seen.is_rollout or each.kind == frames.STATE or each.kind in shapes.known()
            if each.kind == ("session_meta", "") and seen.meta is None:
                seen.meta = _decoded(each, want=shapes.Meta)
                seen.meta_first = not seen.lines
                seen.cwd = field_of(seen.meta.cwd) if seen.meta is not None else ""
            elif each.kind == ("response_item", "message") and not seen.cwd:
                said = _decoded(each, want=shapes.Message)
                parts = said.content if said is not None and isinstance(said.content, list) else []
                seen.cwd = next(filter(None, (environment_cwd(text_of(part.text)) for part in parts)), "")
        seen.lines += bool(raw.strip(frames.BLANK))
        if (seen.meta is not None and seen.cwd) or size > _HEAD_BYTES:
            break
    return seen


def _decoded(frame: frames.Frame, *, want: type[T]) -> T | None:
    for clean in (frame.payload, *frames.mended(frame.payload)[0]):
        try:
            value = shapes.payload_decoder(frame.kind).decode(clean)
        except frames.DAMAGED:
            continue
        return value if isinstance(value, want) else None
    return None


@cache
def _environment() -> re.Pattern[str]:
    return re.compile(
        r"\s*<environment_context>.{0,400}?"
        r"(?:<cwd>([^<\n]{1,4096})</cwd>|Current working directory: ([^\n<]{1,4096}))",
        re.S,
    )


def environment_cwd(text: str) -> str:
    """The directory that an `<environment_context>` message names, "" when it names none."""
    found = _environment().match(text)
    return (found[1] or found[2]).strip() if found else ""


def text_of(value: object) -> str:
    """A field as text: "" for null, lists and objects; lone surrogates replaced."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).encode("utf-8", "replace").decode()


def field_of(value: object) -> str:
    """A path, name or address; "" also for one that is too long to be any, since a cut one would name another."""
    text = text_of(value)
    return text if len(text.encode()) <= _MOST_FIELD else ""


def _last_time(stream: IO[bytes], *, compressed: bool) -> float | None:
    if compressed:
        last = None
        for raw in frames.raw_lines(stream):
            found = frames.time_of(raw)
            last = last if found is None else found
        return last
    end = stream.seek(0, os.SEEK_END)
    floor = max(end - _TAIL_BYTES, 0)
    for _ in range(_TAIL_LINES):
        if end <= floor:
            break
        start = _line_start(stream, end=end, floor=floor)
        stream.seek(start)
        beginning = stream.read(min(_BLOCK, end - start))
        stream.seek(max(start, end - _BLOCK))
        found = frames.time_of(beginning, ending=stream.read(end - stream.tell()))
        if found is not None:
            return found
        end = start
    return None


def _line_start(stream: IO[bytes], *, end: int, floor: int) -> int:
    """Where the line begins whose last byte stands before `end`; its own line end does not count."""
    at = end - 1
    while at > floor:
        start = max(at - _BLOCK, floor)
        stream.seek(start)
        found = stream.read(at - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
    return floor


def named_session(path: Path, *, updated_at: float) -> Session:
    """The session of a file that can't be opened: what its name tells. updated_at: Unix seconds."""
    return Session(id=_id_of(path), path=_shown(path), updated_at=updated_at)


@cache
def _uuid() -> re.Pattern[str]:
    return re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@cache
def paged() -> re.Pattern[str]:
    """The file name of a page of a thread: `rollout-<time>-<thread>_<segment>.jsonl`; the thread is its first group."""
    return re.compile(rf"rollout-.+?-({_uuid().pattern})_[0-9A-Za-z-]+\.jsonl(?:\.zst)?")


def first_ordinal(path: Path) -> int:
    """The ordinal of a file's first line, -1 when it has none or can't be read."""
    try:
        with frames.opened(path) as stream:
            raw = next(frames.raw_lines(stream), b"")
        ordinal = shapes.loose_decoder().decode(raw).ordinal
    except (OSError, RolloutError, *frames.DAMAGED):
        return -1
    return ordinal if isinstance(ordinal, int) else -1


def _session(path: Path, *, about: os.stat_result, beginning: _Beginning, last: float | None) -> Session:
    meta = beginning.meta or shapes.Meta()
    git = meta.git if isinstance(meta.git, dict) else {}
    own, named = field_of(meta.id) or field_of(meta.session_id), _uuid().findall(path.name)
    forked_from = field_of(meta.forked_from_id) or field_of(meta.parent_thread_id)
    if own and named and own not in named and not beginning.meta_first:
        own, forked_from = "", own  # the file's own one is damaged: this is the one of the parent that it repeats
    if paged().fullmatch(path.name):
        own = named[0]  # what the meta names may be the page
    return Session(
        id=own or _id_of(path),
        path=_shown(path),
        cwd=beginning.cwd,
        branch=field_of(git.get("branch")),
        remote=field_of(git.get("repository_url")),
        source=_source(meta.source),
        thread_source=field_of(meta.thread_source),
        originator=field_of(meta.originator),
        provider=field_of(meta.model_provider),
        cli_version=field_of(meta.cli_version),
        memory_mode=field_of(meta.memory_mode) or "enabled",
        forked_from=forked_from,
        started_at=frames.seconds(meta.timestamp) or 0.0,
        updated_at=last if last is not None else clock.bounded(about.st_mtime),
        size=about.st_size,
        mtime_ns=mtime_ns(about),
    )


def _source(value: object) -> str:
    """`subagent` for any subagent, the name of another object, cli for a missing one."""
    if isinstance(value, dict):
        return "subagent" if "subagent" in value else field_of(next(iter(value), "cli"))
    return field_of(value) or "cli"


def _id_of(path: Path) -> str:
    found = _uuid().findall(path.name)
    return str(found[0]) if found else hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:32]


def _shown(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
