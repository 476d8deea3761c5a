"""Playing the agent: running what a list of hooks says, as it would, and waiting for what goes on behind it."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.commands.world import World

HOOKS = Path(__file__).parents[2] / "hooks"


def handlers(path: Path, event: str) -> list[dict[str, Any]]:
    """The handlers of an event in a list of hooks, of all its groups."""
    said = json.loads(path.read_text(encoding="utf-8"))["hooks"].get(event, [])
    return [handler for group in said for handler in group["hooks"]]


def fire(
    world: World, command: str, payload: object = None, *, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a hook as Codex does: by a shell, its JSON on stdin, until both streams are closed."""
    said = "" if payload is None else payload if isinstance(payload, str) else json.dumps(payload)
    done = subprocess.run(
        ["sh", "-c", command], env=world.env, cwd=cwd, input=said, capture_output=True, encoding="utf-8", timeout=30
    )
    assert done.returncode == 0, done.stderr
    return done


def payload(event: str, session: str, **more: str) -> dict[str, str]:
    return {"session_id": session, "transcript_path": "", "cwd": "/home/dev/shop", "hook_event_name": event, **more}


def processes(world: World) -> list[str]:
    """Command lines of the processes that work for this world."""
    mark, found = f"MEMKIT_HOME={world.home}".encode(), []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (each / "environ").read_bytes().split(b"\0"):
                found.append((each / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return found


def settle(world: World, *, seconds: float = 30) -> None:
    """Waits until nothing works in the background any more."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not processes(world):
            return
        time.sleep(0.05)
    raise AssertionError(f"left behind: {processes(world)}")


def log(world: World) -> str:
    path = world.home / "log" / "memkit.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""
