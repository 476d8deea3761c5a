"""Rollout files written line by line, where a builder would be too well-behaved."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.commands.world import World
from tests.support.env import NOW

ID = "0199a0b0-0000-7000-8000-000000000001"
WISH = "From now on always use uv in this repo."
_START = "2026-11-20T09:00:00Z"


def line(kind: str, payload: object, *, at: object = _START) -> str:
    return json.dumps({"timestamp": at, "type": kind, "payload": payload})


def meta(*, at: object = _START, **fields: object) -> str:
    own: dict[str, Any] = {"id": ID, "timestamp": at, "cwd": "/home/dev/shop", "source": "cli"}
    return line("session_meta", {**own, **fields}, at=at)


def user(text: str = WISH, *, at: object = _START) -> str:
    return item("message", at=at, role="user", content=[{"type": "input_text", "text": text}])


def item(kind: str, *, at: object = _START, **fields: object) -> str:
    return line("response_item", {"type": kind, **fields}, at=at)


def put(world: World, *lines: str, name: str = f"rollout-2026-11-20T09-00-00-{ID}.jsonl") -> Path:
    """Writes a rollout of these lines into the sessions folder, at rest for days."""
    return put_bytes(world, "".join(f"{each}\n" for each in lines).encode("utf-8", "surrogatepass"), name=name)


def put_bytes(world: World, data: bytes, *, name: str = f"rollout-2026-11-20T09-00-00-{ID}.jsonl") -> Path:
    path = world.sessions / "2026" / "11" / "20" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (NOW - 5 * 86_400,) * 2)
    return path
