"""The one clock: UTC, frozen by MEMKIT_NOW (Unix seconds) when that is set."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from memkit.errors import ConfigError

DAY = 86_400
LAST = 253_402_300_799  # 9999-12-31T23:59:59Z, the last moment that a datetime holds


def now() -> float:
    """Unix seconds."""
    frozen = os.environ.get("MEMKIT_NOW")
    if not frozen:
        return time.time()
    try:
        value = float(frozen)
        datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigError(f"MEMKIT_NOW is not a time in Unix seconds: {frozen!r}") from error
    return value


def parse(text: str) -> float | None:
    """Unix seconds of an ISO 8601 time (a missing zone is UTC), or None when it is none from 1970 on."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return checked(moment.timestamp())


def checked(seconds: float) -> float | None:
    """The same Unix seconds, or None when no calendar of sessions has them: before 1970, after 9999, no number."""
    return seconds if 0 <= seconds <= LAST else None


def bounded(seconds: float) -> float:
    """The nearest Unix seconds that can be printed and stored."""
    return min(max(seconds, 0.0), float(LAST))


def iso(seconds: float) -> str:
    """`2026-11-26T19:40:36+00:00`: UTC, cut to seconds."""
    return _moment(seconds).isoformat()


def stamp(seconds: float) -> str:
    """`2026-11-26T19-40-36`: UTC, as file names use it."""
    return _moment(seconds).strftime("%Y-%m-%dT%H-%M-%S")


def date(seconds: float) -> str:
    """`2026-11-26`: the UTC day."""
    return _moment(seconds).strftime("%Y-%m-%d")


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(bounded(seconds)), UTC)
