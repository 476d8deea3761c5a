"""Lists of hooks as Codex (hooks.json) and Claude Code (settings.json) have them, with memkit's entries put in.

Both say `{"hooks": {EVENT: [{"hooks": [{"type": "command", "command": …, "timeout": seconds}]}]}}`. Only memkit's own
entries are touched; every other byte stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypedDict

from memkit.clients import files, spans
from memkit.clients.files import Edit
from memkit.errors import ConfigError


class Handler(TypedDict):
    """What an event runs. timeout: seconds after which the agent ends it."""

    type: str
    command: str
    timeout: int


def install(path: Path, wanted: Mapping[str, Handler]) -> Edit:
    """The file with these handlers, by event. ConfigError for a file that has no such form."""
    found = files.find(path)
    text = _text(found.data, path)
    after = merged(text, wanted, path=path)
    return Edit(found=found, after=after.encode(), keeps=found.data is not None and not own(text, path=path))


def uninstall(path: Path) -> Edit:
    """The file without memkit's handlers: the very bytes of before when nothing else was changed meanwhile."""
    found = files.find(path)
    if found.data is None:
        return Edit(found=found, after=None, drops=True)
    text = _text(found.data, path)
    mine = own(text, path=path)
    if not mine:
        return Edit(found=found, after=found.data, drops=True)
    kept = files.find(files.backup(found)).data
    if _grew_from(kept, mine, path=path) == found.data:
        return Edit(found=found, after=kept, drops=True)
    return Edit(found=found, after=without(text, path=path).encode(), drops=True)


def merged(text: str, wanted: Mapping[str, Handler], *, path: Path) -> str:
    """The text with exactly these handlers as memkit's own; one that is there keeps its place."""
    for event in own(text, path=path):
        if event not in wanted:
            text = _without(text, event, path=path)
    for event, handler in wanted.items():
        there = list(_handlers(text, event, path=path))
        if not there:
            text = _with(text, event, handler, path=path)
        elif spans.value(text, there[0][2].value) != handler:
            text = spans.replaced(text, there[0][2], handler)
    return text


def without(text: str, *, path: Path) -> str:
    """The text without memkit's own handlers, and without the lists that held nothing else."""
    for event in own(text, path=path):
        text = _without(text, event, path=path)
    return text


def own(text: str, *, path: Path) -> dict[str, Handler]:
    """memkit's own handlers by event, the first where there are several."""
    hooks = _hooks(text, path)
    found: dict[str, Handler] = {}
    for event in spans.members(text, hooks) if hooks is not None else []:
        for _, _, handler in _handlers(text, event.key, path=path):
            found.setdefault(event.key, spans.value(text, handler.value))
    return found


def _grew_from(kept: bytes | None, mine: Mapping[str, Handler], *, path: Path) -> bytes | None:
    """What installing these handlers makes of the bytes that were kept (None: of no file)."""
    try:
        return merged(_text(kept, path), mine, path=path).encode()
    except ConfigError:
        return None


def _text(data: bytes | None, path: Path) -> str:
    """The text of a file; one that is missing or empty is an empty object."""
    try:
        text = (data or b"").decode()
        if not text.strip():
            return "{}\n"
        if not isinstance(json.loads(text), dict):
            raise ConfigError(f"{path} is no JSON object; it stays as it was", mend="mend it, then run this again")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (byte {error.start}); it stays as it was", mend="mend it") from error
    except json.JSONDecodeError as error:
        what = f"{path}:{error.lineno}: this is not JSON: {error.msg}; the file stays as it was"
        raise ConfigError(what, mend="mend that line, then run this again") from error
    except RecursionError as error:
        raise ConfigError(f"{path} is nested too deep; it stays as it was") from error
    return text


def _hooks(text: str, path: Path) -> int | None:
    """Where the object with the events opens."""
    return _at(text, _skipped(text), "hooks", "{", path=path)


def _at(text: str, within: int, key: str, opens: str, *, path: Path) -> int | None:
    """Where the value of a key opens, None when it has none. ConfigError when it is there twice, or another kind."""
    there = [member for member in spans.members(text, within) if member.key == key]
    if not there:
        return None
    if len(there) > 1:
        raise ConfigError(f"{path} has {key!r} twice; it stays as it was", mend="take one out, then run this again")
    if text[there[0].value] != opens:
        kind = "list" if opens == "[" else "object"
        raise ConfigError(
            f"{path}: {key!r} is no {kind}; the file stays as it was", mend="mend it, then run this again"
        )
    return there[0].value


def _handlers(text: str, event: str, *, path: Path) -> Iterator[tuple[int, int, spans.Member]]:
    """memkit's own handlers of an event: index of the group, index in the group, where it stands."""
    hooks = _hooks(text, path)
    groups = None if hooks is None else _at(text, hooks, event, "[", path=path)
    for number, group in enumerate(spans.members(text, groups) if groups is not None else []):
        inner = [m for m in spans.members(text, group.value) if m.key == "hooks"] if text[group.value] == "{" else []
        if inner and text[inner[0].value] == "[":
            for index, handler in enumerate(spans.members(text, inner[0].value)):
                if _is_own(spans.value(text, handler.value)):
                    yield number, index, handler


def _is_own(handler: object) -> bool:
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and _ours().search(command) is not None


@cache
def _ours() -> re.Pattern[str]:
    """A command that runs one of memkit's scripts (hooks/) with memkit."""
    return re.compile(r"hooks/(?:session-start|post-session)\b.*-m memkit\b", re.DOTALL)


def _with(text: str, event: str, handler: Handler, *, path: Path) -> str:
    group = {"hooks": [handler]}
    hooks = _hooks(text, path)
    if hooks is None:
        return spans.added(text, _skipped(text), {event: [group]}, key="hooks", depth=1)
    groups = _at(text, hooks, event, "[", path=path)
    if groups is None:
        return spans.added(text, hooks, [group], key=event, depth=2)
    return spans.added(text, groups, group, depth=3)


def _without(text: str, event: str, *, path: Path) -> str:
    """The text without memkit's handlers of an event; what they leave empty goes, too."""
    while (first := next(_handlers(text, event, path=path), None)) is not None:
        number, index, _ = first
        hooks = _hooks(text, path) or 0
        groups = _at(text, hooks, event, "[", path=path) or 0
        group = spans.members(text, groups)[number].value
        inner = next(m.value for m in spans.members(text, group) if m.key == "hooks")
        if len(spans.members(text, inner)) > 1:
            text = spans.removed(text, inner, index)
        elif len(spans.members(text, groups)) > 1:
            text = spans.removed(text, groups, number)
        elif len(there := spans.members(text, hooks)) > 1:
            text = spans.removed(text, hooks, [m.key for m in there].index(event))
        else:
            root = _skipped(text)
            text = spans.removed(text, root, [m.key for m in spans.members(text, root)].index("hooks"))
    return text


def _skipped(text: str) -> int:
    return len(text) - len(text.lstrip())
