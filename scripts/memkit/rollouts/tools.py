"""Tool calls and their outputs in every client's spelling, as one kind, one tool name and one text."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from memkit.model import Kind
from memkit.rollouts import shapes

ASK = "request_user_input"
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "fish", "ksh", "pwsh", "powershell", "cmd"})
_RUN_FLAGS = frozenset({"-c", "-lc", "-ic", "-lic", "-command", "/c"})
_RUNNERS = frozenset(
    {"exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec", "bash"}
)
_RESOURCES = frozenset({"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"})
_MEDIA = {"image": "[image]", "audio": "[audio]"}
_MOST_ARGUMENTS = 64 << 10  # characters of an argument that may be re-read as a command line


@dataclass(frozen=True, slots=True)
class Called:
    """A call: what it is, the tool's one name, and its command, patch or arguments. external: it reached outside."""

    kind: Kind
    tool: str
    text: str
    external: bool = False


def call(payload: shapes.Call) -> Called:
    """A function_call, custom_tool_call or tool_search_call."""
    raw = payload.input if payload.arguments is None else payload.arguments
    name, space = payload.name or "", payload.namespace or ""
    server, tool = mcp_name(name, namespace=space)
    fields = raw if isinstance(raw, dict) else _object(raw)
    text = json.dumps(raw, ensure_ascii=False) if isinstance(raw, dict) else raw or ""
    if tool:
        return Called(Kind.CALL, f"mcp:{server}/{tool}", text, external=True)
    if name in _RESOURCES:
        return Called(Kind.CALL, f"mcp:{_plain(fields.get('server'))}/{name}", text, external=True)
    if name == "apply_patch":
        return Called(Kind.PATCH, name, _plain(fields.get("input")) or _plain(fields.get("patch")) or text)
    command = _plain_or_list(fields.get("cmd", fields.get("command")))
    if name in _RUNNERS and command:
        return ran(command, tool=name)
    return Called(Kind.CALL, name or "tool_search", text)


def ran(command: str | Sequence[str], *, tool: str) -> Called:
    """A shell command; a patch that went through the shell is a patch."""
    line = command_line(command)
    patch = _patch_in(line) if "*** Begin Patch" in line else ""
    return Called(Kind.PATCH, "apply_patch", patch) if patch else Called(Kind.COMMAND, tool, line)


def command_line(command: str | Sequence[str]) -> str:
    """What was typed: `bash -lc X` is X; a list is joined so that a shell would read it back."""
    words = list(command) if not isinstance(command, str) else _words(command)
    if len(words) >= 3 and _is_shell(words[0]) and words[1].lower() in _RUN_FLAGS:
        return words[2] if len(words) == 3 else shlex.join(words[2:])
    if isinstance(command, str):
        return command
    if len(words) == 2 and words[0] == "apply_patch":
        return "\n".join(words)
    return words[0] if len(words) == 1 else shlex.join(words)


def mcp_name(name: str, *, namespace: str) -> tuple[str, str]:
    """Server and tool of an MCP call; ("", "") for any other."""
    server = namespace.removeprefix("mcp__").strip("_") if namespace.startswith("mcp__") else ""
    bare = name.removeprefix("mcp__")
    if server:
        return server, bare.removeprefix(f"{server}__")
    first, separator, rest = bare.partition("__")
    return (first, rest) if separator and first and rest and not namespace else ("", "")


def searched(payload: shapes.WebSearch) -> str:
    """What a web search looked for or opened."""
    action = payload.action or {}
    queries = action.get("queries")
    several = [_plain(each) for each in queries] if isinstance(queries, list) else []
    words = [_plain(action.get(key)) for key in ("query", "url", "pattern")]
    return " ".join(each for each in dict.fromkeys([*words, *several, payload.query or ""]) if each)


# --- outputs -------------------------------------------------------------------------------------------------------


def content_text(content: object) -> str:
    """The text of a message's content, a placeholder for each image or sound."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(filter(None, (part_text(part) for part in parts if isinstance(part, shapes.Content))))


def part_text(part: shapes.Content) -> str:
    """One content part's text or placeholder."""
    if part.type.endswith("text"):
        return part.text or ""
    return next((mark for word, mark in _MEDIA.items() if word in part.type), part.text or "")


def output(payload: shapes.Output) -> tuple[str, int | None]:
    """What a tool printed, without its wrapping, and its exit code where the wrapping tells."""
    if isinstance(payload.output, dict):
        return _unwrapped_object(payload.output)
    return unwrap(content_text(payload.output))


