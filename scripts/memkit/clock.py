"""The one clock: UTC, frozen by MEMKIT_NOW (Unix seconds) when that is set."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from memkit.errors import ConfigError

DAY = 86_400


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
    """Unix seconds of an ISO 8601 time (a missing zone is UTC), or None when it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.timestamp()
    except (OverflowError, ValueError):
        return None


def iso(seconds: float) -> str:
    """`2026-11-26T19:40:36+00:00`: UTC, cut to seconds."""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()


def stamp(seconds: float) -> str:
    """`2026-11-26T19-40-36`: UTC, as file names use it."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H-%M-%S")


def date(seconds: float) -> str:
    """`2026-11-26`: the UTC day."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%d")
