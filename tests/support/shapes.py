"""The payloads of rollout lines as plain values: one function a shape, no state (see ROLLOUTS.md)."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from datetime import UTC, datetime
from typing import Literal, TypeAlias

Payload: TypeAlias = dict[str, object]
Wrapping = Literal["chunk", "exit_code", "json", "parts", "plain"]
Shell = Literal["exec_command", "shell", "shell_command", "local_shell"]


def uuid7(at: float, name: str) -> str:
    """The UUIDv7 of a moment (Unix seconds) whose random bits are a hash of `name`: same arguments, same id."""
    noise = int.from_bytes(hashlib.sha256(name.encode()).digest()[:10], "big")
    milliseconds = round(at * 1000) & ((1 << 48) - 1)
    value = milliseconds << 80 | 0x7 << 76 | (noise >> 62 & 0xFFF) << 64 | 0b10 << 62 | noise & ((1 << 62) - 1)
    return str(uuid.UUID(int=value))


def moment(at: float) -> str:
    """`2026-11-20T09:00:00.000Z`, as rollout lines write Unix seconds."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def noise(name: str, *, size: int) -> str:
    """Base64 of `size` bytes that depend on `name` only: stands for encrypted or binary content."""
    return base64.b64encode(hashlib.shake_256(name.encode()).digest(size)).decode()


def noise_hex(name: str, *, digits: int) -> str:
    """Hex digits that depend on `name` only."""
    return hashlib.shake_256(name.encode()).hexdigest(digits // 2)


def filler(size: int) -> str:
    """`size` characters of base64 that are cheap to make, for lines of many megabytes."""
    block = noise("filler", size=3000)
    return (block * (size // len(block) + 1))[:size]


def message(role: str, text: str, **more: object) -> Payload:
    """A response item that says `text`."""
    part = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}], **more}


def user_text(text: str, *, turn_id: str) -> Payload:
    """A human message with the marks that today's clients put on the user's own text."""
    return message(
        "user",
        text,
        internal_chat_message_metadata_passthrough={"turn_id": turn_id, "content_item_kinds": ["user.text"]},
    )


def ide_text(request: str, *, active_file: str) -> str:
    """The user's request below the header that editor clients put before it."""
    return (
        f"# Context from my IDE setup:\n\n## Active file: {active_file}\n\n## Open tabs:\n- {active_file}\n\n"
        f"## My request for Codex:\n{request}"
    )


def agents_text(block: str, *, cwd: str) -> str:
    """The message that carries a project's AGENTS.md."""
    return f"# AGENTS.md instructions for {cwd}\n\n<INSTRUCTIONS>\n{block}\n</INSTRUCTIONS>"


def environment_text(cwd: str) -> str:
    """The message that tells the agent where it is."""
    return f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"


def wrapped(output: str, *, code: int, wrapping: Wrapping, chunk: str) -> object:
    """The `output` field of a function_call_output in one of the wrappings seen in the wild."""
    if wrapping == "chunk":
        return f"Chunk ID: {chunk}\nWall time: 0.4000 seconds\nProcess exited with code {code}\nOutput:\n{output}"
    if wrapping == "exit_code":
        return f"Exit code: {code}\nWall time: 0.4 seconds\nOutput:\n{output}"
    if wrapping == "json":
        return json.dumps({"output": output, "metadata": {"exit_code": code, "duration_seconds": 0.4}})
    if wrapping == "parts":
        return [{"type": "input_text", "text": output}]
    return output


def shell_call(command: str, *, cwd: str, call_id: str, shell: Shell) -> Payload:
    """A command in one of the tools that run commands."""
    argv = ["bash", "-lc", command]
    if shell == "local_shell":
        action = {"type": "exec", "command": argv, "working_directory": cwd, "timeout_ms": None}
        return {"type": "local_shell_call", "call_id": call_id, "status": "completed", "action": action}
    arguments: dict[str, object] = {
        "exec_command": {"cmd": command, "workdir": cwd},
        "shell": {"command": argv, "workdir": cwd},
        "shell_command": {"command": command, "workdir": cwd},
    }
    return function_call(shell, arguments[shell], call_id=call_id)


def function_call(name: str, arguments: object, *, call_id: str, **more: object) -> Payload:
    """A call of a tool; its arguments are a JSON string inside the JSON."""
    return {"type": "function_call", "name": name, **more, "call_id": call_id, "arguments": json.dumps(arguments)}


def function_output(output: object, *, call_id: str) -> Payload:
    """What a call gave back."""
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def patch_text(path: str, *, old: str, new: str, action: Literal["Update", "Add", "Delete"]) -> str:
    """The input of apply_patch for one file."""
    marked = [f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()]
    hunk = ["@@"] if action == "Update" else []
    return "\n".join(["*** Begin Patch", f"*** {action} File: {path}", *hunk, *marked, "*** End Patch"])


def token_count(at: float, *, used_percent: float) -> Payload:
    """The event that ends a turn's accounting; `used_percent` is of both rate limits."""
    usage = {"input_tokens": 9000, "cached_input_tokens": 0, "output_tokens": 400, "total_tokens": 9400}

    def window(minutes: int) -> Payload:
        return {"used_percent": used_percent, "window_minutes": minutes, "resets_at": int(at) + minutes * 60}

    return {
        "type": "token_count",
        "info": {"model_context_window": 258400, "total_token_usage": usage},
        "rate_limits": {"limit_id": "codex", "primary": window(300), "secondary": window(10080)},
    }