def unwrap(text: str) -> tuple[str, int | None]:
    """`unwrap('Exit code: 1\\nWall time: 1 s\\nOutput:\\nno')` is `('no', 1)`; plain text comes back as it is."""
    if text.startswith(("{", "[")):
        value = _parsed(text)
        if isinstance(value, dict) and isinstance(value.get("output"), str) and len(value) <= 4:
            return _unwrapped_object(value)
        if isinstance(value, list) and value and all(isinstance(each, dict) and "type" in each for each in value):
            parts = [shapes.Content(type=str(each["type"]), text=_plain(each.get("text"))) for each in value]
            return content_text(parts) or text, None
    header = _header().match(text)
    if header is None:
        return text, None
    code = _exit_code().search(header[0])
    return text[header.end() :], int(code[1]) if code else None


def _unwrapped_object(value: dict[str, Any]) -> tuple[str, int | None]:
    inner = value.get("output", value.get("content"))
    if isinstance(inner, list):
        parts = [each for each in inner if isinstance(each, dict)]
        inner = content_text([shapes.Content(type=str(e.get("type", "")), text=_plain(e.get("text"))) for e in parts])
    if not isinstance(inner, str):
        return json.dumps(value, ensure_ascii=False), None
    about = value.get("metadata")
    code = about.get("exit_code") if isinstance(about, dict) else value.get("exit_code")
    text, inside = _headed(inner)
    return text, code if isinstance(code, int) and not isinstance(code, bool) else inside


def _headed(text: str) -> tuple[str, int | None]:
    return unwrap(text) if not text.startswith(("{", "[")) else (text, None)


@cache
def _header() -> re.Pattern[str]:
    names = "Chunk ID|Wall time|Exit code|Process exited with code|Process running with session ID|Original token count"
    return re.compile(rf"(?:(?:{names}|Total output lines|Session ID)\b[^\n]{{0,200}}\r?\n){{1,8}}Output:(?:\r?\n|\Z)")


@cache
def _exit_code() -> re.Pattern[str]:
    return re.compile(r"(?:Exit code:|exited with code) ?(-?\d{1,10})\b")


# --- questions and answers -----------------------------------------------------------------------------------------


def questions(payload: shapes.Call) -> dict[str, str]:
    """The questions of a request_user_input call, by their ids."""
    raw = payload.arguments if payload.arguments is not None else payload.input
    asked = (raw if isinstance(raw, dict) else _object(raw)).get("questions")
    each = [one for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
    return {_plain(one.get("id")) or str(at): _plain(one.get("question")) for at, one in enumerate(each)}


def answers(text: str, *, asked: dict[str, str]) -> tuple[str, str] | None:
    """Question and answer, a line each where there are several; None when the output holds no answer."""
    given = _object(text).get("answers")
    if not isinstance(given, dict):
        return None
    pairs = [(asked.get(key, ""), _answer(value)) for key, value in given.items()]
    pairs = [(question, answer) for question, answer in pairs if answer]
    if not pairs:
        return None
    if len(pairs) == 1:
        return pairs[0]
    lines = [(" ".join(question.split()), " ".join(answer.split())) for question, answer in pairs]
    return "\n".join(question for question, _ in lines), "\n".join(answer for _, answer in lines)


def _answer(value: object) -> str:
    said = value.get("answers", value.get("answer")) if isinstance(value, dict) else value
    every = said if isinstance(said, list) else [said]
    return "; ".join(_plain(each).removeprefix("user_note: ") for each in every if _plain(each))


# --- helpers -------------------------------------------------------------------------------------------------------


def _parsed(text: str) -> object:
    """The value of a JSON text, None when it is none; raw control characters in strings are let pass."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _object(text: str | None) -> dict[str, Any]:
    value = _parsed(text) if text and text.lstrip().startswith("{") else None
    return value if isinstance(value, dict) else {}


def _plain(value: object) -> str:
    return value if isinstance(value, str) else ""


def _plain_or_list(value: object) -> str | list[str]:
    if isinstance(value, list):
        return [each if isinstance(each, str) else json.dumps(each) for each in value]
    return _plain(value)


def _is_shell(word: str) -> bool:
    return word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe") in _SHELLS


def _words(line: str) -> list[str]:
    """A command line's words where it starts a shell, else none: nothing but `bash -lc …` has to be taken apart."""
    first, space, _ = line.partition(" ")
    if not space or len(line) > _MOST_ARGUMENTS or not _is_shell(first):
        return []
    try:
        return shlex.split(line)
    except ValueError:
        return []


@cache
def _heredoc() -> re.Pattern[str]:
    return re.compile(
        r"\A\s*(?:cd\s+[^\n&;]{1,400}(?:&&|;)\s*)?(?:apply_patch|applypatch)\b[^*]{0,80}(\*\*\* Begin Patch.*?"
        r"(?:\*\*\* End Patch|\Z))",
        re.S,
    )


def _patch_in(line: str) -> str:
    found = _heredoc().match(line)
    return found[1] if found else ""


def clean(text: str) -> str:
    """Text that can be written as UTF-8: surrogate pairs joined, lone ones replaced, NUL dropped."""
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
