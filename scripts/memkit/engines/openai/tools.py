"""The tools of the agent that consolidates: their schemas, and what a call does in the workspace."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec

from memkit import prompts
from memkit.engines.openai.server import strict
from memkit.engines.openai.wire import Called, Tool
from memkit.engines.workspace import Refused, Workspace

_PATH = {"type": "string", "maxLength": 300, "description": "a file's path as `list` shows it"}
_FOLDER = {"type": "string", "maxLength": 300, "description": "a folder or file; empty for everything"}

_MOST = 450_000  # characters of a call's arguments: a document, and what JSON adds


class _List(msgspec.Struct, forbid_unknown_fields=True):
    folder: str


class _Read(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    first: int
    count: int


class _Search(msgspec.Struct, forbid_unknown_fields=True):
    words: str
    folder: str


class _Write(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    text: str


class _Replace(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    old: str
    new: str


class _Delete(msgspec.Struct, forbid_unknown_fields=True):
    path: str


_ARGUMENTS: dict[str, type[_List | _Read | _Search | _Write | _Replace | _Delete]] = {
    "list": _List,
    "read": _Read,
    "search": _Search,
    "write": _Write,
    "replace": _Replace,
    "delete": _Delete,
}


@cache
def tools() -> tuple[Tool, ...]:
    """What the model may call."""
    text = {"type": "string"}
    return (
        Tool(name="list", description="The files with their sizes.", parameters=strict({"folder": _FOLDER})),
        Tool(
            name="read",
            description="Lines of a file. Long files are shown in parts: go on where the last part ended.",
            parameters=strict(
                {
                    "path": _PATH,
                    "first": {"type": "integer", "description": "the first line, from 1"},
                    "count": {"type": "integer", "description": "how many lines, 400 at most"},
                }
            ),
        ),
        Tool(
            name="search",
            description="The lines that hold some words, whatever their case.",
            parameters=strict({"words": {"type": "string", "maxLength": 200}, "folder": _FOLDER}),
        ),
        Tool(
            name="write",
            description="Make a document, or replace it whole.",
            parameters=strict({"path": _PATH, "text": text}),
        ),
        Tool(
            name="replace",
            description="Replace a stretch of a document. `old` must stand in it exactly once.",
            parameters=strict({"path": _PATH, "old": text, "new": text}),
        ),
        Tool(name="delete", description="Remove a document.", parameters=strict({"path": _PATH})),
    )


def short(called: Called) -> Called:
    """A call as it stands in the conversation: arguments that are too long to be followed are not sent again."""
    return replace(called, arguments="{}") if len(called.arguments) > _MOST else called


def call(called: Called, workspace: Workspace) -> str:
    """What the call gives, or why it can't be done: both are for the model to read."""
    if len(called.arguments) > _MOST:
        return f"error: the arguments are too long; {_MOST:,} characters are the most"
    wanted = _ARGUMENTS.get(called.name)
    if wanted is None:
        return f"error: there is no tool {called.name[:100]!r}; there are {', '.join(_ARGUMENTS)}"
    try:
        return _done(msgspec.json.decode(called.arguments or "{}", type=wanted), workspace)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"error: the arguments are wrong: {error}"
    except Refused as error:
        return f"error: {error}"


def _done(said: _List | _Read | _Search | _Write | _Replace | _Delete, workspace: Workspace) -> str:
    match said:
        case _List():
            return workspace.list(said.folder)
        case _Read():
            return workspace.read(said.path, first=said.first, count=said.count)
        case _Search():
            return workspace.search(said.words, folder=said.folder)
        case _Write():
            return workspace.write(said.path, prompts.plain_lines(said.text))
        case _Replace():
            return workspace.replace(said.path, said.old, prompts.plain_lines(said.new))
        case _Delete():
            return workspace.delete(said.path)
